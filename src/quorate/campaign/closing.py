"""Payouts and the end. What is earned is a ledger of its own: it grows with answers, and is paid whenever asked."""

from quorate.campaign import commands, events, results
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.step import Step, text
from quorate.campaign.views import Stage
from quorate.mechanism.coins import Reveal


def order(step: Step, command: commands.OrderPayouts) -> results.Result:
    """What is earned and not ordered yet; nobody with nothing to get appears."""
    step.require("ordering payouts", Stage.RUNNING, Stage.CLOSED)
    chosen = range(len(step.state.workers)) if command.worker is None else [step.worker(command.worker)]
    return results.PayoutsOrdered(_order(step, chosen))


def _order(step: Step, chosen: range | list[int]) -> tuple[results.PayoutOrder, ...]:
    found = []
    for number in chosen:
        worker = step.state.workers[number]
        amount = worker.earned - worker.ordered
        if amount > 0:
            payout = f"{step.state.campaign}.{number}.{len(worker.payouts) + 1}"
            step.emit(events.PayoutOrdered(payout, number, amount))
            found.append(results.PayoutOrder(payout, number, amount))
    return tuple(found)


def confirm(step: Step, command: commands.ConfirmPayout) -> results.Result:
    step.require("confirming a payout", Stage.RUNNING, Stage.CLOSED)
    number = step.state.payout_names.get(command.payout)
    if number is None:
        raise Refused(Code.UNKNOWN_PAYOUT, f"no payout {command.payout!r:.80} was ordered; order payouts first")
    if step.state.payouts[number].confirmed:
        raise Refused(
            Code.SECOND_CONFIRMATION,
            f"payout {command.payout!r} is confirmed already; it was paid once, as it should be",
        )
    reference = "" if not command.reference else text("the reference", command.reference)
    step.emit(events.PayoutConfirmed(command.payout, reference))
    return results.Done()


def close(step: Step, command: commands.CloseCampaign) -> results.Result:
    step.require("closing", Stage.DRAFT, Stage.AUCTION, Stage.RUNNING)
    state = step.state
    waiting = len(state.tasks) - state.next_task
    undecided = waiting + len(state.open)
    if undecided and not command.force:
        raise Refused(
            Code.TASKS_IN_FLIGHT,
            f"{len(state.open)} tasks are being answered and {waiting} wait for a jury; wait for their verdicts, or "
            f"close with `force` (--force): then they stay undecided, and answers given so far are paid",
        )
    seed = salt = None
    if state.coin_commitment is not None:
        _check_coins(state.coin_commitment, command)
        seed, salt = f"{command.coin_seed:016x}", command.coin_salt.hex()
    _order(step, range(len(state.workers)))
    earned = sum(worker.earned for worker in state.workers)
    step.emit(events.CampaignClosed(seed, salt, earned, undecided))
    return results.Closed(earned, undecided)


def _check_coins(published: str, command: commands.CloseCampaign) -> None:
    if not Reveal(command.coin_seed, command.coin_salt).matches(published):
        raise Refused(
            Code.INVALID,
            "the coins' seed is not the one committed to when the campaign opened: the vault and the ledger differ; "
            "check the service's secret, and that both come from one backup",
        )
