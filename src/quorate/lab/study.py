"""A study: worlds by problems by policies, each on many samples (paper, section 6.3); cut into cells that run alone."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from quorate.errors import InvalidInput
from quorate.lab.parameter import check_parameters, money, real, values, whole
from quorate.lab.policies import PolicyKind
from quorate.lab.world import RecordedWorld, WorldKind
from quorate.model.problem import Problem
from quorate.money import LARGEST, Money

MOST_SAMPLES = 10**7
# A run keeps what each task cost: eight bytes a task.
MOST_TASKS = 10**7


@dataclass(frozen=True)
class Promise:
    """What is promised, for how many tasks. A `cap` of 0 stands for the world's own: the highest price of its kind.

    The paper does not state mu = 1 - confidence; 0.1 is our choice (MATHS 5).
    """

    target: float = real(0.9, said="above 1/2 and below 1")
    confidence: float = real(0.9, said="strictly between 0 and 1")
    horizon: int = whole(10_000, lowest=1, highest=MOST_TASKS)
    slack: float = real(0.0, said="from 0 to below 1 - target")
    cap: int = money(0, highest=LARGEST)

    def __post_init__(self) -> None:
        check_parameters(self)
        self.problem(LARGEST)

    def problem(self, world_cap: Money) -> Problem:
        return Problem(self.target, self.confidence, self.horizon, self.cap or world_cap, self.slack)


@dataclass(frozen=True)
class Cell:
    """Samples `first` to `last` - 1 of one point of the study: the unit that runs alone and is kept once finished."""

    point: int
    world: WorldKind
    promise: Promise
    policy: PolicyKind
    payments: tuple[str, ...]
    seed: int
    first: int
    last: int

    @property
    def key(self) -> str:
        """Sorts as the study is ordered."""
        return f"{self.point:06d}-{self.first:08d}"

    @property
    def samples(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class Study:
    """Every world under every promise with every policy, `samples` times; at most `chunk` samples to a cell.

    A sample's seeds do not depend on policy or parameters, so rows of one sample differ by what the study varies alone.
    """

    worlds: tuple[WorldKind, ...]
    promises: tuple[Promise, ...]
    policies: tuple[PolicyKind, ...]
    payments: tuple[str, ...] = ()
    samples: int = whole(100, lowest=1, highest=MOST_SAMPLES)
    seed: int = whole(1, lowest=0, highest=2**64 - 1)
    chunk: int = whole(10, lowest=1)
    # Raised when the same study would give other numbers or columns.
    FORMAT: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_parameters(self)
        for what in ("worlds", "promises", "policies"):
            if not getattr(self, what):
                raise InvalidInput(f"a study without {what} has nothing to run; name at least one")

    @property
    def points(self) -> int:
        return len(self.worlds) * len(self.promises) * len(self.policies)

    @property
    def rows(self) -> int:
        return self.points * self.samples

    def cells(self) -> Iterator[Cell]:
        """In the order of the results: by world, promise, policy, sample."""
        point = 0
        for world in self.worlds:
            for promise in self.promises:
                for policy in self.policies:
                    for first in range(0, self.samples, self.chunk):
                        last = min(first + self.chunk, self.samples)
                        yield Cell(point, world, promise, policy, self.payments, self.seed, first, last)
                    point += 1

    def description(self) -> dict[str, Any]:
        """Everything that decides the numbers, as JSON values; money in millionths."""
        return {
            "format": self.FORMAT,
            "samples": self.samples,
            "seed": self.seed,
            "chunk": self.chunk,
            "payments": list(self.payments),
            "worlds": [{"kind": kind.name, **described(kind)} for kind in self.worlds],
            "promises": [values(promise) for promise in self.promises],
            "policies": [{"name": kind.name, **described(kind)} for kind in self.policies],
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the description: two studies with one digest give the same numbers."""
        text = json.dumps(self.description(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def described(kind: WorldKind | PolicyKind) -> dict[str, Any]:
    """Everything about it that decides numbers."""
    return values(kind) | ({"record": kind.record.digest} if isinstance(kind, RecordedWorld) else {})
