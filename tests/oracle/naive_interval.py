"""The Beta(1/2, 1/2)-mixture interval from its definition (MATHS 3), in exact fractions and in 60 digits.

After k right of m, p is inside iff  p^k (1-p)^(m-k) > d B(k + 1/2, m - k + 1/2) / B(1/2, 1/2), and the ratio of Betas
is rational: (2k)! (2j)! / (4^m k! j! m!) with j = m - k, since Gamma(k + 1/2) = (2k)! sqrt(pi) / (4^k k!).
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import factorial

DIGITS = 60


def mixture(k: int, m: int) -> Fraction:
    j = m - k
    return Fraction(factorial(2 * k) * factorial(2 * j), 4**m * factorial(k) * factorial(j) * factorial(m))


def inside(p: Fraction, k: int, m: int, level: Fraction) -> bool:
    return p**k * (1 - p) ** (m - k) > level * mixture(k, m)


def lower_end(k: int, m: int, level: float) -> float:
    """Bisection on [0, k/m] to 2^-50; 0 if k = 0."""
    return _end(k, m, level, Decimal(0), Decimal(k) / Decimal(m))


def upper_end(k: int, m: int, level: float) -> float:
    return 1.0 - _end(m - k, m, level, Decimal(0), Decimal(m - k) / Decimal(m))


def _end(k: int, m: int, level: float, outside: Decimal, within: Decimal) -> float:
    if k == 0:
        return 0.0
    with localcontext() as context:
        context.prec = DIGITS
        ratio = mixture(k, m)
        least = Decimal(level).ln() + Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()

        def holds(p: Decimal) -> bool:
            chance = k * p.ln() + (0 if m == k else (m - k) * (1 - p).ln())
            return chance > least

        low, high = outside, Decimal(within)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return float(high)
