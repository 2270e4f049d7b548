"""Errors that hang together: a task that is hard for one worker is hard for all."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate.lab.parameter import real
from quorate.lab.world.base import Ranged, World, generator
from quorate.model.philox import DIFFICULTY, FOLLOWS, OWN, uniform
from quorate.model.realization import Field


@kernel
def _right_kernel(
    seed: np.uint64,
    qualities: NDArray[np.float64],
    follow: float,
    task: int,
    jury: NDArray[np.int64],
    out: NDArray[np.bool_],
) -> None:
    difficulty = uniform(seed, DIFFICULTY, np.uint64(0), np.uint64(task))
    for j in range(len(jury)):
        worker, entry = np.uint64(jury[j]), np.uint64(task)
        follows = uniform(seed, FOLLOWS, worker, entry) < follow
        draw = difficulty if follows else uniform(seed, OWN, worker, entry)
        out[j] = draw < qualities[jury[j]]


@dataclass(frozen=True, eq=False)
class CommonFactor:
    """A realization: given the task's difficulty U, uniform on [0, 1), answers are independent.

    With chance `follow` a worker is right exactly if U < q_i, otherwise with chance q_i by itself. So its quality is
    exactly q_i, and the errors of i and j have covariance follow^2 (min(q_i, q_j) - q_i q_j),
    so that equally good workers err with correlation follow^2. Entry (i, t) is a pure function of (seed, i, t).
    """

    seed: int
    qualities: NDArray[np.float64]
    follow: float

    @property
    def workers(self) -> int:
        return len(self.qualities)

    def right(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.bool_]:
        out = np.empty(len(jury), dtype=np.bool_)
        _right_kernel(np.uint64(self.seed), self.qualities, self.follow, task, jury, out)
        return out

    def truth(self, task: int) -> bool:
        return Field.of(self.seed, self.qualities[:1]).truth(task)


@dataclass(frozen=True, eq=False)
class DependentWorld(World):
    """A world whose workers follow a task's common difficulty with chance `follow`."""

    follow: float
    independent: ClassVar[bool] = False

    def realization(self, seed: int) -> CommonFactor:
        return CommonFactor(seed, self.qualities, self.follow)


@dataclass(frozen=True)
class CommonFactorWorld(Ranged):
    """Uniform qualities and prices; the errors of two equally good workers have the given correlation."""

    correlation: float = real(0.3, lowest=0.0, highest=1.0)
    name: ClassVar[str] = "common-factor"

    def draw(self, seed: int) -> DependentWorld:
        draws = generator(seed)
        qualities = self.uniform_qualities(draws, self.workers)
        prices = self.uniform_prices(draws, self.workers)
        return DependentWorld(qualities, prices, self.highest_price, math.sqrt(self.correlation))
