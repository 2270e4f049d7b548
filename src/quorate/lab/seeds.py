"""A study's seeds: a pure function of the study's seed and the sample, so any cell can be run alone, anywhere.

Policies and parameters share a sample's seeds: what differs between two rows of one sample is what the study varies.
"""

from dataclasses import dataclass

import numpy as np

from quorate.model.philox import WORLD, word


@dataclass(frozen=True)
class Seeds:
    """What one sample draws from: the world, who is right, ties between juries, the coins of payment and policy."""

    world: int
    realization: int
    ties: int
    coins: int

    @classmethod
    def of(cls, study: int, sample: int) -> "Seeds":
        draws = (int(word(np.uint64(study), WORLD, np.uint64(sample), np.uint64(use))) for use in range(4))
        return cls(*draws)
