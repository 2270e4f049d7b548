"""The Beta(1/2, 1/2)-mixture confidence sequence: valid at all rounds at once (MATHS 3).

After k right of m, p is inside iff  -k ln p - (m-k) ln(1-p) < R  with
R = ln(1/d) - ln B(k + 1/2, m - k + 1/2) + ln B(1/2, 1/2)  and  d = mu / n  (Ville's inequality on the mixture's
likelihood ratio).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.model.interval.base import Counts, Floats, check_counts

# Newton's iterates approach each end from outside; this covers what rounding could still take back.
OUTWARD = 1e-10
NEWTON_STEPS = 200
NEWTON_TOLERANCE = 1e-13
LOG_PI = math.log(math.pi)


@inline
def _radius(k: int, m: int, log_term: float) -> float:
    """R, with ln B(1/2, 1/2) = ln pi."""
    log_beta = math.lgamma(k + 0.5) + math.lgamma(m - k + 0.5) - math.lgamma(m + 1.0)
    return log_term - log_beta + LOG_PI


@inline
def _softplus(x: float) -> float:
    return x + math.log1p(math.exp(-x)) if x > 0.0 else math.log1p(math.exp(x))


@inline
def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > 0.0 else 1.0 - 1.0 / (1.0 + math.exp(x))


@inline
def _end(k: int, m: int, radius: float, side: float) -> float:
    """One end, for 0 < k < m, in the logit x: h(x) = m softplus(x) - k x is convex, so Newton's first step from any
    point on this side lands outside the root and the rest come back to it without crossing.
    """
    share = k / m
    centre = math.log(share / (1.0 - share))
    at_centre = m * _softplus(centre) - k * centre
    x = centre + side * math.sqrt(2.0 * max(radius - at_centre, 1e-12) / (m * share * (1.0 - share)))
    for _ in range(NEWTON_STEPS):
        step = (m * _softplus(x) - k * x - radius) / (m * _sigmoid(x) - k)
        x -= step
        if abs(step) <= NEWTON_TOLERANCE * max(1.0, abs(x)):
            break
    return _sigmoid(x)


@inline
def anytime_lower(k: int, m: int, log_term: float) -> float:
    """The lower end, rounded outward; log_term = ln(1/d)."""
    if m == 0 or k == 0:
        return 0.0
    radius = _radius(k, m, log_term)
    low = math.exp(-radius / m) if k == m else _end(k, m, radius, -1.0)
    return max(0.0, low - OUTWARD)


@inline
def anytime_upper(k: int, m: int, log_term: float) -> float:
    """The upper end, rounded outward."""
    if m == 0 or k == m:
        return 1.0
    radius = _radius(k, m, log_term)
    high = -math.expm1(-radius / m) if k == 0 else _end(k, m, radius, 1.0)
    return min(1.0, high + OUTWARD)


@kernel
def _bounds_kernel(
    right: NDArray[np.int64], asked: NDArray[np.int64], log_term: float, floor: float, lower: Floats, upper: Floats
) -> None:
    for i in range(len(right)):
        lower[i] = min(1.0, max(floor, anytime_lower(right[i], asked[i], log_term)))
        upper[i] = max(floor, anytime_upper(right[i], asked[i], log_term))


@dataclass(frozen=True)
class AnytimeInterval:
    """Default of assured mode. At q = .95, m = 1000, n = 1100, mu = .1 its width is .071, the paper's .121."""

    name: str = "anytime"
    anytime: bool = True

    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]:
        check_counts(right, asked, level, floor)
        lower, upper = np.empty(len(right)), np.empty(len(right))
        _bounds_kernel(right, asked, math.log(1.0 / level), floor, lower, upper)
        return lower, upper
