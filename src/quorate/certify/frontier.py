"""Juries that no other dominates: the price/accuracy frontier, and what a search still has to look for.

Jury A dominates B when it is neither dearer nor certified at less, and better in one of the two. Exact ties in both go
to the smaller sum of keys, drawn without looking at prices or labels, so no tie depends on a bid (MATHS 4).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.certify.terms import Vote

Ints = NDArray[np.int64]
NO_LIMIT = 2**62
# Below every price: the first step of the thresholds starts here.
FREE = -1


@dataclass(frozen=True, order=True)
class Jury:
    """A jury with its certificate. The order is the order of preference at one price and accuracy.

    `certified`: billionths, rounded down. `right` of `tasks`: its verdicts on the gold tasks that all its members
    answered; both 0 where the certificate does not rest on the jury's own verdicts (`--assume independent`).
    """

    price: int
    shortfall: int
    key: int
    members: tuple[int, ...]
    vote: Vote
    right: int
    tasks: int

    @property
    def certified(self) -> int:
        return -self.shortfall


@dataclass(frozen=True, eq=False)
class Batch:
    """Juries as columns, as a scan finds them; `members` are positions in the gold matrix, ascending in each row."""

    vote: Vote
    members: NDArray[np.int64]
    price: Ints
    certified: Ints
    key: Ints
    right: Ints
    tasks: Ints

    def __len__(self) -> int:
        return len(self.price)

    def jury(self, row: int) -> Jury:
        return Jury(
            price=int(self.price[row]),
            shortfall=-int(self.certified[row]),
            key=int(self.key[row]),
            members=tuple(self.members[row].tolist()),
            vote=self.vote,
            right=int(self.right[row]),
            tasks=int(self.tasks[row]),
        )


Frontier = tuple[Jury, ...]


def undominated(juries: Iterable[Jury]) -> Frontier:
    """The frontier of these juries: prices and certified accuracies both strictly increase along it."""
    kept: list[Jury] = []
    for jury in sorted(juries):
        if jury.certified > (kept[-1].certified if kept else 0):
            kept.append(jury)
    return tuple(kept)


def improve(frontier: Frontier, batch: Batch) -> Frontier:
    """The frontier after one more batch."""
    if not len(batch):
        return frontier
    row = np.lexsort((batch.key, -batch.certified, batch.price))
    price, certified = batch.price[row], batch.certified[row]
    best_before = np.maximum.accumulate(np.concatenate(([0], certified[:-1])))
    kept = certified > best_before
    if frontier:
        known = np.searchsorted([jury.price for jury in frontier], price, side="right") - 1
        values = np.array([jury.certified for jury in frontier])
        kept &= (known < 0) | (certified >= values[known])
    if not kept.any():
        return frontier
    return undominated((*frontier, *(batch.jury(i) for i in row[kept].tolist())))


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What a jury must reach to matter: at a price of at least `prices[j]`, a certified accuracy of `values[j]`.

    Both ascend; a jury dearer than `limit` never matters. With `lowers`, any jury found that reaches `values[0]`
    makes its own price the new limit.
    """

    prices: Ints
    values: Ints
    limit: int = NO_LIMIT
    lowers: bool = False


def _steps(prices: list[int], values: list[int], limit: int = NO_LIMIT, lowers: bool = False) -> Thresholds:
    return Thresholds(np.array(prices, dtype=np.int64), np.array(values, dtype=np.int64), limit, lowers)


@dataclass(frozen=True)
class Aim:
    """What a search is for. The frontier it leaves is exact where the aim looks, and unfinished elsewhere."""

    # Billionths: the cheapest jury certified at this much.
    target: int | None = None
    # The most accurate jury at any price.
    best: bool = False

    def thresholds(self, frontier: Frontier) -> Thresholds:
        if self.best:
            return _steps([FREE], [frontier[-1].certified if frontier else 1])
        if self.target is None:
            return _steps([FREE, *(j.price for j in frontier)], [1, *(j.certified for j in frontier)])
        found = self.answer(frontier)
        if found is None:
            return _steps([FREE], [self.target], lowers=True)
        return _steps([FREE, found.price], [self.target, found.certified], found.price, lowers=True)

    def answer(self, frontier: Frontier) -> Jury | None:
        """The jury this aim asks for, if the frontier has one."""
        if self.target is None:
            return frontier[-1] if frontier else None
        return cheapest(frontier, self.target)


EVERYTHING = Aim()
BEST = Aim(best=True)


def cheapest(frontier: Frontier, target: int) -> Jury | None:
    """The cheapest jury of the frontier that is certified at `target` (billionths)."""
    return next((jury for jury in frontier if jury.certified >= target), None)
