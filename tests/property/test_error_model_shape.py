"""Monotone and smooth, for any jury; and each h is reached where its docstring's argument says it is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.model.error import ERROR_MODELS, ErrorModel, Hoeffding, Likelihood, Linear, LogOdds, Majority, Margin
from quorate.vote import log_odds_weights, weighted_error

PATIENT = settings(max_examples=150)
UNIT = st.floats(0.0, 1.0)


@pytest.mark.parametrize("model", ERROR_MODELS.values(), ids=str)
@PATIENT
@given(places=st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=12))
def test_better_workers_never_make_a_worse_jury(model: ErrorModel, places: list[tuple[float, float]]) -> None:
    span = 1.0 - model.floor
    worse = np.array([model.floor + span * min(pair) for pair in places])
    better = np.array([model.floor + span * max(pair) for pair in places])
    assert model.error(better) <= model.error(worse) * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("model", ERROR_MODELS.values(), ids=str)
@PATIENT
@given(places=st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=12), delta=st.floats(1e-9, 0.5))
def test_a_change_of_at_most_delta_changes_the_error_by_at_most_h(
    model: ErrorModel, places: list[tuple[float, float]], delta: float
) -> None:
    here = np.array([model.floor + (1.0 - model.floor) * place for place, _ in places])
    there = np.clip(here + delta * (2.0 * np.array([move for _, move in places]) - 1.0), model.floor, 1.0)
    assert abs(model.error(here) - model.error(there)) <= model.smoothness(delta, len(places)) * (1 + 1e-9) + 1e-14


@PATIENT
@given(
    pairs=st.lists(st.tuples(st.floats(0.5, 0.999), UNIT), min_size=1, max_size=14),
    raised=st.integers(0, 13),
)
def test_a_vote_of_fixed_weights_only_gets_better_when_a_voter_does(
    pairs: list[tuple[float, float]], raised: int
) -> None:
    weights = log_odds_weights(np.array([q for q, _ in pairs]))
    qualities = np.array([q for _, q in pairs])
    better = qualities.copy()
    better[raised % len(pairs)] = min(1.0, better[raised % len(pairs)] + 0.1)
    assert weighted_error(weights, better) <= weighted_error(weights, qualities) + 1e-12


@PATIENT
@given(places=st.lists(st.tuples(st.floats(0.5, 1.0), UNIT), min_size=1, max_size=16))
def test_log_odds_bounds_the_vote_weighted_at_any_lower_qualities(places: list[tuple[float, float]]) -> None:
    certain = np.array([q for q, _ in places])
    true = certain + (1.0 - certain) * np.array([up for _, up in places])
    assert weighted_error(log_odds_weights(certain), true) <= LogOdds().error(certain) * (1 + 1e-9) + 1e-12


def reached(model: ErrorModel, jury: np.ndarray, delta: float) -> float:
    """Which share of h(delta) the step from the jury to one better by delta makes."""
    return (model.error(jury) - model.error(jury + delta)) / model.smoothness(delta, len(jury))


@pytest.mark.parametrize("delta", [1e-3, 0.1, 0.5])
def test_h_is_reached_by_one_worker_in_likelihood_and_log_odds(delta: float) -> None:
    assert reached(Likelihood(), np.array([0.5]), delta) == pytest.approx(1.0)
    assert reached(LogOdds(), np.array([1.0 - delta]), delta) == pytest.approx(1.0)


@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_h_of_the_margin_is_reached_from_one_half(size: int) -> None:
    assert reached(Margin(), np.full(size, 0.5), 0.2) == pytest.approx(1.0)


@pytest.mark.parametrize("size", [1, 4, 25, 400])
def test_h_of_hoeffding_is_reached_where_the_margin_is_the_root_of_the_size(size: int) -> None:
    step = 1e-6
    jury = np.full(size, 0.5 + 0.5 / math.sqrt(size) - step)
    assert reached(Hoeffding(), jury, step) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("epsilon", [1 / 6, 0.25, 0.1])
def test_h_of_linear_is_reached_at_the_floor_by_a_jury_of_its_worst_size(epsilon: float) -> None:
    worst = round(1 / (2 * epsilon**2))
    jury = np.full(worst, Linear(epsilon).floor)
    assert reached(Linear(epsilon), jury, 1e-7) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("size", [1, 3, 9, 51])
def test_h_of_majority_is_reached_by_a_jury_of_guessers_of_odd_size(size: int) -> None:
    assert reached(Majority(), np.full(size, 0.5), 1e-6) == pytest.approx(1.0, rel=1e-4)
    assert Majority().smoothness(1.0, size + 1) == Majority().smoothness(1.0, size)
