"""Mode R's coins: their law, Myerson's identity, pay below the bid, and a control that is caught (MATHS 6)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from quorate.mechanism import Allocation, Randomised, Sealed, Settlement
from quorate.mechanism.audit.mode_r import (
    BelowBid,
    Identity,
    _coin_seed,
    expected_utilities,
    paid_below_bid,
    sample_coins,
    sure,
)
from quorate.mechanism.audit.search import Question, search
from quorate.mechanism.audit.small_run import run_small
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, world_case
from quorate.mechanism.coins import resample
from quorate.money import MILLIONTHS
from quorate.policy import Policy
from tests.property.test_mechanism_money import law

DRAWS = 200_000


def closed_form(bid: int, cap: int, g: float, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """MATHS 6, as it stands: (x, y) of the resampled."""
    random = np.random.default_rng(seed)
    s, r = random.random(draws) ** (1 / (1 - g)), random.random(draws) ** (1 / g)
    return cap - (cap - bid) * s, cap - (cap - bid) * np.maximum(s, r)


@pytest.mark.parametrize("one_in", [2, 8])
def test_fine_money_has_the_law_of_the_closed_form(one_in: int) -> None:
    bid, cap = 7 * MILLIONTHS, 20 * MILLIONTHS
    drawn = resample(17, np.full(DRAWS, bid), cap, one_in)
    moved = drawn.y > bid
    share = stats.binomtest(int(moved.sum()), DRAWS, 1 / one_in).pvalue
    assert share > 1e-4
    x, y = closed_form(bid, cap, 1 / one_in, DRAWS, 18)
    assert stats.ks_2samp(drawn.x[moved], x).pvalue > 1e-4
    assert stats.ks_2samp(drawn.y[moved], y).pvalue > 1e-4
    # Jointly: how often x is y, and the law of what remains when it is not.
    again = drawn.x[moved] > drawn.y[moved]
    assert stats.binomtest(int(again.sum()), int(moved.sum()), 1 / one_in).pvalue > 1e-4
    rest = (cap - drawn.x[moved][again]) / (cap - drawn.y[moved][again])
    assert stats.kstest(rest, lambda z: z ** (1 - 1 / one_in)).pvalue > 1e-4


def test_coarse_money_has_the_exact_law() -> None:
    for bid in (0, 3):
        drawn = resample(5, np.full(DRAWS, bid), 5, 3)
        exact = law(bid, 5, 3)
        pairs, counts = np.unique(np.stack([drawn.x, drawn.y], axis=1), axis=0, return_counts=True)
        assert {(int(x), int(y)) for x, y in pairs} == set(exact)
        expected = [float(exact[int(x), int(y)]) * DRAWS for x, y in pairs]
        assert stats.chisquare(counts, expected).pvalue > 1e-4


@pytest.mark.parametrize("variant", [Variant("ccb-s", unit=1), Variant("assured", pool=True, unit=1)])
def test_myersons_identity_holds_within_three_standard_errors_on_100_instances(variant: Variant) -> None:
    audited = family(variant)
    sampled = [sample_coins(audited, 1, number, draws=10_000) for number in range(100)]
    z = np.array([world.identity.z for world in sampled])
    told = z != 0.0  # where every bid gets the same tasks nothing is random but the bonus's own mean
    assert np.abs(z).max() <= 3.0
    assert told.sum() >= 50
    assert stats.chi2.sf((z[told] ** 2).sum(), told.sum()) > 1e-4
    assert all(world.gain.interval(100)[0] <= 0.0 for world in sampled)


def test_expected_pay_by_sampling_is_the_exact_one() -> None:
    """Against the expectation computed without coins, from the tasks at every bid."""
    audited = family(Variant("ccb-s", unit=1))
    for number in (3, 17, 29):
        case = world_case(audited, 1, number)
        tasks = run_small(case, audited.scale).tasks[:, case.vary]
        bids = np.full(DRAWS, case.bids[case.vary])
        drawn = resample(23, bids, case.cap)
        bonus = np.where(drawn.y > bids, (case.cap - bids) * 8, 0)
        utility = tasks[drawn.x] * bonus
        exact = expected_utilities(tasks, int(bids[0]))[int(bids[0])]
        error = max(utility.std(ddof=1) / np.sqrt(DRAWS), 1e-12)
        assert abs(utility.mean() - exact) <= 4 * error


def test_nobody_is_paid_below_its_bid_in_a_million_draws() -> None:
    policy = world_case(family(Variant("ccb-s", unit=1)), 1, 0).build()
    done: list[float] = []
    assert paid_below_bid(policy, 10**6, seed=1, advance=done.append) == BelowBid()
    assert sum(done) == 10**6


def test_a_settlement_below_the_bid_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the settled pay that is looked at: a bonus that settlement takes away shows."""
    policy = world_case(family(Variant("ccb-s", unit=1)), 1, 0).build()
    honest = Randomised.settle

    def short(payment: Randomised, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        return honest(payment, replace(sealed, bonus=np.where(sealed.bonus > 0, -1, 0)), policy, allocation)

    monkeypatch.setattr(Randomised, "settle", short)
    below = paid_below_bid(policy, 4_000, seed=1)
    assert below.count > 300
    assert below.first is not None
    assert 0 <= below.first[0] <= below.first[1]


def test_the_coins_sampled_are_the_ones_that_the_payment_settles() -> None:
    """The audit's own loop against seal and settle: draw k is worker k of a campaign in which all bid alike."""
    audited, draws = family(Variant("ccb-s", unit=1)), 3_000
    case = world_case(audited, 1, 17)
    tasks, bid = run_small(case, audited.scale).tasks[:, case.vary], int(case.bids[case.vary])
    payment, nothing = Randomised(), np.zeros(draws, dtype=np.int64)
    off = np.zeros(draws)
    for above in range(bid, case.cap + 1):
        sealed = payment.seal(np.full(draws, above), case.cap, _coin_seed(1, 17))
        done = tasks[sealed.seen]
        if above > bid:
            off -= done
            continue
        allocation = Allocation(done, nothing, nothing[:0], nothing.astype(float), nothing)
        payouts = payment.settle(sealed, case.build(), allocation).payouts
        off += np.array([payout.total - bid * payout.tasks for payout in payouts])
    sampled = sample_coins(audited, 1, 17, draws=draws).identity
    assert off.std() > 0.0
    assert sampled.mean == pytest.approx(off.mean(), rel=1e-12)
    assert sampled.error == pytest.approx(off.std(ddof=1) / draws**0.5, rel=1e-9)


def test_what_is_off_without_any_spread_is_infinitely_many_standard_errors_off() -> None:
    assert Identity(0, 3, 0.0, 0.0).z == 0.0
    assert Identity(0, 3, 2.0, 0.0).z == float("inf")
    assert Identity(0, 3, -2.0, 0.0).z == float("-inf")
    assert Identity(0, 3, -2.0, 0.5).z == -4.0


def test_many_looks_are_allowed_more_standard_errors_each() -> None:
    assert sure(1) == pytest.approx(3.0, abs=1e-3)
    assert sure(100) == pytest.approx(4.2, abs=0.01)
    assert 100 * 2 * stats.norm.sf(sure(100)) == pytest.approx(2 * stats.norm.sf(sure(1)))


def test_coins_drawn_anew_each_round_are_caught() -> None:
    """The control: the identity breaks, and lies gain."""
    audited = family(Variant("ccb-s", unit=1))
    sampled = [sample_coins(audited, 1, number, draws=1_500, redraw=True) for number in range(12)]
    assert max(abs(world.identity.z) for world in sampled) > 5.0
    assert max(world.gain.interval(12)[0] for world in sampled) > 0.0


def test_a_bossy_selector_lets_a_lie_gain_on_average() -> None:
    """With common random numbers: the interval on the gain lies above 0, around the exact gain."""
    question = Question(Variant("ccb-s", "greedy", unit=1), "randomised")
    worst = max(search(question, 20_000).named, key=lambda found: found.amount)
    sampled = sample_coins(family(question.variant), 1, worst.world, draws=40_000, cost=worst.cost)
    low, high = sampled.gain.interval(1)
    assert 0.0 < low <= worst.amount <= high


def test_the_exact_law_sums_to_one() -> None:
    assert sum(law(0, 5, 3).values()) == Fraction(1)
