"""Verdicts and weights on cases small enough to read."""

import math

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model.fixed_point import BILLIONTHS
from quorate.vote import log_odds_weights, majority_verdict, weighted_error, weighted_verdict
from quorate.vote.log_odds import LARGEST_WEIGHT


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [([], False), ([0], False), ([1], True), ([1, 0], False), ([1, 1, 0], True), ([1, 1, 0, 0], False)],
)
def test_majority_needs_strictly_more_than_half_for_answer_1(labels: list[int], verdict: bool) -> None:
    """Equation (1): 1 if the labels, as -1 and 1, sum to more than 0; 0 otherwise."""
    assert majority_verdict(np.array(labels, dtype=np.bool_)) is verdict


def test_weights_are_the_log_odds_in_billionths_rounded_down() -> None:
    weights = log_odds_weights(np.array([0.5, 0.75, 0.9, 1.0]))
    assert weights.dtype == np.int64
    assert weights.tolist() == [
        0,
        math.floor(math.log(3) * BILLIONTHS),
        math.floor(math.log(0.9 / (1.0 - 0.9)) * BILLIONTHS),
        LARGEST_WEIGHT,
    ]


def test_a_worker_below_one_half_has_no_weight() -> None:
    assert log_odds_weights(np.array([0.0, 0.49])).tolist() == [0, 0]


def test_weights_rise_with_the_quality_to_the_very_end() -> None:
    qualities = np.array([0.5, 0.500001, 0.6, 0.999999, 1.0 - 1e-12, 1.0])
    assert (np.diff(log_odds_weights(qualities)) > 0).all()


@pytest.mark.parametrize(
    ("labels", "weights", "verdict"),
    [
        ([1, 0, 0], [5, 2, 2], True),
        ([1, 0, 0], [3, 2, 2], False),
        ([1, 0, 0], [4, 2, 2], True),
        ([0, 1, 1], [4, 2, 2], False),
        ([0, 1], [3, 3], False),
        ([1, 0], [0, 0], True),
    ],
)
def test_the_heavier_side_wins_and_a_tie_follows_the_first_of_the_heaviest(
    labels: list[int], weights: list[int], verdict: bool
) -> None:
    assert weighted_verdict(np.array(labels, dtype=np.bool_), np.array(weights)) is verdict


def test_a_weighted_vote_of_nobody_is_refused() -> None:
    nobody = np.empty(0, dtype=np.int64)
    with pytest.raises(InvalidInput, match="nobody has no verdict; ask at least one worker"):
        weighted_verdict(nobody.astype(np.bool_), nobody)
    assert weighted_error(nobody, np.empty(0)) == 0.5


def test_an_expert_and_two_doubters() -> None:
    """Weights ln 9 against 2 ln 1.5: the expert decides alone and errs .1; the majority of the three errs .208."""
    jury = np.array([0.9, 0.6, 0.6])
    assert weighted_error(log_odds_weights(jury), jury) == pytest.approx(0.1)
    assert weighted_error(np.array([1, 1, 1]), jury) == pytest.approx(0.208)


def test_nobodys_weight_leaves_the_first_to_decide() -> None:
    for size in (1, 16, 17, 40):
        qualities = np.linspace(0.9, 0.6, size)
        assert weighted_error(np.zeros(size, dtype=np.int64), qualities) == pytest.approx(0.1)


@pytest.mark.parametrize("bad", [1.5, -0.2, math.nan])
def test_what_is_no_quality_is_refused(bad: float) -> None:
    for use in (log_odds_weights, lambda qualities: weighted_error(np.array([1, 2]), qualities)):
        with pytest.raises(InvalidInput, match=f"worker 1 has quality {bad}, outside"):
            use(np.array([0.9, bad]))


def test_weights_that_do_not_fit_are_refused() -> None:
    qualities, labels = np.array([0.9, 0.8]), np.array([True, False])
    for weights, message in (
        (np.array([1, 2, 3]), r"shape \(3,\) for 2 members; give one int64 each"),
        (np.array([1.5, 2.0]), "weights have type float64"),
        (np.array([2, -1]), "weight -1 is negative.*give 0 or more"),
    ):
        with pytest.raises(InvalidInput, match=message):
            weighted_error(weights, qualities)
        with pytest.raises(InvalidInput, match=message):
            weighted_verdict(labels, weights)


def test_labels_that_are_numbers_are_refused() -> None:
    """As positions they would count one worker twice, as shares anything but 0 for a yes."""
    with pytest.raises(InvalidInput, match=r"labels of type int64 are not answers; give True"):
        weighted_verdict(np.array([1, 0, 1]), np.array([1, 2, 3]))
    with pytest.raises(InvalidInput, match="labels of type float64"):
        majority_verdict(np.array([0.2, math.nan]))
