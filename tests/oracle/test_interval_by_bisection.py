"""The compiled anytime interval against its defining inequality."""

from fractions import Fraction

import numpy as np
import pytest

from quorate.model.interval import AnytimeInterval
from quorate.model.interval.anytime import OUTWARD
from tests.oracle import naive_interval as naive

LEVELS = (0.1, 0.1 / 60, 0.1 / 1100, 1e-9)
COUNTS = [(k, m) for m in (1, 2, 3, 7, 30) for k in range(m + 1)]
COUNTS += [(k, m) for m in (250, 1000) for k in (0, 1, m // 2, 3 * m // 4, m - 1, m)]


def ends(k: int, m: int, level: float) -> tuple[float, float]:
    lower, upper = AnytimeInterval().bounds(np.array([k]), np.array([m]), level, 0.0)
    return float(lower[0]), float(upper[0])


@pytest.mark.parametrize("level", LEVELS)
def test_both_ends_are_the_roots_of_the_defining_inequality(level: float) -> None:
    for k, m in COUNTS:
        lower, upper = ends(k, m, level)
        assert lower == pytest.approx(naive.lower_end(k, m, level), abs=2 * OUTWARD)
        assert upper == pytest.approx(naive.upper_end(k, m, level), abs=2 * OUTWARD)


@pytest.mark.parametrize("level", LEVELS)
def test_both_ends_are_rounded_outward_and_by_no_more_than_stated(level: float) -> None:
    """In fractions: the end itself is outside, and a step inward of twice the rounding is inside."""
    exact, step = Fraction(level), Fraction(2 * OUTWARD)
    for k, m in COUNTS:
        if m > 300:
            continue
        lower, upper = (Fraction(end) for end in ends(k, m, level))
        if lower > 0:
            assert not naive.inside(lower, k, m, exact)
        if upper < 1:
            assert not naive.inside(upper, k, m, exact)
        assert naive.inside(lower + step, k, m, exact) or k == 0
        assert naive.inside(upper - step, k, m, exact) or k == m


def test_an_end_that_is_rounded_inward_would_be_noticed() -> None:
    """Negative control: the certificate tells a hair's breadth."""
    lower, _ = ends(3, 7, 0.1)
    assert naive.inside(Fraction(lower) + Fraction(2 * OUTWARD), 3, 7, Fraction(0.1))
    assert not naive.inside(Fraction(lower), 3, 7, Fraction(0.1))


def test_ends_stay_close_for_many_answers() -> None:
    for k, m in ((9500, 10_000), (5000, 10_000), (9999, 10_000)):
        lower, upper = ends(k, m, 0.1 / 1100)
        assert lower == pytest.approx(naive.lower_end(k, m, 0.1 / 1100), abs=2 * OUTWARD)
        assert upper == pytest.approx(naive.upper_end(k, m, 0.1 / 1100), abs=2 * OUTWARD)
