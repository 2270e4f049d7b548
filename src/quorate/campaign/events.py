"""What happened: the ledger's entries. Frozen values of JSON's own types, so that canonical JSON is their one form.

Workers and tasks are numbers here. `worker` counts enrolments from 0; a *position* counts those who had a bid when the
auction closed, in the same order: it is what policies, payments and coins call a worker. Money is in millionths, time
in milliseconds since 1970 (UTC).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar


class Basis(StrEnum):
    """What a verdict's promise rests on."""

    # The answers counted come from a jury certified on pessimistic qualities.
    CERTIFIED = "certified"
    # Exploration: everybody in the pool answered; together they are assumed to be good enough (paper, section 3).
    EVERYBODY = "everybody"
    # A policy that exploits on estimates promises nothing (epsilon-greedy).
    ESTIMATED = "estimated"
    # Answers are missing and those given are not certified by themselves: the promise does not cover this verdict.
    SHORT = "short"
    # Nobody answered: there is no verdict.
    NONE = "none"


class TruthSource(StrEnum):
    REVEALED = "revealed"
    GOLD = "gold"


class Note(StrEnum):
    """What something did to the promise (campaign.promise says it in words)."""

    ANSWERS_MISSING_COVERED = "answers-missing-covered"
    ANSWERS_MISSING_SHORT = "answers-missing-short"
    ANSWERS_MISSING_REPLACED = "answers-missing-replaced"
    NO_ANSWERS = "no-answers"
    TRUTH_OVERDUE = "truth-overdue"
    TRUTH_LATE_USED = "truth-late-used"
    TRUTH_LATE_UNUSED = "truth-late-unused"
    TRUTH_UNASKED = "truth-unasked"
    LEFT_OUTSIDE = "left-outside"
    LEFT_EXPLORING = "left-exploring"
    LEFT_JURY = "left-jury"
    LEFT_SPARE = "left-spare"
    NOBODY_CERTIFIED = "nobody-certified"
    HORIZON_EXPLORING = "horizon-exploring"


@dataclass(frozen=True)
class Drafted:
    kind: ClassVar[str] = "campaign drafted"
    settings: dict[str, Any]


@dataclass(frozen=True)
class Opened:
    """`seed` (16 hexadecimal digits) breaks ties and draws whose truths are asked for; the coins have their own."""

    kind: ClassVar[str] = "campaign opened"
    settings: dict[str, Any]
    seed: str
    coin_commitment: str


@dataclass(frozen=True)
class WorkerEnrolled:
    kind: ClassVar[str] = "worker enrolled"
    worker: int
    name: str


@dataclass(frozen=True)
class BidPlaced:
    """A sealed bid; `times` counts how often the worker has placed one."""

    kind: ClassVar[str] = "bid placed"
    worker: int
    commitment: str
    times: int


@dataclass(frozen=True)
class AuctionClosed:
    """Bids open, with the salts that prove them; what the policy sees of them; the price of an exploration task.

    All by position; `workers` says who stands there. `pool` are the positions that take part.
    """

    kind: ClassVar[str] = "auction closed"
    workers: str
    bids: tuple[int, ...]
    salts: tuple[str, ...]
    seen: tuple[int, ...]
    bonus: tuple[int, ...]
    pool: str
    prices: tuple[int, ...]


@dataclass(frozen=True)
class TaskPosted:
    """`checked`: its truth will be asked for, and only such truths teach the policy."""

    kind: ClassVar[str] = "task posted"
    task: int
    key: str
    payload: Any
    gold: int | None
    checked: bool


@dataclass(frozen=True)
class JuryChosen:
    """Whom the tasks from here on are assigned to, until the next such event. Positions, as ranges ("0-59,61").

    `weights` in billionths by member (None: plain majority). `prices` per answer by member (None: the auction's).
    `certified`: the jury's pessimistic qualities meet the target.
    """

    kind: ClassVar[str] = "jury chosen"
    jury: int
    phase: str
    members: str
    weights: tuple[int, ...] | None
    prices: tuple[int, ...] | None
    certified: bool


@dataclass(frozen=True)
class JuryAssigned:
    """Everybody in the jury holds a lease on the task until the deadline."""

    kind: ClassVar[str] = "jury assigned"
    task: int
    jury: int
    deadline: int


@dataclass(frozen=True)
class AnswerGiven:
    """`price` is earned at this moment."""

    kind: ClassVar[str] = "answer given"
    task: int
    worker: int
    label: int
    price: int


@dataclass(frozen=True)
class DeadlinePassed:
    """The leases of these positions are over."""

    kind: ClassVar[str] = "deadline passed"
    task: int
    missing: str


@dataclass(frozen=True)
class SubstitutesAsked:
    """Who answers instead of those who did not, with a lease of their own."""

    kind: ClassVar[str] = "substitutes asked"
    task: int
    members: str
    deadline: int


@dataclass(frozen=True)
class VerdictMade:
    """`truth_due` is set where the policy waits for the truth, but not for ever."""

    kind: ClassVar[str] = "verdict made"
    task: int
    verdict: int | None
    basis: str
    truth_due: int | None


@dataclass(frozen=True)
class TruthRevealed:
    kind: ClassVar[str] = "truth revealed"
    task: int
    truth: int
    source: str


@dataclass(frozen=True)
class TruthOverdue:
    """The truth did not come in time; its place among the tasks explored at once is free."""

    kind: ClassVar[str] = "truth overdue"
    task: int


@dataclass(frozen=True)
class WorkerWithdrawn:
    kind: ClassVar[str] = "worker withdrawn"
    worker: int
    reason: str


@dataclass(frozen=True)
class ExplorationEnded:
    """After `rounds` truths; the next jury chosen is used to the end, as long as nobody in it leaves."""

    kind: ClassVar[str] = "exploration ended"
    rounds: int
    assigned: int


@dataclass(frozen=True)
class PromiseNoted:
    """Said to the requester at the moment it happens; `facts` are the numbers of the sentence."""

    kind: ClassVar[str] = "promise noted"
    note: str
    task: int | None
    worker: int | None
    facts: dict[str, int]


@dataclass(frozen=True)
class PayoutOrdered:
    """`payout` is the idempotency key for whoever pays it."""

    kind: ClassVar[str] = "payout ordered"
    payout: str
    worker: int
    amount: int


@dataclass(frozen=True)
class PayoutConfirmed:
    kind: ClassVar[str] = "payout confirmed"
    payout: str
    reference: str


@dataclass(frozen=True)
class CampaignClosed:
    """The coins' seed and salt, so that everybody can check its own; what was earned in all."""

    kind: ClassVar[str] = "campaign closed"
    coin_seed: str | None
    coin_salt: str | None
    earned: int
    undecided: int


Event = (
    Drafted
    | Opened
    | WorkerEnrolled
    | BidPlaced
    | AuctionClosed
    | TaskPosted
    | JuryChosen
    | JuryAssigned
    | AnswerGiven
    | DeadlinePassed
    | SubstitutesAsked
    | VerdictMade
    | TruthRevealed
    | TruthOverdue
    | WorkerWithdrawn
    | ExplorationEnded
    | PromiseNoted
    | PayoutOrdered
    | PayoutConfirmed
    | CampaignClosed
)
