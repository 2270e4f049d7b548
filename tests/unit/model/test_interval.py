"""Intervals on counts that can be worked out by hand, and nesting."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.model.interval import AnytimeInterval, HoeffdingInterval, Interval, nest


def one(interval: Interval, right: int, asked: int, level: float, floor: float = 0.0) -> tuple[float, float]:
    lower, upper = interval.bounds(np.array([right]), np.array([asked]), level, floor)
    return float(lower[0]), float(upper[0])


def width(interval: Interval, right: int, asked: int, level: float) -> float:
    lower, upper = one(interval, right, asked, level)
    return upper - lower


def test_the_papers_interval_is_the_share_and_its_radius_clipped() -> None:
    """q-hat +- sqrt(ln(2n/mu) / (2 n_i)): at 80 of 100, n = 10, mu = .1 the radius is sqrt(ln(200) / 200) = .1628."""
    radius = math.sqrt(math.log(200) / 200)
    assert one(HoeffdingInterval(), 80, 100, 0.1 / 10) == pytest.approx((0.8 - radius, 0.8 + radius))
    assert one(HoeffdingInterval(), 95, 100, 0.1 / 10)[1] == 1.0
    assert one(HoeffdingInterval(), 60, 100, 0.1 / 10, floor=0.5)[0] == 0.5
    assert one(HoeffdingInterval(), 10, 100, 0.1 / 10, floor=0.5) == (0.5, 0.5)


def test_widths_at_95_in_100_of_a_thousand() -> None:
    """MATHS 3: at q = .95, m = 1000, n = 1100, mu = .1 the anytime width is .071, the paper's .121."""
    assert round(width(AnytimeInterval(), 950, 1000, 0.1 / 1100), 3) == 0.071
    assert round(width(HoeffdingInterval(), 950, 1000, 0.1 / 1100), 3) == 0.121


def test_all_right_and_all_wrong_have_closed_forms() -> None:
    """All m right: p^m > d (2m)! / (4^m m!^2), so for m = 1 the lower end is d / 2."""
    level = 0.01
    lower, upper = one(AnytimeInterval(), 1, 1, level)
    assert lower == pytest.approx(level / 2, abs=1e-9)
    assert upper == 1.0
    lower, upper = one(AnytimeInterval(), 0, 2, level)
    assert lower == 0.0
    assert upper == pytest.approx(1 - math.sqrt(level * 3 / 8), abs=1e-9)


@pytest.mark.parametrize("interval", [HoeffdingInterval(), AnytimeInterval()], ids=str)
def test_a_million_answers_are_no_trouble(interval: Interval) -> None:
    lower, upper = one(interval, 750_000, 1_000_000, 0.1 / 1100)
    assert 0.745 < lower < 0.75 < upper < 0.755


def test_nesting_keeps_the_intersection_or_what_was_known_before() -> None:
    lower, upper = nest(
        np.array([0.5, 0.6, 0.8, 0.5]),
        np.array([1.0, 0.9, 0.9, 0.6]),
        np.array([0.6, 0.5, 0.5, 0.6]),
        np.array([0.9, 1.0, 0.7, 0.7]),
    )
    assert lower.tolist() == [0.6, 0.6, 0.8, 0.6]
    assert upper.tolist() == [0.9, 0.9, 0.9, 0.6]


ENDS = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)).map(sorted)


@given(ends=st.lists(ENDS, min_size=1, max_size=8))
def test_nested_intervals_never_grow_and_keep_whatever_all_of_them_hold(ends: list[list[float]]) -> None:
    lower, upper = np.zeros(1), np.ones(1)
    for low, high in ends:
        before = lower[0], upper[0]
        lower, upper = nest(lower, upper, np.array([low]), np.array([high]))
        assert before[0] <= lower[0] <= upper[0] <= before[1]
    common = max(low for low, _ in ends), min(high for _, high in ends)
    if common[0] <= common[1]:
        assert (lower[0], upper[0]) == common


ONE, THREE = np.array([1]), np.array([3])
NO_EVIDENCE = {
    "more right than asked": ((np.array([1, 5]), np.array([3, 3]), 0.01, 0.5), "worker 1 was right on 5 of 3 answers"),
    "fewer than none right": ((np.array([-1]), THREE, 0.01, 0.5), "worker 0 was right on -1 of 3"),
    "parts of answers": ((np.array([1.0]), np.array([3.0]), 0.01, 0.5), "counts have types float64 and float64"),
    "a count too many": ((ONE, np.array([3, 3]), 0.01, 0.5), "give whole numbers, one right and one asked for each"),
    "level 0": ((ONE, THREE, 0.0, 0.5), "level 0.0 is not strictly between 0 and 1; it is mu / n"),
    "level 2": ((ONE, THREE, 2.0, 0.5), "level 2.0 is not strictly between"),
    "no level": ((ONE, THREE, math.nan, 0.5), "level nan is not strictly between"),
    "floor 1": ((ONE, THREE, 0.01, 1.0), r"floor 1.0 is not in \[0, 1\)"),
}


@pytest.mark.parametrize("interval", [HoeffdingInterval(), AnytimeInterval()], ids=str)
@pytest.mark.parametrize(("given", "message"), NO_EVIDENCE.values(), ids=NO_EVIDENCE)
def test_what_no_count_can_be_is_refused(
    interval: Interval, given: tuple[np.ndarray, np.ndarray, float, float], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        interval.bounds(*given)
