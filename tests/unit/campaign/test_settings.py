"""Lengths of time as people give them."""

import math

import pytest

from quorate.campaign.settings import DAY, MOST_HOURS, from_hours
from quorate.errors import InvalidInput


def test_hours_become_milliseconds() -> None:
    assert from_hours(24, "--answer-hours") == DAY
    assert from_hours(0.5, "--answer-hours") == 30 * 60 * 1000
    assert from_hours(MOST_HOURS, "--answer-hours") == 3650 * DAY


def test_the_shortest_length_of_time_is_not_none() -> None:
    assert from_hours(1e-8, "--answer-hours") == 1


@pytest.mark.parametrize("hours", [0.0, -1.0, 1e308, math.inf, math.nan, MOST_HOURS + 0.1])
def test_other_hours_are_refused(hours: float) -> None:
    with pytest.raises(InvalidInput, match=r"^--answer-hours \S+ is not above 0 and at most 87,600 hours; give"):
        from_hours(hours, "--answer-hours")
