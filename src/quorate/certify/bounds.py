"""Clopper-Pearson: what a count of right verdicts proves about a jury's accuracy, and its exact inverses (MATHS 7).

A jury's verdicts on n exchangeable gold tasks are n draws of its own accuracy p, whatever its members' errors have to
do with each other. After k right, the lower bound at level d is the p at which k or more right has probability d,

    I_p(k, n - k + 1) = d,    0 when k = 0,

and it is above the true accuracy with probability at most d. Everything is compared as whole billionths, rounded down,
so a certificate and the counts that reach it agree to the bit.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from quorate.model.fixed_point import BILLIONTHS

# A search for "how many more gold tasks" gives up here: a number that nobody will label.
MOST_TASKS = 10**9


def lower_bound(right: ArrayLike, tasks: ArrayLike, level: float) -> NDArray[np.float64]:
    """The Clopper-Pearson lower bound on the accuracy behind `right` of `tasks`, at `level`; 0 <= right <= tasks.

    Fractional counts are allowed (the same formula), for questions about data not yet collected.
    """
    k, n = np.broadcast_arrays(np.asarray(right, dtype=np.float64), np.asarray(tasks, dtype=np.float64))
    bound = np.zeros(k.shape)
    some = k > 0
    bound[some] = betaincinv(k[some], n[some] - k[some] + 1.0, level)
    return bound


def certified(right: ArrayLike, tasks: ArrayLike, level: float) -> NDArray[np.int64]:
    """The lower bound in billionths, rounded down."""
    return np.floor(lower_bound(right, tasks, level) * BILLIONTHS).astype(np.int64)


def fewest_right(tasks: ArrayLike, level: float, target: int, times: float = 1.0) -> NDArray[np.int64]:
    """The smallest k with certified(k, n) >= target (billionths), for each n; n + 1 where even all right is too few.

    The exact inverse of `certified`, by bisection on that very function: it does not decrease in k. With `times`: the
    smallest k that would be certified if there were so many times the tasks, and as large a share of them right.
    """
    n = np.atleast_1d(np.asarray(tasks, dtype=np.int64))
    # The bound is below k / n, so fewer than n * target right can never do.
    low = np.clip(np.ceil(n * (target / BILLIONTHS) - 1e-6).astype(np.int64), 0, n)
    high = n + 1
    while np.any(low < high):
        middle = (low + high) // 2
        enough = certified(np.minimum(middle, n) * times, n * times, level) >= target
        enough &= middle <= n
        high = np.where(enough | (low >= high), np.minimum(high, middle), high)
        low = np.where(~enough & (low < high), middle + 1, low)
    return np.asarray(high, dtype=np.int64)


def fewest_tasks(right: ArrayLike, tasks: ArrayLike, level: float, target: int, gold: int) -> int | None:
    """The fewest gold tasks, from `gold` on, at which one of these juries is certified at `target` (billionths) if it
    stays as right as on today's `gold` tasks, and its members answer as large a share of them; None if none ever is.

    Solved on fractional counts, where the bound grows with the number of tasks: where it passes the target at all,
    because more than the target's share is right.
    """
    # Juries are many, counts are few; only those above the target can ever do.
    pairs = np.unique(np.atleast_2d(np.stack([right, tasks], axis=-1)), axis=0).astype(np.float64)
    k, n = pairs[pairs[:, 0] * BILLIONTHS > pairs[:, 1] * target].T
    if not len(k):
        return None

    return fewest(lambda total: bool(np.any(certified(k * total / gold, n * total / gold, level) >= target)), gold)


def fewest(enough: Callable[[int], bool], at_least: int) -> int | None:
    """The smallest number from `at_least` on that is enough, when all larger ones are; None beyond MOST_TASKS."""
    low, high = at_least - 1, max(1, at_least)
    while not enough(high):
        low, high = high, high * 2
        if high > MOST_TASKS:
            return None
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
