"""The ledger's events in a few words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quorate.campaign.state import State
from quorate.campaign.views import EventView
from quorate.policy.base import Phase
from quorate.web.pages.amounts import exact
from quorate.wording import counted

Body = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One event in one line."""

    seq: int
    at: int
    text: str


def say(state: State, event: EventView) -> Said:
    """For people. Bids stay in the ledger: the line names none."""
    words = WORDS.get(event.kind)
    return Said(event.seq, event.at, event.kind if words is None else words(state, event.body))


def doing(phase: str) -> str:
    """What a campaign does in a phase, for people."""
    return "exploring" if phase == Phase.EXPLORE.value else "working"


def _worker(state: State, body: Body) -> str:
    return state.workers[body["worker"]].name


def _task(state: State, body: Body) -> str:
    return f"task {state.tasks[body['task']].key}"


def _titled(state: State, body: Body) -> str:
    return f"Task {state.tasks[body['task']].key}"


def _verdict(state: State, body: Body) -> str:
    verdict = body["verdict"]
    if verdict is None or state.settings is None:
        return f"{_titled(state, body)}: nobody answered, so there is no verdict"
    return f"{_titled(state, body)}: the verdict is “{state.settings.labels[verdict]}”"


def _bid(state: State, body: Body) -> str:
    return f"{_worker(state, body)} {'changed its' if body['times'] > 1 else 'placed a'} sealed bid"


def _paid(state: State, body: Body) -> str:
    return f"{exact(body['amount'])} to {_worker(state, body)} was ordered"


def _confirmed(state: State, body: Body) -> str:
    at = state.payout_names.get(body["payout"])
    if at is None:
        return f"Payout {body['payout']} was paid"
    return f"{exact(state.payouts[at].amount)} to {state.workers[state.payouts[at].worker].name} was paid"


WORDS: dict[str, Callable[[State, Body], str]] = {
    "campaign drafted": lambda state, body: "The settings were written down",
    "campaign opened": lambda state, body: "The campaign opened; the hash of its coins is published",
    "worker enrolled": lambda state, body: f"{body['name']} was invited",
    "bid placed": _bid,
    "auction closed": lambda state, body: f"Bidding closed with {counted(len(body['bids']), 'bid')}",
    "task posted": lambda state, body: f"{_titled(state, body)} was posted",
    "jury chosen": lambda state, body: "A jury was chosen",
    "jury assigned": lambda state, body: f"{_titled(state, body)} went to its jury",
    "answer given": lambda state, body: f"{_worker(state, body)} answered {_task(state, body)}",
    "deadline passed": lambda state, body: f"{_titled(state, body)}: the time to answer is over for some",
    "substitutes asked": lambda state, body: f"{_titled(state, body)}: others were asked instead",
    "verdict made": _verdict,
    "truth revealed": lambda state, body: f"{_titled(state, body)}: the truth became known",
    "truth overdue": lambda state, body: f"{_titled(state, body)}: its truth is late",
    "worker withdrawn": lambda state, body: f"{_worker(state, body)} has left",
    "exploration ended": lambda state, body: f"Exploring ended after {counted(body['rounds'], 'truth')}",
    "promise noted": lambda state, body: "A note on the promise was written",
    "payout ordered": _paid,
    "payout confirmed": _confirmed,
    "campaign closed": lambda state, body: "The campaign closed; its coins are revealed",
}
