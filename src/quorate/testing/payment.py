"""What `quorate.mechanism.payment.Payment` promises, checked on small campaigns drawn from a fixed seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.mechanism import Paid, Payment, Settlement, play_and_pay
from quorate.model.problem import Problem
from quorate.model.realization import Field
from quorate.money import MILLIONTHS
from quorate.policy import Policy, Stopping, assured_policy, paper_policy
from quorate.policy.base import Phase
from quorate.select.base import SELECTORS

CAP = 20 * MILLIONTHS
HORIZON = 60
SEEDS = range(6)
# Coins by which a lie's mean gain is measured, and how many standard errors of it may be luck.
COINS = 80
LUCK = 4.0
# The seed of the campaigns in which worker 0 lies, one of several workers.
LIED = 1


@dataclass(frozen=True, eq=False)
class Campaign:
    """Bids, some tied, at 0 and at the cap, and who is right when."""

    policy: Policy
    bids: NDArray[np.int64]
    field: Field
    seed: int

    def paid(self, payment: Payment, bids: NDArray[np.int64] | None = None, coins: int = 7) -> Paid:
        given = self.bids if bids is None else bids
        return play_and_pay(self.policy, payment, self.field, given, seed=self.seed, coins=coins)

    def bidding(self, worker: int, bid: int) -> NDArray[np.int64]:
        bids = self.bids.copy()
        bids[worker] = bid
        return bids


def policies() -> list[Policy]:
    """With each stopping rule, with a pool and without, exact and bossy, and one that never stops learning."""
    problem = Problem(target=0.7, confidence=0.5, horizon=HORIZON, cap=CAP)
    quick = Fraction(4)
    return [
        assured_policy(problem, pool=3, kappa=quick),
        assured_policy(problem, pool=3, kappa=quick, stopping=Stopping.HEAD_COUNT),
        assured_policy(problem, kappa=quick, stopping=Stopping.HEAD_COUNT),
        paper_policy("ccb-s", problem, selector=SELECTORS["exact"]),
        paper_policy("epsilon-greedy", problem),
    ]


def campaigns() -> Iterator[Campaign]:
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        workers = int(random.integers(1, 6))
        bids = random.choice([0, 3, 3, 7, 12, 20], workers).astype(np.int64) * MILLIONTHS
        field = Field.of(seed, random.uniform(0.6, 1.0, workers))
        for policy in policies():
            yield Campaign(policy, bids, field, seed)


def _lines(settlement: Settlement) -> list[tuple[int, str, int, int]]:
    return [(one.worker, line.phase.value, line.tasks, line.price) for one in settlement.payouts for line in one.lines]


class PaymentContract:
    """Inherit, and define the fixture `payment`."""

    @pytest.fixture
    def payment(self) -> Payment:
        raise NotImplementedError("define a fixture `payment` that returns the payment to check")

    def test_it_follows_the_protocol(self, payment: Payment) -> None:
        assert isinstance(payment, Payment)
        assert payment.name

    def test_what_the_policy_sees_lies_between_the_bid_and_the_cap(self, payment: Payment) -> None:
        bids = np.array([0, 1, 3 * MILLIONTHS, CAP - 1, CAP] * 40, dtype=np.int64)
        sealed = payment.seal(bids, CAP, 5)
        assert np.array_equal(sealed.bids, bids)
        assert sealed.cap == CAP
        assert (sealed.seen >= bids).all()
        assert (sealed.seen <= CAP).all()
        assert (sealed.bonus >= 0).all()

    def test_nobodys_seal_depends_on_another_ones_bid(self, payment: Payment) -> None:
        bids = np.arange(0, CAP, CAP // 50, dtype=np.int64)
        others = bids[::-1].copy()
        for worker in range(0, len(bids), 7):
            mixed = others.copy()
            mixed[worker] = bids[worker]
            for coins in (0, 1, 2**63):
                one, other = payment.seal(bids, CAP, coins), payment.seal(mixed, CAP, coins)
                assert one.seen[worker] == other.seen[worker]
                assert one.bonus[worker] == other.bonus[worker]

    def test_the_same_campaign_is_settled_the_same_again(self, payment: Payment) -> None:
        for campaign in campaigns():
            first = campaign.paid(payment)
            again = payment.settle(first.sealed, campaign.policy, first.allocation)
            assert _lines(again) == _lines(first.settlement)
            assert _lines(campaign.paid(payment).settlement) == _lines(first.settlement)

    def test_no_price_is_below_the_bid(self, payment: Payment) -> None:
        for campaign in campaigns():
            for payout in campaign.paid(payment).settlement.payouts:
                assert all(line.price >= line.bid == campaign.bids[payout.worker] for line in payout.lines)

    def test_the_tasks_paid_are_the_tasks_done(self, payment: Payment) -> None:
        for campaign in campaigns():
            paid = campaign.paid(payment)
            done = {Phase.EXPLORE: paid.allocation.explored, Phase.EXPLOIT: paid.allocation.exploited}
            assert [payout.worker for payout in paid.settlement.payouts] == list(range(len(campaign.bids)))
            for payout in paid.settlement.payouts:
                for phase, tasks in done.items():
                    assert sum(line.tasks for line in payout.lines if line.phase is phase) == tasks[payout.worker]

    def test_another_campaigns_work_is_not_settled(self, payment: Payment) -> None:
        campaign = next(one for one in campaigns() if len(one.bids) > 1)
        sealed = payment.seal(campaign.bids[:-1], CAP, 7)
        with pytest.raises(InvalidInput):
            payment.settle(sealed, campaign.policy, campaign.paid(payment).allocation)

    def test_it_says_why_truth_is_best_or_not(self, payment: Payment) -> None:
        for policy in policies():
            verdict = payment.judge(policy)
            assert isinstance(verdict.truthful, bool)
            assert verdict.why

    def test_where_it_says_that_truth_is_best_no_lie_gains(self, payment: Payment) -> None:
        """On average over the coins, the same for both bids; a payment that tosses none gives the same every time."""
        for campaign in campaigns():
            if campaign.seed != LIED or not payment.judge(campaign.policy).truthful:
                continue
            for cost, lie in ((3, 12), (12, 3), (7, 20)):
                gains = self._gains(campaign, payment, cost * MILLIONTHS, lie * MILLIONTHS)
                error = float(gains.std(ddof=1)) / len(gains) ** 0.5
                assert float(gains.mean()) <= LUCK * error

    @staticmethod
    def _gains(campaign: Campaign, payment: Payment, cost: int, lie: int) -> NDArray[np.float64]:
        """What worker 0 gains by the lie, in units, for each seed of the coins."""

        def utility(bid: int, coins: int) -> float:
            payout = campaign.paid(payment, campaign.bidding(0, bid), coins).settlement.payouts[0]
            return (payout.total - cost * payout.tasks) / MILLIONTHS

        return np.array([utility(lie, coins) - utility(cost, coins) for coins in range(COINS)])
