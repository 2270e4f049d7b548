"""Fast error models against every outcome, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from quorate.model.error import Hoeffding, Likelihood, Linear, LogOdds, Majority, majority_error
from tests.oracle import naive_error_model as naive

RANDOM = np.random.default_rng(20)
JURIES = [RANDOM.uniform(0.5, 1.0, size).round(3) for size in range(1, 10) for _ in range(3)]
JURIES += [np.full(4, 0.5), np.ones(3), np.array([0.5, 1.0]), np.array([0.5, 0.5, 1.0, 1.0])]


def close(found: float, exact: Fraction, parts: float = 1e-13) -> bool:
    return abs(Fraction(found) - exact) <= parts


@pytest.mark.parametrize("jury", JURIES, ids=len)
def test_majority_is_the_mean_error_over_both_answers_with_the_papers_tie_rule(jury: np.ndarray) -> None:
    assert close(Majority().error(jury), naive.mean_error(naive.paper_majority, jury.tolist()))


@pytest.mark.parametrize("jury", JURIES[:12], ids=len)
def test_majority_also_holds_for_spammers(jury: np.ndarray) -> None:
    assert close(majority_error(1.0 - jury), naive.mean_error(naive.paper_majority, (1.0 - jury).tolist()))


def test_the_tie_rule_makes_an_even_jury_err_more_on_answer_1_and_the_mean_is_what_is_promised() -> None:
    on_1 = naive.vote_error(naive.paper_majority, [0.75, 0.75], True)
    on_0 = naive.vote_error(naive.paper_majority, [0.75, 0.75], False)
    assert (on_1, on_0) == (Fraction(7, 16), Fraction(1, 16))
    assert majority_error(np.array([0.75, 0.75])) == 0.25


@pytest.mark.parametrize("size", [1, 2, 11, 100, 101])
def test_majority_agrees_with_scipys_poisson_binomial(size: int) -> None:
    qualities = np.random.default_rng(size).uniform(0.5, 1.0, size)
    wrong = stats.poisson_binom(1.0 - qualities)
    expected = wrong.sf(size // 2) + (0.0 if size % 2 else 0.5 * wrong.pmf(size // 2))
    assert majority_error(qualities) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("jury", JURIES, ids=len)
def test_likelihood_is_the_likeliest_wrong_half_and_never_below_the_likeliest_error(jury: np.ndarray) -> None:
    f = Likelihood().error(jury)
    assert close(f, naive.likeliest_half(jury.tolist()))
    assert naive.likeliest_error(jury.tolist()) <= Fraction(f) + Fraction(1, 10**12)


def test_likelihood_is_no_bound_on_the_verdict() -> None:
    """What its docstring says: one outcome's chance, .16, where the majority of three errs .352."""
    jury = np.array([0.6, 0.6, 0.6])
    assert Likelihood().error(jury) == pytest.approx(0.16)
    assert majority_error(jury) == pytest.approx(0.352)


@pytest.mark.parametrize("jury", JURIES, ids=len)
def test_hoeffding_is_never_below_the_exact_error_of_the_majority(jury: np.ndarray) -> None:
    assert Fraction(Hoeffding().error(jury)) >= naive.mean_error(naive.paper_majority, jury.tolist())


@pytest.mark.parametrize("jury", JURIES, ids=len)
def test_linear_is_never_below_hoeffding_above_its_floor(jury: np.ndarray) -> None:
    lifted = np.maximum(jury, Linear().floor)
    assert Linear().error(lifted) >= Hoeffding().error(lifted) * (1.0 - 1e-12)


def test_linear_is_false_below_its_floor() -> None:
    """At q = .55 its formula is content with 139 workers, whose majority errs .118 > .1 (MATHS 2)."""
    enough = int(np.floor(Linear().requirement(0.1) / (2 * 0.55 - 1))) + 1
    assert enough == 139
    assert majority_error(np.full(enough, 0.55)) == pytest.approx(0.118, abs=5e-4)


@pytest.mark.parametrize("jury", JURIES, ids=len)
def test_log_odds_is_never_below_the_exact_error_of_the_best_vote(jury: np.ndarray) -> None:
    """The best possible vote errs sum over outcomes of min(P(outcome | 1), P(outcome | 0)) / 2."""
    best = sum(
        min(naive.chance_of(right, jury.tolist()), naive.chance_of([not ok for ok in right], jury.tolist())) / 2
        for right in np.ndindex(*(2,) * len(jury))
    )
    assert Fraction(LogOdds().error(jury)) * (1 + Fraction(1, 10**12)) >= best


def test_the_formulas_by_hand() -> None:
    jury = np.array([0.7, 0.8, 0.9])
    assert Hoeffding().error(jury) == pytest.approx(np.exp(-((0.4 + 0.6 + 0.8) ** 2) / 6))
    assert Linear().error(jury) == pytest.approx(np.exp(-1.8 / 6))
    assert LogOdds().error(jury) == pytest.approx(0.5 * 8 * np.sqrt(0.21 * 0.16 * 0.09))
    assert Likelihood().error(jury) == pytest.approx(0.3 * 0.2)
    two_or_three_wrong = 0.3 * 0.2 * 0.9 + 0.3 * 0.8 * 0.1 + 0.7 * 0.2 * 0.1 + 0.3 * 0.2 * 0.1
    assert Majority().error(jury) == pytest.approx(two_or_three_wrong)
    assert Linear().requirement(0.1) == pytest.approx(6 * np.log(10))
    assert LogOdds().requirement(0.1) == pytest.approx(np.log(5))


def test_majority_is_not_monotone_in_the_jury() -> None:
    """A superset of a good jury can be worse: {.9} errs .100, {.9, .6, .6} errs .208 (MATHS 2)."""
    assert majority_error(np.array([0.9])) == pytest.approx(0.100)
    assert majority_error(np.array([0.9, 0.6, 0.6])) == pytest.approx(0.208)
