"""What a jury of independent voters is worth, jury after jury, in the order of price (MATHS 2.4, 2.5, 4).

Two votes. The majority of odd s: with law[j] = P(exactly j right) of the chosen ones and h = (s+1)/2,
P(right) = P(at least h right). The log-odds vote: with P(x) the chance that just the members in x are right,

    P(right) = sum over complementary pairs {x, not x} of max(P(x), P(not x)),

what the best vote on two equally likely answers achieves. Both grow with each quality, so replacing the members still
to come by copies of the best quality left bounds every completion.
"""

from typing import NamedTuple

import numpy as np

from quorate._jit import inline, kernel
from quorate.certify.frontier import Ints
from quorate.certify.walk import note, step_at
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.interval.base import Floats


class Voters(NamedTuple):
    """Workers in the order of the search; `best_left[i]` is the best quality among workers i.. (0 past the end)."""

    quality: Floats
    best_left: Floats
    sums: Ints


class Trail(NamedTuple):
    """One row per depth; `state` holds the law (majority) or the 2^d pattern probabilities (log-odds)."""

    start: Ints
    cost: Ints
    state: Floats
    scratch: Floats


class Worth(NamedTuple):
    """Juries that matter, as columns."""

    members: Ints
    prices: Ints
    values: Ints


@inline
def _grow(state: Floats, depth: int, quality: float, log_odds: bool, grown: Floats) -> None:
    """One more voter; `state` and `grown` may be the same array."""
    if log_odds:
        half = 1 << depth
        for x in range(half):
            grown[half + x] = state[x] * quality
        for x in range(half):
            grown[x] = state[x] * (1.0 - quality)
    else:
        grown[depth + 1] = state[depth] * quality
        for j in range(depth, 0, -1):
            grown[j] = state[j] * (1.0 - quality) + state[j - 1] * quality
        grown[0] = state[0] * (1.0 - quality)


@inline
def _finish(state: Floats, depth: int, quality: float, log_odds: bool) -> float:
    """P(right) when one last voter joins `depth` others."""
    total = 0.0
    if log_odds:
        last = (1 << depth) - 1
        for x in range(last + 1):
            total += max(state[x] * quality, state[last - x] * (1.0 - quality))
    else:
        half = depth // 2 + 1
        for j in range(half, depth + 1):
            total += state[j]
        total += state[half - 1] * quality
    return total


@inline
def _ceiling(trail: Trail, depth: int, left: int, quality: float, best: float, log_odds: bool) -> float:
    """No completion is worth more: this voter, then copies of the best one left."""
    _grow(trail.state[depth], depth, quality, log_odds, trail.scratch)
    for extra in range(1, left - 1):
        _grow(trail.scratch, depth + extra, best, log_odds, trail.scratch)
    return _finish(trail.scratch, depth + left - 1, best, log_odds)


@inline
def _join(voters: Voters, trail: Trail, depth: int, e: int, log_odds: bool) -> None:
    _grow(trail.state[depth], depth, voters.quality[e], log_odds, trail.state[depth + 1])
    trail.cost[depth + 1] = trail.cost[depth] + voters.sums[e + 1] - voters.sums[e]
    trail.start[depth] = e + 1
    trail.start[depth + 1] = e + 1


@kernel
def worth_kernel(
    voters: Voters, step_prices: Ints, step_values: Ints, trail: Trail, found: Worth, size: int, first_stop: int,
    limit: int, lowers: bool, log_odds: bool, depth: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Depth first; returns (depth, how many found, valued), to be called again until depth is -1 as `scan_kernel`."""
    n = voters.quality.size
    rows = 0
    valued = 0
    while depth >= 0:
        left = size - depth
        high = first_stop if depth == 0 else n - left + 1
        step = 0
        chosen = -1
        for e in range(trail.start[depth], high):
            price = trail.cost[depth] + voters.sums[e + left] - voters.sums[e]
            if price > limit:
                break
            step = step_at(step_prices, step, price)
            if left > 1:
                most = _ceiling(trail, depth, left, voters.quality[e], voters.best_left[e + 1], log_odds)
                # Rounded up: the bound's own rounding must not cut a jury that reaches the value exactly.
                if np.ceil(most * BILLIONTHS + 1.0) >= step_values[step]:
                    chosen = e
                    break
                continue
            valued += 1
            value = np.int64(np.floor(_finish(trail.state[depth], depth, voters.quality[e], log_odds) * BILLIONTHS))
            if value < step_values[step]:
                continue
            if rows == found.prices.size:
                trail.start[depth] = e
                return depth, rows, valued - 1
            note(found.members, found.prices, rows, trail.start, depth, e, price)
            found.values[rows] = value
            rows += 1
            if lowers and price < limit:
                limit = price
        if chosen < 0:
            depth -= 1
        else:
            _join(voters, trail, depth, chosen, log_odds)
            depth += 1
    return -1, rows, valued
