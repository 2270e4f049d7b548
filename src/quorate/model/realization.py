"""A success realization rho: for every worker and task, right or wrong (paper, section 5.1).

Whether worker i is right on task t is a pure function of (seed, i, t): two policies, or two bids, see the same world.

The unit of the random field is a word of 64 tasks. Bit b of word (i, block) says whether worker i is right on
task 64 block + b. Sixty-four draws with chance q are made at once by comparing 64 uniform numbers with q, one binary
digit at a time and most significant first: a lane is decided at the first digit that differs, so eight or nine
random words decide all 64, and counting right answers is a population count.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate._jit import inline, kernel
from quorate.errors import InvalidInput
from quorate.model.philox import ANSWERS, TRUTHS, philox, word
from quorate.model.problem import check_qualities, check_seed

LANES = 64
# Qualities are resolved to 2^-32, a ten-thousandth of what 10^9 answers could tell.
DIGITS = 32
_0 = np.uint64(0)
_1 = np.uint64(1)
_32 = np.uint64(32)
_63 = np.uint64(63)
CERTAIN = np.uint64(1 << DIGITS)


@runtime_checkable
class Realization(Protocol):
    """Who is right on which task, and which answer is true. Pure: asking twice, or in any order, gives the same."""

    @property
    def workers(self) -> int: ...

    def right(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each member of the jury is right on the task (tasks count from 0)."""
        ...

    def truth(self, task: int) -> bool:
        """The task's true answer."""
        ...


@inline
def compared(
    threshold: np.uint64, digit: int, draw: np.uint64, undecided: np.uint64, below: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """One binary digit of U < threshold / 2^32, in all lanes: (lanes still undecided, lanes below)."""
    if (threshold >> np.uint64(DIGITS - 1 - digit)) & _1:
        return undecided & draw, below | (undecided & ~draw)
    return undecided & ~draw, below


@inline
def compared_twice(
    seed: np.uint64,
    worker: np.uint64,
    block: np.uint64,
    threshold: np.uint64,
    digit: int,
    undecided: np.uint64,
    below: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """The next two digits, an even one first: a Philox block holds the random words of both."""
    a, b, c, d = philox(seed, worker, block, np.uint64(digit), ANSWERS)
    undecided, below = compared(threshold, digit, (a << _32) | b, undecided, below)
    return compared(threshold, digit + 1, (c << _32) | d, undecided, below)


@inline
def answer_lanes(
    seed: np.uint64, worker: np.uint64, block: np.uint64, threshold: np.uint64, wanted: np.uint64
) -> np.uint64:
    """64 draws of U < threshold / 2^32 for the tasks of a block, of which only the wanted lanes are drawn; 0 elsewhere.

    A lane's draw does not depend on which others are wanted: it looks at its own bit of each random word.
    """
    return remaining_lanes(seed, worker, block, threshold, 0, wanted, _0)


@inline
def remaining_lanes(
    seed: np.uint64,
    worker: np.uint64,
    block: np.uint64,
    threshold: np.uint64,
    digit: int,
    undecided: np.uint64,
    below: np.uint64,
) -> np.uint64:
    """The lanes below the threshold, given what the digits before this (even) one have decided."""
    if threshold >= CERTAIN:
        return undecided | below
    # Once no digit of the threshold is left, no undecided lane can still fall below it.
    while undecided != _0 and digit < DIGITS and (threshold & ((CERTAIN >> np.uint64(digit)) - _1)) != _0:
        undecided, below = compared_twice(seed, worker, block, threshold, digit, undecided, below)
        digit += 2
    return below


@inline
def truth_word(seed: np.uint64, block: np.uint64) -> np.uint64:
    """64 fair coins: the true answers of a block's tasks."""
    return word(seed, TRUTHS, _0, block)


@kernel
def _right_kernel(
    seed: np.uint64, thresholds: NDArray[np.uint64], jury: NDArray[np.int64], task: int, out: NDArray[np.bool_]
) -> None:
    block = np.uint64(task) // np.uint64(LANES)
    lane = np.uint64(task) & _63
    for j in range(len(jury)):
        worker = jury[j]
        out[j] = answer_lanes(seed, np.uint64(worker), block, thresholds[worker], _1 << lane) != _0


@kernel
def _truth_kernel(seed: np.uint64, task: int) -> bool:
    return bool(((truth_word(seed, np.uint64(task) // np.uint64(LANES)) >> (np.uint64(task) & _63)) & _1) == _1)


def quality_thresholds(qualities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Qualities as multiples of 2^-32, to the nearest."""
    return np.rint(qualities * float(1 << DIGITS)).astype(np.uint64)


def _check_entry(task: int, tasks: int | None, jury: NDArray[np.int64], workers: int) -> None:
    """Compiled code does not look where it reads, and NumPy counts negative positions from the end."""
    if task < 0 or (tasks is not None and task >= tasks):
        known = "from 0 up" if tasks is None else f"from 0 to {tasks - 1}"
        raise InvalidInput(f"task {task} is not in the realization; its tasks count {known}")
    if len(jury) and not 0 <= jury.min() <= jury.max() < workers:
        raise InvalidInput(f"the jury names a worker outside 0 to {workers - 1}, all that the realization has")


@dataclass(frozen=True, eq=False)
class Field:
    """The counter-based random field: entry (i, t) is a pure function of (seed, i, t) and worker i's quality."""

    seed: int
    qualities: NDArray[np.float64]
    thresholds: NDArray[np.uint64]

    @classmethod
    def of(cls, seed: int, qualities: ArrayLike) -> "Field":
        checked = check_qualities(qualities)
        return cls(check_seed(seed), checked, quality_thresholds(checked))

    @property
    def workers(self) -> int:
        return len(self.qualities)

    def right(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.bool_]:
        _check_entry(task, None, jury, self.workers)
        out = np.empty(len(jury), dtype=np.bool_)
        _right_kernel(np.uint64(self.seed), self.thresholds, jury, task, out)
        return out

    def truth(self, task: int) -> bool:
        return bool(_truth_kernel(np.uint64(self.seed), task))


@dataclass(frozen=True, eq=False)
class Recorded:
    """A realization written out: row i says on which tasks worker i is right. The truth is answer 1 unless given."""

    matrix: NDArray[np.bool_]
    truths: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, rows: ArrayLike, truths: ArrayLike | None = None) -> "Recorded":
        try:
            matrix = np.asarray(rows)
        except ValueError as error:
            raise InvalidInput("a realization's rows differ in length; give every worker the same tasks") from error
        if matrix.ndim != 2 or matrix.size == 0:
            raise InvalidInput(f"a realization of shape {matrix.shape} is not a table; give one row of 0/1 per worker")
        if not np.isin(matrix, (0, 1)).all():
            raise InvalidInput(
                "a realization has entries other than 0 and 1; 1 says that the worker is right on the task"
            )
        if truths is None:
            return cls(matrix.astype(np.bool_))
        known = np.asarray(truths)
        if known.shape != (matrix.shape[1],) or not np.isin(known, (0, 1)).all():
            raise InvalidInput(
                f"true answers of shape {known.shape} are not one 0 or 1 for each of {matrix.shape[1]} tasks"
            )
        return cls(matrix.astype(np.bool_), known.astype(np.bool_))

    @property
    def workers(self) -> int:
        return int(self.matrix.shape[0])

    def right(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.bool_]:
        _check_entry(task, self.matrix.shape[1], jury, self.workers)
        found: NDArray[np.bool_] = self.matrix[jury, task]
        return found

    def truth(self, task: int) -> bool:
        return True if self.truths is None else bool(self.truths[task])
