"""Runs in small worlds that need the values themselves: GA, the paper's elimination and CCB-NS (paper, sections 4.1
and 6.2).

Ratios of price and value decide here, so nothing can be shared between bids but the values. These are the rules in
which the audit must find violations.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.mechanism.audit.small_world import NOBODY, cheapest, note_rounds
from quorate.mechanism.audit.tables import MOST_WORKERS, Rounds, Scale, World, answer, good_juries, participants

_1 = np.uint64(1)


@inline
def by_ratio(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    workers: int,
    alive: int,
    ratios: NDArray[np.float64],
    order: NDArray[np.int64],
) -> int:
    """Sort the living workers by price / value, ties by index (infinite where the value is 0); their number."""
    count = 0
    for i in range(workers):
        if not (alive >> i) & 1:
            continue
        ratios[i] = prices[i] / values[i] if values[i] > 0 else np.inf
        place = count
        while place > 0 and ratios[order[place - 1]] > ratios[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
        count += 1
    return count


@inline
def greedy_jury(
    prices: NDArray[np.int64], values: NDArray[np.int64], requirement: int, order: NDArray[np.int64], count: int
) -> int:
    """GA on the workers of `order[:count]`, sorted by ratio: the jury as a mask, or NOBODY."""
    smalls = 0
    spent = 0
    reached = 0
    best = NOBODY
    best_price = 0
    for k in range(count):
        i = order[k]
        if reached + values[i] < requirement:
            smalls |= 1 << i
            spent += prices[i]
            reached += values[i]
        elif best == NOBODY or spent + prices[i] < best_price:
            best = smalls | (1 << i)
            best_price = spent + prices[i]
    return best


@inline
def run_greedy_ccb_s(world: World, rounds: Rounds, bids: NDArray[np.int64]) -> tuple[int, int]:
    """CCB-S with GA: (rounds explored, last jury or NOBODY)."""
    ratios = np.empty(MOST_WORKERS)
    order = np.empty(MOST_WORKERS, np.int64)
    everybody = (1 << world.workers) - 1
    for t in range(rounds.first, world.horizon):
        count = by_ratio(bids, rounds.high[t], world.workers, everybody, ratios, order)
        jury = greedy_jury(bids, rounds.high[t], world.hoped, order, count)
        if jury != NOBODY and (rounds.certain[t] >> np.uint64(jury)) & _1:
            return t, jury
    return world.horizon, NOBODY


@inline
def _paper_eliminated(
    bids: NDArray[np.int64],
    high: NDArray[np.int64],
    safe: int,
    ratios: NDArray[np.float64],
    order: NDArray[np.int64],
    count: int,
) -> int:
    """Who goes: beyond the last position k that `safe` uses, c_k / a_k- <= c_r / a_r+ and c_r >= every price up to k.

    `order[:count]` and `ratios` are those of the pessimistic values.
    """
    k = NOBODY
    for position in range(count):
        if (safe >> order[position]) & 1:
            k = position
    if k == NOBODY:
        return 0
    dearest = 0
    for position in range(k + 1):
        dearest = max(dearest, bids[order[position]])
    gone = 0
    for position in range(k + 1, count):
        r = order[position]
        hoped = bids[r] / high[r] if high[r] > 0 else np.inf
        if bids[r] >= dearest and ratios[order[k]] <= hoped:
            gone |= 1 << r
    return gone


@inline
def run_ccb_se(
    world: World,
    rounds: Rounds,
    bids: NDArray[np.int64],
    juries: NDArray[np.int64],
    exact: bool,
    explored: NDArray[np.int64],
) -> tuple[int, int]:
    """CCB-SE with GA, or with exact selection (`juries` in order of price): (rounds explored, last jury or NOBODY)."""
    ratios = np.empty(MOST_WORKERS)
    order = np.empty(MOST_WORKERS, np.int64)
    alive = (1 << world.workers) - 1
    stop = world.horizon
    jury = NOBODY
    for t in range(rounds.first, world.horizon):
        count = by_ratio(bids, rounds.low[t], world.workers, alive, ratios, order)
        if exact:
            safe = cheapest(juries, rounds.certain[t], alive)
        else:
            safe = greedy_jury(bids, rounds.low[t], world.certain, order, count)
        if safe != NOBODY:
            gone = _paper_eliminated(bids, rounds.high[t], safe, ratios, order, count)
            note_rounds(gone, t, explored)
            alive &= ~gone
        if exact:
            best = cheapest(juries, rounds.possible[t], alive)
        else:
            count = by_ratio(bids, rounds.high[t], world.workers, alive, ratios, order)
            best = greedy_jury(bids, rounds.high[t], world.hoped, order, count)
        if best != NOBODY and (rounds.certain[t] >> np.uint64(best)) & _1:
            stop = t
            jury = best
            break
    note_rounds(alive, stop, explored)
    return stop, jury


@inline
def _complete(jury: int, lower: NDArray[np.float64], low: NDArray[np.int64], workers: int, requirement: int) -> int:
    """The jury with MINIMAL added: highest pessimistic quality first, ties to the lower index, until the target
    holds.
    """
    reached = 0
    for i in range(workers):
        if (jury >> i) & 1:
            reached += low[i]
    everybody = (1 << workers) - 1
    while jury != everybody:
        best = NOBODY
        for i in range(workers):
            if not (jury >> i) & 1 and (best == NOBODY or lower[i] > lower[best]):
                best = i
        jury |= 1 << best
        reached += low[best]
        if reached >= requirement:
            break
    return jury


@inline
def run_ccb_ns(
    world: World,
    scale: Scale,
    bids: NDArray[np.int64],
    juries: NDArray[np.int64],
    exact: bool,
    explored: NDArray[np.int64],
    low: NDArray[np.int64],
) -> tuple[int, int]:
    """CCB-NS, whose counts depend on bids: (rounds explored, last jury or NOBODY).

    `explored[i]` gets the tasks until then, `low[i]` the pessimistic value.
    """
    n = world.workers
    p = participants(world)
    right = np.zeros(MOST_WORKERS, np.int64)
    lower = np.empty(MOST_WORKERS)
    high = np.empty(MOST_WORKERS, np.int64)
    ratios = np.empty(MOST_WORKERS)
    order = np.empty(MOST_WORKERS, np.int64)
    sums = np.empty(1 << MOST_WORKERS, np.int64)
    everybody = (1 << n) - 1
    asked = everybody
    for t in range(1, world.horizon + 1):
        for i in range(n):
            if (asked >> i) & 1:
                explored[i] += 1
                right[i] += answer(world, i, t - 1)
                lower[i] = scale.lower[p, explored[i], right[i]]
                low[i] = scale.low[p, explored[i], right[i]]
                high[i] = scale.high[p, explored[i], right[i]]
        if t == world.horizon:
            break
        if exact:
            best = cheapest(juries, good_juries(high, n, world.hoped, sums), everybody)
        else:
            best = greedy_jury(bids, high, world.hoped, order, by_ratio(bids, high, n, everybody, ratios, order))
        if best == NOBODY:
            asked = everybody
            continue
        reached = 0
        for i in range(n):
            if (best >> i) & 1:
                reached += low[i]
        if reached >= world.certain:
            return t, best
        asked = _complete(best, lower, low, n, world.certain)
    return world.horizon, NOBODY
