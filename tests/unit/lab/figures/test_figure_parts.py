"""Bands, intervals of shares, and the placing of names: against SciPy and against what they promise."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from quorate.lab.figures.bands import Band, share_interval
from quorate.lab.figures.plot import short, spaced, wrapped


def test_a_band_is_students_interval_around_the_mean() -> None:
    samples = np.random.Generator(np.random.Philox(3)).normal(5.0, 2.0, (12, 4))
    band = Band.of(samples)
    low, high = t.interval(0.95, 11, loc=samples.mean(axis=0), scale=samples.std(axis=0, ddof=1) / np.sqrt(12))
    assert np.allclose(band.low, low)
    assert np.allclose(band.high, high)
    assert np.allclose(band.tenth, np.percentile(samples, 10, axis=0))
    assert np.allclose(band.ninetieth, np.percentile(samples, 90, axis=0))


def test_one_sample_has_a_mean_and_no_interval() -> None:
    band = Band.of(np.array([[1.0, 2.0]]))
    assert band.mean.tolist() == [1.0, 2.0]
    assert np.isnan(band.low).all()
    assert np.isnan(band.high).all()


@pytest.mark.parametrize(("hits", "count"), [(0, 3), (3, 3), (1, 10), (0, 1000), (117, 1000)])
def test_shares_have_exact_intervals(hits: int, count: int) -> None:
    exact = binomtest(hits, count).proportion_ci(method="exact")
    assert share_interval(hits, count) == pytest.approx((exact.low, exact.high), abs=1e-12)


@given(st.lists(st.floats(-50.0, 150.0), min_size=1, max_size=9))
def test_names_keep_their_order_and_their_distance_and_stay_below_the_roof(heights: list[float]) -> None:
    placed = spaced(sorted(heights), bottom=0.0, top=100.0, apart=11.0)
    assert all(high - low >= 11.0 - 1e-9 for low, high in pairwise(placed))
    assert max(placed) <= 100.0


def test_names_with_room_stay_where_they_are() -> None:
    assert spaced([5.0, 30.0, 80.0], bottom=0.0, top=100.0, apart=11.0) == [5.0, 30.0, 80.0]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (0.5, "0.5"), (10_000, "10,000"), (2.5e6, "2.5M"), (-100, "−100"), (17_300_000, "17.3M")],
)
def test_numbers_as_people_write_them(value: float, written: str) -> None:
    assert short(value) == written


@pytest.mark.parametrize("letters", range(30, 80))
def test_a_line_never_ends_inside_a_formula(letters: int) -> None:
    text = (
        "of 10,000 tasks, here α = 0.1, slack ξ = 0.05 and then GA on Σ(2q−1) ≥ 6 ln(1/α) or ln(2n/μ) / (10 h(ξ)) of it"
    )
    lines = wrapped(text, letters)
    assert "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ").replace("\n", " ") == text
    for line in lines:
        assert not line.endswith(("=", "≥", "/", "α", "slack", "6"))
        assert not line.startswith(("=", "≥", "/", "ln(1", "h(ξ)"))
