"""The best swap of one member for one outsider, or for nobody: a cheap way to a better jury before a long search.

Where price = a value + b, a jury of the right size is as much too dear as its values exceed the requirement, and among
all pairs some differ by just about that. No proof rests on it.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel

# Swaps made at most: the first ones gain nearly all there is.
SWAPS = 8


@kernel
def improve(prices: NDArray[np.int64], values: NDArray[np.int64], requirement: int, jury: NDArray[np.bool_]) -> None:
    """Swap while that makes the jury, which meets the requirement and still does, cheaper."""
    order = np.argsort(values)[::-1]
    surplus = -requirement
    for i in range(len(prices)):
        if jury[i]:
            surplus += values[i]
    for _ in range(SWAPS):
        # Members by falling value; beside each, the cheapest outsider whose value is large enough, or nobody.
        place = 0
        cheapest = -1
        joins = leaves = -1
        gain = 0
        for i in order:
            if not jury[i]:
                continue
            while place < len(order) and values[order[place]] >= values[i] - surplus:
                j = order[place]
                if not jury[j] and (cheapest < 0 or prices[j] < prices[cheapest]):
                    cheapest = j
                place += 1
            if values[i] <= surplus and prices[i] > gain:
                gain, leaves, joins = prices[i], i, -1
            if cheapest >= 0 and prices[i] - prices[cheapest] > gain:
                gain, leaves, joins = prices[i] - prices[cheapest], i, cheapest
        if gain == 0:
            return
        jury[leaves] = False
        surplus -= values[leaves]
        if joins >= 0:
            jury[joins] = True
            surplus += values[joins]
