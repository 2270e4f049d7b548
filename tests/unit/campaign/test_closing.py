"""Payouts and the end: earned, ordered and confirmed are three different things, and each adds up."""

import pytest

from quorate.campaign import commands, pay_views, projection
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.views import Stage
from tests.campaigns import RANDOMISED, UNIT, Drive, exploiting, running, small


def code_of(drive: Drive, command: commands.Command) -> Code:
    with pytest.raises(Refused) as caught:
        drive.do(command)
    return caught.value.code


def test_a_payout_is_what_is_earned_and_not_ordered_yet() -> None:
    drive = running().post(2, gold=1)
    drive.all_say(0, 1)
    first = drive.do(commands.OrderPayouts("w1")).payouts
    assert [(payout.worker, payout.amount) for payout in first] == [(1, 20 * UNIT)]
    assert drive.do(commands.OrderPayouts("w1")).payouts == ()
    drive.all_say(1, 1)
    rest = drive.do(commands.OrderPayouts()).payouts
    assert [(payout.worker, payout.amount) for payout in rest] == [
        (0, 40 * UNIT),
        (1, 20 * UNIT),
        (2, 40 * UNIT),
        (3, 40 * UNIT),
    ]
    names = [payout.payout for payout in (*first, *rest)]
    assert len(set(names)) == 5, "every payout has a key of its own"


def test_a_payout_is_confirmed_once() -> None:
    drive = running().post(1, gold=1)
    drive.all_say(0, 1)
    payout = drive.do(commands.OrderPayouts(0)).payouts[0].payout
    drive.do(commands.ConfirmPayout(payout, "bank-1"))
    assert drive.state.workers[0].confirmed == 20 * UNIT
    assert code_of(drive, commands.ConfirmPayout(payout)) is Code.SECOND_CONFIRMATION
    assert code_of(drive, commands.ConfirmPayout("c1.0.9")) is Code.UNKNOWN_PAYOUT


def test_closing_needs_force_while_tasks_are_undecided() -> None:
    drive = running().post(3)
    drive.answer(0, {0: 1})
    assert code_of(drive, commands.CloseCampaign(99, bytes(range(16)))) is Code.TASKS_IN_FLIGHT
    closed = drive.close(force=True)
    assert closed.undecided == 3
    assert closed.earned == 20 * UNIT, "an answer that was given is paid, verdict or not"
    assert drive.state.stage is Stage.CLOSED


def test_closing_pays_what_is_unpaid() -> None:
    drive = running().post(1, gold=1)
    drive.all_say(0, 1)
    drive.do(commands.OrderPayouts(0))
    drive.close()
    spend = projection.spend(drive.state)
    assert spend.earned == spend.ordered == 80 * UNIT
    assert spend.unordered == 0
    for payout in list(drive.state.payouts):
        assert not payout.confirmed
    drive.do(commands.ConfirmPayout("c1.1.1"))


def test_a_campaign_can_be_given_up_before_it_runs() -> None:
    drive = Drive()
    assert drive.close().earned == 0
    opened = Drive().open().enrol([3])
    opened.close()
    assert opened.state.coin_seed is not None


@pytest.mark.parametrize("payment", [None, RANDOMISED])
def test_statements_add_up_to_the_unit(payment: object) -> None:
    drive = exploiting(settings=small() if payment is None else small(payment=payment))
    drive.post(10)
    for task in list(drive.state.open):
        drive.all_say(task, 1)
    whole = pay_views.campaign_pay(drive.state)
    assert whole.earned == sum(worker.earned for worker in whole.workers)
    for worker in whole.workers:
        assert worker.earned == sum(line.total for line in worker.lines)
        for line in worker.lines:
            assert line.price == line.bid + line.bonus + line.threshold >= line.bid
    assert whole.as_bid <= whole.earned
    assert whole.truthful
    assert not whole.final


def test_a_worker_can_check_its_own_coins_after_the_close() -> None:
    drive = running(range(1, 16), small(payment=RANDOMISED))
    assert pay_views.coin_check(drive.state, 3) is None, "the seed is not revealed yet"
    drive.close()
    checks = [pay_views.coin_check(drive.state, worker) for worker in range(15)]
    assert all(check is not None and check.fair for check in checks)
    assert any(check.bonus for check in checks)
    threshold = running()
    threshold.close()
    assert pay_views.coin_check(threshold.state, 0) is None, "mode D tosses no coins"
