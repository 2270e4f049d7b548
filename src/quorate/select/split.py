"""Splitting the juries by size, and multipliers that make a search short (MATHS 4).

Where prices are nearly equal, or price = a value + b, the relaxed optimum has a fractional size, and its bound is far
below every jury. So juries are split in four around it: exactly k, exactly k + 1, fewer, and more; the last two are
mostly excluded by their bounds alone.

The multipliers with the least gap make all reduced costs 0 where price = a value + b. That is as good as can be while
so many juries are feasible that some meet the requirement to the billionth; but where hardly any jury of the size is
feasible, every jury is within the gap. Then a larger lam helps, which is about feasibility more than about price, or a
smaller one, which is about price: any lam gives a valid relaxation.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.core import log_length
from quorate.select.order import sort_front
from quorate.select.relaxation import LAM, MOST, MU, SCALE, SENSE, SIZE, reduce_costs, reduced_cost, relax_size

MOST_SIDES = 4
# A split is worth it if it takes this part of the gap that is searched already off the gap that is left.
WORTHWHILE = 0.5
# Multipliers of the value that are tried: the best one times these powers.
STEP = 4.0
STEPS = 10


@inline
def _most_value(values: NDArray[np.int64], size: int) -> int:
    """The sum of the `size` largest values."""
    order = np.arange(len(values))
    sort_front(-values.astype(np.float64), order, 0, len(values), size)
    total = 0
    for k in range(min(size, len(values))):
        total += values[order[k]]
    return total


@kernel
def split(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    size: float,
    reach: float,
    jury: NDArray[np.bool_],
    sides: NDArray[np.float64],
) -> int:
    """Relax the sides of a split at the relaxed size, by rising gaps; how many sides, 0 if not worth it.

    The relaxation given was searched up to a gap of `reach`. A side without a jury is left out: too few workers, or too
    little value in the most valuable ones.
    """
    n = len(prices)
    work = np.empty(n)
    gaps = np.empty(MOST_SIDES)
    below = int(size)
    count = 0
    for sense, most in ((1.0, below + 2), (0.0, below + 1), (0.0, below), (-1.0, below - 1)):
        if most > n or most < 1 or (sense <= 0.0 and _most_value(values, most) < requirement):
            continue
        side = np.array([sense, float(most), relaxation[LAM], 0.0, relaxation[SCALE]])
        relax_size(prices, values, keys, requirement, side, jury)
        gap = reduce_costs(prices, values, keys, requirement, side, jury, work)
        at = count
        while at > 0 and gaps[at - 1] > gap:
            gaps[at] = gaps[at - 1]
            sides[at] = sides[at - 1]
            at -= 1
        gaps[at] = gap
        sides[at] = side
        count += 1
    gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, work)
    return count if gap - gaps[count - 1] >= WORTHWHILE * reach else 0


@inline
def _relax_value_at(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    relaxation: NDArray[np.float64],
    work: NDArray[np.float64],
    order: NDArray[np.int64],
) -> None:
    """Set the best mu for the lam given: between the k-th smallest cost - lam value and the next one."""
    n = len(prices)
    for i in range(n):
        work[i] = reduced_cost(prices[i], values[i], relaxation[SCALE] * keys[i], relaxation[LAM], 0.0)
        order[i] = i
    size = int(relaxation[SIZE])
    sort_front(work, order, 0, n, size + 1)
    mu = 0.5 * (work[order[max(0, size - 1)]] + work[order[min(n - 1, size)]])
    sense = relaxation[SENSE]
    relaxation[MU] = mu if sense == 0.0 else sense * max(0.0, sense * mu)


@kernel
def shorten(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> bool:
    """Write to `out` the multipliers that make the search within the jury's gap short; whether they are others."""
    work = np.empty(len(prices))
    order = np.arange(len(prices))
    out[:] = relaxation
    gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, work)
    shortest = log_length(work, gap)
    other = relaxation.copy()
    found = False
    for step in range(-STEPS, STEPS + 1):
        other[LAM] = relaxation[LAM] * STEP**step if step > -STEPS else 0.0
        _relax_value_at(prices, values, keys, other, work, order)
        if abs(other[MU]) > MOST:
            continue
        gap = reduce_costs(prices, values, keys, requirement, other, jury, work)
        length = log_length(work, gap)
        if length < shortest:
            shortest = length
            out[:] = other
            found = True
    return found
