"""Hoeffding's bound on the majority vote's error (paper, Example 3.2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate.model.error.base import Qualities, check_domain, check_step, scaled_inverse


@kernel
def hoeffding_kernel(qualities: NDArray[np.float64]) -> float:
    """The margin is summed in the order given."""
    if len(qualities) == 0:
        return 1.0
    margin = 0.0
    for i in range(len(qualities)):
        margin += 2.0 * qualities[i] - 1.0
    return math.exp(-margin * margin / (2.0 * len(qualities)))


@dataclass(frozen=True)
class Hoeffding:
    """f_S(q) = exp(-(sum(2q - 1))^2 / (2s)); 1 for the empty jury."""

    name: str = "hoeffding"
    floor: float = 0.5
    bounds_the_vote: ClassVar[bool] = True

    def error(self, qualities: Qualities) -> float:
        return hoeffding_kernel(check_domain(self, qualities))

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = 2 sqrt(size / e) delta.

        The margin x moves by at most 2 s delta, and |d/dx exp(-x^2/2s)| is largest at x = sqrt(s), where it is
        1/sqrt(e s).
        """
        check_step(delta, size)
        return 2.0 * math.sqrt(size / math.e) * delta

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        return scaled_inverse(error, self.smoothness(1.0, size))
