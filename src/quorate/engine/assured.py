"""`assured`, whole runs, with both stopping rules (MATHS 6, the repair; the plain policy is `policy.assured`).

Intervals are nested, so the hoped-for price can only rise: while the hoped-for jury still looks good enough, its price
stands. The certain price is solved for only where cheaper bounds on it leave open whether the gap is small enough.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel, merge
from quorate.engine.answers import ALL, Answers, is_right, lanes
from quorate.engine.exact import INFEASIBLE, exact_jury
from quorate.engine.intervals import Ends, ends_of, known_lower, known_upper
from quorate.engine.result import Run
from quorate.engine.rules import Rules, rounded_down, rounded_up, rules_of, value
from quorate.engine.setting import Setting, two_phases
from quorate.engine.verdicts import ROOM, Doubts, Judge, doubted, judge_jury, judge_of, judge_weighted, no_doubts
from quorate.model.philox import tie_keys
from quorate.model.realization import LANES
from quorate.policy.assured import Assured
from quorate.policy.pool import Stopping, lowest_bidders, outside_bid
from quorate.select.greedy import relaxation_bound
from quorate.select.order import breaking_ratio
from quorate.vote import log_odds_weights

UNKNOWN = -2
LARGEST = 2**62


class Pool(NamedTuple):
    """The pool's workers in the crowd's order. `certain` and `possible` are the values of `lower` and `upper`.

    Of `alive`, all have been asked equally often; who is not stays as it was. `by_price` is the pool by (bid, key),
    `by_certain` and `by_possible` by value, highest first, kept nearly in order.
    """

    ids: NDArray[np.int64]
    prices: NDArray[np.int64]
    keys: NDArray[np.int64]
    right: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    certain: NDArray[np.int64]
    possible: NDArray[np.int64]
    alive: NDArray[np.bool_]
    by_price: NDArray[np.int64]
    by_certain: NDArray[np.int64]
    by_possible: NDArray[np.int64]


class Halt(NamedTuple):
    """The stopping rule: g_t = numerator t / (denominator (T - t)); by prices, or by heads at the bid `outside`."""

    numerator: int
    denominator: int
    heads: bool
    outside: int
    eliminates: bool


def run_assured(setting: Setting) -> Run | None:
    """A whole run of `assured`; None where its gap rule needs numbers of more than 64 bits."""
    policy = setting.policy
    workers = len(setting.bids)
    if not isinstance(policy, Assured):
        return None
    size = min(policy.pool, workers)
    rules = rules_of(policy, policy.problem.mu / size)
    halt = _halt(setting, policy, size)
    if rules is None or halt is None:
        return None
    keys = tie_keys(setting.seed, workers)
    ids = np.flatnonzero(lowest_bidders(setting.bids, keys, policy.pool))
    qualities = None if setting.qualities is None else setting.qualities[ids]
    judge = judge_of(policy, qualities)
    room = ROOM
    while True:
        pool, doubts = _pool(rules, ids, setting.bids[ids], keys[ids]), no_doubts(room)
        spend = np.empty(setting.horizon, dtype=np.int64)
        explored = np.zeros(size, dtype=np.int64)
        jury = np.empty(size, dtype=np.int64)
        stop, count = assured_kernel(
            pool, setting.answers, rules, ends_of(rules), halt, judge, doubts, spend, explored, jury
        )
        room = int(doubts.counts[1])
        if room <= len(doubts.juries):
            break
    jury = np.sort(jury[:count])
    certain = pool.lower[jury]
    counts = np.zeros(workers, dtype=np.int64)
    counts[ids] = explored
    return two_phases(
        setting,
        stop,
        ids[jury],
        counts,
        spend,
        None if qualities is None else doubted(policy, doubts, qualities),
        log_odds_weights(certain) if rules.log_odds and policy.pessimistic.meets(certain) else None,
    )


def _halt(setting: Setting, policy: Assured, size: int) -> Halt | None:
    """The stopping rule in 64-bit numbers, if it fits."""
    kappa: object = policy.kappa
    if not isinstance(kappa, Fraction | int):
        return None
    numerator, denominator = kappa.numerator * size * policy.problem.cap, kappa.denominator
    if max(numerator, denominator) * setting.horizon > LARGEST:
        return None
    heads = policy.stopping is Stopping.HEAD_COUNT
    outside = outside_bid(setting.bids, policy.pool, policy.problem.cap)
    return Halt(numerator, denominator, heads, outside, policy.eliminates and not heads)


def _pool(rules: Rules, ids: NDArray[np.int64], prices: NDArray[np.int64], keys: NDArray[np.int64]) -> Pool:
    """The pool before the first answer: everybody between the floor and 1."""
    size = len(ids)
    lower, upper = np.full(size, rules.floor), np.ones(size)
    return Pool(
        ids=ids,
        prices=prices,
        keys=keys,
        right=np.zeros(size, dtype=np.int64),
        lower=lower,
        upper=upper,
        certain=np.array([rounded_down(value(rules, rules.floor))] * size),
        possible=np.array([rounded_up(value(rules, 1.0))] * size),
        alive=np.ones(size, dtype=np.bool_),
        by_price=np.lexsort((keys, prices)),
        by_certain=np.arange(size),
        by_possible=np.arange(size),
    )


@kernel
def assured_kernel(
    pool: Pool,
    answers: Answers,
    rules: Rules,
    ends: Ends,
    halt: Halt,
    judge: Judge,
    doubts: Doubts,
    spend: NDArray[np.int64],
    explored: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """(stop, or 0 if exploration outlasts the horizon; the jury's size). Juries are positions in the pool.

    `explored` gets each pool worker's number of exploration tasks, `jury` the last jury.
    """
    members = len(pool.ids)
    room = np.empty(members, dtype=np.int64)
    hoped = np.zeros(members, dtype=np.bool_)
    hoped_price = UNKNOWN
    total = pool.prices.sum()
    size = members
    for task in range(len(spend)):
        if task > 0:
            _bound(pool, rules, ends, task)
            if halt.eliminates:
                total -= _eliminate(pool, rules.possible, explored, task)
            allowed = halt.numerator * task // (halt.denominator * (len(spend) - task))
            if not halt.heads:
                hoped_price = _hoped_price(pool, rules, hoped, hoped_price, room, jury)
            if _may_stop(pool, rules, halt, hoped_price, allowed, room):
                size, price = _cheapest(pool, pool.certain, rules.certain, room, jury)
                if halt.heads or price - hoped_price <= allowed:
                    _mark_explored(pool, explored, task)
                    return task + 1, size
        spend[task] = total
        size = _left(pool, jury)
        _judge(pool, rules, judge, doubts, jury, size)
        for place in range(size):
            i = jury[place]
            pool.right[i] += is_right(lanes(answers, pool.ids[i], task // LANES, ALL), task % LANES)
    _mark_explored(pool, explored, len(spend))
    return 0, size


@inline
def _left(pool: Pool, jury: NDArray[np.int64]) -> int:
    """Everybody who is left, as a jury; its size."""
    size = 0
    for i in range(len(pool.alive)):
        jury[size] = i
        size += 1 if pool.alive[i] else 0
    return size


@inline
def _mark_explored(pool: Pool, explored: NDArray[np.int64], rounds: int) -> None:
    for i in range(len(pool.alive)):
        if pool.alive[i]:
            explored[i] = rounds


@inline
def _bound(pool: Pool, rules: Rules, ends: Ends, asked: int) -> None:
    """The nested intervals after one more answer of all who are left; an empty intersection leaves them as they
    were.
    """
    for i in range(len(pool.alive)):
        if not pool.alive[i]:
            continue
        lower = max(pool.lower[i], known_lower(ends, rules, pool.right[i], asked))
        upper = min(pool.upper[i], known_upper(ends, rules, pool.right[i], asked))
        if lower > upper:
            continue
        if lower != pool.lower[i]:
            pool.lower[i] = lower
            pool.certain[i] = rounded_down(value(rules, lower))
        if upper != pool.upper[i]:
            pool.upper[i] = upper
            pool.possible[i] = rounded_up(value(rules, upper))


@inline
def _eliminate(pool: Pool, enough: int, explored: NDArray[np.int64], rounds: int) -> int:
    """Drop whom cheaper and surely no worse workers, gone ones included, make superfluous; the sum of their prices.

    Only workers whose possible value is not above every cheaper worker's certain one can be dominated at all, and
    only once all cheaper workers together are certain to be enough.
    """
    dropped = 0
    best = 0
    reached = 0
    for place in range(len(pool.by_price)):
        k = pool.by_price[place]
        high = min(pool.possible[k], enough)
        if pool.alive[k] and high <= best and reached >= enough:
            together = 0
            for cheaper in range(place):
                low = min(pool.certain[pool.by_price[cheaper]], enough)
                together += low if low >= high else 0
            if together >= enough:
                pool.alive[k] = False
                explored[k] = rounds
                dropped += pool.prices[k]
        low = min(pool.certain[k], enough)
        best = max(best, low)
        reached += low
    return dropped


@merge
def _cheapest(
    pool: Pool, values: NDArray[np.int64], requirement: int, room: NDArray[np.int64], jury: NDArray[np.int64]
) -> tuple[int, int]:
    """(size, price) of the cheapest jury of those who are left."""
    for i in range(len(room)):
        room[i] = values[i] if pool.alive[i] else 0
    return exact_jury(pool.prices, room, requirement, pool.keys, jury)


@merge
def _hoped_price(
    pool: Pool,
    rules: Rules,
    hoped: NDArray[np.bool_],
    price: int,
    room: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> int:
    """The price of the cheapest jury on optimistic values, INFEASIBLE if there is none (and there will be none).

    Workers only go and optimistic values only fall, so no cheaper jury appears: as long as all of the last one,
    `hoped`, are left and reach the requirement, its price is still the least.
    """
    if price == INFEASIBLE:
        return INFEASIBLE
    reached = 0
    whole = price != UNKNOWN
    for i in range(len(hoped)):
        reached += pool.possible[i] if hoped[i] else 0
        whole &= pool.alive[i] or not hoped[i]
    if whole and reached >= rules.possible:
        return price
    size, price = _cheapest(pool, pool.possible, rules.possible, room, jury)
    for i in range(len(hoped)):
        hoped[i] = False
    for place in range(size):
        hoped[jury[place]] = True
    return price if size > 0 else INFEASIBLE


@inline
def _may_stop(pool: Pool, rules: Rules, halt: Halt, hoped_price: int, allowed: int, room: NDArray[np.int64]) -> bool:
    """Whether a certain jury exists and bounds on its price leave open that the gap is small enough.

    With heads this decides. With prices: a certain jury of at least v heads costs at least the v lowest prices left,
    and no less than the linear relaxation.
    """
    certain_heads = _fewest(pool, pool.certain, pool.by_certain, rules.certain)
    if certain_heads == 0:
        return False
    if halt.heads:
        possible_heads = _fewest(pool, pool.possible, pool.by_possible, rules.possible)
        return possible_heads > 0 and halt.outside * (certain_heads - possible_heads) <= allowed
    if hoped_price == INFEASIBLE:
        return False
    least = 0
    heads = 0
    place = 0
    while heads < certain_heads:
        i = pool.by_price[place]
        place += 1
        if pool.alive[i]:
            heads += 1
            least += pool.prices[i]
    if least - hoped_price > allowed:
        return False
    for i in range(len(room)):
        room[i] = min(pool.certain[i], rules.certain) if pool.alive[i] else 0
    multiplier = breaking_ratio(pool.prices, room, rules.certain)
    return relaxation_bound(pool.prices, room, rules.certain, multiplier) - hoped_price <= allowed


@inline
def _fewest(pool: Pool, values: NDArray[np.int64], order: NDArray[np.int64], requirement: int) -> int:
    """The fewest of those who are left whose values reach the requirement; 0 if all do not. Puts `order` in order."""
    for place in range(1, len(order)):
        worker = order[place]
        while place > 0 and values[order[place - 1]] < values[worker]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = worker
    heads = 0
    reached = 0
    for i in order:
        if pool.alive[i]:
            heads += 1
            reached += values[i]
            if reached >= requirement:
                return heads
    return 0


@inline
def _judge(pool: Pool, rules: Rules, judge: Judge, doubts: Doubts, jury: NDArray[np.int64], size: int) -> None:
    """The vote of an exploring round: weighted by log-odds once all together are certain to be enough."""
    if len(judge.worth) == 0:
        return
    reached = 0
    for place in range(size):
        reached += pool.certain[jury[place]]
    if rules.log_odds and reached >= rules.certain:
        judge_weighted(judge, doubts, pool.lower, jury, size)
    else:
        judge_jury(judge, doubts, jury, size)
