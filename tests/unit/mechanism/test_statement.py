"""Statements add up to the unit and compare the spend with what it might have been."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.mechanism import CampaignStatement, Paid, cheapest_known, payment_named, play_and_pay, write_statement
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.shrink import even_row
from quorate.model.problem import Problem
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS
from quorate.policy import AssuredJoint

UNIT = MILLIONTHS
ROWS = np.array([even_row(share, 120) for share in (Fraction(1), Fraction(1, 2), Fraction(3, 4))])
CASE = Case(
    bids=np.array([10, 4, 6]) * UNIT,
    cap=20 * UNIT,
    rows=ROWS,
    vary=0,
    grid=np.array([10 * UNIT]),
    requirement=Decimal("0.5"),
    policy="ccb-s",
    selector="exact",
)
COSTS = np.array([9, 4, 5]) * UNIT


def settled(payment: str) -> Paid:
    return play_and_pay(CASE.build(), payment_named(payment), Recorded.of(CASE.rows), CASE.bids, coins=3)


def stated(payment: str) -> CampaignStatement:
    paid = settled(payment)
    cheapest = cheapest_known(CASE.build(), COSTS, [1.0, 0.5, 0.75])
    return write_statement(paid.pairing, paid.sealed, paid.settlement, costs=COSTS, cheapest=cheapest)


@pytest.mark.parametrize("payment", ["randomised", "threshold", "pay-as-bid"])
def test_everything_adds_up_to_the_unit(payment: str) -> None:
    paid, found = settled(payment), stated(payment)
    assert found.spend == sum(worker.total for worker in found.workers)
    assert found.pay_as_bid == int((paid.play.counts * CASE.bids).sum())
    assert found.true_cost == int((paid.play.counts * COSTS).sum())
    for worker in found.workers:
        assert worker.tasks == paid.play.counts[worker.worker]
        assert worker.total == sum(line.tasks * (line.bid + line.bonus + line.threshold) for line in worker.lines)
        assert worker.utility == worker.total - int(COSTS[worker.worker]) * worker.tasks
    assert found.spend == found.true_cost + sum(worker.utility or 0 for worker in found.workers)


def test_the_cheapest_with_everything_known_is_the_best_jury_on_every_task() -> None:
    # Worker 2 alone reaches 2 * .75 - 1 = .5, at 5 a task.
    assert cheapest_known(CASE.build(), COSTS, [1.0, 0.5, 0.75]) == 5 * UNIT * 120
    assert cheapest_known(CASE.build(), COSTS, [0.6, 0.5, 0.6]) is None


def test_the_cheapest_of_whole_juries_is_of_the_pools_family() -> None:
    """Against every odd jury of up to three of the pool, its error summed over all outcomes."""
    random, feasible = np.random.default_rng(4), 0
    for target in (0.8, 0.85, 0.9, 0.95) * 10:
        policy = AssuredJoint(Problem(target, 0.9, 7, 20 * UNIT), pool=5, max_size=3)
        costs, qualities = random.permutation(20)[:7] * UNIT, random.uniform(0.4, 0.95, 7)
        pool = np.argsort(costs)[:5].tolist()
        juries = [jury for size in (1, 3) for jury in combinations(pool, size)]
        good = [int(costs[list(jury)].sum()) for jury in juries if accuracy(qualities[list(jury)]) > target]
        assert cheapest_known(policy, costs, qualities) == (7 * min(good) if good else None)
        feasible += bool(good)
    assert 0 < feasible < 40


def accuracy(qualities: NDArray[np.float64]) -> float:
    outcomes = product((False, True), repeat=len(qualities))
    chances = ((sum(right), np.where(right, qualities, 1 - qualities).prod()) for right in outcomes)
    return float(sum(chance for count, chance in chances if 2 * count > len(qualities)))


def test_without_true_costs_there_are_no_utilities() -> None:
    paid = settled("threshold")
    found = write_statement(paid.pairing, paid.sealed, paid.settlement)
    assert found.true_cost is None
    assert {worker.utility for worker in found.workers} == {None}


def test_the_text_says_first_whether_lying_pays() -> None:
    lines = stated("pay-as-bid").to_text().splitlines()
    assert lines[0] == "ccb-s with pay-as-bid: NOT truthful"
    assert "spend is 1.00 times this" in stated("pay-as-bid").to_text()
    assert "everything known   600" in stated("threshold").to_text()
    bare = replace(stated("threshold"), true_cost=None, cheapest=None)
    assert "true costs" not in bare.to_text()


def test_costs_must_be_one_per_worker() -> None:
    paid = settled("threshold")
    with pytest.raises(InvalidInput, match="one per worker"):
        write_statement(paid.pairing, paid.sealed, paid.settlement, costs=COSTS[:2])
