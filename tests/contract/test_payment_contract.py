"""Every registered payment keeps the contract; each promise of it is broken once."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import ArrayLike

from quorate.mechanism import PAYMENTS, Allocation, Line, PayAsBid, Payment, Payout, Sealed, Settlement, Verdict
from quorate.mechanism.payment import lines_at
from quorate.money import Money
from quorate.policy import Phase, Policy
from quorate.testing import PaymentContract
from tests.contract.broken import FAILED, check_every_promise_has_a_control, run_contract


class TestRegisteredPayments(PaymentContract):
    @pytest.fixture(params=sorted(PAYMENTS))
    def payment(self, request: pytest.FixtureRequest) -> Payment:
        return PAYMENTS[request.param]


class ShowsLess(PayAsBid):
    """Lets the policy see less than was asked."""

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed:
        sealed = super().seal(bids, cap, coins)
        return replace(sealed, seen=sealed.seen // 2)


class LooksAtOthers(PayAsBid):
    """A bonus out of what the others ask."""

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed:
        sealed = super().seal(bids, cap, coins)
        return replace(sealed, bonus=sealed.bids.max() - sealed.bids)


@dataclass(frozen=True)
class Altered(PayAsBid):
    """Does something to every line of a settlement."""

    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        found = super().settle(sealed, policy, allocation)
        payouts = (Payout(one.worker, tuple(map(self.alter, one.lines))) for one in found.payouts)
        return Settlement(self.name, tuple(payouts))

    def alter(self, line: Line) -> Line:
        raise NotImplementedError


class PaysLess(Altered):
    def alter(self, line: Line) -> Line:
        return replace(line, threshold=-(line.bid // 2))


class PaysTwice(Altered):
    def alter(self, line: Line) -> Line:
        return replace(line, tasks=2 * line.tasks)


class PaysByMood(Altered):
    """Another price each time it is asked."""

    def alter(self, line: Line) -> Line:
        MOODS.append(line)
        return replace(line, bonus=len(MOODS))


MOODS: list[Line] = []


class SettlesAnything(PayAsBid):
    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        nothing = np.zeros(len(allocation), dtype=np.int64)
        parts = dict.fromkeys(Phase, (nothing, nothing))
        return Settlement(self.name, lines_at(allocation, nothing, parts))


class SaysNothing(PayAsBid):
    def judge(self, policy: Policy) -> Verdict:
        return Verdict(False, "")


class Boasts(PayAsBid):
    """Whoever asks for more and is still asked earns more."""

    def judge(self, policy: Policy) -> Verdict:
        return Verdict(True, "trust me")


CONTROLS = [
    ("test_it_follows_the_protocol", PayAsBid(name="")),
    ("test_what_the_policy_sees_lies_between_the_bid_and_the_cap", ShowsLess()),
    ("test_nobodys_seal_depends_on_another_ones_bid", LooksAtOthers()),
    ("test_the_same_campaign_is_settled_the_same_again", PaysByMood()),
    ("test_no_price_is_below_the_bid", PaysLess()),
    ("test_the_tasks_paid_are_the_tasks_done", PaysTwice()),
    ("test_another_campaigns_work_is_not_settled", SettlesAnything()),
    ("test_it_says_why_truth_is_best_or_not", SaysNothing()),
    ("test_where_it_says_that_truth_is_best_no_lie_gains", Boasts()),
]


@pytest.mark.parametrize(("promise", "broken"), CONTROLS)
def test_a_broken_payment_is_found_out(promise: str, broken: Payment) -> None:
    with pytest.raises(FAILED):
        run_contract(PaymentContract, promise, broken)


def test_every_promise_has_a_control() -> None:
    check_every_promise_has_a_control(PaymentContract, [promise for promise, _ in CONTROLS])
