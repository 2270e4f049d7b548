"""Workers as a label matrix recorded them: qualities as measured, tasks drawn again from those recorded."""

import hashlib
import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.lab.parameter import word
from quorate.lab.world.base import World, WorldKind
from quorate.model.philox import DRAWN_TASK, uniform
from quorate.model.problem import check_names
from quorate.model.realization import Field

AS_RECORDED, INDEPENDENT = "as-recorded", "independent"


@dataclass(frozen=True, eq=False)
class Resampled:
    """A realization: task t is a recorded task, drawn with replacement; errors stay as dependent as recorded."""

    seed: int
    right_matrix: NDArray[np.bool_]

    @property
    def workers(self) -> int:
        return len(self.right_matrix)

    def right(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.bool_]:
        share = uniform(np.uint64(self.seed), DRAWN_TASK, np.uint64(0), np.uint64(task))
        drawn: NDArray[np.bool_] = self.right_matrix[:, int(share * self.right_matrix.shape[1])]
        return drawn[jury]

    def truth(self, task: int) -> bool:
        return Field.of(self.seed, (0.5,)).truth(task)


@dataclass(frozen=True, eq=False)
class ResampledWorld(World):
    right_matrix: NDArray[np.bool_]
    independent: ClassVar[bool] = False

    def realization(self, seed: int) -> Resampled:
        return Resampled(seed, self.right_matrix)


@dataclass(frozen=True, eq=False)
class Record:
    """Who was right on which recorded task: bool [workers, tasks], and what each asks, in millionths.

    Only tasks that every worker answered: a blank has no place in a realization.
    """

    workers: tuple[str, ...]
    right: NDArray[np.bool_]
    prices: NDArray[np.int64]

    def __post_init__(self) -> None:
        check_names(self.workers)
        shape = (len(self.workers), self.right.shape[-1])
        if self.right.shape != shape or shape[1] == 0:
            raise InvalidInput(
                f"a record of shape {self.right.shape} for {len(self.workers)} workers is not workers by tasks; "
                f"give one row per worker, and at least one task that every worker answered"
            )

    @property
    def digest(self) -> str:
        """SHA-256 of all that is recorded."""
        header = json.dumps([self.workers, self.prices.tolist(), self.right.shape])
        return hashlib.sha256(header.encode() + self.right.tobytes()).hexdigest()


@dataclass(frozen=True, eq=False)
class RecordedWorld(WorldKind):
    """The world of one recorded matrix. Its qualities and prices do not vary from sample to sample; who is right does.

    `errors`: "as-recorded" draws whole tasks, so errors keep their dependence; "independent" keeps the measured
    qualities alone.
    """

    record: Record
    errors: str = word(AS_RECORDED, choices=(AS_RECORDED, INDEPENDENT))
    name: ClassVar[str] = "recorded"

    def draw(self, seed: int) -> World:
        """The seed changes nothing here: there is one record."""
        qualities, prices = self.record.right.mean(axis=1), self.record.prices
        if self.errors == INDEPENDENT:
            return World(qualities, prices, int(prices.max()))
        return ResampledWorld(qualities, prices, int(prices.max()), self.record.right)
