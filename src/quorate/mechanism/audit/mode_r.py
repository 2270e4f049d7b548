"""Mode R's coins: Myerson's identity, the gain from lies, pay below the bid (paper, Theorem 5.1; MATHS 6).

Worlds here have money of 0, 1, ..., cap millionths, so all bids are tried and the identity has no rounding:

    expected pay at bid b  =  b E A(x(b)) + sum(E A(x(u)), u = b + 1..cap).

Both sides are sampled with the same coins for all bids (common random numbers). The control draws new coins in every
round, which breaks the identity and lets lies gain.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate._jit import inline, kernel
from quorate.errors import InvalidInput
from quorate.mechanism.allocation import Allocation
from quorate.mechanism.audit.checks import smooth
from quorate.mechanism.audit.runs import CCB_S_EXACT, new_desk, rounds_of, run_bid
from quorate.mechanism.audit.small_world import NOBODY, cheapest, price_juries, sort_juries
from quorate.mechanism.audit.tables import Rounds, Scale, World
from quorate.mechanism.audit.worlds import Family, draw_world
from quorate.mechanism.coins import DEFAULT_ONE_IN, bonus_of, check_one_in, resample_one
from quorate.mechanism.randomised import Randomised
from quorate.model.philox import WORLD, word
from quorate.model.problem import check_bids
from quorate.money import MILLIONTHS, Money
from quorate.policy.base import Policy

# What three standard errors mean: the chance of a false alarm, here for all looks of an audit together (Bonferroni).
FALSE_ALARM = 0.0027
BATCH = 10_000
# A random allocation gives a worker up to so many tasks in each phase.
MOST_TASKS = 3


def sure(looks: int) -> float:
    """How many standard errors so many looks together exceed with probability FALSE_ALARM at most: 3 for one look."""
    return NormalDist().inv_cdf(1.0 - FALSE_ALARM / (2 * looks))


@dataclass(frozen=True)
class Identity:
    """At one bid of one world: mean of pay minus b A minus the sum of A, and its standard error."""

    world: int
    bid: Money
    mean: float
    error: float

    @property
    def z(self) -> float:
        if self.error > 0.0:
            return self.mean / self.error
        return math.copysign(math.inf, self.mean) if self.mean else 0.0


@dataclass(frozen=True)
class Gain:
    """The best of so many lies tried by one world's worker: mean gain over the truth in millionths, standard error."""

    world: int
    cost: Money
    lie: Money
    mean: float
    error: float
    tried: int

    def interval(self, worlds: int) -> tuple[float, float]:
        """Where the gain lies, whatever world and lie is looked at of so many worlds."""
        radius = sure(worlds * self.tried) * self.error
        return self.mean - radius, self.mean + radius


@dataclass(frozen=True)
class BelowBid:
    """How many bids were paid less than themselves, or shown to the policy as what they are not; of the first of those
    that were paid too little the bid and the cap.
    """

    count: int = 0
    first: tuple[Money, Money] | None = None

    def plus(self, other: "BelowBid") -> "BelowBid":
        return BelowBid(self.count + other.count, self.first or other.first)


@dataclass(frozen=True)
class Sampled:
    """What the coins of one world showed."""

    identity: Identity
    gain: Gain


def expected_utilities(tasks: ArrayLike, cost: int, one_in: int = DEFAULT_ONE_IN) -> NDArray[np.float64]:
    """What each bid 0..cap earns on average over the coins, where the allocation gives tasks[x] to a seen bid of x.

    Pay is b A~(b) + sum(A~(u), u > b) (quorate.mechanism.coins), so utility is (b - cost) A~(b) plus that sum.
    """
    given = np.asarray(tasks, dtype=np.int64)
    check_one_in(one_in)
    if given.ndim != 1 or not 0 <= cost < len(given):
        raise InvalidInput(f"give the tasks at every bid from 0 to the cap, and a cost among these bids, not {cost}")
    expected = np.empty(len(given))
    _smooth_kernel(given, one_in, expected)
    above = np.append(np.cumsum(expected[::-1])[::-1][1:], 0.0)
    return np.asarray((np.arange(len(given)) - cost) * expected + above)


@kernel
def _smooth_kernel(tasks: NDArray[np.int64], one_in: int, out: NDArray[np.float64]) -> None:
    smooth(tasks, one_in, out)


@inline
def _tasks_by_bid(world: World, scale: Scale, rounds: Rounds) -> NDArray[np.int64]:
    """A(x) for x = 0..cap."""
    desk = new_desk(world)
    tasks = np.empty(world.cap + 1, np.int64)
    for bid in range(world.cap + 1):
        run_bid(world, scale, rounds, bid, desk)
        tasks[bid] = desk.tasks[world.vary]
    return tasks


@inline
def _exploitation_by_bid(world: World, rounds: Rounds) -> NDArray[np.int64]:
    """CCB-S's decision after round t at each seen bid: the jury to use for good, or NOBODY; entry [bid, t]."""
    desk = new_desk(world)
    out = np.full((world.cap + 1, world.horizon + 1), NOBODY)
    for bid in range(world.cap + 1):
        desk.bids[world.vary] = bid
        price_juries(world, desk.bids, desk.prices)
        sort_juries(desk.prices, rounds.ranks, desk.order)
        for t in range(rounds.first, world.horizon):
            jury = cheapest(desk.order, rounds.possible[t], len(desk.order) - 1)
            if jury != NOBODY and (rounds.certain[t] >> np.uint64(jury)) & np.uint64(1):
                out[bid, t] = jury
    return out


@inline
def _redrawn_run(
    world: World, decisions: NDArray[np.int64], seed: np.uint64, draw: int, bid: int, one_in: int
) -> tuple[int, int]:
    """(tasks, pay) where every round has coins of its own: the control, CCB-S with exact selection."""
    tasks = 0
    pay = 0
    jury = NOBODY
    for t in range(world.horizon):
        own = np.uint64(draw * world.horizon + t)
        x, y = resample_one(seed, own, bid, world.cap, one_in)
        if jury == NOBODY and t > 0:
            jury = decisions[x, t]
        if jury == NOBODY or (jury >> world.vary) & 1:
            tasks += 1
            pay += bid + bonus_of(bid, y, world.cap, one_in)
    return tasks, pay


@kernel
def _sample_kernel(
    world: World,
    scale: Scale,
    seed: np.uint64,
    draws: int,
    one_in: int,
    redraw: bool,
    identity: NDArray[np.float64],
    gains: NDArray[np.float64],
) -> None:
    """Sums and sums of squares over the draws, per bid: identity[b] of pay - b A - sum A; gains[b] of utility minus
    that of the truth.
    """
    rounds = rounds_of(world, scale)
    once = _tasks_by_bid(world, scale, rounds)
    decisions = _exploitation_by_bid(world, rounds) if redraw else np.empty((0, 0), np.int64)
    bids = world.cap + 1
    tasks = np.empty(bids, np.int64)
    pay = np.empty(bids, np.int64)
    cost = world.bids[world.vary]
    for draw in range(draws):
        for b in range(bids):
            if redraw:
                tasks[b], pay[b] = _redrawn_run(world, decisions, seed, draw, b, one_in)
            else:
                x, y = resample_one(seed, np.uint64(draw), b, world.cap, one_in)
                tasks[b] = once[x]
                pay[b] = tasks[b] * (b + bonus_of(b, y, world.cap, one_in))
        above = 0
        for b in range(bids - 1, -1, -1):
            off = pay[b] - b * tasks[b] - above
            above += tasks[b]
            identity[b, 0] += off
            identity[b, 1] += off * off
            more = (pay[b] - cost * tasks[b]) - (pay[cost] - cost * tasks[cost])
            gains[b, 0] += more
            gains[b, 1] += more * more


def sample_coins(
    audited: Family,
    seed: int,
    number: int,
    *,
    draws: int,
    one_in: int = DEFAULT_ONE_IN,
    redraw: bool = False,
    cost: Money | None = None,
) -> Sampled:
    """Draw the coins of world `number` many times: the identity at the worker's cost (its bid there), and its best lie.

    `redraw` is the control: coins anew in every round (CCB-S with exact selection only).
    """
    if audited.variant.unit != 1:
        raise InvalidInput(
            f"a unit of {audited.variant.unit} millionths leaves bids out; mode R is sampled with unit=1"
        )
    if redraw and audited.variant.rule != CCB_S_EXACT:
        raise InvalidInput(f"the control exists for 'ccb-s' with 'exact' only, not for {audited.variant.name!r}")
    if draws < 2:
        raise InvalidInput(f"{draws} draws have no standard error; take at least 2")
    world, _, _ = draw_world(np.uint64(seed), number, audited.plan)
    if cost is not None:
        world.bids[world.vary] = check_bids([cost], int(world.cap))[0]
    coins = np.uint64(_coin_seed(seed, number))
    identity, gains = np.zeros((world.cap + 1, 2)), np.zeros((world.cap + 1, 2))
    _sample_kernel(world, audited.scale, coins, draws, one_in, redraw, identity, gains)
    true = int(world.bids[world.vary])
    mean, error = _moments(identity[true], draws)
    best = max(range(len(gains)), key=lambda b: gains[b, 0] if b != true else -math.inf)
    more, spread = _moments(gains[best], draws)
    return Sampled(Identity(number, true, mean, error), Gain(number, true, best, more, spread, len(gains) - 1))


def _coin_seed(seed: int, number: int) -> int:
    return int(word(np.uint64(seed), WORLD, np.uint64(number), np.uint64(2**32 - 1)))


def _moments(sums: NDArray[np.float64], draws: int) -> tuple[float, float]:
    """(mean, standard error)."""
    mean = float(sums[0]) / draws
    variance = max(0.0, float(sums[1]) / draws - mean * mean) * draws / (draws - 1)
    return mean, math.sqrt(variance / draws)


def paid_below_bid(
    policy: Policy,
    draws: int,
    seed: int,
    one_in: int = DEFAULT_ONE_IN,
    advance: Callable[[float], None] = lambda done: None,
) -> BelowBid:
    """Of so many random bids (caps to match), sealed and settled with random tasks: those that are paid below the bid.

    Also those of whom the policy is shown less than they bid, or more than the cap, and those paid for other tasks.
    """
    payment = Randomised(one_in)
    below = BelowBid()
    for batch in range(-(-draws // BATCH)):
        size = min(BATCH, draws - batch * BATCH)
        generator = np.random.default_rng((seed, batch))
        cap = int(generator.integers(1, 100 * MILLIONTHS))
        bids = generator.integers(0, cap + 1, size)
        sealed = payment.seal(bids, cap, int(generator.integers(0, 2**63)))
        explored, exploited = generator.integers(0, MOST_TASKS + 1, (2, size))
        nothing = np.zeros(size, dtype=np.int64)
        allocation = Allocation(explored, exploited, np.flatnonzero(exploited), nothing.astype(np.float64), nothing)
        payouts = payment.settle(sealed, policy, allocation).payouts
        owed = zip(bids.tolist(), (explored + exploited).tolist(), payouts, strict=True)
        short, other = np.array(
            [(payout.total < bid * tasks, payout.tasks != tasks) for bid, tasks, payout in owed], dtype=np.bool_
        ).T
        count = int((short | other | (sealed.seen < bids) | (sealed.seen > cap)).sum())
        below = below.plus(BelowBid(count, (int(bids[short][0]), cap) if short.any() else None))
        advance(size)
    return below
