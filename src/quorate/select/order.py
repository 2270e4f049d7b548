"""The order of price over value, and where a running sum of values in it reaches the requirement.

Greedy selection (paper, section 6.2) and the linear relaxation (the exact selector's multiplier) both need only that
one place, which a quickselect finds in linear time; nobody needs the whole order.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel

# Below this length an insertion sort beats another partition.
SHORT = 12


@inline
def before(ratios: NDArray[np.float64], i: int, j: int) -> bool:
    """Whether worker i comes before worker j: smaller ratio, then smaller index."""
    return bool(ratios[i] < ratios[j] or (ratios[i] == ratios[j] and i < j))


@inline
def insertion_sort(ratios: NDArray[np.float64], order: NDArray[np.int64], low: int, high: int) -> None:
    for k in range(low + 1, high):
        worker = order[k]
        place = k
        while place > low and before(ratios, worker, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = worker


@inline
def _median(ratios: NDArray[np.float64], i: int, j: int, k: int) -> int:
    """The middle one of three workers."""
    if before(ratios, j, i):
        i, j = j, i
    if before(ratios, k, i):
        return i
    return k if before(ratios, k, j) else j


@inline
def partition(ratios: NDArray[np.float64], order: NDArray[np.int64], low: int, high: int) -> int:
    """Hoare's partition of order[low:high], at least three long, about a median of three; the end of the left part.

    Workers are distinct in the order, so the median is neither the first nor the last and both parts are non-empty.
    """
    pivot = _median(ratios, order[low], order[(low + high) // 2], order[high - 1])
    i = low
    j = high - 1
    while True:
        while before(ratios, order[i], pivot):
            i += 1
        while before(ratios, pivot, order[j]):
            j -= 1
        if i >= j:
            return j + 1
        order[i], order[j] = order[j], order[i]
        i += 1
        j -= 1


@inline
def breaking_worker(
    ratios: NDArray[np.float64], values: NDArray[np.int64], requirement: int, order: NDArray[np.int64], count: int
) -> int:
    """The worker with whom the sum of values, in the order, first reaches the requirement; -1 if none does.

    `order[:count]` holds the workers to consider and is rearranged: those before the breaking worker come first.
    """
    low = 0
    high = count
    need = requirement
    while high - low > SHORT:
        cut = partition(ratios, order, low, high)
        left = 0
        for k in range(low, cut):
            left += values[order[k]]
        if left >= need:
            high = cut
        else:
            need -= left
            low = cut
    insertion_sort(ratios, order, low, high)
    for k in range(low, high):
        need -= values[order[k]]
        if need <= 0:
            return int(order[k])
    return -1


@inline
def sort_front(ratios: NDArray[np.float64], order: NDArray[np.int64], start: int, count: int, wanted: int) -> int:
    """Put the first workers of order[start:count] in order until `wanted` places are in order; returns how many are.

    A quicksort that never touches what lies right of the cuts it needs.
    """
    cuts = [count]
    while start < min(wanted, count):
        if cuts[-1] - start > SHORT:
            cuts.append(partition(ratios, order, start, cuts[-1]))
        else:
            stop = cuts.pop()
            insertion_sort(ratios, order, start, stop)
            start = stop
    return start


@kernel
def breaking_ratio(prices: NDArray[np.int64], values: NDArray[np.int64], requirement: int) -> float:
    """The price per value at which the linear relaxation of the knapsack meets the requirement; infinite if none."""
    n = len(prices)
    ratios = np.empty(n)
    order = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if values[i] > 0:
            ratios[i] = prices[i] / values[i]
            order[count] = i
            count += 1
    worker = breaking_worker(ratios, values, requirement, order, count)
    return np.inf if worker < 0 else ratios[worker]
