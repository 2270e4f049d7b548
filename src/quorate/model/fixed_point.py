"""Fixed-point values: billionths, rounded outward (MATHS 4).

Float summation order would break exact ties differently on different machines, and ties matter to
truthfulness (MATHS 6), so what a worker brings to a jury is an integer number of billionths. Pessimistic values
are rounded down and requirements up: a jury that meets the rounded constraint meets the real one.
Optimistic values are rounded up, so that the optimistic problem never misses a jury that is good enough.
"""

import numpy as np
from numpy.typing import NDArray

BILLIONTHS = 1_000_000_000
# A certain worker's log-odds value is infinite: it counts as this many billionths, far above any requirement,
# and sums over 10^6 workers stay inside 64 bits.
LARGEST_VALUE = 2**42


def round_down(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """floor(value * 10^9), at most LARGEST_VALUE."""
    return np.floor(np.minimum(values * BILLIONTHS, float(LARGEST_VALUE))).astype(np.int64)


def round_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """ceil(value * 10^9), at most LARGEST_VALUE."""
    return np.ceil(np.minimum(values * BILLIONTHS, float(LARGEST_VALUE))).astype(np.int64)
