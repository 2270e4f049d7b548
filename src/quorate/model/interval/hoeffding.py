"""The paper's interval: q-hat +- sqrt(ln(2n/mu) / (2 n_i)) (paper, Algorithm 1, `update`), clipped (MATHS 3)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.model.interval.base import Counts, Floats, check_counts


@inline
def hoeffding_radius(asked: int, log_term: float) -> float:
    """sqrt(log_term / (2 n_i)) with log_term = ln(2n/mu)."""
    return math.sqrt(log_term / (2.0 * asked))


@kernel
def _bounds_kernel(
    right: NDArray[np.int64], asked: NDArray[np.int64], log_term: float, floor: float, lower: Floats, upper: Floats
) -> None:
    for i in range(len(right)):
        lower[i] = floor
        upper[i] = 1.0
        if asked[i] > 0:
            centre = right[i] / asked[i]
            radius = hoeffding_radius(asked[i], log_term)
            lower[i] = min(1.0, max(floor, centre - radius))
            upper[i] = max(floor, min(1.0, centre + radius))


@dataclass(frozen=True)
class HoeffdingInterval:
    """Holds per round, not uniformly over rounds; the paper stops at a data-dependent round, where it is not enough."""

    name: str = "hoeffding"
    anytime: bool = False

    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]:
        check_counts(right, asked, level, floor)
        lower, upper = np.empty(len(right)), np.empty(len(right))
        _bounds_kernel(right, asked, math.log(2.0 / level), floor, lower, upper)
        return lower, upper
