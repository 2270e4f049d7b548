"""All that a campaign is at one moment: a frozen value, and a fold of the ledger's events (campaign.fold).

Nothing here reads a clock or tosses a coin. Two processes that fold the same events have equal states.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from quorate.campaign.events import Basis
from quorate.campaign.persistent import Index, Vector
from quorate.campaign.rules import Rules
from quorate.campaign.settings import Millis, Settings
from quorate.campaign.views import Stage
from quorate.mechanism import Sealed
from quorate.money import Money
from quorate.policy.base import Phase
from quorate.policy.base import State as Learned


class Reply(IntEnum):
    """What stands for one member of one task's jury: its label, or why there is none. One byte each."""

    NO = 0
    YES = 1
    PENDING = 2
    MISSING = 3


class PayLine(NamedTuple):
    """So many answers of one phase at one price."""

    phase: str
    price: Money
    answers: int


class Worker(NamedTuple):
    """`position` is -1 until the auction closes with a bid of this worker in it."""

    name: str
    position: int = -1
    commitment: str | None = None
    times: int = 0
    withdrawn: bool = False
    answered: int = 0
    missed: int = 0
    pay: tuple[PayLine, ...] = ()
    ordered: Money = 0
    confirmed: Money = 0
    payouts: tuple[str, ...] = ()

    @property
    def earned(self) -> Money:
        return sum(line.price * line.answers for line in self.pay)

    @property
    def bids(self) -> bool:
        """Whether its bid stands: it was placed, and the worker has not left since."""
        return self.commitment is not None and not self.withdrawn


@dataclass(frozen=True)
class Auction:
    """The bids as opened. `workers` says who stands at a position; `prices` are those of an exploration task."""

    workers: tuple[int, ...]
    sealed: Sealed
    pool: tuple[int, ...]
    prices: tuple[Money, ...]


@dataclass(frozen=True)
class Jury:
    """See `events.JuryChosen`."""

    phase: Phase
    members: tuple[int, ...]
    weights: tuple[int, ...] | None
    prices: tuple[Money, ...] | None
    certified: bool


class Task(NamedTuple):
    """`replies` holds a `Reply` per member of the jury, then per substitute in `extra`.

    `held` says that the task occupied, when assigned, one of the places for tasks explored at once.
    """

    key: str
    payload: Any
    gold: int | None
    checked: bool
    jury: int = -1
    deadline: Millis = 0
    replies: bytes = b""
    extra: tuple[int, ...] = ()
    decided: bool = False
    verdict: int | None = None
    basis: str | None = None
    truth: int | None = None
    source: str | None = None
    truth_due: Millis | None = None
    told: bool = False
    held: bool = False
    overdue: bool = False


class Payout(NamedTuple):
    worker: int
    amount: Money
    confirmed: bool = False
    reference: str = ""


class Counts(NamedTuple):
    """Running totals, so that a status costs nothing. Verdicts are counted by their basis, under its value."""

    decided: int = 0
    undecided: int = 0
    truths: int = 0
    overdue: int = 0
    right: int = 0
    wrong: int = 0
    explored: int = 0
    certified: int = 0
    everybody: int = 0
    estimated: int = 0
    short: int = 0
    none: int = 0
    gold: int = 0

    def with_verdict(self, basis: Basis) -> "Counts":
        counted: dict[str, Any] = {basis.value: getattr(self, basis.value) + 1}
        return self._replace(decided=self.decided + 1, **counted)

    def by_basis(self) -> dict[str, int]:
        """How many verdicts rest on what."""
        return {basis.value: getattr(self, basis.value) for basis in Basis}


@dataclass(frozen=True, eq=False)
class State:
    """`open` are the tasks assigned and undecided, `held` those that exploration waits for: in order of assignment.

    `learned` is what the policy knows; `current` the number of the last jury chosen (-1: none), and `matched` the
    knowledge for which it was chosen: while that stays the same object, so does the jury.
    """

    campaign: str
    seq: int = 0
    stage: Stage = Stage.DRAFT
    settings: Settings | None = None
    rules: Rules | None = None
    seed: int = 0
    coin_commitment: str | None = None
    coin_seed: int | None = None
    coin_salt: str | None = None
    workers: Vector[Worker] = field(default_factory=Vector)
    names: Index = field(default_factory=Index)
    auction: Auction | None = None
    learned: Learned | None = None
    tasks: Vector[Task] = field(default_factory=Vector)
    keys: Index = field(default_factory=Index)
    juries: Vector[Jury] = field(default_factory=Vector)
    current: int = -1
    matched: Learned | None = None
    next_task: int = 0
    open: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    ended: bool = False
    withdrawn: frozenset[int] = frozenset()
    payouts: Vector[Payout] = field(default_factory=Vector)
    payout_names: Index = field(default_factory=Index)
    counts: Counts = field(default_factory=Counts)


def evolve(state: State, /, **changes: Any) -> State:
    """`dataclasses.replace` without its checks, ten times as fast: a fold runs it for every event."""
    made = object.__new__(State)
    made.__dict__.update(state.__dict__)
    made.__dict__.update(changes)
    return made
