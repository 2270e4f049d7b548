"""What `quorate.model.interval.base.Interval` promises; coverage is computed, not simulated."""

import numpy as np
import pytest

from quorate.model.interval import Interval
from quorate.testing.coverage import ever_misses, misses_at

FLOORS = (0.0, 0.5, 2.0 / 3.0)
LEVELS = (0.1, 0.1 / 30, 0.1 / 1100)
QUALITIES = (0.5, 0.6, 0.75, 0.9, 0.99, 1.0)
ROUNDS = 600
# What rounding may add to a sum of at most ROUNDS^2 chances.
ROUNDING = 1e-12


class IntervalContract:
    """Inherit, and define the fixture `interval`."""

    @pytest.fixture
    def interval(self) -> Interval:
        raise NotImplementedError("define a fixture `interval` that returns the interval to check")

    def test_it_follows_the_protocol(self, interval: Interval) -> None:
        assert isinstance(interval, Interval)
        assert interval.name
        assert isinstance(interval.anytime, bool)

    def test_both_ends_lie_between_floor_and_1_in_order(self, interval: Interval) -> None:
        for asked in (1, 2, 3, 17, 100, 10_000, 10**8):
            right = np.unique(np.linspace(0, asked, 50).astype(np.int64))
            for floor in FLOORS:
                for level in LEVELS:
                    lower, upper = interval.bounds(right, np.full(len(right), asked), level, floor)
                    assert (floor <= lower).all()
                    assert (lower <= upper).all()
                    assert (upper <= 1.0).all()

    def test_who_was_never_asked_may_be_anything(self, interval: Interval) -> None:
        nothing = np.zeros(3, dtype=np.int64)
        for floor in FLOORS:
            lower, upper = interval.bounds(nothing, nothing, 0.01, floor)
            assert (lower == floor).all()
            assert (upper == 1.0).all()

    def test_both_ends_rise_with_the_number_of_right_answers(self, interval: Interval) -> None:
        for asked in (1, 2, 3, 17, 100, 1000):
            right = np.arange(asked + 1)
            lower, upper = interval.bounds(right, np.full(asked + 1, asked), 0.01, 0.0)
            assert (np.diff(lower) >= 0.0).all()
            assert (np.diff(upper) >= 0.0).all()

    def test_it_learns(self, interval: Interval) -> None:
        """Not in so many words in the protocol, but an interval that stays wide would pass everything else."""
        asked = np.array([10, 1000, 100_000])
        lower, upper = interval.bounds(asked * 4 // 5, asked, 0.01, 0.0)
        assert (np.diff(upper - lower) < 0.0).all()
        assert upper[-1] - lower[-1] < 0.05

    def test_the_same_counts_give_the_same_bounds_whatever_stands_beside_them(self, interval: Interval) -> None:
        random = np.random.default_rng(4)
        asked = random.integers(0, 500, 64)
        right = random.binomial(asked, 0.8)
        given = right.copy(), asked.copy()
        lower, upper = interval.bounds(right, asked, 0.01, 0.5)
        assert np.array_equal(right, given[0])
        assert np.array_equal(asked, given[1])
        order = random.permutation(64)
        again = interval.bounds(right[order], asked[order], 0.01, 0.5)
        assert np.array_equal(again[0], lower[order])
        assert np.array_equal(again[1], upper[order])
        alone = [interval.bounds(right[i : i + 1], asked[i : i + 1], 0.01, 0.5) for i in range(64)]
        assert np.array_equal([ends[0][0] for ends in alone], lower)
        assert np.array_equal([ends[1][0] for ends in alone], upper)

    def test_at_any_one_round_it_misses_no_more_often_than_its_level(self, interval: Interval) -> None:
        for quality in QUALITIES:
            for level in LEVELS:
                assert misses_at(interval, quality, level, ROUNDS).max() <= level + ROUNDING

    def test_an_anytime_interval_ever_misses_no_more_often_than_its_level(self, interval: Interval) -> None:
        if not interval.anytime:
            pytest.skip(f"the interval {interval.name!r} promises one round at a time")
        for quality in QUALITIES:
            for level in LEVELS:
                assert ever_misses(interval, quality, level, ROUNDS) <= level + ROUNDING
