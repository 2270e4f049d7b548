"""What must hold in one small world, for every bid of the varied worker (paper, section 5.1; MATHS 6).

Each check looks at the whole grid of bids 0, 1, ..., cap (in units), over one realization, with all other bids fixed.
True costs run through the same grid.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.mechanism.audit.runs import (
    ASSURED_HEAD_COUNT,
    JOINT_HEAD_COUNT,
    JOINT_PRICE_GAP,
    Desk,
    new_desk,
    run_bid,
)
from quorate.mechanism.audit.small_world import NOBODY, cheapest
from quorate.mechanism.audit.tables import Rounds, Scale, World, good_juries

MONOTONE = 0
PAY_AS_BID = 1
RANDOMISED = 2
THRESHOLD = 3
THRESHOLD_WITHOUT_MIN = 4
THRESHOLD_LESS_ONE = 5
# What `check_world` has to say.
OUT = 7
# Expected utilities are sums of a few thousand terms of up to 10^5: far above their rounding, far below one task's pay.
TOLERANCE = 1e-6


@inline
def _threshold_pay(
    world: World, rounds: Rounds, desk: Desk, stop: int, jury: int, capped: bool, sums: NDArray[np.int64]
) -> int:
    """Mode D's total for the varied worker: th per exploration task, min(th, p) per later one (p alone if not
    `capped`).
    """
    i = world.vary
    if desk.tasks[i] == 0:
        return 0
    outside = world.cap
    pool = 0
    for j in range(world.workers):
        if desk.tasks[j] > 0:
            pool |= 1 << j
        else:
            outside = min(outside, desk.bids[j])
    pay = desk.explored[i] * outside
    if jury != NOBODY and (jury >> i) & 1:
        if world.rule in (JOINT_PRICE_GAP, JOINT_HEAD_COUNT):
            good = rounds.certain[stop]
        else:
            good = good_juries(desk.low, world.workers, world.certain, sums)
        without = cheapest(desk.order, good, pool & ~(1 << i))
        price = outside
        if without != NOBODY:
            price = desk.prices[without] - desk.prices[jury] + desk.bids[i]
            if capped:
                price = min(price, outside)
            if world.rule not in (ASSURED_HEAD_COUNT, JOINT_HEAD_COUNT):
                # As in `Threshold.settle`. Where the price is proved to be at least the bid, it must show.
                price = max(price, desk.bids[i])
        pay += (world.horizon - stop) * price
    return int(pay)


@inline
def largest_rise(tasks: NDArray[np.int64]) -> int:
    """By how much a higher bid got more tasks than a lower one, at most; 0 if never."""
    least = tasks[0]
    rise = 0
    for g in range(1, len(tasks)):
        rise = max(rise, tasks[g] - least)
        least = min(least, tasks[g])
    return int(rise)


@inline
def smooth(tasks: NDArray[np.int64], one_in: int, out: NDArray[np.float64]) -> None:
    """A~(b) = E A(x(b)) over mode R's coins, for b = 0..cap where money has exactly this grid.

    A~(b) = (1 - g) A(b) + g mean(A~(u), u > b), A~(cap) = A(cap): the recursion of quorate.mechanism.coins.
    """
    last = len(tasks) - 1
    g = 1.0 / one_in
    out[last] = tasks[last]
    above = out[last]
    for b in range(last - 1, -1, -1):
        out[b] = (1.0 - g) * tasks[b] + g * above / (last - b)
        above += out[b]


@inline
def largest_gain(
    pay: NDArray[np.float64], tasks: NDArray[np.float64], grid: NDArray[np.int64]
) -> tuple[float, int, int]:
    """(the most that any true cost gains by any other bid, that cost's position, that bid's); utility = pay - cost
    tasks.
    """
    gain = 0.0
    cost = 0
    lie = 0
    for c in range(len(grid)):
        honest = pay[c] - grid[c] * tasks[c]
        for b in range(len(grid)):
            more = pay[b] - grid[c] * tasks[b] - honest
            if more > gain:
                gain = more
                cost = c
                lie = b
    return gain, cost, lie


@inline
def check_world(
    world: World,
    scale: Scale,
    rounds: Rounds,
    grid: NDArray[np.int64],
    check: int,
    one_in: int,
    out: NDArray[np.float64],
) -> bool:
    """Whether the check fails. out: (largest rise or gain, cost's position, lie's position, runs that stopped, runs
    below cost, by how much at most, that bid's position).

    `one_in` matters to RANDOMISED alone, which needs the grid to be all of money: 0, 1, ..., cap.
    """
    desk = new_desk(world)
    tasks = np.empty(len(grid), np.int64)
    pay = np.empty(len(grid))
    sums = np.empty(len(desk.order), np.int64)
    out[:] = 0.0
    for g in range(len(grid)):
        stop, jury = run_bid(world, scale, rounds, grid[g], desk)
        tasks[g] = desk.tasks[world.vary]
        out[3] += jury != NOBODY
        pay[g] = grid[g] * tasks[g]
        if check in (THRESHOLD, THRESHOLD_WITHOUT_MIN, THRESHOLD_LESS_ONE):
            pay[g] = _threshold_pay(world, rounds, desk, stop, jury, check != THRESHOLD_WITHOUT_MIN, sums)
        if check == THRESHOLD_LESS_ONE:
            pay[g] -= tasks[g]
        short = grid[g] * tasks[g] - pay[g]
        out[4] += short > 0.0
        if short > out[5]:
            out[5] = short
            out[6] = g
    if check == MONOTONE:
        out[0] = largest_rise(tasks)
        return bool(out[0] > 0.0)
    expected = tasks.astype(np.float64)
    if check == RANDOMISED:
        smooth(tasks, one_in, expected)
        above = 0.0
        for b in range(len(grid) - 1, -1, -1):
            pay[b] = grid[b] * expected[b] + above
            above += expected[b]
    out[0], cost, lie = largest_gain(pay, expected, grid)
    out[1] = cost
    out[2] = lie
    return bool(out[0] > TOLERANCE)
