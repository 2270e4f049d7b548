"""How far a figure spreads over the orders of a replay or the campaigns of a plan."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# What one in ten stays below, and what one in ten exceeds.
LOW, HIGH = 0.1, 0.9


@dataclass(frozen=True)
class Spread:
    """The median, and the range that holds four in five."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(*np.quantile(np.array(values), (LOW, 0.5, HIGH)).tolist())
