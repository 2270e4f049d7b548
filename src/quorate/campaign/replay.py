"""The auditor's check: every decision and every payment anew, from what people did alone.

The ledger's events are of two kinds: what people and the clock did (enrolled, bid, posted, answered, told the truth,
left, let a deadline pass, paid, closed), and what the rules made of it (pools, juries, prices, verdicts, notes,
payouts). Replay keeps the first, decides again, and compares the second event by event. A ledger rewritten with a
chain that fits is still caught where it does not follow from its own causes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.campaign import commands, events, results
from quorate.campaign.codec import decode, encode
from quorate.campaign.decide import auction_closed, bidder, bidders, decide
from quorate.campaign.fold import fold, rules_of
from quorate.campaign.ledger import Record
from quorate.campaign.ranges import from_ranges
from quorate.campaign.refusal import Code, Refused, Tampered
from quorate.campaign.sealed import Bid, Opening, opens
from quorate.campaign.settings import Millis, from_json
from quorate.campaign.snapshot import fingerprint
from quorate.campaign.state import State
from quorate.campaign.step import Step
from quorate.campaign.views import Stage
from quorate.mechanism import Sealed


@dataclass(frozen=True)
class Replayed:
    """What was found to follow from its causes. `coins`: "verified", "not revealed yet" or "none"."""

    campaign: str
    events: int
    causes: int
    stage: str
    verdicts: int
    earned: int
    coins: str
    fingerprint: str


def replay(campaign: str, records: Iterable[Record], coin_seed: int | None) -> Replayed:
    """Raises Tampered at the first event that does not follow. `coin_seed` is what the campaign's close revealed."""
    ahead = _Ahead(records)
    state, causes = State(campaign), 0
    while ahead:
        record, event = ahead.first()
        try:
            expected, state = _consequences(state, record, event, ahead, coin_seed)
        except Refused as refused:
            raise Tampered(
                f"campaign {campaign!r}: event {record.seq} ({record.kind}) breaks a rule, and could not have been "
                f"accepted: {refused.message}"
            ) from refused
        causes += 1
        for wanted in expected:
            _compare(campaign, ahead, wanted)
    return Replayed(
        campaign=campaign,
        events=state.seq,
        causes=causes,
        stage=state.stage.value,
        verdicts=state.counts.decided,
        earned=sum(worker.earned for worker in state.workers),
        coins=_coins(state, coin_seed),
        fingerprint=fingerprint(state),
    )


def _compare(campaign: str, ahead: "_Ahead", wanted: events.Event) -> None:
    if not ahead:
        raise Tampered(f"campaign {campaign!r}: the ledger ends before the event that must follow: {wanted.kind}")
    record, _ = ahead.pop()
    if record.kind != wanted.kind or record.body != encode(wanted):
        raise Tampered(
            f"campaign {campaign!r}: event {record.seq} is {record.kind} {record.body:.200}, but what happened before "
            f"leads to {wanted.kind} {encode(wanted):.200}"
        )


def _consequences(
    state: State, record: Record, event: events.Event, ahead: "_Ahead", coin_seed: int | None
) -> tuple[list[events.Event], State]:
    """The events that one cause must have led to, itself the first, and the state after them."""
    if isinstance(event, events.BidPlaced):
        return _sealed_bid(state, event, record.at)
    if isinstance(event, events.AuctionClosed):
        return _opened_bids(state, event, record, coin_seed)
    command = _command(state, event, ahead)
    if command is None:
        raise _baseless(state, record)
    decision = decide(state, command, record.at, again=True)
    _check_taken(decision.result)
    if not decision.events:
        # A clock that had nothing to do, or payouts where nothing was owed.
        raise _baseless(state, record)
    return list(decision.events), decision.state


def _baseless(state: State, record: Record) -> Tampered:
    return Tampered(f"campaign {state.campaign!r}: nothing in the ledger leads to event {record.seq} ({record.kind})")


def _check_taken(result: results.Result) -> None:
    """In a batch a thing refused leaves the others standing; here the thing is an event that has happened."""
    for item in result.items if isinstance(result, results.Batch) else ():
        if isinstance(item, results.ItemRefused):
            raise Refused(Code(item.code), item.message)


def _sealed_bid(state: State, event: events.BidPlaced, at: Millis) -> tuple[list[events.Event], State]:
    """Sealed: all that can be checked now is that this worker could bid then. The auction's close opens it."""
    number = bidder(Step(state, at), event.worker)
    if number != event.worker or state.workers[number].times + 1 != event.times:
        raise Tampered(f"campaign {state.campaign!r}: a bid of worker {event.worker} was placed out of turn")
    return [event], fold(state, event)


def _opened_bids(
    state: State, event: events.AuctionClosed, record: Record, coin_seed: int | None
) -> tuple[list[events.Event], State]:
    openings = _openings(state, event, bidders(Step(state, record.at)))
    if coin_seed is not None:
        decision = decide(state, commands.CloseAuction(openings, coin_seed), record.at)
        return list(decision.events), decision.state
    shown = Sealed(
        np.array(event.bids, dtype=np.int64),
        np.array(event.seen, dtype=np.int64),
        np.array(event.bonus, dtype=np.int64),
        rules_of(state).problem.cap,
    )
    wanted = auction_closed(state, list(openings), [opening.salt for opening in openings.values()], shown)
    after = decide(fold(state, wanted), commands.TickDeadlines(), record.at)
    return [wanted, *after.events], after.state


def _openings(state: State, event: events.AuctionClosed, placed: list[int]) -> dict[int, Opening]:
    """Of all bids that were placed, each the one that was sealed, and one that could be."""
    try:
        numbers = list(from_ranges(event.workers))
        salts = [bytes.fromhex(salt) for salt in event.salts]
        openings = {at: Opening(Bid(bid), salt) for at, bid, salt in zip(numbers, event.bids, salts, strict=True)}
    except (AttributeError, TypeError, ValueError) as error:
        raise Tampered(
            f"campaign {state.campaign!r}: the bids that the auction's close opened cannot be read"
        ) from error
    if numbers != placed:
        raise Tampered(f"campaign {state.campaign!r}: the auction closed without all of its bids, or with others")
    cap = rules_of(state).problem.cap
    for number, opening in openings.items():
        amount = opening.bid.amount
        if type(amount) is not int or not 0 <= amount <= cap:
            raise Tampered(
                f"campaign {state.campaign!r}: the bid of worker {number} is {amount!r:.40}, not 0 to the cap, {cap}"
            )
        if not opens(state.campaign, number, opening, state.workers[number].commitment or ""):
            raise Tampered(f"campaign {state.campaign!r}: the bid of worker {number} is not the one it had sealed")
    return openings


def _command(state: State, event: events.Event, ahead: "_Ahead") -> commands.Command | None:
    """The command that this event is the first consequence of."""
    # Payouts that run up to the campaign's close were ordered by it.
    cause = ahead.after_payouts() if isinstance(event, events.PayoutOrdered) else event
    if isinstance(cause, events.CampaignClosed):
        return _closing(cause)
    make = _COMMANDS.get(type(event))
    if make is None or (isinstance(event, events.TruthRevealed) and event.source != events.TruthSource.REVEALED):
        return None
    made: commands.Command = make(event)
    return made


def _closing(event: events.CampaignClosed) -> commands.Command:
    seed = 0 if event.coin_seed is None else int(event.coin_seed, 16)
    salt = b"" if event.coin_salt is None else bytes.fromhex(event.coin_salt)
    return commands.CloseCampaign(seed, salt, force=True)


_COMMANDS: dict[type[Any], Callable[[Any], commands.Command]] = {
    events.Drafted: lambda event: commands.DraftCampaign(from_json(event.settings)),
    events.Opened: lambda event: commands.OpenCampaign(int(event.seed, 16), event.coin_commitment),
    events.WorkerEnrolled: lambda event: commands.EnrolWorker(event.name),
    events.TaskPosted: lambda event: commands.PostTasks((commands.TaskSpec(event.key, event.payload, event.gold),)),
    events.AnswerGiven: lambda event: commands.GiveAnswers((commands.Answer(event.task, event.worker, event.label),)),
    events.TruthRevealed: lambda event: commands.RevealTruths((commands.Truth(event.task, event.truth),)),
    events.WorkerWithdrawn: lambda event: commands.WithdrawWorker(event.worker, event.reason),
    events.DeadlinePassed: lambda event: commands.TickDeadlines(),
    events.TruthOverdue: lambda event: commands.TickDeadlines(),
    events.PayoutOrdered: lambda event: commands.OrderPayouts(event.worker),
    events.PayoutConfirmed: lambda event: commands.ConfirmPayout(event.payout, event.reference),
}


def _coins(state: State, coin_seed: int | None) -> str:
    if state.coin_commitment is None:
        return "none"
    return "verified" if coin_seed is not None and state.stage is Stage.CLOSED else "not revealed yet"


class _Ahead:
    """The records still to come, decoded, with as much looked ahead as is asked for."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._rest: Iterator[Record] = iter(records)
        self._seen: deque[tuple[Record, events.Event]] = deque()

    def __bool__(self) -> bool:
        return self._look(1)

    def first(self) -> tuple[Record, events.Event]:
        return self._seen[0]

    def pop(self) -> tuple[Record, events.Event]:
        return self._seen.popleft()

    def after_payouts(self) -> events.Event | None:
        """What follows payouts to one worker after another, in order; a payout out of order is another command's."""
        count, last = 1, -1
        while self._look(count):
            event = self._seen[count - 1][1]
            if not isinstance(event, events.PayoutOrdered) or event.worker <= last:
                return event
            last = event.worker
            count += 1
        return None

    def _look(self, count: int) -> bool:
        while len(self._seen) < count:
            record = next(self._rest, None)
            if record is None:
                return False
            self._seen.append((record, decode(record.kind, record.body)))
        return True
