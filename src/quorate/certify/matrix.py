"""The gold matrix: who answered which gold task, and who was right, one bit each (MATHS 7)."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput

WORD = 64
Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


def words_for(tasks: int) -> int:
    """How many 64-bit words hold a bit per task; at least one."""
    return max(1, -(-tasks // WORD))


def pack(rows: NDArray[np.bool_]) -> Words:
    """Booleans [rows, tasks] as words [rows, words]; task t is bit t % 64 of word t // 64, spare bits are 0."""
    padded = np.zeros((rows.shape[0], words_for(rows.shape[1]) * WORD), dtype=np.bool_)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(rows: Words) -> NDArray[np.bool_]:
    """Words [rows, words] as booleans [rows, 64 * words]."""
    return np.unpackbits(rows.astype("<u8").view(np.uint8), axis=1, bitorder="little").astype(np.bool_)


def count_bits(rows: Words) -> Counts:
    """Ones in each row of words."""
    return np.asarray(np.bitwise_count(rows).sum(axis=-1, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class GoldMatrix:
    """Workers by gold tasks. `right` holds only bits of `answered`.

    `classes`: the two labels; `dropped_tasks`: tasks of the files that could not be used (no truth, or no answer);
    `left_out`: workers of the files with too few answers on gold tasks; `truths`: whose true answer is the second
    class.
    """

    workers: tuple[str, ...]
    tasks: int
    answered: Words
    right: Words
    classes: tuple[str, str] = ("0", "1")
    dropped_tasks: int = 0
    left_out: tuple[str, ...] = ()
    truths: Words | None = None

    @classmethod
    def from_booleans(
        cls, answered: NDArray[np.bool_], right: NDArray[np.bool_], workers: tuple[str, ...] = ()
    ) -> "GoldMatrix":
        """From arrays [workers, tasks]."""
        if answered.shape != right.shape or answered.ndim != 2:
            raise InvalidInput(
                f"answered has shape {answered.shape} and right {right.shape}; both must be [workers, tasks]"
            )
        names = workers or tuple(str(i) for i in range(len(answered)))
        if len(names) != len(answered):
            raise InvalidInput(f"{len(names)} worker names for {len(answered)} rows; give one name per row")
        return cls(names, answered.shape[1], pack(answered), pack(answered & right))

    def __len__(self) -> int:
        return len(self.workers)

    @cached_property
    def answers(self) -> Counts:
        """Gold tasks that each worker answered."""
        return count_bits(self.answered)

    @cached_property
    def rights(self) -> Counts:
        """Gold tasks on which each worker was right."""
        return count_bits(self.right)

    @property
    def missing(self) -> int:
        """Answers that are not there, over workers and gold tasks."""
        return len(self) * self.tasks - int(self.answers.sum())

    def booleans(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(answered, right) as [workers, tasks]."""
        return unpack(self.answered)[:, : self.tasks], unpack(self.right)[:, : self.tasks]

    def restrict(self, tasks: Words) -> "GoldMatrix":
        """Only the tasks whose bits are set; the others count as answered by nobody."""
        count = int(count_bits(tasks))
        return replace(self, tasks=count, answered=self.answered & tasks, right=self.right & tasks)
