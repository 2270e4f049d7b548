"""Workers whom no best jury needs, and workers who are alike: what makes many equal workers few (MATHS 4).

Call i better than j when i comes before j by (price, key, position) and is worth at least as much. Where a best jury
has j but not some better i, it may as well have i in j's place. So some best jury has, with each member, all who are
better; and where these alone reach the requirement it can do without the member. Of a hundred vendors of one price and
one quality only as many are left as could be needed. Nothing here looks at a clock or at a limit, so the winner stays
the same.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel


@inline
def _add(tree: NDArray[np.int64], place: int, value: int) -> None:
    """A Fenwick tree of sums: `value` more at a place, counted from 1."""
    while place < len(tree):
        tree[place] += value
        place += place & -place


@inline
def _up_to(tree: NDArray[np.int64], place: int) -> int:
    """The sum of all places up to this one."""
    total = 0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@inline
def _by_falling_value(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(each worker's place by falling value, the last place of those worth as much), both counted from 1."""
    n = len(values)
    order = np.argsort(-values, kind="mergesort")
    place = np.empty(n, np.int64)
    last = np.empty(n, np.int64)
    for k in range(n - 1, -1, -1):
        worker = order[k]
        place[worker] = k + 1
        same = k + 1 < n and values[order[k + 1]] == values[worker]
        last[worker] = last[order[k + 1]] if same else k + 1
    return place, last


@kernel
def needed(
    prices: NDArray[np.int64], values: NDArray[np.int64], keys: NDArray[np.int64], requirement: int
) -> NDArray[np.bool_]:
    """Whom some best jury may need: those whose betters together miss the requirement."""
    n = len(prices)
    place, last = _by_falling_value(values)
    by_key = np.argsort(keys, kind="mergesort")
    order = by_key[np.argsort(prices[by_key], kind="mergesort")]
    tree = np.zeros(n + 1, np.int64)
    out = np.empty(n, np.bool_)
    for worker in order:
        out[worker] = _up_to(tree, last[worker]) < requirement
        _add(tree, place[worker], values[worker])
    return out


@kernel
def alike(prices: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each worker the first one of the same price and value, by which they are a group."""
    by_value = np.argsort(values, kind="mergesort")
    order = by_value[np.argsort(prices[by_value], kind="mergesort")]
    out = np.empty(len(prices), np.int64)
    for k in range(len(order)):
        i, before = order[k], order[k - 1] if k > 0 else -1
        same = k > 0 and prices[i] == prices[before] and values[i] == values[before]
        out[i] = out[before] if same else i
    return out
