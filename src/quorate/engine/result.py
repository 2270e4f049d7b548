"""What the engine says of a run: the sums that studies need, not the juries of every task (compare `Play`)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.policy.base import Phase
from quorate.policy.play import Play


@dataclass(frozen=True, eq=False)
class Run:
    """One whole run. Every field equals what `play` gives on the same realization, to the bit.

    `counts`: tasks per worker; `exploration_counts`: of these, the ones in exploration. `spend`: the sum of bids per
    task, in millionths. `stop`: the first exploitation task (from 1), None where the policy never stops. `jury`: whom
    the last task asked. `explored`: exploration tasks. The violations are those of `Play`, None without true qualities.
    """

    counts: NDArray[np.int64]
    exploration_counts: NDArray[np.int64]
    spend: NDArray[np.int64]
    stop: int | None
    jury: NDArray[np.int64]
    explored: int
    model_violations: int | None
    vote_violations: int | None
    vote_violations_then: int | None

    @property
    def total(self) -> int:
        return int(self.spend.sum())


def from_play(played: Play) -> Run:
    """The same sums of a plain run."""
    exploration = np.zeros_like(played.counts)
    explored = 0
    for jury, phase in zip(played.juries, played.phases, strict=True):
        if phase is Phase.EXPLORE:
            exploration[jury] += 1
            explored += 1
    return Run(
        counts=played.counts,
        exploration_counts=exploration,
        spend=played.spend,
        stop=played.stop,
        jury=played.juries[-1],
        explored=explored,
        model_violations=played.model_violations,
        vote_violations=played.vote_violations,
        vote_violations_then=played.vote_violations_then,
    )
