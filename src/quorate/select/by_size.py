"""Exact selection where the constraint is not additive: fix the jury's size (MATHS 4).

For juries of one fixed size s each of `majority`, `likelihood` and `hoeffding` is a symmetric function that falls
when any member's quality rises. So, size by size:

1. A worker with s dominators, cheaper (price, then key) and no worse, is in no best jury of that size: one of them is
outside the jury and would do better in its place. 2. Depth first over the rest, cheapest first. A prefix is left when
even the cheapest completion, which is the next ones in order, is not cheaper than the best jury known; or when even
the best completion, the highest qualities that come later, misses the target. Or when a Lagrangian bound says so:
a jury that meets the target has values that sum to a requirement (`relaxed`), so for any multiplier no completion is
cheaper than the requirement's worth plus its members' reduced prices. 3. Larger sizes are over once the s cheapest
workers together are no cheaper than the best jury known.

Even sizes are needed by `hoeffding` alone. Under `majority` a jury of 2k always has a member without which it errs no
more: given a tie the chances of being wrong add up to k over 2k members, so for some member it is at least 1/2, and
dropping that one is what the fair coin does or better. Under `likelihood` dropping the best member of 2k leaves the k
lowest as they were.

No limit ends the search: one that looked at the clock or at a count of nodes would cost two-valuedness (MATHS 4). So it
takes as long as it takes, which is microseconds to milliseconds where prices tell workers apart, and exponentially
long where they do not: with prices exactly proportional to 2q - 1, q uniform on [.55, .85], every jury's Lagrangian
bound is the same. `majority` then took .03 s for 60 workers at alpha .05 (120,000 nodes), .5 to 8 s for 100 (16
million) and 11 to 27 s for 100 at alpha .02 (34 million); `likelihood` .1 s there, `hoeffding` .01 s. Draw a smaller
pool, or take an additive model with `exact`.

Ties in price go to the smaller sum of keys: among completions of equal price the next ones in order have that too.
"""

import math

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.model.error.hoeffding import hoeffding_kernel
from quorate.model.error.likelihood import likelihood_kernel
from quorate.model.error.log_odds import log_odds_value
from quorate.model.error.majority import majority_kernel
from quorate.model.problem import as_qualities
from quorate.select.knapsack import INFEASIBLE, Certificate, Selection, check_prices_and_keys

MAJORITY, LIKELIHOOD, HOEFFDING = 0, 1, 2
# Bounds are rounded; a branch is left only if it misses by more than rounding could explain.
ROUNDING = 1e-12
UNKNOWN = 2**62
LAGRANGE_STEPS = 40
GOLDEN = 0.6180339887498949

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@inline
def error_of(kind: int, qualities: Floats) -> float:
    """f_S(q), by the model's own kernel, so that the jury chosen is the one that the model accepts."""
    if kind == MAJORITY:
        return majority_kernel(qualities)
    if kind == LIKELIHOOD:
        return likelihood_kernel(qualities)
    return hoeffding_kernel(qualities)


@kernel
def by_size_kernel(
    kind: int, given_prices: Ints, worth: Floats, given_keys: Ints, workers: Ints, alpha: float, jury: Ints
) -> tuple[int, int]:
    """The best jury into `jury`, ascending: (its size, nodes visited); size -1 if none meets the target.

    `workers` is everybody in the order of (price, key); `worth` are the qualities.
    """
    n = len(workers)
    prices, qualities, keys = given_prices[workers], worth[workers], given_keys[workers]
    ranked = np.sort(qualities)[::-1].copy()
    best = np.array([UNKNOWN, UNKNOWN])
    size, nodes = -1, 0
    price, key = 0, 0
    for s in range(1, n + 1):
        price += prices[s - 1]
        key += keys[s - 1]
        if price > best[0] or (price == best[0] and key >= best[1]):
            break
        if (kind != HOEFFDING and s % 2 == 0) or error_of(kind, ranked[:s]) >= alpha + ROUNDING:
            continue
        found, visited = _of_size(kind, s, prices, qualities, keys, workers, worth, alpha, jury, best)
        nodes += visited
        if found:
            size = s
    return size, nodes


@kernel
def _of_size(
    kind: int,
    s: int,
    prices: Ints,
    qualities: Floats,
    keys: Ints,
    workers: Ints,
    worth: Floats,
    alpha: float,
    jury: Ints,
    best: Ints,
) -> tuple[bool, int]:
    """Search the juries of size s for one that is better than `best` (price, key), which it updates."""
    kept = _undominated(s, qualities)
    m = len(kept)
    quality = qualities[kept]
    tops = _suffix_tops(s, quality)
    price_sums, key_sums = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    for j in range(m):
        price_sums[j + 1] = price_sums[j] + prices[kept[j]]
        key_sums[j + 1] = key_sums[j] + keys[kept[j]]
    worths, requirement = _relaxed(kind, s, quality, alpha)
    rate, reduced = _lagrange(s, prices[kept], worths, requirement)
    lows = _suffix_sums(s, reduced)
    found = _by_threshold(kind, s, prices, qualities, keys, workers, worth, alpha, jury, best)
    at = np.full(s, -1)
    paid, keyed = np.zeros(s + 1, np.int64), np.zeros(s + 1, np.int64)
    trial = np.empty(s)
    depth, nodes = 0, 0
    while depth >= 0:
        here = at[depth] + 1 if at[depth] >= 0 else (at[depth - 1] + 1 if depth > 0 else 0)
        left = s - depth
        price = paid[depth] + price_sums[min(m, here + left)] - price_sums[min(m, here)]
        key = keyed[depth] + key_sums[min(m, here + left)] - key_sums[min(m, here)]
        hopeless = here + left > m or price > best[0] or (price == best[0] and key >= best[1])
        if not hopeless:
            spared = rate * requirement + lows[here, left]
            for j in range(depth):
                spared += reduced[at[j]]
            # Prices are whole: half a unit is far above what rounding could explain.
            hopeless = spared > best[0] + 0.5
        if not hopeless:
            # What the best of all that is left would give: a prefix for which that misses has no later sibling.
            for j in range(depth):
                trial[j] = quality[at[j]]
            trial[depth:] = tops[here, :left]
            hopeless = error_of(kind, trial) >= alpha + ROUNDING
        if hopeless:
            at[depth] = -1
            depth -= 1
            continue
        nodes += 1
        at[depth] = here
        paid[depth + 1] = paid[depth] + price_sums[here + 1] - price_sums[here]
        keyed[depth + 1] = keyed[depth] + key_sums[here + 1] - key_sums[here]
        if depth + 1 < s:
            depth += 1
        elif paid[s] < best[0] or (paid[s] == best[0] and keyed[s] < best[1]):
            found |= _take(kind, workers[kept[at]], worth, alpha, paid[s], keyed[s], jury, best)
    return found, nodes


@kernel
def _relaxed(kind: int, s: int, quality: Floats, alpha: float) -> tuple[Floats, float]:
    """Values whose sum over any jury of size s with f_S(q) < alpha reaches the requirement returned.

    `hoeffding`: sum(2q - 1) > sqrt(2 s ln(1/alpha)), the constraint itself. `likelihood`: the h lowest of -ln(1 - q),
    cut at ln(1/alpha), sum to at least that, and the other s - h are no lower: s/h times as much over all.
    `majority`: no vote errs less than 1/2 (1 - sqrt(1 - B^2)) with B = prod 2 sqrt(q (1-q)) (Bhattacharyya), so B^2 <
    4 alpha (1 - alpha).
    """
    worths = np.empty(len(quality))
    if kind == HOEFFDING:
        for i in range(len(quality)):
            worths[i] = 2.0 * quality[i] - 1.0
        return worths, math.sqrt(2.0 * s * math.log(1.0 / alpha)) - ROUNDING
    if kind == LIKELIHOOD:
        most = math.log(1.0 / alpha)
        for i in range(len(quality)):
            worths[i] = most if quality[i] >= 1.0 else min(most, -math.log(1.0 - quality[i]))
        return worths, most * s / ((s + 1) // 2) - ROUNDING
    most = log_odds_value(1.0 - alpha)
    for i in range(len(quality)):
        worths[i] = min(most, log_odds_value(quality[i]))
    return worths, most - ROUNDING


@kernel
def _lagrange(s: int, prices: Ints, worths: Floats, requirement: float) -> tuple[float, Floats]:
    """The multiplier with the best bound at the root, by golden section on a concave function, and the reduced
    prices.
    """
    low, high = 0.0, 0.0
    for i in range(len(prices)):
        if worths[i] > 0.0:
            high = max(high, prices[i] / worths[i])
    for _ in range(LAGRANGE_STEPS):
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if _bound(s, prices, worths, requirement, first) < _bound(s, prices, worths, requirement, second):
            low = first
        else:
            high = second
    rate = 0.5 * (low + high)
    return rate, prices - rate * worths


@kernel
def _bound(s: int, prices: Ints, worths: Floats, requirement: float, rate: float) -> float:
    return float(rate * requirement + np.sort(prices - rate * worths)[:s].sum())


@kernel
def _suffix_sums(s: int, reduced: Floats) -> Floats:
    """Row j, column r: the sum of the r lowest from position j on (a place with fewer than r after it is left
    before it is looked at).
    """
    m = len(reduced)
    lowest = np.full(s, np.inf)
    sums = np.zeros((m + 1, s + 1))
    for j in range(m - 1, -1, -1):
        place = s
        while place > 0 and lowest[place - 1] > reduced[j]:
            place -= 1
        for k in range(s - 1, place, -1):
            lowest[k] = lowest[k - 1]
        if place < s:
            lowest[place] = reduced[j]
        for r in range(s):
            sums[j, r + 1] = sums[j, r] + (lowest[r] if lowest[r] < np.inf else 0.0)
    return sums


@kernel
def _undominated(s: int, qualities: Floats) -> Ints:
    """Workers with fewer than s before them, in the order of (price, key), who are no worse."""
    kept = np.empty(len(qualities), np.int64)
    count = 0
    # The s highest qualities so far, ascending: the first is the s-th highest.
    highest = np.full(s, -1.0)
    for i in range(len(qualities)):
        if qualities[i] > highest[0]:
            kept[count] = i
            count += 1
            place = 0
            while place + 1 < s and highest[place + 1] < qualities[i]:
                highest[place] = highest[place + 1]
                place += 1
            highest[place] = qualities[i]
    return kept[:count]


@kernel
def _suffix_tops(s: int, quality: Floats) -> Floats:
    """Row j: the s highest qualities from position j on, descending; 1/2 where there are not that many."""
    m = len(quality)
    tops = np.full((m + 1, s), 0.5)
    for j in range(m - 1, -1, -1):
        tops[j] = tops[j + 1]
        place = s
        while place > 0 and tops[j, place - 1] < quality[j]:
            place -= 1
        for k in range(s - 1, place, -1):
            tops[j, k] = tops[j, k - 1]
        if place < s:
            tops[j, place] = quality[j]
    return tops


@kernel
def _by_threshold(
    kind: int,
    s: int,
    prices: Ints,
    qualities: Floats,
    keys: Ints,
    workers: Ints,
    worth: Floats,
    alpha: float,
    jury: Ints,
    best: Ints,
) -> bool:
    """A good jury to begin with: the s cheapest of at least some quality, for thresholds spread over all qualities."""
    n = len(qualities)
    levels = np.sort(qualities)
    chosen = np.empty(s, np.int64)
    found = False
    for step in range(0, n, max(1, n // 64)):
        count, price, key = 0, 0, 0
        for i in range(n):
            if count < s and qualities[i] >= levels[step]:
                chosen[count] = i
                price += prices[i]
                key += keys[i]
                count += 1
        if count == s and (price < best[0] or (price == best[0] and key < best[1])):
            found |= _take(kind, workers[chosen], worth, alpha, price, key, jury, best)
    return found


@inline
def _take(kind: int, members: Ints, worth: Floats, alpha: float, price: int, key: int, jury: Ints, best: Ints) -> bool:
    """A better jury if it meets the target, judged in the workers' own order, as the model would."""
    members.sort()
    if error_of(kind, worth[members]) >= alpha:
        return False
    best[0], best[1] = price, key
    jury[: len(members)] = members
    return True


def select_by_size(kind: int, prices: Ints, qualities: Floats, keys: Ints, alpha: float) -> Selection:
    """The cheapest jury with f_S(q) < alpha (the constraint's `bar`), and among those the one of least key sum."""
    check_prices_and_keys(prices, keys)
    qualities = as_qualities(qualities, len(prices))
    order = np.lexsort((keys, prices))
    jury = np.empty(len(prices), dtype=np.int64)
    size, _ = by_size_kernel(kind, prices, qualities, keys, order, alpha, jury)
    if size < 0:
        return INFEASIBLE
    price = int(prices[jury[:size]].sum())
    return Selection(True, tuple(jury[:size].tolist()), price, Certificate("search by size", price))
