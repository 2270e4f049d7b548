"""Do the workers' errors hang together, and what is left of a jury's votes if they do? (MATHS 7)

Error correlation of two workers: the phi coefficient of "is wrong" over the gold tasks that both answered,
phi = (n11 n00 - n10 n01) / sqrt of the product of the four margins; undefined where one of them is always right or
wrong.

Effective number of votes of s workers with mean pairwise correlation rho: Kish's design effect (Survey Sampling, 1965),

    s / (1 + (s - 1) rho),  rho taken as 0 where it is negative:

the number of independent votes whose mean varies as much as the mean of these s.

The test. If workers erred independently of each other, then, given how often each of the two erred on their n common
tasks, the number of common errors would be hypergeometric with mean e = a b / n and variance v = a b (n-a)(n-b) /
(n^2 (n-1)). Two one-sided tests share the level of 5%:
- pairs: the smallest hypergeometric tail probability of all pairs, times the number of pairs (Bonferroni; exact);
- pool: z = sum(n11 - e) / sqrt(sum v) against the normal; under independence the pairs' counts are uncorrelated.
The first finds copies, the second a common difficulty that no single pair shows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtr

from quorate.certify.matrix import GoldMatrix
from quorate.model.interval.base import Floats

LEVEL = 0.05
# Two workers whose errors correlate this much are nearly one worker.
NEAR_DUPLICATE = 0.8
# Fewer common tasks than this say too little to call two workers alike.
ENOUGH_TASKS = 20


@dataclass(frozen=True)
class Pair:
    """Two workers (positions) and the correlation of their errors over `tasks` common tasks."""

    first: int
    second: int
    correlation: float
    tasks: int


@dataclass(frozen=True, eq=False)
class Dependence:
    """The dependence picture of some workers.

    `correlation`: [workers, workers], NaN where undefined; `tasks`: how many both answered; `mean`: over all defined
    pairs; `effective`: votes. `p_pairs` and `p_pool`: the two tests, each to be held against LEVEL / 2.
    """

    correlation: Floats
    tasks: Floats
    mean: float
    effective: float
    near_duplicates: tuple[Pair, ...]
    p_pairs: float
    p_pool: float

    @property
    def few(self) -> NDArray[np.bool_]:
        """[workers, workers]: pairs with too few common tasks to be called alike."""
        return self.tasks < ENOUGH_TASKS

    @property
    def contradicted(self) -> bool:
        """Whether the data contradict independent errors, at level 5% for both tests together."""
        return min(self.p_pairs, self.p_pool) <= LEVEL / 2


def effective_votes(size: int, mean_correlation: float) -> float:
    """s / (1 + (s - 1) rho), rho >= 0."""
    return size / (1.0 + (size - 1) * max(mean_correlation, 0.0))


def measure(gold: GoldMatrix, members: NDArray[np.int64] | None = None) -> Dependence:
    """The dependence of the errors of these workers (all by default)."""
    chosen = np.arange(len(gold)) if members is None else members
    answered, right = gold.answered[chosen], gold.right[chosen]
    wrong = answered & ~right
    # Tasks that both answered; of those, wrong for the row's worker; wrong for both.
    tasks, errors, both = _common(answered, answered), _common(wrong, answered), _common(wrong, wrong)
    correlation = _phi(tasks, errors, errors.T, both)
    upper = np.triu_indices(len(chosen), 1)
    defined = ~np.isnan(correlation[upper])
    mean = float(correlation[upper][defined].mean()) if defined.any() else 0.0
    p_pairs, p_pool = _test(tasks[upper], errors[upper], errors.T[upper], both[upper])
    return Dependence(
        correlation=correlation,
        tasks=tasks,
        mean=mean,
        effective=effective_votes(len(chosen), mean),
        near_duplicates=_alike(chosen, upper, correlation[upper], tasks[upper]),
        p_pairs=p_pairs,
        p_pool=p_pool,
    )


def _common(rows: NDArray[np.uint64], columns: NDArray[np.uint64]) -> Floats:
    """|row and column| for every pair."""
    counts = np.empty((len(rows), len(columns)))
    for i, row in enumerate(rows):
        counts[i] = np.bitwise_count(columns & row).sum(axis=1)
    return counts


def _phi(n: Floats, a: Floats, b: Floats, both: Floats) -> Floats:
    spread = a * (n - a) * b * (n - b)
    phi = np.full(n.shape, np.nan)
    np.divide(n * both - a * b, np.sqrt(spread), out=phi, where=spread > 0)
    return phi


def _test(n: Floats, a: Floats, b: Floats, both: Floats) -> tuple[float, float]:
    """(p of the pairs, p of the pool)."""
    informative = (n > 1) & (a > 0) & (b > 0) & (a < n) & (b < n)
    if not informative.any():
        return 1.0, 1.0
    n, a, b, both = n[informative], a[informative], b[informative], both[informative]
    expected = a * b / n
    variance = a * b * (n - a) * (n - b) / (n * n * (n - 1.0))
    p_pool = float(ndtr(-(both - expected).sum() / np.sqrt(variance.sum())))
    more = both > expected
    smallest = _smallest_tail(n[more], a[more], b[more], both[more])
    return min(1.0, smallest * len(n)), p_pool


def _smallest_tail(n: Floats, a: Floats, b: Floats, both: Floats) -> float:
    """The smallest P(at least `both` common errors), over pairs, when a and b errors fall on n tasks independently.

    A tail is at least its first term, so pairs are taken by that term until it exceeds the smallest tail so far.
    """
    first = _hypergeometric(n, a, b, both)
    smallest = 1.0
    for i in np.argsort(first):
        if first[i] > smallest:
            break
        tail = _hypergeometric(n[i], a[i], b[i], np.arange(both[i], min(a[i], b[i]) + 1.0)).sum()
        smallest = min(smallest, float(tail))
    return smallest


def _hypergeometric(n: Floats, a: Floats, b: Floats, x: Floats) -> Floats:
    """P(x common errors) = C(a, x) C(n - a, b - x) / C(n, b)."""
    return np.exp(_log_choose(a, x) + _log_choose(n - a, b - x) - _log_choose(n, b))


def _log_choose(n: Floats, k: Floats) -> Floats:
    return np.asarray(-betaln(n - k + 1.0, k + 1.0) - np.log(n + 1.0))


def _alike(
    chosen: NDArray[np.int64], upper: tuple[NDArray[np.intp], NDArray[np.intp]], correlation: Floats, tasks: Floats
) -> tuple[Pair, ...]:
    alike = np.flatnonzero((correlation >= NEAR_DUPLICATE) & (tasks >= ENOUGH_TASKS))
    pairs = [
        Pair(int(chosen[upper[0][i]]), int(chosen[upper[1][i]]), float(correlation[i]), int(tasks[i])) for i in alike
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair.correlation, pair.first, pair.second)))
