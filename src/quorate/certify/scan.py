"""A scan: every jury of one size and one voting rule, handed over in batches, those that cannot matter left out."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quorate.certify.frontier import Aim, Batch, Frontier, Ints, Thresholds, improve

# Juries that one call may hand back; a family no larger is handed back whole, which costs less than thresholds.
BATCH = 65_536
# Parts are made about this large, so that progress can be shown and fresh thresholds taken up.
PART = 2_000_000

Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Bidders:
    """Prices (any integer unit) and tie keys of a gold matrix's workers, and the order in which a search meets them."""

    prices: Ints
    keys: Ints
    order: Ints


class Scan(Protocol):
    """One group of juries, in parts by their first member (in the scan's own order of workers)."""

    @property
    def workers(self) -> int:
        """How many workers the juries are drawn from."""

    @property
    def size(self) -> int:
        """How many members each jury has."""

    @property
    def counted(self) -> int:
        """Juries whose verdicts were counted so far; the others were proven not to matter."""

    def begin(self, first: int, stop: int) -> None:
        """Start on the juries whose first member is in first..stop-1."""

    def advance(self, wanted: Thresholds) -> tuple[Batch, bool]:
        """Juries of this part that reach the thresholds (and perhaps some that do not), and whether it is finished."""


def juries_of(workers: int, size: int) -> int:
    """How many juries of this size there are."""
    return math.comb(workers, size)


def parts(workers: int, size: int) -> list[tuple[int, int, int]]:
    """(first, stop, juries): consecutive first members, grouped until a part has about PART juries."""
    made: list[tuple[int, int, int]] = []
    first, juries = 0, 0
    last = workers - size
    for member in range(last + 1):
        juries += math.comb(workers - member - 1, size - 1)
        if juries >= PART or member == last:
            made.append((first, member + 1, juries))
            first, juries = member + 1, 0
    return made


def explore(scan: Scan, frontier: Frontier, aim: Aim, progress: Progress | None = None) -> Frontier:
    """The frontier after all of the scan's juries: exact where the aim looks."""
    whole = juries_of(scan.workers, scan.size) <= BATCH
    for first, stop, juries in parts(scan.workers, scan.size):
        scan.begin(first, stop)
        done = False
        while not done:
            wanted = ANYTHING if whole else aim.thresholds(frontier)
            batch, done = scan.advance(wanted)
            frontier = improve(frontier, batch)
        if progress is not None:
            progress(juries)
    return frontier


ANYTHING = Thresholds(np.array([-1], dtype=np.int64), np.array([1], dtype=np.int64))
