"""Counting the right verdicts of juries that vote with whole weights, in the order of price.

A jury of total weight V is right on a task where its right members weigh more than V/2, or just V/2 with the heaviest
among them (MATHS 2.5: ties follow the heaviest). With d members chosen, one bit per task and per j says where the
right ones weigh at least j: L_j' = (L_j and answered_e) or (L_{j-v} and right_e) when e of weight v joins.
"""

from typing import NamedTuple

import numpy as np

from quorate._jit import inline, kernel
from quorate.certify.counting import Found, Pool, Wanted
from quorate.certify.frontier import Ints
from quorate.certify.matrix import Words
from quorate.certify.popcount import popcount
from quorate.certify.walk import note, step_at


class Weights(NamedTuple):
    """Whole weights of at least 1, and `rank`: 0 is the heaviest worker, ties settled; in the order of the search."""

    weight: Ints
    rank: Ints
    heaviest: int


class Layers(NamedTuple):
    """One row per depth: the next worker to try, price, weight and heaviest of the chosen, and their bits."""

    start: Ints
    cost: Ints
    total: Ints
    leader: Ints
    masks: Words


@inline
def _add(pool: Pool, weights: Weights, layers: Layers, depth: int, e: int) -> None:
    """Worker e joins; layer j of the new depth holds where the right ones weigh at least j."""
    masks, grown = layers.masks[depth], layers.masks[depth + 1]
    v = weights.weight[e]
    for w in range(pool.right.shape[0]):
        r, a = pool.right[w, e], pool.answered[w, e]
        for j in range(masks.shape[0]):
            grown[j, w] = (masks[j, w] & a) | (masks[max(j - v, 0), w] & r)
    layers.cost[depth + 1] = layers.cost[depth] + pool.sums[e + 1] - pool.sums[e]
    layers.total[depth + 1] = layers.total[depth] + v
    leader = layers.leader[depth]
    layers.leader[depth + 1] = e if leader < 0 or weights.rank[e] < weights.rank[leader] else leader
    layers.start[depth] = e + 1
    layers.start[depth + 1] = e + 1


@inline
def _verdicts(pool: Pool, weights: Weights, layers: Layers, depth: int, e: int) -> tuple[np.int64, np.int64]:
    """(right, tasks) of the chosen and e."""
    masks = layers.masks[depth]
    v = weights.weight[e]
    total = layers.total[depth] + v
    tie = total // 2
    above_without = max(tie + 1 - v, 0)
    even = total % 2 == 0
    leader = layers.leader[depth]
    if leader < 0 or weights.rank[e] < weights.rank[leader]:
        leader = e
    right = np.uint64(0)
    shared = np.uint64(0)
    for w in range(pool.right.shape[0]):
        r, a = pool.right[w, e], pool.answered[w, e]
        won = (masks[tie + 1, w] & a) | (masks[above_without, w] & r)
        if even:
            won |= ((masks[tie, w] & a) | (masks[max(tie - v, 0), w] & r)) & pool.right[w, leader]
        right += popcount(won)
        shared += popcount(masks[0, w] & a)
    return np.int64(right), np.int64(shared)


@inline
def _most(pool: Pool, layers: Layers, depth: int, rest: int) -> tuple[np.int64, np.int64]:
    """(right at most, tasks) of the chosen completed by `rest` more weight, all of it right."""
    layer = max((layers.total[depth] - rest + 1) // 2, 0)
    masks = layers.masks[depth]
    right = np.uint64(0)
    shared = np.uint64(0)
    for w in range(pool.right.shape[0]):
        right += popcount(masks[layer, w])
        shared += popcount(masks[0, w])
    return np.int64(right), np.int64(shared)


@kernel
def weighted_kernel(
    pool: Pool, weights: Weights, wanted: Wanted, layers: Layers, found: Found, size: int, first_stop: int,
    limit: int, lowers: bool, depth: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Depth first; returns (depth, how many found, counted), to be called again until depth is -1 as `scan_kernel`."""
    n = pool.right.shape[1]
    rows = 0
    counted = 0
    while depth >= 0:
        left = size - depth
        high = first_stop if depth == 0 else n - left + 1
        step = 0
        chosen = -1
        for e in range(layers.start[depth], high):
            price = layers.cost[depth] + pool.sums[e + left] - pool.sums[e]
            if price > limit:
                break
            step = step_at(wanted.prices, step, price)
            if left > 1:
                _add(pool, weights, layers, depth, e)
                most, shared = _most(pool, layers, depth + 1, (left - 1) * weights.heaviest)
                fewest = max(shared - (left - 1) * pool.most_missing[e + 1], wanted.base)
                at = max(fewest, min(most, shared))
                if min(most, at) >= wanted.needed[step, at - wanted.base]:
                    chosen = e
                    break
                continue
            counted += 1
            right, shared = _verdicts(pool, weights, layers, depth, e)
            if right < wanted.needed[step, shared - wanted.base]:
                continue
            if rows == found.prices.size:
                layers.start[depth] = e
                return depth, rows, counted - 1
            note(found.members, found.prices, rows, layers.start, depth, e, price)
            found.rights[rows] = right
            found.tasks[rows] = shared
            rows += 1
            if lowers and price < limit:
                limit = price
        depth = depth - 1 if chosen < 0 else depth + 1
    return -1, rows, counted
