"""The exact error of the majority vote (Poisson-binomial) with the paper's tie rule (paper, equation (1); MATHS 2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate.model.error.base import Qualities, check_domain, check_step, scaled_inverse
from quorate.model.problem import as_qualities


@kernel
def majority_kernel(qualities: NDArray[np.float64]) -> float:
    """The Poisson-binomial law of how many are wrong, one worker at a time in the order given; then its upper half."""
    size = len(qualities)
    law = np.zeros(size + 1)
    law[0] = 1.0
    for i in range(size):
        right, wrong = qualities[i], 1.0 - qualities[i]
        for j in range(i + 1, 0, -1):
            law[j] = law[j] * right + law[j - 1] * wrong
        law[0] *= right
    lost = 0.0
    for j in range(size, size // 2, -1):
        lost += law[j]
    return lost if size % 2 == 1 else lost + 0.5 * law[size // 2]


def majority_error(qualities: Qualities) -> float:
    """The exact error of the majority, the two answers being equally likely.

    Equation (1) gives a tie to answer 0: half of the ties are wrong. The empty jury says 0 and errs half the time.
    """
    return majority_kernel(as_qualities(qualities))


@dataclass(frozen=True)
class Majority:
    """f_S(q): exact. Monotone in q, not in S: {.9} errs .100, {.9, .6, .6} errs .208 (MATHS 2)."""

    name: str = "majority"
    floor: float = 0.5
    bounds_the_vote: ClassVar[bool] = True

    def error(self, qualities: Qualities) -> float:
        return majority_kernel(check_domain(self, qualities))

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = s C(s-1, (s-1)/2) 2^(1-s) delta for the largest odd s <= size.

        df/dq_i is minus the chance that i is pivotal, which for qualities of at least 1/2 is largest where all are 1/2:
        lowering any other quality towards 1/2 makes an even split likelier. An even jury errs like the average
        of odd ones without one member or the other, so odd sizes give the constant.
        """
        check_step(delta, size)
        odd = size if size % 2 else size - 1
        log_pivotal = math.lgamma(odd) - 2.0 * math.lgamma((odd + 1) / 2.0) - (odd - 1) * math.log(2.0)
        return odd * math.exp(log_pivotal) * delta

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        return scaled_inverse(error, self.smoothness(1.0, size))
