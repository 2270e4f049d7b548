"""The paper's bounds by their formulas, and what is wrong with two of them."""

import math
from itertools import combinations

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model import Constraint, Problem
from quorate.model.bounds import (
    Bounds,
    answers_for,
    least_wrong_rounds,
    lower_bound,
    needed_by_one_worker,
    separation,
)
from quorate.model.error import Hoeffding, LogOdds, Majority


def test_separation_is_the_smallest_distance_of_any_jury() -> None:
    """Majority of .9 and .6: juries {} .5, {.9} .1, {.6} .4, both .25 (the mean of the two, the tie being a coin)."""
    assert separation(Majority(), [0.9, 0.6], 0.3) == pytest.approx(0.05)
    assert separation(Majority(), [0.9, 0.6], 0.11) == pytest.approx(0.01)
    assert separation(Majority(), [0.9, 0.6], 0.48) == pytest.approx(0.02)


def test_separation_looks_at_every_jury() -> None:
    qualities = np.random.default_rng(1).uniform(0.5, 1.0, 7)
    juries = [list(jury) for size in range(8) for jury in combinations(range(7), size)]
    assert len(juries) == 128
    for model in (Hoeffding(), LogOdds()):
        found = separation(model, qualities, 0.2)
        assert found == min(abs(model.error(qualities[jury]) - 0.2) for jury in juries)


def test_the_theorems_by_hand() -> None:
    """n = 5, mu = .1, reach = .2: l = 2 ln(100) / .04 = 230.26."""
    bounds = Bounds(workers=5, mu=0.1, reach=0.2)
    assert bounds.answers == pytest.approx(2 * math.log(100) / 0.04)
    assert bounds.bad_rounds == bounds.answers
    assert bounds.bad_rounds_ns == pytest.approx(5 * 230.2585, rel=1e-6)
    expected = (1 - 1 / 1000) * 2 / 0.04 * math.log(2 * 5 * 1000) * 70.0 + 9.0
    assert bounds.regret(1000, 70.0, 9.0) == pytest.approx(expected)
    assert bounds.regret_ns(1000, 70.0, 9.0) == pytest.approx(5 * (expected - 9.0) + 9.0)


def test_the_answers_are_those_after_which_the_interval_is_narrower_than_the_reach() -> None:
    needed = answers_for(0.2, 5, 0.1)
    assert 2 * math.sqrt(math.log(2 * 5 / 0.1) / (2 * needed)) == pytest.approx(0.2)


def test_bounds_of_a_small_world_follow_from_separation_and_smoothness() -> None:
    qualities = [0.9, 0.8, 0.75]
    bounds = Bounds.of(Majority(), qualities, 0.12, 0.1)
    delta = separation(Majority(), qualities, 0.12)
    assert Majority().smoothness(bounds.reach, 3) == pytest.approx(delta)
    assert (bounds.workers, bounds.mu) == (3, 0.1)


def test_the_slack_bound_takes_whichever_is_smaller() -> None:
    bounds = Bounds(workers=5, mu=0.1, reach=0.01)
    assert bounds.bad_rounds_with_slack(0.05) == pytest.approx(2 * math.log(100) / 0.05**2)
    assert bounds.bad_rounds_with_slack(0.001) == bounds.bad_rounds


def test_the_printed_constant_of_the_slack_bound_is_too_small() -> None:
    """MATHS 5: f = 1 - q, q = .97, alpha = .1, xi = .05 needs 102 ln(2n/mu) answers; 1/16 allows 25, 2 allows 800."""
    alone = Bounds(workers=1, mu=0.1, reach=0.07)
    unit = math.log(2 / 0.1)
    needed = needed_by_one_worker(0.97, 0.1, 1, 0.1)
    assert needed / unit == pytest.approx(102.04, abs=0.01)
    assert alone.printed_bad_rounds_with_slack(0.05) / unit == pytest.approx(25.0)
    assert alone.printed_bad_rounds_with_slack(0.05) < needed
    assert answers_for(0.05, 1, 0.1) / unit == pytest.approx(800.0)
    assert needed <= alone.bad_rounds_with_slack(0.05)


def test_the_lower_bounds_wrong_jury_is_the_cheaper_one_so_its_regret_is_negative() -> None:
    """f_1 < alpha < f_2 and c_1 > c_2: always asking worker 2 costs less than the optimum, and breaks the promise."""
    problem = Problem(target=0.9, confidence=0.9, horizon=1000, cap=10)
    cost = {1: 7, 2: 3}
    constraint = Constraint.below(Majority(), problem.alpha)
    assert constraint.meets(np.array([0.95]))
    assert not constraint.meets(np.array([0.8]))
    assert (cost[2] - cost[1]) * problem.horizon < 0 < lower_bound(0.1, problem.horizon)


def test_the_lower_bounds_last_step_goes_the_wrong_way_unless_h_is_attained() -> None:
    """|q_2 - (1 - alpha)| >= h^-1(Delta): with f = 1 - q they are equal, with a looser h the "bound" is larger."""
    target, quality, horizon = 0.9, 0.8, 10**4
    proved = (1 - target) * target * math.log(horizon) / (quality - target) ** 2
    assert proved <= least_wrong_rounds(quality, 1 - target, horizon)
    delta = abs((1 - quality) - (1 - target))
    loose = Hoeffding().smoothness_inverse(delta, 2)
    assert loose < abs(quality - target)
    assert lower_bound(loose, horizon) > lower_bound(abs(quality - target), horizon)


def test_the_least_wrong_rounds_by_hand() -> None:
    """kl(.5, .9) = ln(.5/.9)/2 + ln(.5/.1)/2 = .5108; ln(10^4) / .5108 = 18.03."""
    assert least_wrong_rounds(0.5, 0.1, 10**4) == pytest.approx(18.03, abs=0.01)
    assert least_wrong_rounds(0.0, 0.1, 10**4) == pytest.approx(math.log(10**4) / math.log(10))


def test_no_separation_means_no_bound() -> None:
    bounds = Bounds(workers=1100, mu=0.1, reach=0.0)
    assert bounds.bad_rounds == bounds.bad_rounds_ns == math.inf
    assert lower_bound(0.0, 10) == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: separation(Majority(), np.full(21, 0.7), 0.1), r"21 workers form 2\^21 juries, too many.*at most 20"),
        (lambda: separation(Majority(), [0.7], 0.0), "alpha 0.0 is not strictly between 0 and 1.*try 0.1"),
        (lambda: separation(Majority(), [1.7], 0.1), "quality 1.7, outside"),
        (lambda: Bounds(0, 0.1, 0.1), "0 workers cannot be bounded"),
        (lambda: Bounds(1.5, 0.1, 0.1), "1.5 workers cannot be bounded; there must be a whole number"),  # type: ignore[arg-type]
        (lambda: Bounds(3, 1.0, 0.1), "mu 1.0 is not strictly between 0 and 1.*try 0.1"),
        (lambda: Bounds(3, 0.1, 0.6), r"reach 0.6 is not in \[0, 1/2\]; it is smoothness_inverse"),
        (lambda: Bounds(3, 0.1, 0.1).regret(1, 1.0, 1.0), "horizon of 1 has no long run; give at least 2"),
        (lambda: needed_by_one_worker(0.9, 0.1, 1, 0.1), "quality 0.9 never proves 0.9; give one above"),
        (lambda: needed_by_one_worker(1.7, 0.1, 1, 0.1), "quality 1.7, outside"),
        (lambda: needed_by_one_worker(0.97, 0.1, 0, 0.1), "0 workers cannot be bounded"),
        (lambda: needed_by_one_worker(0.97, 0.1, 1, math.nan), "mu nan is not strictly between"),
        (lambda: answers_for(-0.1, 1, 0.1), r"reach -0.1 is not in \[0, 1/2\]"),
        (lambda: answers_for(0.1, 0, 0.1), "0 workers cannot be bounded"),
        (lambda: lower_bound(-0.1, 100), r"reach -0.1 is not in \[0, 1/2\]"),
        (lambda: least_wrong_rounds(0.95, 0.1, 10), r"quality 0.95 is not in \[0, 0.9\)"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()  # type: ignore[operator]
