"""One run, or all runs of a grid of bids, in a small world: which rule, and what each worker then did."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.mechanism.audit.greedy_world import run_ccb_ns, run_ccb_se, run_greedy_ccb_s
from quorate.mechanism.audit.joint_world import joint_rounds, run_joint_head_count
from quorate.mechanism.audit.small_world import (
    NOBODY,
    lowest_bidders,
    price_juries,
    run_ccb_s,
    run_head_count,
    run_price_gap,
    sort_juries,
)
from quorate.mechanism.audit.tables import MOST_WORKERS, Rounds, Scale, World, shared_rounds

CCB_S_EXACT = 0
CCB_S_GREEDY = 1
CCB_SE_EXACT = 2
CCB_SE_GREEDY = 3
CCB_NS_EXACT = 4
CCB_NS_GREEDY = 5
ASSURED_PRICE_GAP = 6
ASSURED_HEAD_COUNT = 7
JOINT_PRICE_GAP = 8
JOINT_HEAD_COUNT = 9


class Desk(NamedTuple):
    """Scratch space of one run, and its outcome: per worker the exploration tasks, all tasks, and the final
    pessimistic value.

    `order` keeps the juries sorted from one bid to the next.
    """

    bids: NDArray[np.int64]
    prices: NDArray[np.int64]
    order: NDArray[np.int64]
    explored: NDArray[np.int64]
    tasks: NDArray[np.int64]
    low: NDArray[np.int64]


@kernel
def rounds_of(world: World, scale: Scale) -> Rounds:
    """Everything of a world that does not depend on the varied worker's bid."""
    if world.rule in (JOINT_PRICE_GAP, JOINT_HEAD_COUNT):
        return joint_rounds(world, scale)
    return shared_rounds(world, scale)


@inline
def new_desk(world: World) -> Desk:
    return Desk(
        world.bids.copy(),
        np.empty(1 << world.workers, np.int64),
        np.arange(1 << world.workers),
        np.zeros(MOST_WORKERS, np.int64),
        np.zeros(MOST_WORKERS, np.int64),
        np.zeros(MOST_WORKERS, np.int64),
    )


@inline
def run_bid(world: World, scale: Scale, rounds: Rounds, bid: int, desk: Desk) -> tuple[int, int]:
    """The run at one bid of the varied worker: (rounds explored, last jury or NOBODY), and the desk's tasks."""
    desk.bids[world.vary] = bid
    desk.explored[:] = 0
    price_juries(world, desk.bids, desk.prices)
    sort_juries(desk.prices, rounds.ranks, desk.order)
    rule = world.rule
    asked = (1 << world.workers) - 1
    shared = True
    if rule == CCB_S_EXACT:
        stop, jury = run_ccb_s(world, rounds, desk.order)
    elif rule == CCB_S_GREEDY:
        stop, jury = run_greedy_ccb_s(world, rounds, desk.bids)
    elif rule in (CCB_SE_EXACT, CCB_SE_GREEDY):
        stop, jury = run_ccb_se(world, rounds, desk.bids, desk.order, rule == CCB_SE_EXACT, desk.explored)
        shared = False
    elif rule in (CCB_NS_EXACT, CCB_NS_GREEDY):
        stop, jury = run_ccb_ns(world, scale, desk.bids, desk.order, rule == CCB_NS_EXACT, desk.explored, desk.low)
        shared = False
    else:
        asked, outside = lowest_bidders(world, desk.bids)
        if rule == ASSURED_HEAD_COUNT:
            stop, jury = run_head_count(world, rounds, desk.order, asked, outside)
        elif rule == JOINT_HEAD_COUNT:
            stop, jury = run_joint_head_count(world, rounds, desk.order, asked, outside)
        else:
            stop, jury = run_price_gap(world, rounds, desk.bids, desk.prices, desk.order, asked, desk.explored)
            shared = False
    for i in range(world.workers):
        if shared and (asked >> i) & 1:
            desk.explored[i] = stop
        if rule not in (CCB_NS_EXACT, CCB_NS_GREEDY):
            # Whoever was eliminated keeps the value of the round in which it went.
            desk.low[i] = rounds.low[desk.explored[i], i]
        desk.tasks[i] = desk.explored[i]
        if jury != NOBODY and (jury >> i) & 1:
            desk.tasks[i] += world.horizon - stop
    return stop, jury


@kernel
def run_grid_kernel(
    world: World,
    scale: Scale,
    rounds: Rounds,
    grid: NDArray[np.int64],
    tasks: NDArray[np.int64],
    stops: NDArray[np.int64],
    juries: NDArray[np.int64],
) -> None:
    """Every bid of the grid: tasks[g, i], rounds explored, last jury as a mask (NOBODY if exploration never ends)."""
    desk = new_desk(world)
    for g in range(len(grid)):
        stops[g], juries[g] = run_bid(world, scale, rounds, grid[g], desk)
        tasks[g] = desk.tasks[: world.workers]
