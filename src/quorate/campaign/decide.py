"""state, command, time -> events, or a refusal. Pure: the engine makes events durable, and only then believes them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.campaign import closing, commands, events, results, work
from quorate.campaign.bidding import ONLY_CLOSE, is_dead, is_over
from quorate.campaign.flow import advance
from quorate.campaign.fold import auction_of, rules_of
from quorate.campaign.oneself import ONESELF
from quorate.campaign.pricing import exploration_prices
from quorate.campaign.ranges import to_ranges
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.rules import build, check_draft
from quorate.campaign.sealed import Opening, bid_commitment, opens
from quorate.campaign.settings import Millis, Settings, to_json
from quorate.campaign.state import State
from quorate.campaign.step import Step, text
from quorate.campaign.views import Stage
from quorate.campaign.wording import utc
from quorate.errors import InvalidInput
from quorate.mechanism import Sealed
from quorate.money import show


@dataclass(frozen=True, eq=False)
class Decision:
    """The events, the state after them, and what the caller is told."""

    events: tuple[events.Event, ...]
    state: State
    result: results.Result


def decide(state: State, command: commands.Command, now: Millis, *, again: bool = False) -> Decision:
    """Raises Refused: then nothing has happened.

    `again`: the command is one that a ledger holds. What was fit to be taken is history then, and is not judged by
    what is asked of settings and payloads today; nothing is decided by that.
    """
    step = Step(state, now, again=again)
    result = _HANDLERS[type(command)](step, command)
    return Decision(tuple(step.events), step.state, result)


def _draft(step: Step, command: commands.DraftCampaign) -> results.Result:
    if step.state.settings is not None:
        step.require("changing the settings", Stage.DRAFT)
    _check_settings(step, command.settings)
    step.emit(events.Drafted(to_json(command.settings)))
    return results.Done()


def _check_settings(step: Step, settings: Settings) -> None:
    try:
        build(settings)
        if not step.again:
            check_draft(settings)
    except InvalidInput as error:
        raise Refused(Code.INVALID, str(error)) from error


def _open(step: Step, command: commands.OpenCampaign) -> results.Result:
    step.require("opening", Stage.DRAFT)
    _check_settings(step, step.settings)
    until = step.settings.bids_until
    if until is not None and is_over(step.settings, step.now) and not step.again:
        raise Refused(
            Code.INVALID,
            f"bids_until {until} ({utc(until):%Y-%m-%d %H:%M} UTC) has passed, so that nobody could bid; give the "
            f"draft a later one, or none, and then open it",
        )
    step.emit(events.Opened(to_json(step.settings), f"{command.seed:016x}", command.coin_commitment))
    return results.CampaignOpened(command.coin_commitment)


def _enrol(step: Step, command: commands.EnrolWorker) -> results.Result:
    step.require("enrolling a worker", Stage.AUCTION)
    name = text("the name", command.name)
    if name == ONESELF or (name.isascii() and name.isdigit()):
        raise Refused(
            Code.INVALID,
            f"a worker cannot be named {name!r}: digits alone stand for a worker's number, and {ONESELF!r} for "
            f"oneself; add a letter, such as 'w{name}'",
        )
    if step.state.names.get(name) is not None:
        raise Refused(Code.DUPLICATE_WORKER, f"a worker named {name!r} is enrolled already; names must differ")
    number = len(step.state.workers)
    step.emit(events.WorkerEnrolled(number, name))
    return results.Enrolled(number)


def bidder(step: Step, worker: commands.WorkerRef) -> int:
    """The number of a worker that may bid now."""
    settings = step.settings
    if step.state.stage in (Stage.RUNNING, Stage.CLOSED):
        raise Refused(Code.BID_AFTER_CLOSE, "the auction is closed: bids can be placed or changed until then only")
    step.require("placing a bid", Stage.AUCTION)
    if is_over(settings, step.now):
        raise Refused(
            Code.BID_AFTER_CLOSE, "the time for bids is over: they could be placed or changed until then only"
        )
    number = step.worker(worker)
    found = step.state.workers[number]
    if found.withdrawn:
        raise Refused(Code.ALREADY_WITHDRAWN, f"worker {found.name!r} has left the campaign and cannot bid")
    return number


def _bid(step: Step, command: commands.PlaceBid) -> results.Result:
    """No message here may say the bid, or let two refusals bracket it more closely than the cap does."""
    number, cap = bidder(step, command.worker), step.settings.cap
    if not 0 <= command.opening.bid.amount <= cap:
        raise Refused(Code.INVALID, f"the bid is not from 0 to {show(cap)}, the highest price allowed; bid within that")
    commitment = bid_commitment(step.state.campaign, number, command.opening)
    step.emit(events.BidPlaced(number, commitment, step.state.workers[number].times + 1))
    return results.BidTaken(number, commitment)


def bidders(step: Step) -> list[int]:
    """The numbers of those whose bids are opened if the auction closes now."""
    step.require("closing the auction", Stage.AUCTION)
    numbers = [number for number, worker in enumerate(step.state.workers) if worker.bids]
    if is_dead(step.state, step.now):
        raise Refused(Code.NO_BIDS, f"there is no bid, and the time for bids is over: {ONLY_CLOSE}")
    if not numbers:
        raise Refused(Code.NO_BIDS, "nobody has placed a bid: the auction cannot close; invite workers, or wait")
    return numbers


def _close_auction(step: Step, command: commands.CloseAuction) -> results.Result:
    numbers = bidders(step)
    state, rules = step.state, rules_of(step.state)
    openings = [_checked(state, number, command.openings.get(number)) for number in numbers]
    bids = np.array([opening.bid.amount for opening in openings], dtype=np.int64)
    sealed = rules.payment.seal(bids, rules.problem.cap, command.coin_seed)
    step.emit(auction_closed(state, numbers, [opening.salt for opening in openings], sealed))
    advance(step)
    inside = {numbers[position] for position in auction_of(step.state).pool}
    return results.AuctionResult(
        tuple(number for number in numbers if number in inside),
        tuple(number for number in numbers if number not in inside),
    )


def auction_closed(state: State, numbers: list[int], salts: list[bytes], sealed: Sealed) -> events.AuctionClosed:
    """The event, from the bids as the payment has sealed them."""
    rules = rules_of(state)
    start = rules.policy.start(sealed.seen, state.seed)
    pool = tuple(rules.policy.ask(start).jury.tolist())
    return events.AuctionClosed(
        to_ranges(numbers),
        tuple(sealed.bids.tolist()),
        tuple(salt.hex() for salt in salts),
        tuple(sealed.seen.tolist()),
        tuple(sealed.bonus.tolist()),
        to_ranges(pool),
        exploration_prices(rules.payment, sealed, rules.policy, start, pool),
    )


def _checked(state: State, number: int, opening: Opening | None) -> Opening:
    commitment = state.workers[number].commitment
    if opening is None or commitment is None or not opens(state.campaign, number, opening, commitment):
        raise Refused(
            Code.INVALID,
            f"the sealed bid of worker {number} does not open its commitment: the vault and the ledger differ; "
            f"check the service's secret, and that both come from one backup",
        )
    return opening


def _keep_key(step: Step, command: commands.KeepKey) -> results.Result:
    step.require("this", *Stage)
    return results.Done()


_HANDLERS: dict[type[Any], Callable[[Step, Any], results.Result]] = {
    commands.DraftCampaign: _draft,
    commands.OpenCampaign: _open,
    commands.EnrolWorker: _enrol,
    commands.PlaceBid: _bid,
    commands.CloseAuction: _close_auction,
    commands.PostTasks: work.post,
    commands.GiveAnswers: work.answer,
    commands.RevealTruths: work.reveal,
    commands.WithdrawWorker: work.withdraw,
    commands.TickDeadlines: work.tick,
    commands.OrderPayouts: closing.order,
    commands.ConfirmPayout: closing.confirm,
    commands.CloseCampaign: closing.close,
    commands.KeepKey: _keep_key,
}
