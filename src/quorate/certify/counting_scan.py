"""Scans under no assumption: verdicts counted on the gold tasks, certified by Clopper-Pearson (MATHS 7)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from quorate.certify.counting import Found, Pool, Stack, Wanted, scan_kernel
from quorate.certify.frontier import FREE, NO_LIMIT, Batch, Ints, Thresholds
from quorate.certify.matrix import GoldMatrix
from quorate.certify.requirements import Requirements, certified_pairs
from quorate.certify.scan import BATCH, Bidders
from quorate.certify.terms import Vote
from quorate.certify.weighted import HEAVIEST, Learned
from quorate.certify.weighted_kernel import Layers, Weights, weighted_kernel


class CountingScan(ABC):
    """What both votes share; a `Scan`. Mutable: it owns the kernel's stack and buffers."""

    vote: Vote

    def __init__(self, gold: GoldMatrix, bidders: Bidders, order: Ints, size: int, level: float) -> None:
        missing = gold.tasks - gold.answers[order]
        self._order, self._keys, self._level = order, bidders.keys, level
        self._pool = Pool(
            right=np.ascontiguousarray(gold.right[order].T),
            answered=np.ascontiguousarray(gold.answered[order].T),
            complete=not missing.any(),
            sums=np.concatenate(([0], np.cumsum(bidders.prices[order]))).astype(np.int64),
            most_missing=np.append(np.maximum.accumulate(missing[::-1])[::-1], 0).astype(np.int64),
        )
        self._base = max(0, gold.tasks - int(np.sort(missing)[-size:].sum()))
        self._requirements = Requirements(self._base, gold.tasks, level)
        self._found = Found(
            members=np.zeros((BATCH, size), dtype=np.int64),
            prices=np.zeros(BATCH, dtype=np.int64),
            rights=np.zeros(BATCH, dtype=np.int64),
            tasks=np.zeros(BATCH, dtype=np.int64),
        )
        self.workers, self.size, self.counted = len(order), size, 0
        self._depth, self._stop = -1, 0

    @abstractmethod
    def _reset(self, first: int) -> None:
        """Back to the top, at this first member."""

    @abstractmethod
    def _run(self, needed: Wanted, limit: int, lowers: bool) -> tuple[int, int, int]:
        """The kernel: (depth, rows, counted)."""

    def begin(self, first: int, stop: int) -> None:
        self._reset(first)
        self._depth, self._stop = 0, stop

    def advance(self, wanted: Thresholds) -> tuple[Batch, bool]:
        needed = Wanted(wanted.prices, self._requirements.rows(wanted.values), self._base)
        return self._advance(needed, wanted.limit, wanted.lowers)

    def advance_to(self, goals: Iterable[tuple[int, float]]) -> tuple[Batch, bool]:
        """As `advance`, for juries that would reach one of the goals: (accuracy, if there were so many times the gold
        tasks).
        """
        rows = [self._requirements.rows(np.array([accuracy], dtype=np.int64), times) for accuracy, times in goals]
        anywhere = np.array([FREE], dtype=np.int64)
        return self._advance(Wanted(anywhere, np.min(rows, axis=0), self._base), NO_LIMIT, lowers=False)

    def _advance(self, needed: Wanted, limit: int, lowers: bool) -> tuple[Batch, bool]:
        self._depth, rows, counted = self._run(needed, limit, lowers)
        self.counted += counted
        return self._batch(rows), self._depth < 0

    def _batch(self, rows: int) -> Batch:
        members = np.sort(self._order[self._found.members[:rows]], axis=1)
        right, tasks = self._found.rights[:rows].copy(), self._found.tasks[:rows].copy()
        return Batch(
            vote=self.vote,
            members=members,
            price=self._found.prices[:rows].copy(),
            certified=certified_pairs(right, tasks, self._level),
            key=self._keys[members].sum(axis=1),
            right=right,
            tasks=tasks,
        )


class MajorityScan(CountingScan):
    """Every majority jury of one odd size."""

    vote = Vote.MAJORITY

    def __init__(self, gold: GoldMatrix, bidders: Bidders, size: int, level: float) -> None:
        super().__init__(gold, bidders, bidders.order, size, level)
        words, n = self._pool.right.shape
        self._stack = Stack(
            start=np.zeros(size, dtype=np.int64),
            cost=np.zeros(size, dtype=np.int64),
            fresh=np.zeros(size, dtype=np.bool_),
            masks=np.zeros((size, size // 2 + 2, words), dtype=np.uint64),
            ones=np.zeros((size, n), dtype=np.uint64),
            common=np.full((size, n), gold.tasks, dtype=np.uint64),
        )
        self._stack.masks[0, 0] = np.uint64(2**64 - 1)

    def _reset(self, first: int) -> None:
        self._stack.start[0] = first
        self._stack.fresh[0] = True

    def _run(self, needed: Wanted, limit: int, lowers: bool) -> tuple[int, int, int]:
        return scan_kernel(
            self._pool, needed, self._stack, self._found, self.size, self._stop, limit, lowers, self._depth
        )


class WeightedScan(CountingScan):
    """Every jury of one size that votes with the learned weights, among workers who have one."""

    vote = Vote.WEIGHTED

    def __init__(self, learned: Learned, bidders: Bidders, size: int, level: float) -> None:
        order = bidders.order[learned.weight[bidders.order] > 0]
        super().__init__(learned.certifying, bidders, order, size, level)
        self._weights = Weights(learned.weight[order], learned.rank[order], HEAVIEST)
        self._layers = Layers(
            start=np.zeros(size, dtype=np.int64),
            cost=np.zeros(size, dtype=np.int64),
            total=np.zeros(size, dtype=np.int64),
            leader=np.full(size, -1, dtype=np.int64),
            masks=np.zeros((size, HEAVIEST * size // 2 + 2, self._pool.right.shape[0]), dtype=np.uint64),
        )
        self._layers.masks[0, 0] = np.uint64(2**64 - 1)

    def _reset(self, first: int) -> None:
        self._layers.start[0] = first

    def _run(self, needed: Wanted, limit: int, lowers: bool) -> tuple[int, int, int]:
        return weighted_kernel(
            self._pool, self._weights, needed, self._layers, self._found, self.size, self._stop, limit, lowers,
            self._depth,
        )  # fmt: skip
