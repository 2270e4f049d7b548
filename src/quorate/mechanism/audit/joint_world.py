"""Small worlds for `assured-joint`: every jury is judged by its own verdicts (MATHS 7).

While exploring, the whole pool answers, so what a jury inside the pool has shown after t rounds does not depend on
bids: the masks of certain and possible juries are computed once per world, and the rest is `assured` without
elimination.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.mechanism.audit.small_world import NOBODY, allowance, cheapest, heads
from quorate.mechanism.audit.tables import MOST_WORKERS, Rounds, Scale, World, answer, participants, rank_keys
from quorate.model.family import jury_level, odd_sizes
from quorate.model.interval import AnytimeInterval
from quorate.policy.assured_joint import AssuredJoint

_1 = np.uint64(1)
_0 = np.uint64(0)


def joint_scale(policy: AssuredJoint) -> Scale:
    """The anytime bounds of juries: entry [participants * 7 + size, asked, right] at that size's level."""
    horizon = policy.problem.horizon
    asked, right = np.divmod(np.arange((horizon + 1) ** 2), horizon + 1)
    reachable = right <= asked
    shape = ((MOST_WORKERS + 1) ** 2, horizon + 1, horizon + 1)
    lower, upper = np.zeros(shape), np.ones(shape)
    for pool in range(1, MOST_WORKERS + 1):
        for size in odd_sizes(pool, policy.max_size):
            level = jury_level(policy.problem.mu, pool, size, policy.max_size)
            bounds = AnytimeInterval().bounds(right[reachable], asked[reachable], level, 0.0)
            entry = pool * (MOST_WORKERS + 1) + size
            lower[entry].reshape(-1)[reachable] = bounds[0]
            upper[entry].reshape(-1)[reachable] = bounds[1]
    nothing = np.zeros((1, 1, 1), dtype=np.int64)
    return Scale(lower, upper, nothing, nothing)


@inline
def _judge_jury(
    world: World, scale: Scale, jury: int, certain: NDArray[np.uint64], possible: NDArray[np.uint64]
) -> None:
    """Set the jury's bit in every round after which it is certain, or possible."""
    size = heads(jury)
    entry = participants(world) * (MOST_WORKERS + 1) + size
    bit = _1 << np.uint64(jury)
    right = 0
    lower = 0.0
    upper = 1.0
    for t in range(1, world.horizon + 1):
        votes = 0
        for i in range(world.workers):
            if (jury >> i) & 1:
                votes += answer(world, i, t - 1)
        right += 2 * votes > size
        new_lower = max(lower, scale.lower[entry, t, right])
        new_upper = min(upper, scale.upper[entry, t, right])
        if new_lower <= new_upper:
            lower = new_lower
            upper = new_upper
        if lower > world.target:
            certain[t] |= bit
        if upper > world.target:
            possible[t] |= bit


@inline
def joint_rounds(world: World, scale: Scale) -> Rounds:
    """The juries of odd size that are certain, and possible, after each round."""
    rounds = world.horizon + 1
    certain = np.zeros(rounds, np.uint64)
    possible = np.zeros(rounds, np.uint64)
    for jury in range(1 << world.workers):
        if heads(jury) % 2 == 1 and heads(jury) <= min(world.max_size, participants(world)):
            _judge_jury(world, scale, jury, certain, possible)
    first = rounds
    for t in range(world.horizon, 0, -1):
        if certain[t] != _0:
            first = t
    nothing = np.zeros((rounds, MOST_WORKERS), np.int64)
    return Rounds(nothing, nothing, certain, possible, first, rank_keys(world.keys, world.workers))


@inline
def _smallest(good: np.uint64, workers: int, pool: int) -> int:
    """The fewest members of a good jury inside the pool; one more than any jury has if there is none."""
    fewest = MOST_WORKERS + 1
    for jury in range(1, 1 << workers):
        if jury & ~pool == 0 and (good >> np.uint64(jury)) & _1:
            fewest = min(fewest, heads(jury))
    return fewest


@inline
def run_joint_head_count(
    world: World, rounds: Rounds, order: NDArray[np.int64], pool: int, outside: int
) -> tuple[int, int]:
    """Head-count stopping over the family: (rounds explored, V or NOBODY)."""
    size = heads(pool)
    for t in range(rounds.first, world.horizon):
        jury = cheapest(order, rounds.certain[t], pool)
        if jury == NOBODY:
            continue
        gap = _smallest(rounds.certain[t], world.workers, pool) - _smallest(rounds.possible[t], world.workers, pool)
        if outside * gap <= allowance(world, t, size):
            return t, jury
    return world.horizon, NOBODY
