"""The paper's simplified bound, which makes selection a minimum knapsack (paper, end of Example 3.2; section 6.2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.errors import InvalidInput
from quorate.model.error.base import Qualities, check_domain, check_step, scaled_inverse


@dataclass(frozen=True)
class Linear:
    """f_S(q) = exp(-epsilon sum(2q - 1)), proved only where every q >= 1/2 + epsilon.

    Constraint: sum(2q - 1) >= ln(1/alpha) / epsilon, with the paper's epsilon = 1/6: 6 ln(1/alpha). Below its floor
    it is false: at q = .55 it buys 139 workers whose true error is .118 > .1 (MATHS 2), so it refuses.
    """

    epsilon: float = 1.0 / 6.0
    name: str = "linear"
    bounds_the_vote: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0.0 < self.epsilon < 0.5:
            raise InvalidInput(f"epsilon {self.epsilon} is not in (0, 1/2); the paper's simulations use 1/6")

    @property
    def floor(self) -> float:
        return 0.5 + self.epsilon

    def error(self, qualities: Qualities) -> float:
        return math.exp(-self.epsilon * math.fsum(self.values(check_domain(self, qualities)).tolist()))

    def values(self, qualities: Qualities) -> Qualities:
        return np.maximum(2.0 * qualities - 1.0, 0.0)

    def requirement(self, alpha: float) -> float:
        return math.log(1.0 / alpha) / self.epsilon

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = delta / (e epsilon).

        The exponent moves by at most 2 epsilon s delta while f <= exp(-2 epsilon^2 s); the product is largest at
        s = 1 / (2 epsilon^2). No size enters.
        """
        check_step(delta, size)
        return delta / (math.e * self.epsilon)

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        return scaled_inverse(error, self.smoothness(1.0, size))


@dataclass(frozen=True)
class Margin:
    """The bare constraint of the paper's section 6.2, sum(2q - 1) >= M, for any M and any quality from 1/2 up.

    It promises no accuracy (with `Linear`'s M it does, above `Linear`'s floor). The audit's cases use it (MATHS 6).
    As a formal f_S(q) it is exp(-sum(2q - 1)), whose requirement at alpha is ln(1/alpha).
    """

    name: str = "margin"
    floor: float = 0.5
    bounds_the_vote: ClassVar[bool] = False

    def error(self, qualities: Qualities) -> float:
        return math.exp(-math.fsum(self.values(check_domain(self, qualities)).tolist()))

    def values(self, qualities: Qualities) -> Qualities:
        return np.maximum(2.0 * qualities - 1.0, 0.0)

    def requirement(self, alpha: float) -> float:
        return math.log(1.0 / alpha)

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) = 1 - exp(-2 size delta): f is a product of at most `size` factors, each moving by e^(-2 delta)."""
        check_step(delta, size)
        return -math.expm1(-2.0 * size * delta)

    def smoothness_inverse(self, error: float, size: int) -> float:
        check_step(error, size)
        return 0.5 if error >= 1.0 else min(0.5, -math.log1p(-error) / (2.0 * size))
