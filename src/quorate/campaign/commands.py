"""What can be asked of a campaign. Frozen values; `campaign.decide` turns one into events or refuses it.

A worker is named by its number in the campaign (an int, from 0 in the order of enrolment) or by the name under which it
was enrolled; a task by its number or by the requester's own key. Commands over many things answer for each thing by
itself: one refused answer leaves the others standing.

Randomness enters only here: the service draws seeds and salts and hands them to the command that needs them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.campaign.sealed import Opening
from quorate.campaign.settings import Settings

TaskRef = int | str
WorkerRef = int | str


@dataclass(frozen=True)
class DraftCampaign:
    """The first command of a campaign; again, until it opens, to change the settings."""

    settings: Settings


@dataclass(frozen=True)
class OpenCampaign:
    """Fix the settings and publish the commitment to the coins, before the first bid."""

    seed: int
    coin_commitment: str


@dataclass(frozen=True)
class EnrolWorker:
    name: str


@dataclass(frozen=True)
class PlaceBid:
    """Place or change a sealed bid; only its commitment goes into the ledger."""

    worker: WorkerRef
    opening: Opening = field(repr=False)


@dataclass(frozen=True)
class CloseAuction:
    """Open the bids, toss the coins, draw the pool. `coin_seed` stays in the vault until the campaign closes."""

    openings: Mapping[int, Opening] = field(repr=False)
    coin_seed: int = field(repr=False)


@dataclass(frozen=True)
class TaskSpec:
    """One question. `payload` is anything JSON that the worker shall see. `gold`: its truth, if known beforehand.
    Without a `key` its key is its number, or the next one that is free.
    """

    key: str | None = None
    payload: Any = None
    gold: int | None = None


@dataclass(frozen=True)
class PostTasks:
    """Tasks wait until the auction is closed; then juries are assigned in the order of posting."""

    tasks: tuple[TaskSpec, ...]


@dataclass(frozen=True)
class Answer:
    task: TaskRef
    worker: WorkerRef
    label: int


@dataclass(frozen=True)
class GiveAnswers:
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Truth:
    task: TaskRef
    truth: int


@dataclass(frozen=True)
class RevealTruths:
    truths: tuple[Truth, ...]


@dataclass(frozen=True)
class WithdrawWorker:
    """By the worker itself, or by the requester for one who does not answer any more."""

    worker: WorkerRef
    reason: str = ""


@dataclass(frozen=True)
class TickDeadlines:
    """Let time pass: end leases, free places of overdue truths, close an auction whose time is over."""


@dataclass(frozen=True)
class OrderPayouts:
    """Order what is earned and not yet ordered, one payout per worker (None: everybody)."""

    worker: WorkerRef | None = None


@dataclass(frozen=True)
class ConfirmPayout:
    """The payment provider has paid; `reference` is its own."""

    payout: str
    reference: str = ""


@dataclass(frozen=True)
class CloseCampaign:
    """Reveal the coins and make the statements final. With `force`, tasks in flight stay undecided."""

    coin_seed: int = field(repr=False)
    coin_salt: bytes = field(repr=False)
    force: bool = False


@dataclass(frozen=True)
class KeepKey:
    """No event: what is done beside the ledger, such as issuing a token, has its idempotency key kept with others."""


Command = (
    DraftCampaign
    | OpenCampaign
    | EnrolWorker
    | PlaceBid
    | CloseAuction
    | PostTasks
    | GiveAnswers
    | RevealTruths
    | WithdrawWorker
    | TickDeadlines
    | OrderPayouts
    | ConfirmPayout
    | CloseCampaign
    | KeepKey
)

__all__ = [
    "Answer",
    "CloseAuction",
    "CloseCampaign",
    "Command",
    "ConfirmPayout",
    "DraftCampaign",
    "EnrolWorker",
    "GiveAnswers",
    "KeepKey",
    "OpenCampaign",
    "OrderPayouts",
    "PlaceBid",
    "PostTasks",
    "RevealTruths",
    "TaskRef",
    "TaskSpec",
    "TickDeadlines",
    "Truth",
    "WithdrawWorker",
    "WorkerRef",
]
