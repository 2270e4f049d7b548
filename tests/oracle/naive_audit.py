"""The audit's subjects once more, from the paper's text and MATHS 6 alone: plain numbers, lists, every jury in turn.

Nothing of `quorate` is used. Qualities and values are floats here, so worlds that hang on a billionth may differ; the
explicit cases do not.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations

Row = list[int]


def even_row(share: Fraction, tasks: int) -> Row:
    """rho_i(t) = floor(t p_i) - floor((t-1) p_i)."""
    return [math.floor(t * share) - math.floor((t - 1) * share) for t in range(1, tasks + 1)]


def juries(workers: list[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(workers, size) for size in range(len(workers) + 1))


def bounds(right: list[int], t: int, mu: float) -> tuple[list[float], list[float]]:
    """Hoeffding's, clipped to [1/2, 1]."""
    radius = math.sqrt(math.log(2 * len(right) / mu) / (2 * t))
    low = [min(1.0, max(0.5, k / t - radius)) for k in right]
    high = [min(1.0, max(0.5, k / t + radius)) for k in right]
    return low, high


def greedy(bids: list[float], values: list[float], requirement: float) -> tuple[int, ...] | None:
    """GA (paper, section 6.2)."""
    order = sorted(range(len(bids)), key=lambda i: (bids[i] / values[i] if values[i] > 0 else math.inf, i))
    smalls: list[int] = []
    best: tuple[float, list[int]] | None = None
    for i in order:
        if sum(values[j] for j in smalls) + values[i] >= requirement:
            candidate = [*smalls, i]
            price = sum(bids[j] for j in candidate)
            if best is None or price < best[0]:
                best = price, candidate
        else:
            smalls.append(i)
    return None if best is None else tuple(sorted(best[1]))


def ccb_s_with_greedy(
    bids: list[float], rows: list[Row], requirement: float, mu: float = 0.1
) -> tuple[list[int], int | None]:
    """Algorithm 2 with GA and sum(2q - 1) >= requirement: (tasks per worker, first exploitation task)."""
    n, horizon = len(bids), len(rows[0])
    right = [0] * n
    for t in range(1, horizon):
        right = [k + row[t - 1] for k, row in zip(right, rows, strict=True)]
        low, high = bounds(right, t, mu)
        jury = greedy(bids, [2 * q - 1 for q in high], requirement)
        if jury is not None and sum(2 * low[i] - 1 for i in jury) >= requirement:
            return [horizon if i in jury else t for i in range(n)], t + 1
    return [horizon] * n, None


def mode_d(
    bids: list[int], rows: list[Row], requirement: float, pool_size: int, cap: int, mu: float = 0.1
) -> tuple[list[int], list[int]]:
    """(tasks, pay) per worker: `assured` with head-count stopping, kappa = 0, nested Hoeffding intervals, mode D.

    Bids of different workers differ, and juries' prices do too: ties are not looked at.
    """
    n, horizon = len(bids), len(rows[0])
    pool = sorted(sorted(range(n), key=lambda i: bids[i])[:pool_size])
    outside = min((bids[i] for i in range(n) if i not in pool), default=cap)
    level = mu / len(pool)
    low, high = [0.5] * n, [1.0] * n
    right = [0] * n
    stop = horizon
    for t in range(1, horizon):
        for i in pool:
            right[i] += rows[i][t - 1]
            radius = math.sqrt(math.log(2 / level) / (2 * t))
            new = min(1.0, max(0.5, right[i] / t - radius)), max(0.5, min(1.0, right[i] / t + radius))
            if max(low[i], new[0]) <= min(high[i], new[1]):
                low[i], high[i] = max(low[i], new[0]), min(high[i], new[1])
        v, w = fewest(low, pool, requirement), fewest(high, pool, requirement)
        if v is not None and w is not None and outside * (v - w) <= 0:
            stop = t
            break
    tasks = [stop if i in pool else 0 for i in range(n)]
    pay = [outside * stop if i in pool else 0 for i in range(n)]
    if stop < horizon:
        best = cheapest(bids, low, pool, requirement)
        assert best is not None
        price = sum(bids[i] for i in best)
        for i in best:
            tasks[i] += horizon - stop
            without = cheapest(bids, low, [j for j in pool if j != i], requirement)
            critical = outside if without is None else min(outside, sum(bids[j] for j in without) - price + bids[i])
            pay[i] += critical * (horizon - stop)
    return tasks, pay


def fewest(qualities: list[float], pool: list[int], requirement: float) -> int | None:
    good = (len(jury) for jury in juries(pool) if sum(2 * qualities[i] - 1 for i in jury) >= requirement)
    return min(good, default=None)


def cheapest(bids: list[int], qualities: list[float], pool: list[int], requirement: float) -> tuple[int, ...] | None:
    good = [jury for jury in juries(pool) if sum(2 * qualities[i] - 1 for i in jury) >= requirement]
    return min(good, key=lambda jury: sum(bids[i] for i in jury), default=None)
