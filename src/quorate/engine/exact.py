"""The exact selector (MATHS 4) inside a compiled run."""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import merge
from quorate.select.exact import MOST_RELAXATIONS, exact_kernel
from quorate.select.relaxation import WIDTH

INFEASIBLE = -1


@merge
def exact_jury(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    requirement: int,
    keys: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """(size, price) of the jury of `select.exact`, in jury[:size]; the size is INFEASIBLE if there is none.

    The cheapest jury of least key sum is one and the same whoever finds it, so workers of no value may be passed along.
    """
    proof = np.empty((MOST_RELAXATIONS, WIDTH))
    size, _ = exact_kernel(prices, np.minimum(values, requirement), requirement, keys, jury, proof)
    price = 0
    for place in range(size):
        price += prices[jury[place]]
    return size, price
