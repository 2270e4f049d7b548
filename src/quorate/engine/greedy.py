"""GA (paper, section 6.2) on a front: the jury of `select.greedy`, found without looking at most workers.

In the order of price / value the workers before the first big one are small and in every candidate. What is left is
to find the cheapest last worker, and for that the order of prices, which never changes, says more than the order of
ratios.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.engine.front import LEAST, Front, trim, widen
from quorate.select.greedy import greedy_kernel
from quorate.select.order import before

# Instead of a jury's size: nobody can be chosen; a worker had to be looked at whose value is not up to date.
INFEASIBLE = 0
STALE = -1
UNPROVED = -2


@inline
def price_per_value(price: int, worth: int) -> float:
    """c / a, infinite where a = 0."""
    return price / worth if worth > 0 else np.inf


@inline
def ratios(prices: NDArray[np.int64], values: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """price_per_value for everybody."""
    for i in range(len(prices)):
        out[i] = price_per_value(prices[i], values[i])


@inline
def greedy_jury(
    front: Front,
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    by_price: NDArray[np.int64],
    current: int,
    requirement: int,
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """GA's jury, in no order, into jury[:count], and its last worker; or INFEASIBLE, or STALE.

    `front` holds the settled order of price / value, `by_price` everybody by price. Values are up to date in the
    front and for the first `current` workers by price.
    """
    smalls, deficit = _smalls(front, values, requirement)
    if smalls < 0:
        if current < len(prices):
            return STALE, STALE
        if values.sum() < requirement:
            return INFEASIBLE, INFEASIBLE
        while smalls < 0:
            widen(front, 2 * front.size[0] + LEAST)
            smalls, deficit = _smalls(front, values, requirement)
    trim(front, smalls + 1)
    last = _last(front.key, prices, values, by_price, current, front.ids[smalls], deficit)
    if last == UNPROVED:
        count, _, last, _ = greedy_kernel(prices, values, requirement, jury)
        return count, last
    if last == STALE:
        return STALE, STALE
    for place in range(smalls):
        jury[place] = front.ids[place]
    jury[smalls] = last
    return smalls + 1, last


@inline
def _smalls(front: Front, values: NDArray[np.int64], requirement: int) -> tuple[int, int]:
    """How many workers come before the first big one, and what they leave of the requirement; -1: beyond the front."""
    deficit = requirement
    for place in range(front.size[0]):
        worth = values[front.ids[place]]
        if worth >= deficit:
            return place, deficit
        deficit -= worth
    return -1, deficit


@inline
def _last(
    ratios: NDArray[np.float64],
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    by_price: NDArray[np.int64],
    current: int,
    first: int,
    deficit: int,
) -> int:
    """The big worker of the cheapest candidate, `first` being the first big one; UNPROVED where a later small may
    matter.

    GA takes a later candidate only if it is cheaper, so only workers cheaper than `first` matter. Of those after it
    in the order, the first small one, s, ends the scan's first part, whose cheapest big worker is found by going
    through the prices:
    - a big worker j comes before every small one that is as dear: c_j / a_j < c_s / a_s, for a_s < deficit <= a_j
      (where both prices are 0 the ratios tie, and so does their place in `by_price`: by index). Cheaper smalls are
      met before j.
    - Once s has joined, a candidate costs at least twice the cheapest worker after `first`.
    """
    best = first
    small = UNPROVED
    cheapest = UNPROVED
    for place in range(len(by_price)):
        i = by_price[place]
        if prices[i] >= prices[first] or (best != first and prices[i] > prices[best]):
            break
        if place >= current:
            return STALE
        if values[i] == 0 or before(ratios, i, first):
            continue
        if cheapest == UNPROVED:
            cheapest = i
        if values[i] < deficit:
            if small == UNPROVED or before(ratios, i, small):
                small = i
        elif (small == UNPROVED or before(ratios, i, small)) and (best == first or before(ratios, i, best)):
            best = i
    if small != UNPROVED and 2 * prices[cheapest] < prices[best]:
        # All values must be up to date for the scan of everybody.
        return UNPROVED if current == len(by_price) else STALE
    return best
