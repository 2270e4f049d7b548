"""The paper's four policies as its pseudo-code reads, compiled by numba and otherwise without a thought for speed.

One draw per answer, bounds of everybody, a full sort per selection, every round. It is what the engine is measured
against (`python -m benchmarks engine`), and the answers can be those of the engine's realization, so that decisions can
be compared. Values are floats here, and neither violations nor the cost of single tasks are kept.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.philox import EXPLORE, uniform
from quorate.model.realization import LANES, Field, answer_lanes
from quorate.policy import EpsilonGreedy
from quorate.policy.base import LearningPolicy

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class World(NamedTuple):
    """`own` draws answers from numba's generator; else they are those of the field `seed`, `thresholds`.

    A jury must reach `certain` on pessimistic values 2q - 1 and is chosen to reach `hoped` on optimistic ones;
    `log_term` is ln(2n/mu).
    """

    prices: Whole
    qualities: Floats
    certain: float
    hoped: float
    log_term: float
    horizon: int
    own: bool
    seed: np.uint64
    thresholds: NDArray[np.uint64]
    coin_seed: np.uint64


def world_of(policy: LearningPolicy, field: Field, prices: Whole, *, own: bool) -> World:
    """What a policy of the paper, with its linear bound and Hoeffding's intervals, is given in the engine's runs."""
    return World(
        prices=prices,
        qualities=field.qualities,
        certain=policy.pessimistic.requirement / BILLIONTHS,
        hoped=policy.optimistic.requirement / BILLIONTHS,
        log_term=math.log(2.0 * len(prices) / policy.problem.mu),
        horizon=policy.problem.horizon,
        own=own,
        seed=np.uint64(field.seed),
        thresholds=field.thresholds,
        coin_seed=np.uint64(policy.coin_seed if isinstance(policy, EpsilonGreedy) else 0),
    )


class Happened(NamedTuple):
    """`stop`: the first exploitation task (from 1), 0 for never. `jury` is the last task's, in any order."""

    cost: int
    stop: int
    jury: Whole
    counts: Whole


@kernel
def is_right(world: World, worker: int, task: int) -> bool:
    """One answer."""
    if world.own:
        return bool(np.random.random() < world.qualities[worker])  # noqa: NPY002 - what a plain transcription would do
    lane = np.uint64(1) << np.uint64(task % LANES)
    block = np.uint64(task // LANES)
    return bool(answer_lanes(world.seed, np.uint64(worker), block, world.thresholds[worker], lane) != np.uint64(0))


@kernel
def observe(world: World, jury: Whole, task: int, right: Whole, asked: Whole) -> int:
    """Algorithm 1, the counts before `update`; what the task costs."""
    cost = 0
    for worker in jury:
        asked[worker] += 1
        if is_right(world, worker, task):
            right[worker] += 1
        cost += world.prices[worker]
    return cost


@kernel
def bound(world: World, right: Whole, asked: Whole, lower: Floats, upper: Floats) -> None:
    """Algorithm 1, `update`, clipped to [1/2, 1]."""
    for i in range(len(right)):
        centre = right[i] / asked[i]
        radius = math.sqrt(world.log_term / (2.0 * asked[i]))
        lower[i] = min(1.0, max(0.5, centre - radius))
        upper[i] = max(0.5, min(1.0, centre + radius))


@kernel
def greedy(prices: Whole, values: Floats, requirement: float) -> tuple[Whole, Whole]:
    """GA (section 6.2): the members of the cheapest candidate, and the order of ratios; no members if there is none."""
    ratios = np.full(len(prices), np.inf)
    for i in range(len(prices)):
        if values[i] > 0.0:
            ratios[i] = prices[i] / values[i]
    order = np.argsort(ratios, kind="mergesort")
    smalls = np.empty(len(prices), dtype=np.int64)
    count = used = spent = best = 0
    last = -1
    reached = 0.0
    for i in order:
        if reached + values[i] >= requirement:
            if last < 0 or spent + prices[i] < best:
                best, last, used = spent + prices[i], i, count
        else:
            smalls[count] = i
            count += 1
            spent += prices[i]
            reached += values[i]
    if last < 0:
        return smalls[:0], order
    smalls[used] = last
    return smalls[: used + 1].copy(), order


@kernel
def worth(qualities: Floats) -> Floats:
    return 2.0 * qualities - 1.0


@kernel
def follow(world: World, cost: int, task: int, jury: Whole, counts: Whole) -> Happened:
    """Exploitation from this task on (Algorithm 1, `start_exploitation`), without its labels, which change nothing."""
    for worker in jury:
        counts[worker] += world.horizon - task
        cost += world.prices[worker] * (world.horizon - task)
    return Happened(cost, task + 1, jury, counts)


@kernel
def ccb_ns(world: World) -> Happened:
    """Algorithm 1, with MINIMAL by pessimistic quality."""
    workers = len(world.prices)
    everybody = np.arange(workers)
    right, asked = np.zeros(workers, dtype=np.int64), np.zeros(workers, dtype=np.int64)
    lower, upper = np.empty(workers), np.empty(workers)
    cost = observe(world, everybody, 0, right, asked)
    jury = everybody
    for task in range(1, world.horizon):
        bound(world, right, asked, lower, upper)
        certain = worth(lower)
        jury, _ = greedy(world.prices, worth(upper), world.hoped)
        if len(jury) == 0:
            jury = everybody
        elif certain[jury].sum() >= world.certain:
            return follow(world, cost, task, jury, asked)
        else:
            jury = with_minimal(world, jury, lower)
        cost += observe(world, jury, task, right, asked)
    return Happened(cost, 0, jury, asked)


@kernel
def with_minimal(world: World, jury: Whole, lower: Floats) -> Whole:
    """Subroutine MINIMAL and the jury that it completes; everybody if nothing completes it."""
    chosen = np.zeros(len(lower), dtype=np.bool_)
    chosen[jury] = True
    reached = worth(lower[jury]).sum()
    for i in np.argsort(-lower, kind="mergesort"):
        if reached >= world.certain:
            break
        if not chosen[i]:
            chosen[i] = True
            reached += 2.0 * lower[i] - 1.0
    return np.flatnonzero(chosen) if reached >= world.certain else np.arange(len(lower))


@kernel
def ccb_s(world: World) -> Happened:
    """Algorithm 2 with GA."""
    workers = len(world.prices)
    everybody = np.arange(workers)
    right, asked = np.zeros(workers, dtype=np.int64), np.zeros(workers, dtype=np.int64)
    lower, upper = np.empty(workers), np.empty(workers)
    cost = observe(world, everybody, 0, right, asked)
    for task in range(1, world.horizon):
        bound(world, right, asked, lower, upper)
        jury, _ = greedy(world.prices, worth(upper), world.hoped)
        if len(jury) > 0 and worth(lower[jury]).sum() >= world.certain:
            return follow(world, cost, task, jury, asked)
        cost += observe(world, everybody, task, right, asked)
    return Happened(cost, 0, everybody, asked)


@kernel
def ccb_se(world: World) -> Happened:
    """Algorithm 2 with GA and the elimination of section 6.2."""
    workers = len(world.prices)
    left = np.arange(workers)
    right, asked = np.zeros(workers, dtype=np.int64), np.zeros(workers, dtype=np.int64)
    lower, upper = np.empty(workers), np.empty(workers)
    cost = observe(world, left, 0, right, asked)
    for task in range(1, world.horizon):
        bound(world, right, asked, lower, upper)
        left = left[stays(world, left, lower, upper)]
        places, _ = greedy(world.prices[left], worth(upper[left]), world.hoped)
        jury = left[places]
        if len(jury) > 0 and worth(lower[jury]).sum() >= world.certain:
            return follow(world, cost, task, jury, asked)
        cost += observe(world, left, task, right, asked)
    return Happened(cost, 0, left, asked)


@kernel
def stays(world: World, left: Whole, lower: Floats, upper: Floats) -> NDArray[np.bool_]:
    """r beyond the prefix {1..k} goes if c_k / a_k- <= c_r / a_r+ and c_r >= every price in the prefix."""
    prices, low, high = world.prices[left], worth(lower[left]), worth(upper[left])
    jury, order = greedy(prices, low, world.certain)
    kept = np.ones(len(left), dtype=np.bool_)
    if len(jury) == 0:
        return kept
    used = np.zeros(len(left), dtype=np.bool_)
    used[jury] = True
    k = 0
    for place in range(len(order)):
        if used[order[place]]:
            k = place
    dearest = prices[order[: k + 1]].max()
    bar = prices[order[k]] / low[order[k]]
    for r in order[k + 1 :]:
        ratio = prices[r] / high[r] if high[r] > 0.0 else np.inf
        if prices[r] >= dearest and bar <= ratio:
            kept[r] = False
    return kept


@kernel
def epsilon_greedy(world: World) -> Happened:
    """Section 6.3: everybody with probability min(1, 100 / t), else GA on the estimates."""
    workers = len(world.prices)
    everybody = np.arange(workers)
    right, asked = np.zeros(workers, dtype=np.int64), np.zeros(workers, dtype=np.int64)
    cost = 0
    jury = everybody
    for task in range(world.horizon):
        t = task + 1
        coin = np.random.random() if world.own else uniform(world.coin_seed, EXPLORE, np.uint64(0), np.uint64(t))  # noqa: NPY002
        jury = everybody
        if coin >= min(1.0, 100.0 / t):
            estimates = np.minimum(1.0, np.maximum(0.5, right / asked))
            found, _ = greedy(world.prices, worth(estimates), world.certain)
            if len(found) > 0:
                jury = found
        cost += observe(world, jury, task, right, asked)
    return Happened(cost, 0, jury, asked)


TRANSCRIBED = {"ccb-ns": ccb_ns, "ccb-s": ccb_s, "ccb-se": ccb_se, "epsilon-greedy": epsilon_greedy}
