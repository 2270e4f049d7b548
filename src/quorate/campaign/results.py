"""What a command gives back. JSON and back again: a result is recorded under its idempotency key (docs/ledger.md)."""

from dataclasses import asdict, dataclass
from typing import Any

from quorate.money import Money


@dataclass(frozen=True)
class Done:
    """Nothing more to say than that it is durable."""


@dataclass(frozen=True)
class CampaignOpened:
    coin_commitment: str


@dataclass(frozen=True)
class Enrolled:
    worker: int


@dataclass(frozen=True)
class BidTaken:
    """The commitment now in the ledger; the salt that opens it is read by the owner's `own_bid`."""

    worker: int
    commitment: str


@dataclass(frozen=True)
class AuctionResult:
    """Enrolment numbers of those who take part, and of those with a bid outside the pool."""

    pool: tuple[int, ...]
    outside: tuple[int, ...]


@dataclass(frozen=True)
class Posted:
    task: int
    key: str
    checked: bool


@dataclass(frozen=True)
class AnswerTaken:
    """`price` is what the worker has just earned; `decided` says that this answer completed the jury."""

    task: int
    worker: int
    price: Money
    decided: bool


@dataclass(frozen=True)
class TruthTaken:
    """`right` says whether the verdict was (None: not decided yet); `used` whether the policy learns from it."""

    task: int
    truth: int
    right: bool | None
    used: bool


@dataclass(frozen=True)
class ItemRefused:
    """One thing of many was refused; the others stand."""

    code: str
    message: str


@dataclass(frozen=True)
class Batch:
    """One result per thing given, in its order: Posted, AnswerTaken, TruthTaken, or ItemRefused."""

    items: tuple[Any, ...]


@dataclass(frozen=True)
class Left:
    """What leaving did: open leases ended, and what stands to be paid."""

    worker: int
    leases_ended: int
    earned: Money


@dataclass(frozen=True)
class Ticked:
    leases_ended: int
    truths_overdue: int
    auction_closed: bool


@dataclass(frozen=True)
class PayoutOrder:
    payout: str
    worker: int
    amount: Money


@dataclass(frozen=True)
class PayoutsOrdered:
    payouts: tuple[PayoutOrder, ...]


@dataclass(frozen=True)
class Closed:
    earned: Money
    undecided: int


Result = (
    Done
    | CampaignOpened
    | Enrolled
    | BidTaken
    | AuctionResult
    | Posted
    | AnswerTaken
    | TruthTaken
    | ItemRefused
    | Batch
    | Left
    | Ticked
    | PayoutOrder
    | PayoutsOrdered
    | Closed
)

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Result.__args__}


def to_json(result: Any) -> dict[str, Any]:
    """The result as JSON's own types, under its name."""
    if isinstance(result, Batch):
        return {"type": "Batch", "items": [to_json(item) for item in result.items]}
    if isinstance(result, PayoutsOrdered):
        return {"type": "PayoutsOrdered", "payouts": [to_json(payout) for payout in result.payouts]}
    return {"type": type(result).__name__, **asdict(result)}


def from_json(given: dict[str, Any]) -> Any:
    """The inverse of `to_json`."""
    fields = {name: value for name, value in given.items() if name != "type"}
    for name in ("items", "payouts"):
        if name in fields:
            fields[name] = tuple(from_json(item) for item in fields[name])
    kind = _KINDS[given["type"]]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})
