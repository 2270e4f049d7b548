"""Bhattacharyya's bound on the vote weighted by log-odds (MATHS 2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.model.error.base import Qualities, check_domain, check_step


@inline
def log_odds_value(quality: float) -> float:
    """-1/2 ln(4 q (1 - q)), infinite at q = 1, nothing from 1/2 down. Scalar libm calls: every path rounds alike."""
    if quality <= 0.5:
        return 0.0
    if quality >= 1.0:
        return math.inf
    return -0.5 * math.log(4.0 * quality * (1.0 - quality))


@kernel
def _values_kernel(qualities: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for i in range(len(qualities)):
        out[i] = max(0.0, log_odds_value(qualities[i]))


@dataclass(frozen=True)
class LogOdds:
    """f_S(q) = 1/2 prod 2 sqrt(q (1 - q)).

    The error of the vote weighted by logit(q-) is at most f_S(q-) at every q >= q-. Constraint: the sum of
    -1/2 ln(4 q (1 - q)) exceeds ln(1 / (2 alpha)). Valid on all of [1/2, 1], monotone in q and in S.
    """

    name: str = "log-odds"
    floor: float = 0.5
    bounds_the_vote: ClassVar[bool] = True

    def error(self, qualities: Qualities) -> float:
        known = check_domain(self, qualities)
        return 0.5 * math.prod(2.0 * math.sqrt(quality * (1.0 - quality)) for quality in known.tolist())

    def values(self, qualities: Qualities) -> Qualities:
        out = np.empty(len(qualities))
        _values_kernel(qualities, out)
        return out

    def requirement(self, alpha: float) -> float:
        return math.log(1.0 / (2.0 * alpha))

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = (1 - (1 - D)^size) / 2 with D = 2 sqrt(delta (1 - delta)).

        D is the largest change of 2 sqrt(q (1-q)) over a step of delta (concave, so at the end q = 1, where the slope
        is infinite: h is of order sqrt(delta)); a product of factors in [0, 1], each changing by at most D, changes by
        at most 1 - (1 - D)^size.
        """
        check_step(delta, size)
        step = min(delta, 0.5)
        factor = 1.0 - 2.0 * math.sqrt(step * (1.0 - step))
        return 0.5 * (1.0 - factor**size)

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        if error >= 0.5:
            return 0.5
        # 1 - D = (1 - 2 error)^(1/size); delta = (1 - sqrt(1 - D^2)) / 2, written so that small D loses no digits.
        change = -math.expm1(math.log1p(-2.0 * error) / size)
        return change * change / (2.0 * (1.0 + math.sqrt(1.0 - change * change)))
