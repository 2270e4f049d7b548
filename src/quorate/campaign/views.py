"""What people are shown of a campaign: frozen values projected from one state, so that a page agrees with itself."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from quorate.campaign.settings import Millis, Settings
from quorate.money import Money


class Stage(StrEnum):
    """Drafted, opened for enrolment and bids, running, closed: in this order, and never back."""

    DRAFT = "draft"
    AUCTION = "auction"
    RUNNING = "running"
    CLOSED = "closed"


class Keeping(StrEnum):
    """Whether the promise is being kept, at a glance."""

    NOT_YET = "not-yet"
    # Every verdict so far is covered, and some by juries that are certified.
    KEPT = "kept"
    # Every verdict so far is the whole pool's: covered if the pool together meets the target, which nothing shows yet.
    ASSUMED = "assumed"
    # Some verdicts are not covered: answers were missing and nobody could replace them.
    PARTLY = "partly"
    # No jury among those left is certified: tasks wait, and none is decided without cover.
    STALLED = "stalled"
    # Exploring goes on, but even were everybody as good as is still possible, no jury would reach the target.
    OUT_OF_REACH = "out-of-reach"
    # The policy promises nothing (epsilon-greedy).
    NONE = "none"


@dataclass(frozen=True)
class Spend:
    """`earned` = `ordered` + `unordered`; `confirmed` is the part of `ordered` that is known to be paid."""

    earned: Money
    ordered: Money
    unordered: Money
    confirmed: Money
    exploring: Money
    exploiting: Money


@dataclass(frozen=True)
class Status:
    campaign: str
    seq: int
    stage: Stage
    phase: str | None
    settings: Settings
    pairing: str
    truthful: bool
    keeping: Keeping
    why: tuple[str, ...]
    workers: int
    bids: int
    pool: int
    left: int
    posted: int
    waiting: int
    in_flight: int
    decided: int
    undecided: int
    verdicts: dict[str, int]
    truths: int
    rounds: int
    truths_awaited: int
    truths_overdue: int
    verdicts_right: int
    verdicts_wrong: int
    exploration_tasks: int
    spend: Spend
    coin_commitment: str | None
    next_deadline: Millis | None


@dataclass(frozen=True)
class WorkerView:
    """For the requester. `bid` is None until the auction closes; `lower` and `upper` bound the quality."""

    worker: int
    name: str
    has_bid: bool
    bid: Money | None
    in_pool: bool
    in_jury: bool
    eliminated: bool
    withdrawn: bool
    asked: int
    right: int
    lower: float | None
    upper: float | None
    answered: int
    missed: int
    open_leases: int
    price: Money | None
    earned: Money
    ordered: Money
    confirmed: Money


@dataclass(frozen=True)
class JuryView:
    """The jury now in use, and why it and not a cheaper one (`why`, sentences for a manager). The last of them say what
    each member is needed for, and stand alone in `needed`.

    `price` is the sum of what its members are paid per task, `bids` of what the policy sees of them. `certified_error`
    bounds the verdict's error on pessimistic qualities (None where nothing is certified).
    `hoped`: the jury that would do if every worker were as good as still possible; `gap` what it would save per task
    and `allowance` the gap at which exploration may stop.
    """

    jury: int
    phase: str
    workers: tuple[int, ...]
    price: Money
    bids: Money
    certified_error: float | None
    hoped: tuple[int, ...] | None
    gap: Money | None
    allowance: Money | None
    why: tuple[str, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True)
class TaskView:
    """For the requester; `answers` maps enrolment numbers to labels. `awaited`: its truth would be learned from."""

    task: int
    key: str
    payload: Any
    state: str
    phase: str | None
    checked: bool
    workers: tuple[int, ...]
    answers: dict[int, int]
    missing: tuple[int, ...]
    deadline: Millis | None
    verdict: int | None
    basis: str | None
    awaited: bool
    truth: int | None
    truth_source: str | None


@dataclass(frozen=True)
class Assignment:
    """For the worker: one open lease. Nothing of other workers, of the truth, or of gold."""

    task: int
    key: str
    payload: Any
    labels: tuple[str, str]
    deadline: Millis
    price: Money


@dataclass(frozen=True)
class OwnBid:
    """For its owner alone. Until the auction opens it, `amount` and `salt` are there for the token that placed it, if
    nobody but the worker was ever shown that token; null for another token of the same worker.
    """

    worker: int
    amount: Money | None
    salt: str | None
    commitment: str

    def __repr__(self) -> str:
        return f"OwnBid(worker={self.worker}, sealed)"


@dataclass(frozen=True)
class CoinCheck:
    """For a worker after the campaign closed: do the revealed coins give what it was promised?

    With everything that goes into it, so that it can be computed elsewhere: the seed (16 hexadecimal digits) and salt
    that open the commitment, the bid, the cap, and one in how many coins shows another price.
    """

    worker: int
    position: int
    commitment: str
    seed: str
    salt: str
    bid: Money
    cap: Money
    one_in: int
    commitment_matches: bool
    seen: Money
    expected_seen: Money
    bonus: Money
    expected_bonus: Money

    @property
    def fair(self) -> bool:
        return self.commitment_matches and self.seen == self.expected_seen and self.bonus == self.expected_bonus


@dataclass(frozen=True)
class PayLine:
    """So many answers of one phase at one price; price = bid + bonus (mode R) + threshold (mode D)."""

    phase: str
    answers: int
    bid: Money
    bonus: Money
    threshold: Money
    price: Money
    total: Money


@dataclass(frozen=True)
class PayoutView:
    payout: str
    worker: int
    amount: Money
    confirmed: bool
    reference: str


@dataclass(frozen=True)
class WorkerPay:
    """A worker's statement; final once the campaign is closed. `why`: why its true price is the best bid, or is not."""

    worker: int
    name: str
    final: bool
    truthful: bool
    why: str
    lines: tuple[PayLine, ...]
    earned: Money
    payouts: tuple[PayoutView, ...]
    confirmed: Money


@dataclass(frozen=True)
class CampaignPay:
    """The requester's statement: `earned` is the sum of the workers', to the unit."""

    campaign: str
    final: bool
    pairing: str
    truthful: bool
    why: str
    workers: tuple[WorkerPay, ...]
    earned: Money
    as_bid: Money
    confirmed: Money


@dataclass(frozen=True)
class NoteView:
    """What something did to the promise, in words."""

    seq: int
    at: Millis
    note: str
    task: int | None
    worker: int | None
    text: str


@dataclass(frozen=True)
class EventView:
    """One entry of the ledger, as it stands there."""

    seq: int
    at: Millis
    kind: str
    body: dict[str, Any]
    hash: str


@dataclass(frozen=True)
class Page:
    """`after` is the cursor for the next page; None at the end."""

    items: tuple[Any, ...]
    after: int | None
