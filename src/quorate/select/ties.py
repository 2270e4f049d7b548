"""Breaking ties among juries of the least price: which scale of the keys makes the search short (MATHS 4).

Once no jury is cheaper, only juries of the same price matter, and any scale of the keys gives a valid relaxation for
comparing these (see `relaxation`).
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.core import log_length
from quorate.select.relaxation import SCALE, reduce_costs, relax_size

# Estimates this much above the shortest (in logarithms) are past it.
PAST = 5.0


@inline
def _log_length(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
    reduced: NDArray[np.float64],
) -> float:
    """Set the best multipliers for the scale; about the logarithm of the length of the lists for the jury's gap."""
    relax_size(prices, values, keys, requirement, relaxation, jury)
    gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, reduced)
    return log_length(reduced, gap)


@kernel
def relax_ties(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
) -> None:
    """Set the scale, at least the present one, and multipliers that make the search for ties with the jury short."""
    work = np.empty(len(prices))
    best = relaxation.copy()
    shortest = np.inf
    while relaxation[SCALE] < 1.0:
        length = _log_length(prices, values, keys, requirement, relaxation, jury, work)
        if length > shortest + PAST:
            break
        if length < shortest:
            shortest = length
            best = relaxation.copy()
        relaxation[SCALE] *= 2.0
    for k in range(len(best)):
        relaxation[k] = best[k]
