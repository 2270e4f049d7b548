"""The greedy algorithm GA for the minimum knapsack (paper, section 6.2, after Csirik et al.; MATHS 4).

GA is within a factor 2 of the optimum and monotone in each price, but bossy, hence not two-valued: a loser's price can
change the winning set while the loser keeps losing (MATHS 6).
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.knapsack import INFEASIBLE, Certificate, Knapsack, Selection
from quorate.select.order import SHORT, before, breaking_ratio, breaking_worker, sort_front

# How far a product of two rounded floats may be from the real number, with room to spare.
ROUNDING = 1e-12


@inline
def _worth_scanning(
    ratios: NDArray[np.float64],
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    first: int,
    deficit: int,
    found: NDArray[np.int64],
) -> int:
    """Workers after the first big one that can still matter; their number.

    A worker at least as expensive as the first big one, and big now, stays big, and its candidate is never cheaper.
    """
    count = 0
    for i in range(len(prices)):
        if (prices[i] < prices[first] or values[i] < deficit) and before(ratios, first, i) and values[i] > 0:
            found[count] = i
            count += 1
    return count


@inline
def _scan(
    ratios: NDArray[np.float64],
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    queue: NDArray[np.int64],
    first: int,
    deficit: int,
    smalls: NDArray[np.int64],
) -> tuple[int, int]:
    """GA's scan after the first big worker: (big worker of the cheapest candidate, how many of `smalls` it has).

    Prices are relative to the smalls before the first big worker. All later candidates contain the smalls so far, and
    close the rest of the deficit at the present ratio or a worse one: the scan stops when that is no cheaper than the
    best. So only as much of the queue is sorted as the scan needs.
    """
    best = prices[first]
    last = first
    joined = 0
    used = 0
    spent = 0
    ready = 0
    for k in range(len(queue)):
        if k == ready:
            ready = sort_front(ratios, queue, k, len(queue), 2 * k + SHORT)
        i = queue[k]
        if (1.0 - ROUNDING) * ratios[i] * deficit >= best - spent:
            break
        if values[i] < deficit:
            spent += prices[i]
            deficit -= values[i]
            smalls[joined] = i
            joined += 1
        elif spent + prices[i] < best:
            best = spent + prices[i]
            last = i
            used = joined
    return last, used


@kernel
def greedy_kernel(
    prices: NDArray[np.int64], values: NDArray[np.int64], requirement: int, members: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    """GA: (count, price, last, position); count is -1 if infeasible.

    `members[:count]` gets the jury, ascending. `last` is the worker that the jury uses last in the order of
    price / value (ties by index), `position` how many workers stand before it: CCB-SE's k is position + 1, its
    prefix all workers up to `last` (paper, section 6.2). The empty jury, for a requirement of 0, has last = -1.
    """
    n = len(prices)
    if requirement <= 0:
        return 0, 0, -1, -1
    ratios = np.empty(n)
    order = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if values[i] > 0:
            ratios[i] = prices[i] / values[i]
            order[count] = i
            count += 1
        else:
            ratios[i] = np.inf
    first = breaking_worker(ratios, values, requirement, order, count)
    if first < 0:
        return -1, 0, -1, -1
    jury = np.empty(n, np.bool_)
    deficit = requirement
    for i in range(n):
        jury[i] = before(ratios, i, first)
        if jury[i]:
            deficit -= values[i]
    size = _worth_scanning(ratios, prices, values, first, deficit, order)
    smalls = np.empty(size, np.int64)
    last, used = _scan(ratios, prices, values, order[:size], first, deficit, smalls)
    for small in smalls[:used]:
        jury[small] = True
    jury[last] = True
    count = 0
    price = 0
    position = 0
    for i in range(n):
        if jury[i]:
            members[count] = i
            count += 1
            price += prices[i]
        if before(ratios, i, last):
            position += 1
    return count, price, last, position


@kernel
def relaxation_bound(prices: NDArray[np.int64], values: NDArray[np.int64], requirement: int, multiplier: float) -> int:
    """A price below which no feasible jury lies: the Lagrange bound, rounded safely.

    min p.x  subject to  v.x >= M  is at least  multiplier M - sum(max(0, multiplier v_i - p_i))  for every
    multiplier >= 0. Products, differences and partial sums are each off by at most 2^-53 of what they are made of.
    """
    gain = 0.0
    magnitude = multiplier * requirement
    for i in range(len(prices)):
        worth = multiplier * values[i]
        if worth > prices[i]:
            gain += worth - prices[i]
            magnitude += worth
    error = magnitude * (len(prices) + 4) * 2.0**-51
    return max(0, int(np.ceil(multiplier * requirement - gain - error)))


def greedy(knapsack: Knapsack) -> Selection:
    """GA: scan by price / value; smalls join, a worker that would reach the requirement makes a candidate.

    The cheapest candidate wins, the first of equals. The certificate's bound is that of the linear relaxation.
    """
    prices, values, requirement = knapsack.prices, knapsack.values, knapsack.requirement
    members = np.empty(len(knapsack), np.int64)
    count, price, _, _ = greedy_kernel(prices, values, requirement, members)
    if count < 0:
        return INFEASIBLE
    bound = 0
    if count > 0:
        bound = relaxation_bound(prices, values, requirement, breaking_ratio(prices, values, requirement))
    return Selection(True, tuple(members[:count].tolist()), price, Certificate("relaxation", bound, factor=2))
