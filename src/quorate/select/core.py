"""All juries near a Lagrange solution, met in the middle: the engine of the exact selector (MATHS 4).

Relative to a base jury, a jury is a set F of flips (workers who join or leave), and with a multiplier
    cost(jury) = bound + sum of the reduced costs of F + multiplier * (surplus of value),
all terms after the bound non-negative (see `relaxation`). So a jury within `gap` of the bound flips workers whose
reduced costs sum to at most `gap`: these workers are the core.

Put the core in some order and let a threshold fall below 0 along it. The sums of reduced costs of F's prefixes rise
from 0, so they first pass the threshold at some place j. The part up to j - 1 is then within the threshold there, and
the part after j within `gap` minus the threshold at j. Both kinds of parts are listed; a list is about as long as the
square root of the number of juries within the gap.
"""

import math

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.order import sort_front
from quorate.select.parts import FLIP, NOTHING, PART, PASSED, extend, grown, join, put, trace

# Beyond this, exp(-x) is lost beside the other terms.
NEGLIGIBLE = 40.0
# Bisections of the rate, which need not be exact.
HALVINGS = 8
# At the least rate, times the largest reduced cost, all sets of flips count alike.
LEAST_RATE = 1e-6
MOST_RATE = 1e300
ROUNDING = 1e-9
MOST_SURPLUS = 2.0**60
# Reduced costs looked at for an estimate.
NEAREST = 4096


@inline
def _expected(reduced: NDArray[np.float64], order: NDArray[np.int64], count: int, rate: float) -> tuple[float, float]:
    """The sums E of r / (1 + exp(rate r)) and Z of ln(1 + exp(-rate r)) over order[:count], by rising r."""
    energy = 0.0
    weight = 0.0
    for k in range(count):
        r = reduced[order[k]]
        if rate * r > NEGLIGIBLE:
            break
        factor = math.exp(-rate * r)
        energy += r * factor / (1.0 + factor)
        weight += math.log1p(factor)
    return energy, weight


@inline
def aim(
    reduced: NDArray[np.float64], order: NDArray[np.int64], count: int, target: float, gap: float
) -> tuple[float, float, float]:
    """(rate, gap to search, about the logarithm of the lists' length), for lists of at most exp(target) parts.

    By Chernoff's bound a list within a gap E(rate) has, with the thresholds below, at most exp((rate E + Z) / 2) parts,
    and this is the best rate for that gap. The gap searched is at most `gap`. Any rate gives a right search.
    """
    high = 1.0 / (reduced[order[count - 1]] + 1.0 / MOST_RATE)
    low = LEAST_RATE * high
    energy, weight = _expected(reduced, order, count, low)
    short = 0.5 * (low * energy + weight) <= target
    if short and energy <= gap:
        # All parts there are make lists that are short enough.
        return low, gap, 0.5 * weight
    energy, weight = _expected(reduced, order, count, high)
    while (energy > gap or 0.5 * (high * energy + weight) > target) and high < MOST_RATE:
        short = 0.5 * (high * energy + weight) <= target
        high *= 2.0
        energy, weight = _expected(reduced, order, count, high)
    low = 0.5 * high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        less, lighter = _expected(reduced, order, count, middle)
        if less > gap or 0.5 * (middle * less + lighter) > target:
            short = 0.5 * (middle * less + lighter) <= target
            low = middle
        else:
            high, energy, weight = middle, less, lighter
    # Just below the rate only the gap stood in the way, or else the length.
    return high, (gap if short else energy), 0.5 * (high * energy + weight)


@inline
def log_length(reduced: NDArray[np.float64], gap: float) -> float:
    """About the logarithm of the lists' length for a whole gap. Reduced costs lose their signs."""
    if gap < 0.0:
        return 0.0
    order = np.arange(len(reduced))
    for i in range(len(reduced)):
        reduced[i] = abs(reduced[i])
    ready = sort_front(reduced, order, 0, len(reduced), NEAREST)
    return aim(reduced, order, ready, np.inf, gap)[2]


@inline
def thresholds(core: NDArray[np.void], gap: float, rate: float) -> NDArray[np.float64]:
    """The threshold at each place: gap / 2 + (Z / rate) (1/2 - the share of Z up to there); at the last, below 0.

    It balances the bounds on both lists; the less a gap excludes (the smaller the rate), the steeper it is.
    """
    n = len(core)
    out = np.empty(n)
    total = 0.0
    for j in range(n):
        total += math.log1p(math.exp(-rate * core[j]["reduced"]))
        out[j] = total
    for j in range(n):
        out[j] = 0.5 * gap + (0.5 * total - out[j]) / rate
    out[n - 1] = -1.0
    return out


@inline
def _windows(core: NDArray[np.void], need: int, surplus: int) -> NDArray[np.int64]:
    """The values that parts must have to be of use: row j for parts up to j, row n + j for parts from j on.

    With all flips that the part has no say in, a jury must be able to bring at least `need` and at most `surplus`
    more.
    """
    n = len(core)
    out = np.empty((2 * n, 2), np.int64)
    for side in range(2):
        lost = 0
        won = 0
        for k in range(n):
            j = n - 1 - k if side == 0 else k
            out[side * n + j, 0] = need - won
            out[side * n + j, 1] = need - lost + surplus
            lost += min(0, core[j]["value"])
            won += max(0, core[j]["value"])
    return out


@inline
def _left_parts(
    core: NDArray[np.void],
    limits: NDArray[np.float64],
    gap: float,
    windows: NDArray[np.int64],
    most: int,
    bounds: NDArray[np.int64],
) -> tuple[NDArray[np.void], NDArray[np.void], int, int]:
    """The parts that flip workers up to j and first pass the threshold there, from bounds[j] to bounds[j + 1].

    Also returns the history, its length, and the length of the longest list within the thresholds: it ends with the
    first that is longer than `most`.
    """
    passed = np.empty(512, PASSED)
    past = np.empty(256, FLIP)
    parts = np.empty(256, PART)
    other = np.empty(256, PART)
    put(parts, 0, 0, 0, 0, 0.0, NOTHING)
    size = 1
    entry = 0
    longest = 1
    bounds[0] = 0
    for j in range(len(core)):
        other = grown(other, 0, 2 * size + 1)
        passed = grown(passed, bounds[j], 2 * size + 1)
        past = grown(past, entry, size + 1)
        size, bounds[j + 1], entry = extend(
            parts, size, core[j], j, windows[j], limits[j], other, gap, passed, bounds[j], past, entry
        )
        parts, other = other, parts
        longest = max(longest, size)
        if longest > most:
            break
    return passed, past, entry, longest


@kernel
def search(
    core: NDArray[np.void],
    gap: float,
    rate: float,
    need: int,
    lam: float,
    most: int,
    best: NDArray[np.void],
    flips: NDArray[np.int64],
) -> tuple[int, int]:
    """The cheapest set of flips that brings `need`, among those whose reduced costs sum to at most `gap`.

    Surplus value costs `lam` more. `core` (not empty) is in the order of the search. `best[0]` is the incumbent; if it
    is beaten, it is overwritten and `flips[:count]` gets the places of the flips. Returns (count, or -1 if not
    beaten; the longest list). If that is longer than `most`, the search was not finished.
    """
    limits = thresholds(core, gap, rate)
    surplus = int(min((1.0 + ROUNDING) * gap / lam, MOST_SURPLUS)) + 1 if lam > 0.0 else int(MOST_SURPLUS)
    windows = _windows(core, need, surplus)
    bounds = np.empty(len(core) + 1, np.int64)
    left, past, entry, longest = _left_parts(core, limits, gap, windows, most, bounds)
    if longest > most:
        return -1, longest

    nowhere = np.empty(1, PASSED)
    right = np.empty(256, PART)
    other = np.empty(256, PART)
    put(right, 0, 0, 0, 0, 0.0, NOTHING)
    size = 1
    origins = np.empty(2, np.int64)
    found = -1
    for j in range(len(core) - 1, -1, -1):
        if join(left, bounds[j], bounds[j + 1], right, size, need, best, origins):
            found = j
        if bounds[j] == 0:
            break
        other = grown(other, 0, 2 * size + 1)
        past = grown(past, entry, size + 1)
        limit = gap - limits[j - 1]
        window = windows[len(core) + j]
        size, _, entry = extend(right, size, core[j], j, window, limit, other, limit, nowhere, 0, past, entry)
        right, other = other, right
        longest = max(longest, size)
        if longest > most:
            break
    if found < 0:
        return -1, longest
    count = trace(past, origins[0] >> 1, flips, trace(past, origins[1], flips, 0))
    if origins[0] & 1:
        flips[count] = found
        count += 1
    return count, longest
