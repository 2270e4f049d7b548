"""The policies from the paper's pseudo-code and MATHS 5 and 6, in plain Python: lists, floats and every subset.

Everything is written as the paper writes it, with qualities instead of fixed-point values. Rows are a recorded table:
rows[i][t] says whether worker i is right on task t. A run is the list of juries, the list of "explored?", and the
first exploitation round (from 1) or None.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from tests.oracle.naive_realization import philox4x32

Jury = tuple[int, ...]
Values = Callable[[float], float]
Select = Callable[[Sequence[int], Sequence[int], Sequence[float], float], Jury | None]
EXPLORE_STREAM = 3


@dataclass
class Run:
    juries: list[Jury] = field(default_factory=list)
    explored: list[bool] = field(default_factory=list)
    stop: int | None = None


def margin(quality: float) -> float:
    return max(0.0, 2.0 * quality - 1.0)


def bhattacharyya(quality: float) -> float:
    return math.inf if quality >= 1.0 else max(0.0, -0.5 * math.log(4.0 * quality * (1.0 - quality)))


def follow(horizon: int, first: Jury, learn: Callable[[int, Jury], tuple[Jury, bool]]) -> Run:
    """Ask, learn, ask again. `learn` gets a task (from 0) and who was asked; it says whom next, and if for good."""
    run, jury = Run(), first
    for task in range(horizon):
        run.juries.append(jury)
        run.explored.append(run.stop is None)
        if run.stop is None:
            jury, for_good = learn(task, jury)
            # Tasks count from 0 and rounds from 1: the next task is round task + 2. Beyond the horizon it never comes.
            run.stop = task + 2 if for_good and task + 1 < horizon else None
    return run


# --- selection ---------------------------------------------------------------------------------------------------


def greedy(left: Sequence[int], prices: Sequence[int], values: Sequence[float], requirement: float) -> Jury | None:
    """GA of section 6.2: smalls S_0, S_1, ... pile up; each big one makes a candidate with the smalls before it."""

    def ratio(i: int) -> float:
        return prices[i] / values[i] if values[i] > 0 else math.inf

    smalls: list[int] = []
    candidates: list[Jury] = []
    for i in sorted(left, key=lambda i: (ratio(i), i)):
        if sum(values[j] for j in smalls) + values[i] >= requirement:
            candidates.append(tuple(sorted([*smalls, i])))
        else:
            smalls.append(i)
    return min(candidates, key=lambda jury: sum(prices[i] for i in jury), default=None)


def cheapest(keys: Sequence[int]) -> Select:
    """Every subset: least price, then least sum of keys."""

    def select(left: Sequence[int], prices: Sequence[int], values: Sequence[float], requirement: float) -> Jury | None:
        subsets: list[tuple[float, int, int, Jury]] = [(0.0, 0, 0, ())]
        for i in left:
            subsets += [(v + values[i], p + prices[i], k + keys[i], (*jury, i)) for v, p, k, jury in subsets]
        meeting = [(price, key, jury) for value, price, key, jury in subsets if value >= requirement]
        return min(meeting, default=(0, 0, None))[2]

    return select


# --- the paper's policies ----------------------------------------------------------------------------------------


@dataclass
class Counts:
    """n_i and k_i of Algorithm 1, and the bounds that they give, clipped to [1/2, 1]."""

    workers: int
    mu: float

    def __post_init__(self) -> None:
        self.asked = [0] * self.workers
        self.right = [0] * self.workers

    def observe(self, jury: Jury, rows: Sequence[Sequence[int]], task: int) -> None:
        for i in jury:
            self.asked[i] += 1
            self.right[i] += rows[i][task]

    def radius(self, i: int) -> float:
        return math.sqrt(math.log(2 * self.workers / self.mu) / (2 * self.asked[i]))

    def upper(self, i: int) -> float:
        return 1.0 if not self.asked[i] else max(0.5, min(1.0, self.right[i] / self.asked[i] + self.radius(i)))

    def lower(self, i: int) -> float:
        return 0.5 if not self.asked[i] else max(0.5, min(1.0, self.right[i] / self.asked[i] - self.radius(i)))

    def estimate(self, i: int) -> float:
        return max(0.5, self.right[i] / self.asked[i]) if self.asked[i] else 0.5


@dataclass
class World:
    """Prices, rows, and the constraints sum(2q - 1) >= m (pessimistic) and >= m_hoped (optimistic)."""

    prices: Sequence[int]
    rows: Sequence[Sequence[int]]
    m: float
    m_hoped: float
    mu: float

    @property
    def horizon(self) -> int:
        return len(self.rows[0])

    @property
    def everybody(self) -> Jury:
        return tuple(range(len(self.prices)))


def ccb_ns(world: World, select: Select) -> Run:
    """Algorithm 1."""

    def explore(chosen: Jury, counts: Counts) -> Jury:
        """MINIMAL: the highest pessimistic value first until the target holds, else everybody."""
        grown = list(chosen)
        for i in sorted(set(world.everybody) - set(chosen), key=lambda i: (-counts.lower(i), i)):
            if sum(margin(counts.lower(j)) for j in grown) >= world.m:
                break
            grown.append(i)
        return tuple(sorted(grown))

    return _algorithm(world, select, explore)


def ccb_s(world: World, select: Select) -> Run:
    """Algorithm 2."""
    return _algorithm(world, select, lambda chosen, counts: world.everybody)


def _algorithm(world: World, select: Select, explore: Callable[[Jury, Counts], Jury]) -> Run:
    """What Algorithms 1 and 2 share: all but whom to ask while exploring."""
    counts = Counts(len(world.prices), world.mu)

    def learn(task: int, jury: Jury) -> tuple[Jury, bool]:
        counts.observe(jury, world.rows, task)
        hoped = [margin(counts.upper(i)) for i in world.everybody]
        chosen = select(world.everybody, world.prices, hoped, world.m_hoped)
        if chosen is None:
            return world.everybody, False
        if sum(margin(counts.lower(i)) for i in chosen) >= world.m:
            return chosen, True
        return explore(chosen, counts), False

    return follow(world.horizon, world.everybody, learn)


def ccb_se(world: World, select: Select) -> Run:
    """Algorithm 2 with the "Elimination Strategy with Greedy Algorithm GA" of section 6.2."""
    counts = Counts(len(world.prices), world.mu)

    def learn(task: int, jury: Jury) -> tuple[Jury, bool]:
        counts.observe(jury, world.rows, task)
        low = [margin(counts.lower(i)) for i in world.everybody]
        high = [margin(counts.upper(i)) for i in world.everybody]
        left = _survivors(world, select, list(jury), low, high)
        chosen = select(left, world.prices, high, world.m_hoped)
        if chosen is not None and sum(low[i] for i in chosen) >= world.m:
            return chosen, True
        return tuple(left), False

    return follow(world.horizon, world.everybody, learn)


def _survivors(world: World, select: Select, left: list[int], low: Sequence[float], high: Sequence[float]) -> list[int]:
    safe = select(left, world.prices, low, world.m)
    if not safe:
        return left

    def ratio(i: int, value: Sequence[float]) -> float:
        return world.prices[i] / value[i] if value[i] > 0 else math.inf

    order = sorted(left, key=lambda i: (ratio(i, low), i))
    k = max(order.index(i) for i in safe)
    prefix = order[: k + 1]
    dearest = max(world.prices[i] for i in prefix)
    last = ratio(order[k], low)
    gone = {r for r in order[k + 1 :] if last <= ratio(r, high) and world.prices[r] >= dearest}
    return [i for i in left if i not in gone]


def epsilon_greedy(world: World, select: Select, coin_seed: int) -> Run:
    """Section 6.3: everybody with probability min(1, 100/t), else the cheapest on the estimates; it never stops."""
    run, counts = Run(), Counts(len(world.prices), world.mu)
    for t in range(1, world.horizon + 1):
        a, b, _, _ = philox4x32((0, t, 0, EXPLORE_STREAM), (coin_seed & 0xFFFFFFFF, coin_seed >> 32))
        uniform = (((a << 32) | b) >> 11) / 2**53
        chosen = None
        if uniform >= min(1.0, 100 / t):
            chosen = select(
                world.everybody, world.prices, [margin(counts.estimate(i)) for i in world.everybody], world.m
            )
        run.juries.append(world.everybody if chosen is None else chosen)
        run.explored.append(chosen is None)
        counts.observe(run.juries[-1], world.rows, t - 1)
    return run


# --- assured (MATHS 6) -------------------------------------------------------------------------------------------


@cache
def anytime(k: int, m: int, level: float) -> tuple[float, float]:
    """The mixture interval by bisection, in floats."""
    if m == 0:
        return 0.0, 1.0
    log_mixture = math.lgamma(k + 0.5) + math.lgamma(m - k + 0.5) - math.lgamma(m + 1) - math.log(math.pi)

    def inside(p: float) -> bool:
        chance = (k * math.log(p) if k else 0.0) + ((m - k) * math.log1p(-p) if m > k else 0.0)
        return chance > math.log(level) + log_mixture

    def end(outside: float, within: float) -> float:
        for _ in range(60):
            middle = (outside + within) / 2
            outside, within = (outside, middle) if inside(middle) else (middle, within)
        return within

    return (0.0 if k == 0 else end(0.0, k / m)), (1.0 if k == m else end(1.0, k / m))


@dataclass
class AssuredWorld(World):
    """m and m_hoped are now requirements on sums of -1/2 ln(4q(1-q))."""

    keys: Sequence[int]
    pool: int
    kappa: Fraction
    cap: int
    by_heads: bool


def assured(world: AssuredWorld) -> Run:
    """Pool, nested intervals, elimination by dominance (price gap only), and the bid-independent stopping rule."""
    ranked = sorted(world.everybody, key=lambda i: (world.prices[i], world.keys[i]))
    pool = sorted(ranked[: world.pool])
    outside = world.prices[ranked[world.pool]] if len(ranked) > world.pool else world.cap
    low, high = dict.fromkeys(pool, 0.5), dict.fromkeys(pool, 1.0)
    asked, right = dict.fromkeys(pool, 0), dict.fromkeys(pool, 0)

    def learn(task: int, jury: Jury) -> tuple[Jury, bool]:
        for i in jury:
            asked[i] += 1
            right[i] += world.rows[i][task]
            new_low, new_high = (max(0.5, end) for end in anytime(right[i], asked[i], world.mu / len(pool)))
            if max(low[i], new_low) <= min(high[i], new_high):
                low[i], high[i] = max(low[i], new_low), min(high[i], new_high)
        certain = {i: bhattacharyya(low[i]) for i in pool}
        hoped = {i: bhattacharyya(high[i]) for i in pool}
        left = jury
        if not world.by_heads:
            left = tuple(k for k in jury if not _dominated(world, k, pool, certain, hoped))
        t, rest = task + 1, world.horizon - task - 1
        allowed = math.inf if rest == 0 else math.floor(world.kappa * t * len(pool) * world.cap / rest)
        best = _cheapest(world, left, certain, world.m)
        if best is not None and _gap(world, left, best, certain, hoped, outside) <= allowed:
            return best, True
        return left, False

    return follow(world.horizon, tuple(pool), learn)


def _cheapest(world: AssuredWorld, left: Sequence[int], values: dict[int, float], requirement: float) -> Jury | None:
    spread = [values.get(i, 0.0) for i in world.everybody]
    return cheapest(world.keys)(left, world.prices, spread, requirement)


def _dominated(
    world: AssuredWorld, k: int, pool: Sequence[int], certain: dict[int, float], hoped: dict[int, float]
) -> bool:
    """Cheaper workers that are surely as good reach the requirement without k, eliminated ones included."""
    cheaper = [i for i in pool if (world.prices[i], world.keys[i]) < (world.prices[k], world.keys[k])]
    cut = {i: min(certain[i], world.m_hoped) for i in cheaper}
    return sum(cut[i] for i in cheaper if cut[i] >= min(hoped[k], world.m_hoped)) >= world.m_hoped


def _gap(
    world: AssuredWorld,
    left: Sequence[int],
    best: Jury,
    certain: dict[int, float],
    hoped: dict[int, float],
    outside: int,
) -> float:
    if world.by_heads:
        v, w = _fewest(certain.values(), world.m), _fewest(hoped.values(), world.m_hoped)
        return math.inf if v is None or w is None else outside * (v - w)
    wanted = _cheapest(world, left, hoped, world.m_hoped)
    return math.inf if wanted is None else sum(world.prices[i] for i in best) - sum(world.prices[i] for i in wanted)


def _fewest(values: Iterable[float], requirement: float) -> int | None:
    ordered = sorted(values, reverse=True)
    return next((size for size in range(len(ordered) + 1) if sum(ordered[:size]) >= requirement), None)
