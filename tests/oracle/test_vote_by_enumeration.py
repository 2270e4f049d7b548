"""The two votes against every outcome, one by one."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from quorate.model.error import LogOdds, majority_error
from quorate.vote import log_odds_weights, majority_verdict, weighted_error, weighted_verdict
from quorate.vote.log_odds import GRID
from tests.oracle import naive_error_model as naive

# Whatever their weights, so many members make at most 2^16 sums beside the heaviest.
SURELY_EXACT = 17

RANDOM = np.random.default_rng(21)
# Small weights tie often; equal ones always do at half and half; zeros leave the first voter to decide.
WEIGHTS = [RANDOM.integers(0, 4, size) for size in range(1, 9) for _ in range(4)]
WEIGHTS += [np.zeros(3, dtype=np.int64), np.array([2, 1, 1]), np.array([1, 1]), np.array([0, 5, 5])]


@pytest.mark.parametrize("size", range(1, 8))
def test_majority_gives_ties_to_answer_0(size: int) -> None:
    for labels in product((False, True), repeat=size):
        assert majority_verdict(np.array(labels)) == naive.paper_majority(labels)


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_the_weighted_verdict_is_the_heavier_side_and_a_tie_goes_to_the_first_of_the_heaviest(
    weights: np.ndarray,
) -> None:
    plain = naive.weighted(weights.tolist())
    for labels in product((False, True), repeat=len(weights)):
        assert weighted_verdict(np.array(labels), weights) == plain(labels)
        # Neither answer is favoured: turning every label turns the verdict.
        assert weighted_verdict(~np.array(labels), weights) != plain(labels)


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_the_weighted_error_is_exact_and_the_same_for_both_answers(weights: np.ndarray) -> None:
    qualities = np.random.default_rng(int(weights.sum())).uniform(0.3, 1.0, len(weights)).round(3)
    vote = naive.weighted(weights.tolist())
    on_1 = naive.vote_error(vote, qualities.tolist(), True)
    on_0 = naive.vote_error(vote, qualities.tolist(), False)
    assert on_1 == on_0
    assert abs(Fraction(weighted_error(weights, qualities)) - on_1) < Fraction(1, 10**13)


def law_of_wrong_weight(weights: np.ndarray, qualities: np.ndarray) -> dict[tuple[int, bool], float]:
    """P(this much weight is wrong, and the heaviest voter is): feasible where the weights are few and whole."""
    law: dict[tuple[int, bool], float] = {(0, False): 1.0}
    heaviest = int(np.argmax(weights))
    for i, (weight, quality) in enumerate(zip(weights.tolist(), qualities.tolist(), strict=True)):
        grown: dict[tuple[int, bool], float] = {}
        for (wrong, first_wrong), chance in law.items():
            if_right, if_wrong = (wrong, first_wrong), (wrong + weight, first_wrong or i == heaviest)
            grown[if_right] = grown.get(if_right, 0.0) + chance * quality
            grown[if_wrong] = grown.get(if_wrong, 0.0) + chance * (1.0 - quality)
        law = grown
    return law


def exact_error(weights: np.ndarray, law: dict[tuple[int, bool], float]) -> float:
    total = int(weights.sum())
    return sum(p for (wrong, first), p in law.items() if 2 * wrong > total or (2 * wrong == total and first))


@pytest.mark.parametrize("size", [SURELY_EXACT, 18, 25, 60])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_exact_while_sums_are_few(size: int, seed: int) -> None:
    random = np.random.default_rng([size, seed])
    weights = random.integers(0, 200, size)
    qualities = random.uniform(0.5, 0.95, size)
    exact = exact_error(weights, law_of_wrong_weight(weights, qualities))
    assert weighted_error(weights, qualities) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 17, 18, 40, 301])
def test_equal_weights_err_like_the_majority_at_any_size(size: int) -> None:
    """Except for ties, which the first voter decides: at an even size the vote is that of the rest and the first."""
    qualities = np.random.default_rng(size).uniform(0.5, 0.8, size)
    equal = np.full(size, 405_465_108)
    if size % 2:
        expected = majority_error(qualities)
    else:
        law = law_of_wrong_weight(np.ones(size, dtype=np.int64), qualities)
        expected = exact_error(np.ones(size), law)
    assert weighted_error(equal, qualities) == pytest.approx(expected, rel=1e-12)


def test_eighteen_equal_members_of_60_in_100() -> None:
    """The binomial law by hand: more than 9 of 18 wrong, or 9 of them and the first among these."""
    more = sum(comb(18, k) * 0.4**k * 0.6 ** (18 - k) for k in range(10, 19))
    tied = comb(17, 8) * 0.4**9 * 0.6**9
    assert weighted_error(np.full(18, 7), np.full(18, 0.6)) == pytest.approx(more + tied)
    assert round(more + tied, 4) == 0.1989


@pytest.mark.parametrize("size", [SURELY_EXACT, 25, 60])
@pytest.mark.parametrize("seed", range(4))
def test_where_sums_are_too_many_the_error_is_rounded_against_the_jury_and_close(
    size: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quorate.vote.log_odds.MOST_SUMS", 1)
    random = np.random.default_rng([size, seed])
    weights = random.integers(0, 200, size)
    qualities = random.uniform(0.5, 0.95, size)
    law, total = law_of_wrong_weight(weights, qualities), int(weights.sum())
    exact = exact_error(weights, law)
    near_tie = sum(p for (wrong, _), p in law.items() if abs(wrong - total / 2) <= total * size / GRID)
    found = weighted_error(weights, qualities)
    assert exact - 1e-12 <= found <= exact + near_tie + 1e-12


def test_forty_log_odds_weights_make_too_many_sums_and_are_counted_on_the_grid() -> None:
    qualities = np.random.default_rng(3).uniform(0.5, 0.9, 40)
    weights = log_odds_weights(qualities)
    # Thousandths instead of billionths: few enough sums for the oracle, each at most 40 steps off.
    coarse = weights // 10**6
    law, total = law_of_wrong_weight(coarse, qualities), int(coarse.sum())
    near_tie = sum(p for (wrong, _), p in law.items() if abs(wrong - total / 2) <= total * 40 / GRID + 40)
    exact = exact_error(coarse, law)
    assert exact * 0.99 < weighted_error(weights, qualities) <= exact + near_tie


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 16, 17, 40])
@pytest.mark.parametrize("seed", range(6))
def test_log_odds_is_never_below_the_error_of_the_vote_it_describes(size: int, seed: int) -> None:
    """Weights fixed at logit(q-), true qualities anywhere from q- up (MATHS 2)."""
    random = np.random.default_rng([size, seed])
    certain = random.uniform(0.5, 0.97, size)
    true = certain + random.uniform(0.0, 1.0, size) * (1.0 - certain) * random.integers(0, 2, size)
    promised = LogOdds().error(certain)
    # The grid's rounding is against the jury, so where sums are too many it needs its stated slack.
    slack = 1.0 + 1e-9 if size <= SURELY_EXACT else 1.02
    assert weighted_error(log_odds_weights(certain), true) <= promised * slack


def test_the_plain_majority_of_the_same_jury_may_well_miss_what_log_odds_promises() -> None:
    """Negative control: the bound belongs to the weighted vote alone."""
    jury = [0.99, 0.6, 0.6]
    assert naive.mean_error(naive.paper_majority, jury) > 1.7 * LogOdds().error(np.array(jury))
