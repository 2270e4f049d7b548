"""Juries under the assumption of independent errors: certified through their members' qualities (MATHS 2, 3, 4).

The sample is fixed, so each worker's quality has a Clopper-Pearson lower bound at level mu / n, which is tighter than
the anytime sequence that a running campaign needs; a union bound over the n workers makes all of them hold at once,
surely 1 - mu, whatever jury is chosen. The jury's accuracy at those lower bounds is then a lower bound on its true
accuracy
- if the errors are independent. Where they are not, it may promise far too much: see `dependence`.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable

import numpy as np

from quorate.certify.frontier import BEST, Batch, Frontier, Ints, Thresholds
from quorate.certify.independent_kernel import Trail, Voters, Worth, worth_kernel
from quorate.certify.scan import BATCH, Bidders, explore
from quorate.certify.terms import Vote
from quorate.model.interval.base import Floats


def contenders(prices: Ints, qualities: Floats, keys: Ints, size: int) -> Ints:
    """Workers with fewer than `size` dominators: somebody no dearer and no worse, the key deciding between equals.

    A jury of `size` with anybody else has a dominator outside it, and exchanging the two makes it no dearer and no
    less accurate. So the others are not needed (MATHS 4).
    """
    order = np.lexsort((keys, -qualities, prices))
    kept = []
    ahead: list[float] = []
    for worker in order.tolist():
        quality = float(qualities[worker])
        if len(ahead) - bisect_left(ahead, quality) < size:
            kept.append(worker)
        insort(ahead, quality)
    return np.array(kept, dtype=np.int64)


def best_value(qualities: Floats, sizes: Iterable[int], vote: Vote) -> int:
    """The most that any jury is worth (billionths): that of the most accurate workers, of the best size."""
    free = Bidders(np.zeros(len(qualities), dtype=np.int64), np.arange(len(qualities)), np.argsort(-qualities))
    best: Frontier = ()
    for size in sizes:
        best = explore(IndependentScan(free, qualities, size, vote), best, BEST)
    return best[-1].certified if best else 0


class IndependentScan:
    """Every jury of one size among the contenders, by price; a `Scan`. Mutable: it owns the kernel's trail and
    buffers.
    """

    def __init__(self, bidders: Bidders, qualities: Floats, size: int, vote: Vote) -> None:
        log_odds = vote is Vote.WEIGHTED
        quality = np.maximum(qualities, 0.5) if log_odds else qualities
        chosen = contenders(bidders.prices, quality, bidders.keys, size)
        inside = np.isin(bidders.order, chosen)
        self._order = bidders.order[inside]
        self._bidders, self._vote, self._log_odds = bidders, vote, log_odds
        ordered = quality[self._order]
        self._voters = Voters(
            quality=ordered,
            best_left=np.append(np.maximum.accumulate(ordered[::-1])[::-1], 0.0),
            sums=np.concatenate(([0], np.cumsum(bidders.prices[self._order]))).astype(np.int64),
        )
        width = max(size + 1, 1 << size if log_odds else 0)
        self._trail = Trail(
            start=np.zeros(size, dtype=np.int64),
            cost=np.zeros(size, dtype=np.int64),
            state=np.zeros((size, width)),
            scratch=np.zeros(width),
        )
        self._trail.state[0, 0] = 1.0
        self._found = Worth(
            members=np.zeros((BATCH, size), dtype=np.int64),
            prices=np.zeros(BATCH, dtype=np.int64),
            values=np.zeros(BATCH, dtype=np.int64),
        )
        self.workers, self.size, self.counted = len(self._order), size, 0
        self._depth, self._stop = -1, 0

    def begin(self, first: int, stop: int) -> None:
        self._trail.start[0] = first
        self._depth, self._stop = 0, stop

    def advance(self, wanted: Thresholds) -> tuple[Batch, bool]:
        self._depth, rows, valued = worth_kernel(
            self._voters, wanted.prices, wanted.values, self._trail, self._found, self.size, self._stop, wanted.limit,
            wanted.lowers, self._log_odds, self._depth,
        )  # fmt: skip
        self.counted += valued
        members = np.sort(self._order[self._found.members[:rows]], axis=1)
        nothing = np.zeros(rows, dtype=np.int64)
        batch = Batch(
            vote=self._vote,
            members=members,
            price=self._found.prices[:rows].copy(),
            certified=self._found.values[:rows].copy(),
            key=self._bidders.keys[members].sum(axis=1),
            right=nothing,
            tasks=nothing,
        )
        return batch, self._depth < 0
