"""Runs in small worlds by the table of all juries: CCB-S with exact selection, and `assured` (paper, Algorithm 2;
MATHS 6).

Per bid only the order of the juries by (price, sum of tie keys) matters: an exact selection is the first jury in it
that is good enough. An oracle test says that every run equals `quorate.policy.play` with the real policy, to the bit.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.mechanism.audit.tables import MOST_WORKERS, Rounds, World

_1 = np.uint64(1)
_0 = np.uint64(0)
NOBODY = -1


@inline
def price_juries(world: World, bids: NDArray[np.int64], prices: NDArray[np.int64]) -> None:
    """The price of each jury."""
    prices[0] = 0
    for i in range(world.workers):
        for j in range(1 << i):
            prices[(1 << i) + j] = prices[j] + bids[i]


@inline
def sort_juries(prices: NDArray[np.int64], ranks: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    """Sort the juries in `order` by (price, rank): by insertion, as the order at the bid before was nearly this one."""
    for k in range(1, len(order)):
        jury = order[k]
        place = k
        while place > 0:
            other = order[place - 1]
            if prices[other] < prices[jury] or (prices[other] == prices[jury] and ranks[other] < ranks[jury]):
                break
            order[place] = other
            place -= 1
        order[place] = jury


@inline
def cheapest(order: NDArray[np.int64], good: np.uint64, allowed: int) -> int:
    """The first good jury of allowed workers, or NOBODY."""
    if good == _0:
        return NOBODY
    for k in range(len(order)):
        jury = order[k]
        if jury & ~allowed == 0 and (good >> np.uint64(jury)) & _1:
            return int(jury)
    return NOBODY


@inline
def run_ccb_s(world: World, rounds: Rounds, order: NDArray[np.int64]) -> tuple[int, int]:
    """(rounds explored, last jury or NOBODY)."""
    jury = NOBODY
    seen = _0
    for t in range(rounds.first, world.horizon):
        if rounds.possible[t] != seen:
            seen = rounds.possible[t]
            jury = cheapest(order, seen, len(order) - 1)
        if jury != NOBODY and (rounds.certain[t] >> np.uint64(jury)) & _1:
            return t, jury
    return world.horizon, NOBODY


@inline
def comes_before(world: World, bids: NDArray[np.int64], i: int, j: int) -> bool:
    """Whether worker i is cheaper than worker j, by (bid, key)."""
    return bool(bids[i] < bids[j] or (bids[i] == bids[j] and world.keys[i] < world.keys[j]))


@inline
def lowest_bidders(world: World, bids: NDArray[np.int64]) -> tuple[int, int]:
    """(the pool as a mask, th): th is the lowest bid outside, or the cap if everybody is in."""
    pool = 0
    outside = world.cap
    for i in range(world.workers):
        cheaper = 0
        for j in range(world.workers):
            cheaper += comes_before(world, bids, j, i)
        if cheaper < world.pool:
            pool |= 1 << i
        elif cheaper == world.pool:
            outside = bids[i]
    return pool, outside


@inline
def heads(jury: int) -> int:
    count = 0
    for i in range(MOST_WORKERS):
        count += (jury >> i) & 1
    return count


@inline
def note_rounds(workers: int, rounds: int, explored: NDArray[np.int64]) -> None:
    """These workers, a mask, were asked to explore in so many rounds."""
    for i in range(MOST_WORKERS):
        if (workers >> i) & 1:
            explored[i] = rounds


@inline
def allowance(world: World, t: int, size: int) -> int:
    """g_t = kappa t m cap / (T - t), rounded down (MATHS 6, repair 4)."""
    return world.kappa_top * t * size * world.cap // (world.kappa_bottom * (world.horizon - t))


@inline
def _by_bid(world: World, bids: NDArray[np.int64], pool: int, order: NDArray[np.int64]) -> int:
    """The pool's workers sorted by (bid, key); their number."""
    count = 0
    for i in range(world.workers):
        if not (pool >> i) & 1:
            continue
        place = count
        while place > 0 and comes_before(world, bids, i, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
        count += 1
    return count


@inline
def _dominated(
    world: World, order: NDArray[np.int64], count: int, alive: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> int:
    """The living workers, as a mask, whom cheaper and surely no worse ones replace (MATHS 6, repair 3).

    `order[:count]` is the pool, cheapest first.
    """
    gone = 0
    cheaper = 0
    for place in range(count):
        k = order[place]
        # All that is cheaper, good or not, must reach the requirement before looking closer can help.
        if cheaper >= world.hoped and (alive >> k) & 1:
            best = min(high[k], world.hoped)
            reached = 0
            for before in range(place):
                worth = min(low[order[before]], world.hoped)
                if worth >= best:
                    reached += worth
            if reached >= world.hoped:
                gone |= 1 << k
        cheaper += min(low[k], world.hoped)
    return gone


@inline
def run_price_gap(
    world: World,
    rounds: Rounds,
    bids: NDArray[np.int64],
    prices: NDArray[np.int64],
    order: NDArray[np.int64],
    pool: int,
    explored: NDArray[np.int64],
) -> tuple[int, int]:
    """`assured` with price-gap stopping: (rounds explored, V or NOBODY).

    `explored[i]` gets the rounds in which worker i was asked to explore. An eliminated worker keeps the values of the
    round in which it went.
    """
    low = np.zeros(MOST_WORKERS, np.int64)
    high = np.zeros(MOST_WORKERS, np.int64)
    by_bid = np.empty(MOST_WORKERS, np.int64)
    size = _by_bid(world, bids, pool, by_bid)
    alive = pool
    sure = NOBODY
    hope = NOBODY
    stop = world.horizon
    jury = NOBODY
    for t in range(rounds.first, world.horizon):
        gone = 0
        if world.eliminates:
            for i in range(world.workers):
                if (alive >> i) & 1:
                    low[i] = rounds.low[t, i]
                    high[i] = rounds.high[t, i]
            gone = _dominated(world, by_bid, size, alive, low, high)
            note_rounds(gone, t, explored)
            alive &= ~gone
        if t == rounds.first or gone != 0 or rounds.certain[t] != rounds.certain[t - 1]:
            sure = cheapest(order, rounds.certain[t], alive)
        if t == rounds.first or gone != 0 or rounds.possible[t] != rounds.possible[t - 1]:
            hope = cheapest(order, rounds.possible[t], alive)
        if sure != NOBODY and hope != NOBODY and prices[sure] - prices[hope] <= allowance(world, t, size):
            stop = t
            jury = sure
            break
    note_rounds(alive, stop, explored)
    return stop, jury


@inline
def _fewest(values: NDArray[np.int64], workers: int, pool: int, requirement: int) -> int:
    """The fewest pool workers whose values reach the requirement; NOBODY if all of them do not."""
    left = pool
    reached = 0
    count = 0
    while reached < requirement:
        best = NOBODY
        for i in range(workers):
            if (left >> i) & 1 and (best == NOBODY or values[i] > values[best]):
                best = i
        if best == NOBODY:
            return NOBODY
        left &= ~(1 << best)
        reached += values[best]
        count += 1
    return count


@inline
def run_head_count(world: World, rounds: Rounds, order: NDArray[np.int64], pool: int, outside: int) -> tuple[int, int]:
    """`assured` with head-count stopping: (rounds explored, V or NOBODY); `outside` is th (MATHS 6, mode D)."""
    size = heads(pool)
    for t in range(rounds.first, world.horizon):
        v = _fewest(rounds.low[t], world.workers, pool, world.certain)
        w = _fewest(rounds.high[t], world.workers, pool, world.hoped)
        if v != NOBODY and w != NOBODY and outside * (v - w) <= allowance(world, t, size):
            return t, cheapest(order, rounds.certain[t], pool)
    return world.horizon, NOBODY
