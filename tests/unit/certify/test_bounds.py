"""Clopper-Pearson where it can be said in closed form, and how much gold a target takes."""

import numpy as np
import pytest

from quorate.certify.bounds import certified, fewest, fewest_right, fewest_tasks, lower_bound


def test_all_right_proves_the_root_of_the_level() -> None:
    # P(all n right) = p^n = level.
    assert lower_bound(59, 59, 0.05) == pytest.approx(0.05 ** (1 / 59), abs=1e-12)
    assert lower_bound(0, 10, 0.05) == 0.0
    assert lower_bound(0, 0, 0.05) == 0.0


def test_a_billionth_is_never_rounded_up() -> None:
    assert int(certified(1, 1, 0.3)) in (299_999_999, 300_000_000)
    assert int(certified(1, 1, 0.1234567899)) == 123_456_789


def test_59_tasks_all_right_certify_95_percent() -> None:
    assert fewest_right([58, 59], 0.05, 950_000_000).tolist() == [59, 59]
    assert fewest_tasks(10, 10, 0.05, 950_000_000, 10) == 59


def test_no_number_of_tasks_certifies_what_is_not_seen() -> None:
    assert fewest_tasks(90, 100, 0.05, 900_000_000, 100) is None
    assert fewest_tasks([90, 1], [100, 2], 0.05, 900_000_001, 100) is None
    assert fewest_tasks([], [], 0.05, 900_000_000, 100) is None


def test_enough_gold_already() -> None:
    assert fewest_tasks(950, 1000, 0.05, 900_000_000, 1000) == 1000


def test_the_fewest_tasks_are_enough_and_one_less_is_not() -> None:
    tasks = fewest_tasks(19, 20, 1e-6, 900_000_000, 50)
    assert tasks is not None
    now, before = tasks * 20 / 50, (tasks - 1) * 20 / 50
    assert lower_bound(0.95 * now, now, 1e-6) >= 0.9 > lower_bound(0.95 * before, before, 1e-6)


def test_of_several_juries_the_one_that_needs_least_gold_decides() -> None:
    alone = [fewest_tasks(right, tasks, 0.05, 900_000_000, 100) for right, tasks in ((96, 100), (12, 12))]
    assert None not in alone
    assert fewest_tasks([96, 12, 3], [100, 12, 10], 0.05, 900_000_000, 100) == min(alone)  # type: ignore[type-var]


def test_fewest_finds_the_first_that_is_enough() -> None:
    for threshold in (1, 2, 3, 7, 8, 9, 1000):
        for start in (1, 3, 8):
            assert fewest(lambda n, t=threshold: n >= t, start) == max(threshold, start)  # type: ignore[misc]
    assert fewest(lambda n: False, 1) is None


def test_the_inverse_of_nothing_is_nothing() -> None:
    assert fewest_right(np.array([0]), 0.05, 500_000_000).tolist() == [1]
