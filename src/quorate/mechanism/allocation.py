"""A finished campaign as a payment sees it: who did how many tasks in which phase, and what the last decision knew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.policy.base import FamilyEvidence, Phase, Workers
from quorate.policy.play import Play


@dataclass(frozen=True, eq=False)
class Allocation:
    """Tasks per worker while exploring and while exploiting; the last jury (empty if exploration never ended).

    What the last decision was taken on: `lower`, the pessimistic qualities, `keys`, the tie keys, and where juries are
    judged as wholes `family`.
    """

    explored: NDArray[np.int64]
    exploited: NDArray[np.int64]
    jury: Workers
    lower: NDArray[np.float64]
    keys: NDArray[np.int64]
    family: FamilyEvidence | None = None

    def __len__(self) -> int:
        return len(self.explored)

    @property
    def tasks(self) -> NDArray[np.int64]:
        return self.explored + self.exploited

    @classmethod
    def from_play(cls, played: Play) -> "Allocation":
        """Of a plain run."""
        exploited = np.zeros_like(played.counts)
        for jury, phase in zip(played.juries, played.phases, strict=True):
            if phase is Phase.EXPLOIT:
                exploited[jury] += 1
        ended = played.phases[-1] is Phase.EXPLOIT
        jury = played.juries[-1] if ended else np.empty(0, dtype=np.int64)
        final = played.final
        return cls(played.counts - exploited, exploited, jury, final.lower, final.keys, final.family)
