"""Small worlds, and what in them does not depend on bids (MATHS 6).

In a world of at most six workers there are 64 juries. Which of them are certainly, and which are possibly, good
enough after each round is computed once per world, as 64-bit masks, and shared by all bids of a grid.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.errors import InvalidInput
from quorate.model.error import AdditiveErrorModel
from quorate.model.fixed_point import round_down, round_up
from quorate.policy.base import LearningPolicy

MOST_WORKERS = 6
_1 = np.uint64(1)
_0 = np.uint64(0)


class World(NamedTuple):
    """One small world, ready for the kernels. Row i's bit t (64 to a word) says whether worker i is right on task t.

    `certain` and `hoped` are the requirements of the pessimistic and the optimistic problem; `target` and `max_size`
    are those of `assured-joint`; `kappa` is a fraction; `pool` is how many lowest bidders take part; `rule` is one of
    `runs`.
    """

    workers: int
    vary: int
    cap: int
    horizon: int
    bids: NDArray[np.int64]
    keys: NDArray[np.int64]
    rows: NDArray[np.uint64]
    certain: int
    hoped: int
    target: float
    max_size: int
    kappa_top: int
    kappa_bottom: int
    pool: int
    rule: int
    eliminates: bool
    nested: bool


class Scale(NamedTuple):
    """Bounds and values for every (participants, asked, right), as the real policies compute them.

    `lower` and `upper` are qualities, `low` and `high` their values in billionths, rounded outward.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


class Rounds(NamedTuple):
    """What a worker asked in every round is worth after round t, and the juries that are good then (from round 1).

    `first`: no jury is certain to be good before this round. `ranks`: each jury's rank by the sum of its tie keys.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    certain: NDArray[np.uint64]
    possible: NDArray[np.uint64]
    first: int
    ranks: NDArray[np.int64]


def shared_scale(policy: LearningPolicy) -> Scale:
    """The real interval and error model of a policy, on all counts up to its horizon and up to six participants.

    It serves every shorter horizon too, and every requirement.
    """
    model = policy.pessimistic.model
    if not isinstance(model, AdditiveErrorModel):
        raise InvalidInput(
            f"the error model {model.name!r} is not additive; small worlds need 'margin', 'linear' or 'log-odds'"
        )
    horizon = policy.problem.horizon
    asked, right = np.divmod(np.arange((horizon + 1) ** 2), horizon + 1)
    reachable = right <= asked
    shape = (MOST_WORKERS + 1, horizon + 1, horizon + 1)
    lower, upper = np.full(shape, policy.floor), np.ones(shape)
    for participants in range(1, MOST_WORKERS + 1):
        level = policy.problem.mu / participants
        bounds = policy.interval.bounds(right[reachable], asked[reachable], level, policy.floor)
        lower[participants].reshape(-1)[reachable] = bounds[0]
        upper[participants].reshape(-1)[reachable] = bounds[1]
    low = round_down(model.values(lower.reshape(-1))).reshape(shape)
    high = round_up(model.values(upper.reshape(-1))).reshape(shape)
    return Scale(lower, upper, low, high)


@inline
def participants(world: World) -> int:
    return min(world.pool, world.workers)


@inline
def answer(world: World, worker: int, task: int) -> int:
    """1 if a worker is right on a task (counted from 0), else 0."""
    return int((world.rows[worker, task >> 6] >> np.uint64(task & 63)) & _1)


@inline
def _tell_worker(
    world: World, scale: Scale, worker: int, out_low: NDArray[np.int64], out_high: NDArray[np.int64]
) -> None:
    """The worker's values after each round; nested ones as `quorate.model.interval.nest` intersects them."""
    p = participants(world)
    right = 0
    lower = scale.lower[p, 0, 0]
    upper = scale.upper[p, 0, 0]
    low = scale.low[p, 0, 0]
    high = scale.high[p, 0, 0]
    for t in range(1, world.horizon + 1):
        right += answer(world, worker, t - 1)
        if not world.nested or max(lower, scale.lower[p, t, right]) <= min(upper, scale.upper[p, t, right]):
            if not world.nested or scale.lower[p, t, right] > lower:
                lower = scale.lower[p, t, right]
                low = scale.low[p, t, right]
            if not world.nested or scale.upper[p, t, right] < upper:
                upper = scale.upper[p, t, right]
                high = scale.high[p, t, right]
        out_low[t, worker] = low
        out_high[t, worker] = high


@inline
def good_juries(values: NDArray[np.int64], workers: int, requirement: int, sums: NDArray[np.int64]) -> np.uint64:
    """The juries whose values sum to the requirement, as a mask: bit j for the jury whose members are the bits of j."""
    mask = _0
    sums[0] = 0
    for i in range(workers):
        member = 1 << i
        for j in range(member):
            total = sums[j] + values[i]
            sums[member + j] = total
            if total >= requirement:
                mask |= _1 << np.uint64(member + j)
    return mask


@inline
def rank_keys(keys: NDArray[np.int64], workers: int) -> NDArray[np.int64]:
    """Each jury's rank by the sum of its members' tie keys."""
    juries = 1 << workers
    sums = np.zeros(juries, np.int64)
    for i in range(workers):
        for j in range(1 << i):
            sums[(1 << i) + j] = sums[j] + keys[i]
    ranks = np.empty(juries, np.int64)
    order = np.argsort(sums)
    for rank in range(juries):
        ranks[order[rank]] = rank
    return ranks


@inline
def shared_rounds(world: World, scale: Scale) -> Rounds:
    """Everything of a world that does not depend on the varied worker's bid."""
    rounds = world.horizon + 1
    low = np.empty((rounds, MOST_WORKERS), np.int64)
    high = np.empty((rounds, MOST_WORKERS), np.int64)
    for i in range(world.workers):
        low[0, i] = scale.low[participants(world), 0, 0]
        high[0, i] = scale.high[participants(world), 0, 0]
        _tell_worker(world, scale, i, low, high)
    certain = np.zeros(rounds, np.uint64)
    possible = np.zeros(rounds, np.uint64)
    sums = np.empty(1 << MOST_WORKERS, np.int64)
    first = rounds
    for t in range(world.horizon, 0, -1):
        certain[t] = good_juries(low[t], world.workers, world.certain, sums)
        possible[t] = good_juries(high[t], world.workers, world.hoped, sums)
        if certain[t] != _0:
            first = t
    return Rounds(low, high, certain, possible, first, rank_keys(world.keys, world.workers))
