"""Each payment on campaigns small enough to settle by hand."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from quorate.errors import InvalidInput, UnknownName
from quorate.mechanism import (
    Allocation,
    PayAsBid,
    Payment,
    Randomised,
    Threshold,
    payment_named,
    play_and_pay,
)
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.shrink import even_row
from quorate.mechanism.coins import own_coins
from quorate.mechanism.threshold import critical_prices
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS
from quorate.policy import Phase, Stopping, play

UNIT = MILLIONTHS
# The first is always right; two of the next together are worth as much.
SHARES = (Fraction(1), Fraction(9, 10), Fraction(9, 10), Fraction(1, 2))


def head_count_case(bids: list[int], pool: int | None, shares: list[int], horizon: int = 60) -> Case:
    """Workers always right (1) or never (0); one certain worker, or two, reach the requirement."""
    rows = np.array([np.full(horizon, share, dtype=np.bool_) for share in shares])
    return Case(
        bids=np.array(bids) * UNIT,
        cap=20 * UNIT,
        rows=rows,
        vary=0,
        grid=np.array([bids[0]]) * UNIT,
        requirement=Decimal("0.5"),
        error="margin",
        policy="assured",
        selector="exact",
        interval="hoeffding",
        pool=pool,
        kappa=Fraction(0),
        stopping=Stopping.HEAD_COUNT,
    )


def paid(case: Case, payment: Payment, coins: int = 0) -> tuple[list[int], list[list[tuple[str, int, int]]]]:
    """(total per worker, lines per worker as (phase, tasks, price)), money in units."""
    happened = play_and_pay(case.build(), payment, Recorded.of(case.rows), case.bids, coins=coins)
    payouts = happened.settlement.payouts
    lines = [[(line.phase.value, line.tasks, line.price // UNIT) for line in payout.lines] for payout in payouts]
    return [payout.total // UNIT for payout in payouts], lines


def test_threshold_pays_th_while_exploring_and_the_critical_price_later() -> None:
    # Worker 3 stays outside: th = 15. Worker 0 is V; without it worker 1 is, so 0's critical price is 7.
    case = head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1])
    stop = play(case.build(), Recorded.of(case.rows), case.bids).stop
    assert stop is not None
    explored, later = stop - 1, 60 - stop + 1
    totals, lines = paid(case, Threshold())
    assert lines[0] == [("explore", explored, 15), ("exploit", later, 7)]
    assert lines[1] == [("explore", explored, 15)]
    assert lines[3] == []
    assert totals == [15 * explored + 7 * later, 15 * explored, 15 * explored, 0]


def test_threshold_never_pays_above_th() -> None:
    # Without worker 0 nobody in the pool is good enough: its critical price is unbounded, th = 15 stands in.
    case = head_count_case([4, 7, 9, 15], 3, [1, 0, 0, 1])
    policy, realization = case.build(), Recorded.of(case.rows)
    allocation = Allocation.from_play(play(policy, realization, case.bids))
    assert critical_prices(policy, Threshold().seal(case.bids, case.cap, 0), allocation) == {0: None}
    _, lines = paid(case, Threshold())
    assert lines[0][1][2] == 15


def test_a_critical_price_above_th_is_cut_to_th() -> None:
    # V is worker 0; without it the pool needs 1 and 2 together, 9 + 9 = 18, but th is 10.
    case = replace(
        head_count_case([4, 9, 9, 10], 3, [1, 1, 1, 0]), rows=np.array([even_row(share, 60) for share in SHARES])
    )
    policy, realization = case.build(), Recorded.of(case.rows)
    allocation = Allocation.from_play(play(policy, realization, case.bids))
    assert critical_prices(policy, Threshold().seal(case.bids, case.cap, 0), allocation) == {0: 18 * UNIT}
    _, lines = paid(case, Threshold())
    assert lines[0][1][2] == 10


def test_threshold_is_the_cap_where_everybody_takes_part() -> None:
    _, lines = paid(head_count_case([4, 7, 9, 15], None, [1, 1, 0, 1]), Threshold())
    assert [line[0][2] for line in lines] == [20, 20, 20, 20]


def test_threshold_without_exploitation_pays_th_for_everything() -> None:
    totals, lines = paid(head_count_case([4, 7, 9, 15], 3, [0, 0, 0, 1]), Threshold())
    assert lines[:3] == [[("explore", 60, 15)]] * 3
    assert totals == [900, 900, 900, 0]


def test_pay_as_bid_pays_the_bid() -> None:
    totals, lines = paid(head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1]), PayAsBid())
    assert totals[0] == 4 * 60
    assert {price for _, _, price in lines[1]} == {7}


def test_randomised_adds_its_bonus_to_every_task_or_to_none() -> None:
    case = head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1])
    payment = Randomised(one_in=2)
    bonuses = set()
    for coins in range(40):
        happened = play_and_pay(case.build(), payment, Recorded.of(case.rows), case.bids, coins=coins)
        for payout in happened.settlement.payouts:
            bid = int(case.bids[payout.worker])
            x, y = own_coins(coins, payout.worker, bid, case.cap, 2)
            assert happened.sealed.seen[payout.worker] == x
            for line in payout.lines:
                assert line.bid == bid
                assert line.bonus == ((case.cap - bid) * 2 if y > bid else 0)
                bonuses.add(line.bonus)
    assert len(bonuses) == 5  # 0, and one per worker


def test_a_pool_worker_who_did_nothing_is_not_taken_for_an_outsider() -> None:
    case = head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1])
    policy, payment = case.build(), Threshold()
    allocation = Allocation.from_play(play(policy, Recorded.of(case.rows), case.bids))
    idle = replace(allocation, explored=np.where(np.arange(4) == 2, 0, allocation.explored))
    settled = payment.settle(payment.seal(case.bids, case.cap, 0), policy, idle)
    assert settled.payouts[0].lines[0].price == 15 * UNIT
    assert settled.payouts[2].lines == ()


def test_the_bids_of_another_campaign_are_refused() -> None:
    case = head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1])
    policy = case.build()
    played = play(policy, Recorded.of(case.rows), case.bids)
    sealed = Threshold().seal(case.bids[:3], case.cap, 0)
    with pytest.raises(InvalidInput, match="settle one campaign"):
        Threshold().settle(sealed, policy, Allocation.from_play(played))


def test_threshold_settles_juries_judged_as_wholes() -> None:
    case = head_count_case([4, 7, 9, 15], 3, [1, 1, 0, 1], horizon=100)
    joint = Case(
        case.bids, case.cap, case.rows, 0, case.grid, target=0.6, policy="assured-joint", pool=3, kappa=Fraction(1),
        stopping=Stopping.HEAD_COUNT,
    )  # fmt: skip
    _, lines = paid(joint, Threshold())
    phases = [phase for phase, _, _ in lines[0]]
    assert phases == [Phase.EXPLORE, Phase.EXPLOIT]
    # Alone it is certified; without it worker 1 is, at 7.
    assert lines[0][1][2] == 7


def test_an_unknown_payment_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="randomised, threshold, pay-as-bid"):
        payment_named("vcg")
