"""Lagrange relaxations of the minimum knapsack (MATHS 4).

cost_i = price_i + scale * key_i. For multipliers lam >= 0 of the value and mu of the jury's size, every jury S costs
    sum of cost = [lam M + mu k + sum(min(0, r_i))] + sum over flips |r_i| + lam (v(S) - M) + mu (|S| - k)
with the reduced costs r_i = cost_i - lam v_i - mu and the flips against the base jury {i: r_i < 0}. The bracket is the
bound. The terms after it are non-negative if S meets the requirement M and has at least k members (mu >= 0), at most k
(mu <= 0), or exactly k (any mu). At least 0 is no condition: mu = 0 is the plain relaxation.

The scale of the keys sets what a relaxation covers:
- so small that all keys together weigh less than one millionth: costs sort juries as (price, key sum) does;
- 0: prices alone;
- larger: only juries of one and the same price are compared, whose ties it breaks; the price acts as a multiplier.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.knapsack import KEY_BITS
from quorate.select.order import before, breaking_worker

# A relaxation is five numbers: the sense of the bound on the size (-1 at most, 0 exactly, 1 at least) and the size k,
# the multipliers lam and mu, and the scale of the keys.
SENSE = 0
SIZE = 1
LAM = 2
MU = 3
SCALE = 4
WIDTH = 5

# All keys together, at the scale that sorts by price first; in millionths.
KEY_WEIGHT = 1.0 / 16.0
# Veltkamp's constant: splits a double into two halves of 26 bits.
SPLIT = 134217729.0
# Multipliers of a size stay below this, above all prices, so that reduced costs are exact to 2^-60 (2^-105 of it).
MOST = 2.0**44
# Bounds on rounding: of each reduced cost by its multipliers and by its key (2^-53 of scale * key), and of sums, which
# have as many terms as there are workers, relative to all that is added up.
BY_MULTIPLIERS = 2.0**-58
BY_KEY = 2.0 ** (KEY_BITS - 52)
BY_SUMMING = 2.0**-52
BY_CANCELLING = 2.0**-50
# More tangents than halvings of any bracket of doubles, and the steps to find one.
TANGENTS = 200
# Where tangents meet is off by a rounding of the bracket's width: only once more, from there, is it where they meet.
ROUNDED = 2


@inline
def key_scale(workers: int) -> float:
    """A power of two at which the keys of all workers sum to less than KEY_WEIGHT."""
    scale = KEY_WEIGHT * 0.5**KEY_BITS
    while workers > 0:
        scale *= 0.5
        workers //= 2
    return scale


@inline
def reduced_cost(price: int, value: int, addend: float, lam: float, mu: float) -> float:
    """price - lam value - mu + addend, rounded about once although the first three terms may cancel.

    lam * value is split into a rounded product and its error (Dekker), price - mu and the next difference likewise
    (Knuth's two-sum): the result is off by 2^-53 of itself and of the addend, and 2^-105 of the terms.
    """
    v = float(value)
    product = lam * v
    t = SPLIT * lam
    lam_high = t - (t - lam)
    lam_low = lam - lam_high
    t = SPLIT * v
    v_high = t - (t - v)
    v_low = v - v_high
    product_error = ((lam_high * v_high - product) + lam_high * v_low + lam_low * v_high) + lam_low * v_low
    p = float(price)
    s = p - mu
    t = s - p
    s_error = (p - (s - t)) + (-mu - t)
    d = s - product
    t = d - s
    d_error = (s - (d - t)) + (-product - t)
    result: float = d + (d_error + s_error - product_error + addend)
    return result


@inline
def rounding(workers: int, scale: float, total: float) -> float:
    """How far a sum of reduced costs may be from the real one."""
    return workers * (BY_MULTIPLIERS + BY_KEY * scale + BY_SUMMING * total)


@inline
def reduce_costs(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
    reduced: NDArray[np.float64],
) -> float:
    """Fill in the reduced costs; return the cost of a jury that meets the requirement, less the bound, rounded up.

    Negative: no jury of the size that the relaxation is about costs as little. The jury need not be of that size.
    """
    lam = relaxation[LAM]
    mu = relaxation[MU]
    scale = relaxation[SCALE]
    surplus = -requirement
    size = -relaxation[SIZE]
    gap = 0.0
    for i in range(len(prices)):
        r = reduced_cost(prices[i], values[i], scale * keys[i], lam, mu)
        reduced[i] = r
        if jury[i]:
            surplus += values[i]
            size += 1.0
            gap += max(0.0, r)
        else:
            gap -= min(0.0, r)
    gap += lam * surplus
    total: float = gap + mu * size + rounding(len(prices), scale, gap) + BY_CANCELLING * (gap + abs(mu * size))
    return total


@inline
def relax_value(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    mu: float,
    scale: float,
    ratios: NDArray[np.float64],
) -> tuple[float, int, float]:
    """The best lam for a given mu and scale, the worker with whom the requirement is reached, and the relaxed size.

    The worker is -1 if lam = 0, because workers of negative cost - mu suffice. Values are positive, and enough.
    """
    n = len(prices)
    order = np.empty(n, np.int64)
    for i in range(n):
        ratios[i] = (prices[i] - mu + scale * keys[i]) / values[i]
        order[i] = i
    worker = breaking_worker(ratios, values, requirement, order, n)
    size = 0.0
    if ratios[worker] < 0.0:
        for i in range(n):
            if ratios[i] < 0.0:
                size += 1.0
        return 0.0, -1, size
    need = requirement
    for i in range(n):
        if before(ratios, i, worker):
            need -= values[i]
            size += 1.0
    return ratios[worker], worker, size + need / values[worker]


@inline
def _try(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
    work: NDArray[np.float64],
    mu: float,
) -> tuple[float, float]:
    """Set mu and the best lam for it: (the relaxed size less the size that the relaxation is about, the jury's gap).

    The gap is convex in mu; the first is its slope.
    """
    relaxation[MU] = mu
    relaxation[LAM], _, size = relax_value(prices, values, keys, requirement, mu, relaxation[SCALE], work)
    gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, work)
    return size - relaxation[SIZE], gap


@kernel
def relax_size(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
) -> None:
    """Set lam and mu to the best ones for the size that the relaxation is about, starting from its mu.

    The jury's gap is convex in mu; its least is where the tangents at both ends of a bracket meet, or is found by
    bisection where rounding hides that. Wherever the search ends, the relaxation is valid.
    """
    work = np.empty(len(prices))
    mu = relaxation[MU]
    slope, gap = _try(prices, values, keys, requirement, relaxation, jury, work, mu)
    # For an exact size mu has no sign to keep: it moves towards the size.
    sense = relaxation[SENSE] if relaxation[SENSE] != 0.0 else (1.0 if slope < 0.0 else -1.0)
    step = 1.0
    near = far = near_gap = far_gap = 0.0
    near_slope = 1.0
    far_slope = -1.0
    best = np.array([gap, relaxation[LAM], mu])
    meeting = False
    met = 0
    for _ in range(TANGENTS):
        slope *= sense
        if gap < best[0]:
            best[0], best[1], best[2] = gap, relaxation[LAM], mu
        met = met + 1 if meeting and slope in (near_slope, far_slope) else 0
        if slope == 0.0 or met == ROUNDED:
            # On an end's tangent where both tangents meet, which is nowhere above the gap: the least.
            break
        if slope > 0.0:
            far, far_gap, far_slope = mu, gap, slope
        else:
            near, near_gap, near_slope = mu, gap, slope
        if far_slope < 0.0:
            mu = near + sense * step
            if abs(mu) > MOST:
                break
        elif near_slope >= 0.0:
            if sense * far <= 0.0:
                break
            mu = sense * max(0.0, sense * far - step)
        else:
            # Slopes are per step in the direction of `sense`.
            width = sense * (far - near)
            along = (near_gap - far_gap + far_slope * width) / (far_slope - near_slope)
            meeting = 0.0 < along < width
            mu = near + sense * (along if meeting else 0.5 * width)
            if mu in (near, far):
                break
        step *= 2.0
        slope, gap = _try(prices, values, keys, requirement, relaxation, jury, work, mu)
    relaxation[LAM] = best[1]
    relaxation[MU] = best[2]
