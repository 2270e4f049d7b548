"""Who must be followed round by round while everybody is asked, and who can sleep until the block's end.

A worker whose best ratio of price to value, over all that a block may still bring, lies beyond the edge of the front
stays out of the front whatever happens in between: its answers are counted at the end, all at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import Answers, count
from quorate.engine.crowd import Crowd
from quorate.engine.front import Front
from quorate.engine.greedy import price_per_value

# So many of the cheapest are always awake: GA looks for its last worker there.
CHEAPEST = 48


class Awake(NamedTuple):
    """`ids[:size[0]]` are awake; the asleep have `pending[i]` right answers on the lanes `lanes[0]`, not yet
    counted.
    """

    ids: NDArray[np.int64]
    size: NDArray[np.int64]
    flags: NDArray[np.bool_]
    pending: NDArray[np.int64]
    lanes: NDArray[np.uint64]


@inline
def nobody_awake(workers: int) -> Awake:
    return Awake(
        np.empty(workers, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(workers, dtype=np.bool_),
        np.zeros(workers, dtype=np.int64),
        np.zeros(1, dtype=np.uint64),
    )


@kernel
def plan(awake: Awake, answers: Answers, wanted: np.uint64) -> None:
    """Everybody asleep, with the answers on the wanted lanes (drawn already) to be counted."""
    awake.lanes[0] = wanted
    awake.size[0] = 0
    for i in range(len(awake.flags)):
        awake.flags[i] = False
        awake.pending[i] = count(answers.words[i] & wanted)


@inline
def wake(awake: Awake, worker: int) -> None:
    if not awake.flags[worker]:
        awake.flags[worker] = True
        awake.ids[awake.size[0]] = worker
        awake.size[0] += 1


@kernel
def wake_needed(
    awake: Awake,
    prices: NDArray[np.int64],
    highest: NDArray[np.int64],
    by_price: NDArray[np.int64],
    front: Front,
) -> int:
    """Wake the front, whoever at its highest value may reach it, and the cheapest; returns how many of these are
    followed."""
    for i in range(len(prices)):
        if front.inside[i] or price_per_value(prices[i], highest[i]) <= front.edge_key[0]:
            wake(awake, i)
    cheapest = min(CHEAPEST, len(prices))
    for place in range(cheapest):
        wake(awake, by_price[place])
    return len(prices) if awake.size[0] == len(prices) else cheapest


@kernel
def wake_everybody(awake: Awake, crowd: Crowd, answers: Answers, passed: np.uint64) -> None:
    """Wake the rest, counting their answers on the lanes that have passed."""
    passed &= awake.lanes[0]
    rounds = count(passed)
    for i in range(len(awake.flags)):
        if not awake.flags[i]:
            crowd.asked[i] += rounds
            crowd.right[i] += count(answers.words[i] & passed)
            wake(awake, i)


@kernel
def count_sleepers(awake: Awake, crowd: Crowd) -> None:
    """The block's end: the answers of those who slept through it."""
    rounds = count(awake.lanes[0])
    for i in range(len(awake.flags)):
        if not awake.flags[i]:
            crowd.asked[i] += rounds
            crowd.right[i] += awake.pending[i]
