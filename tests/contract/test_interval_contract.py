"""Every registered interval keeps the contract; each promise of it is broken once."""

from dataclasses import dataclass

import numpy as np
import pytest

from quorate.model.interval import INTERVALS, AnytimeInterval, HoeffdingInterval, Interval
from quorate.model.interval.base import Counts, Floats
from quorate.testing import IntervalContract
from tests.contract.broken import FAILED, check_every_promise_has_a_control, run_contract


class TestRegisteredIntervals(IntervalContract):
    @pytest.fixture(params=sorted(INTERVALS))
    def interval(self, request: pytest.FixtureRequest) -> Interval:
        return INTERVALS[request.param]


class Changed(HoeffdingInterval):
    """Does something else to the paper's bounds."""

    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]:
        return self.change(*super().bounds(right, asked, level, floor), right, asked)

    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        raise NotImplementedError


class Unclipped(Changed):
    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        radius = np.sqrt(3.0 / np.maximum(1, asked))
        return right / np.maximum(1, asked) - radius, upper


class KnowsBeforehand(Changed):
    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        return lower, np.where(asked == 0, 0.9, upper)


class UpsideDown(Changed):
    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        return (1.0 - upper, 1.0 - lower)


class NeverLearns(Changed):
    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        return np.zeros_like(lower), np.ones_like(upper)


class SharesEvidence(Changed):
    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        return np.minimum(lower, lower.mean()), upper


class Narrow(Changed):
    """Two standard deviations, whatever the level."""

    def change(self, lower: Floats, upper: Floats, right: Counts, asked: Counts) -> tuple[Floats, Floats]:
        share = right / np.maximum(1, asked)
        radius = np.where(asked == 0, 1.0, 2.0 * np.sqrt(share * (1.0 - share) / np.maximum(1, asked)))
        return np.maximum(0.0, share - radius), np.minimum(1.0, share + radius)


@dataclass(frozen=True)
class PerRoundCalledAnytime(HoeffdingInterval):
    """The paper's interval where it is most tempting: it holds at each round, and is believed at all of them."""

    anytime: bool = True


@dataclass(frozen=True)
class WithoutItsLevel(AnytimeInterval):
    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]:
        return super().bounds(right, asked, min(1.0, 2.0 * level), floor)


CONTROLS = [
    ("test_it_follows_the_protocol", HoeffdingInterval(name="")),
    ("test_both_ends_lie_between_floor_and_1_in_order", Unclipped()),
    ("test_who_was_never_asked_may_be_anything", KnowsBeforehand()),
    ("test_both_ends_rise_with_the_number_of_right_answers", UpsideDown()),
    ("test_it_learns", NeverLearns()),
    ("test_the_same_counts_give_the_same_bounds_whatever_stands_beside_them", SharesEvidence()),
    ("test_at_any_one_round_it_misses_no_more_often_than_its_level", Narrow()),
    ("test_an_anytime_interval_ever_misses_no_more_often_than_its_level", PerRoundCalledAnytime()),
    ("test_an_anytime_interval_ever_misses_no_more_often_than_its_level", WithoutItsLevel()),
]


@pytest.mark.parametrize(("promise", "broken"), CONTROLS)
def test_a_broken_interval_is_found_out(promise: str, broken: Interval) -> None:
    with pytest.raises(FAILED):
        run_contract(IntervalContract, promise, broken)


def test_every_promise_has_a_control() -> None:
    check_every_promise_has_a_control(IntervalContract, [promise for promise, _ in CONTROLS])
