"""Counting the right verdicts of every jury's majority, 64 tasks at a time, without visiting those that cannot matter.

A jury of odd size s is right on a task when at least h = (s+1)/2 members are. With d members chosen, one bit per task
and per j says where at least j of them are right (and all of them answered):

    L_0 = answered by all d,    L_j' = (L_j and answered_e) or (L_{j-1} and right_e)    when e joins.

With r members still to choose, a jury that contains these d and e is right at most on

    (L_{h-r+1} and answered_e) or (L_{h-r} and right_e),

and exactly there when r = 1. So one loop over all candidates e, vectorised by the compiler, counts the last member's
juries and bounds everybody else's subtree. Workers come in the order of price: the cheapest completion is the next
ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.certify.frontier import Ints
from quorate.certify.matrix import Words
from quorate.certify.popcount import popcount
from quorate.certify.walk import note, step_at

_0 = np.uint64(0)


class Pool(NamedTuple):
    """The workers in the order of the search; words by workers, so that neighbours are counted together.

    `sums[i]` is the price of the first i workers, `most_missing[i]` the most answers that one of workers i.. lacks.
    """

    right: Words
    answered: Words
    complete: bool
    sums: Ints
    most_missing: Ints


class Wanted(NamedTuple):
    """`needed[j, n - base]`: the right verdicts of n that matter at a price of at least `prices[j]`."""

    prices: Ints
    needed: Ints
    base: int


class Stack(NamedTuple):
    """One row per depth: the next worker to try, what the chosen ones cost, and their bits L_0 .. L_h."""

    start: Ints
    cost: Ints
    fresh: NDArray[np.bool_]
    masks: Words
    ones: Words
    common: Words


class Found(NamedTuple):
    """Juries that matter, as columns."""

    members: Ints
    prices: Ints
    rights: Ints
    tasks: Ints


@inline
def _count(sure: Words, maybe: Words, right: Words, ones: Words, low: int, high: int) -> None:
    """ones[e] = |sure or (right_e and maybe)| for low <= e < high, where everybody answered everything."""
    total = ones[low:high]
    total[:] = _0
    for w in range(right.shape[0]):
        a, b = sure[w], maybe[w]
        row = right[w, low:high]
        for e in range(total.size):
            total[e] += popcount(a | (row[e] & b))


@inline
def _count_answered(masks: Words, j: int, pool: Pool, ones: Words, common: Words, low: int, high: int) -> None:
    """The same with answers missing; common[e] = |L_0 and answered_e|, the tasks that all of them answered."""
    total, shared = ones[low:high], common[low:high]
    total[:] = _0
    shared[:] = _0
    everyone, sure, maybe = masks[0], masks[max(j, 0)], masks[max(j - 1, 0)]
    for w in range(pool.right.shape[0]):
        a, b, c = sure[w], maybe[w], everyone[w]
        row, there = pool.right[w, low:high], pool.answered[w, low:high]
        for e in range(total.size):
            total[e] += popcount((a & there[e]) | (row[e] & b))
            shared[e] += popcount(c & there[e])


@inline
def _idle(stack: Stack, depth: int, low: int, high: int, price: int, wanted: Wanted) -> bool:
    """Whether no jury of a last round can matter: its best count against its mildest requirement."""
    most = _0
    for count in stack.ones[depth, low:high]:
        most = max(most, count)
    fewest = stack.common[depth, low]
    for count in stack.common[depth, low:high]:
        fewest = min(fewest, count)
    step = np.searchsorted(wanted.prices, price, side="right") - 1
    return bool(np.int64(most) < wanted.needed[step, np.int64(fewest) - wanted.base])


@inline
def _open(pool: Pool, stack: Stack, depth: int, left: int, half: int, high: int) -> None:
    """Counts for every candidate at this depth."""
    low = stack.start[depth]
    j = half - left + 1
    if low < high and pool.complete:
        masks = stack.masks[depth]
        _count(masks[max(j, 0)], masks[max(j - 1, 0)], pool.right, stack.ones[depth], low, high)
    elif low < high:
        _count_answered(stack.masks[depth], j, pool, stack.ones[depth], stack.common[depth], low, high)


@inline
def _push(pool: Pool, stack: Stack, depth: int, half: int, e: int) -> None:
    """Worker e joins."""
    masks, grown = stack.masks[depth], stack.masks[depth + 1]
    for w in range(pool.right.shape[0]):
        r, a = pool.right[w, e], pool.answered[w, e]
        for j in range(half, 0, -1):
            grown[j, w] = (masks[j, w] & a) | (masks[j - 1, w] & r)
        grown[0, w] = masks[0, w] & a
    stack.cost[depth + 1] = stack.cost[depth] + pool.sums[e + 1] - pool.sums[e]
    stack.start[depth] = e + 1
    stack.start[depth + 1] = e + 1
    stack.fresh[depth + 1] = True


@kernel
def scan_kernel(
    pool: Pool, wanted: Wanted, stack: Stack, found: Found, size: int, first_stop: int, limit: int, lowers: bool,
    depth: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Depth first over juries whose first member is before `first_stop`; returns (depth, how many found, counted).

    A returned depth of -1 says that all is done; otherwise `found` is full and the same call, given that depth,
    goes on where this one stopped.
    """
    n = pool.right.shape[1]
    half = size // 2 + 1
    rows = 0
    counted = 0
    while depth >= 0:
        left = size - depth
        high = first_stop if depth == 0 else n - left + 1
        if stack.fresh[depth]:
            stack.fresh[depth] = False
            _open(pool, stack, depth, left, half, high)
            low = stack.start[depth]
            if left == 1 and low < high:
                counted += high - low
                price = stack.cost[depth] + pool.sums[low + 1] - pool.sums[low]
                if _idle(stack, depth, low, high, price, wanted):
                    depth -= 1
                    continue
        step = 0
        chosen = -1
        for e in range(stack.start[depth], high):
            price = stack.cost[depth] + pool.sums[e + left] - pool.sums[e]
            if price > limit:
                break
            step = step_at(wanted.prices, step, price)
            most = np.int64(stack.ones[depth, e])
            shared = np.int64(stack.common[depth, e])
            # Later members may lack answers just where this prefix is wrong: right can stay while tasks fall.
            fewest = max(shared - (left - 1) * pool.most_missing[e + 1], wanted.base)
            at = max(fewest, min(most, shared))
            if min(most, at) < wanted.needed[step, at - wanted.base]:
                continue
            if left > 1:
                chosen = e
                break
            if rows == found.prices.size:
                stack.start[depth] = e
                return depth, rows, counted
            note(found.members, found.prices, rows, stack.start, depth, e, price)
            found.rights[rows] = most
            found.tasks[rows] = shared
            rows += 1
            if lowers and price < limit:
                limit = price
        if chosen < 0:
            depth -= 1
        else:
            _push(pool, stack, depth, half, chosen)
            depth += 1
    return -1, rows, counted
