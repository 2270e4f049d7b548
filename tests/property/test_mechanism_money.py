"""What must hold of payments in any world: money is neither lost nor made, no pay below the bid, truth is best."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.mechanism import PAYMENTS, Randomised, Threshold, payment_named, play_and_pay, write_statement
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.expected import expect
from quorate.mechanism.audit.mode_r import expected_utilities
from quorate.mechanism.audit.small_run import run_small
from quorate.mechanism.audit.tables import Scale
from quorate.mechanism.audit.variant import scale_of
from quorate.mechanism.threshold import critical_prices, pool_and_threshold
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS
from quorate.policy import Stopping

HORIZON = 40
CAP = 20
MU = 0.9


@st.composite
def cases(draw: st.DrawFn, policy: str = "assured", stopping: Stopping = Stopping.PRICE_GAP, unit: int = 1) -> Case:
    """Small worlds with every kind of tie; the whole grid of bids."""
    workers = draw(st.integers(1, 4))
    bids = draw(st.lists(st.integers(0, CAP), min_size=workers, max_size=workers))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    shares = draw(st.lists(st.sampled_from([0.4, 0.7, 0.9, 1.0]), min_size=workers, max_size=workers))
    ours = policy == "assured"
    return Case(
        bids=np.array(bids) * unit,
        cap=CAP * unit,
        rows=random.random((workers, HORIZON)) < np.array(shares)[:, None],
        vary=draw(st.integers(0, workers - 1)),
        grid=np.arange(CAP + 1) * unit,
        requirement=draw(st.sampled_from([Decimal("0.2"), Decimal("0.4"), Decimal("0.7"), Decimal("1.1")])),
        error="margin",
        slack=draw(st.sampled_from([Decimal(0), Decimal("0.1")])),
        mu=MU,
        policy=policy,
        selector="exact",
        interval="hoeffding",
        pool=draw(st.integers(1, workers)) if ours else None,
        kappa=draw(st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(2)])),
        eliminates=draw(st.booleans()),
        stopping=stopping,
        seed=draw(st.integers(0, 2**32)),
    )


def scales() -> Scale:
    """One table for all cases: it depends on the interval, mu and the horizon alone."""
    rows = np.zeros((1, HORIZON), dtype=np.bool_)
    nobody = np.zeros(1, dtype=np.int64)
    case = Case(nobody, CAP, rows, 0, nobody, requirement=Decimal(1), mu=MU)
    return scale_of(case.build())


SCALE = scales()


@settings(max_examples=60)
@given(cases(), st.sampled_from(list(PAYMENTS)), st.integers(0, 2**64 - 1), st.sampled_from(list(Stopping)))
def test_what_the_requester_spends_is_what_the_workers_are_paid(
    case: Case, payment: str, coins: int, stopping: Stopping
) -> None:
    case = replace(case, stopping=stopping)
    paid = play_and_pay(case.build(), payment_named(payment), Recorded.of(case.rows), case.bids, coins=coins)
    found = write_statement(paid.pairing, paid.sealed, paid.settlement, costs=case.bids)
    assert found.spend == sum(line.tasks * line.price for payout in paid.settlement.payouts for line in payout.lines)
    assert found.spend == (found.true_cost or 0) + sum(worker.utility or 0 for worker in found.workers)
    for payout in paid.settlement.payouts:
        assert payout.tasks == paid.play.counts[payout.worker]
        for line in payout.lines:
            assert line.price >= line.bid == case.bids[payout.worker]
            assert min(line.bonus, line.threshold) == 0 <= max(line.bonus, line.threshold)


@settings(max_examples=150)
@given(cases(), st.sampled_from(list(Stopping)))
def test_a_higher_bid_never_gets_more_tasks(case: Case, stopping: Stopping) -> None:
    tasks = run_small(replace(case, stopping=stopping), SCALE).tasks[:, case.vary]
    assert (np.diff(tasks) <= 0).all()


@settings(max_examples=100)
@given(cases("ccb-s"))
def test_nor_under_ccb_s_with_exact_selection(case: Case) -> None:
    assert (np.diff(run_small(case, SCALE).tasks[:, case.vary]) <= 0).all()


@settings(max_examples=40)
@given(cases(stopping=Stopping.HEAD_COUNT, unit=MILLIONTHS), st.integers(0, CAP), st.integers(0, CAP))
def test_mode_d_truth_is_a_dominant_strategy(case: Case, cost: int, lie: int) -> None:
    policy, realization = case.build(), Recorded.of(case.rows)

    def utility(bid: int) -> int:
        paid = play_and_pay(policy, Threshold(), realization, case.bidding(bid * MILLIONTHS), seed=case.seed)
        payout = paid.settlement.payouts[case.vary]
        return payout.total - cost * MILLIONTHS * payout.tasks

    honest = utility(cost)
    assert honest >= 0
    assert utility(lie) <= honest


@settings(max_examples=60)
@given(cases(stopping=Stopping.HEAD_COUNT))
def test_a_member_of_v_never_bids_above_its_critical_price(case: Case) -> None:
    """Individual rationality of mode D without the floor that `settle` keeps for pairings that are not truthful."""
    policy = case.build()
    paid = play_and_pay(policy, Threshold(), Recorded.of(case.rows), case.bids, seed=case.seed)
    pool, th = pool_and_threshold(policy, paid.sealed, paid.allocation)
    assert np.array_equal(pool, paid.play.counts > 0)
    assert (case.bids[pool] <= th).all()
    assert (case.bids[~pool] >= th).all()
    for worker, price in critical_prices(policy, paid.sealed, paid.allocation).items():
        assert price is None or price >= case.bids[worker]


falling = st.lists(st.integers(0, 200), min_size=1, max_size=12).map(lambda tasks: sorted(tasks, reverse=True))


@given(falling, st.integers(2, 12))
def test_mode_r_truth_is_best_on_average_for_any_allocation_that_falls(tasks: list[int], one_in: int) -> None:
    for cost in range(len(tasks)):
        utilities = expected_utilities(tasks, cost, one_in)
        assert utilities[cost] >= utilities.max() - 1e-9
        assert utilities[cost] >= -1e-9


def law(bid: int, cap: int, one_in: int) -> dict[tuple[int, int], Fraction]:
    """The exact law of (x, y) on whole money: resample(b) of quorate.mechanism.coins, branch by branch."""

    def seen(b: int) -> dict[int, Fraction]:
        if b == cap:
            return {b: Fraction(1)}
        out = {b: 1 - Fraction(1, one_in)}
        for above in range(b + 1, cap + 1):
            for x, chance in seen(above).items():
                out[x] = out.get(x, Fraction(0)) + Fraction(1, one_in) * Fraction(1, cap - b) * chance
        return out

    if bid == cap:
        return {(bid, bid): Fraction(1)}
    joint = {(bid, bid): 1 - Fraction(1, one_in)}
    for y in range(bid + 1, cap + 1):
        for x, chance in seen(y).items():
            joint[x, y] = joint.get((x, y), Fraction(0)) + Fraction(1, one_in) * Fraction(1, cap - bid) * chance
    return joint


@settings(max_examples=40)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(2, 5))
def test_myersons_identity_holds_exactly_for_any_allocation(tasks: list[int], one_in: int) -> None:
    """In fractions, monotone or not: E pay = b E A + sum of E A above b. Nothing is rounded."""
    cap = len(tasks) - 1
    expected = [sum(chance * tasks[x] for (x, _), chance in law(b, cap, one_in).items()) for b in range(cap + 1)]
    for bid in range(cap + 1):
        bonus = Randomised(one_in).one_in * (cap - bid)
        pay = sum(
            chance * tasks[x] * (bid + (bonus if y > bid else 0)) for (x, y), chance in law(bid, cap, one_in).items()
        )
        assert pay == bid * expected[bid] + sum(expected[bid + 1 :])


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(2, 5), st.integers(0, 3), st.integers(1, 9))
@settings(max_examples=40)
def test_what_a_grid_earns_on_average_is_exact(tasks: list[int], one_in: int, lowest: int, step: int) -> None:
    """Against the exact law, for money in steps that begin anywhere."""
    last = len(tasks) - 1
    grid = [step * (lowest + k) for k in range(len(tasks))]
    for at, found in enumerate(expect(grid, tasks, one_in)):
        chances = law(at, last, one_in).items()
        assert found.tasks == sum(chance * tasks[x] for (x, _), chance in chances)
        bonus = one_in * (grid[last] - grid[at])
        assert found.pay == sum(chance * tasks[x] * (grid[at] + bonus * (y > at)) for (x, y), chance in chances)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(2, 5))
@settings(max_examples=40)
def test_expected_utilities_are_those_of_the_exact_law(tasks: list[int], one_in: int) -> None:
    cap = len(tasks) - 1
    expected = [sum(chance * tasks[x] for (x, _), chance in law(b, cap, one_in).items()) for b in range(cap + 1)]
    for cost in range(cap + 1):
        exact = [float((b - cost) * expected[b] + sum(expected[b + 1 :])) for b in range(cap + 1)]
        assert np.allclose(expected_utilities(tasks, cost, one_in), exact, rtol=1e-12, atol=1e-9)
