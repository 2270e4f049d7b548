"""The likeliest way to be wrong (paper, Example 3.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate.model.error.base import Qualities, check_domain, check_step, scaled_inverse


@kernel
def likelihood_kernel(qualities: NDArray[np.float64]) -> float:
    """The product, lowest quality first."""
    ordered = np.sort(qualities)
    error = 1.0
    for i in range((len(qualities) + 1) // 2):
        error *= 1.0 - ordered[i]
    return error


@dataclass(frozen=True)
class Likelihood:
    """f_S(q) = (1 - q_1) ... (1 - q_s'), over the s' = floor((s+1)/2) lowest qualities of the jury.

    It bounds one outcome's probability, not the verdict's error: the majority errs in many ways.
    """

    name: str = "likelihood"
    floor: float = 0.5
    bounds_the_vote: ClassVar[bool] = False

    def error(self, qualities: Qualities) -> float:
        return likelihood_kernel(check_domain(self, qualities))

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = delta: s' factors of at most 1/2 change by at most s' 2^(1-s') delta <= delta."""
        check_step(delta, size)
        return delta

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        return scaled_inverse(error, 1.0)
