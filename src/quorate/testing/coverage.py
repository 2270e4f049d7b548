"""How often an interval misses, exactly: no simulation, so a contract can hold it to its level (MATHS 3).

An interval is a function of the counts, and both its ends are non-decreasing in the number of right answers. So after m
answers the quality is inside exactly for a range of counts, and the chance of ever leaving these ranges is a walk's
chance of absorption.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quorate.model.interval import Interval

Counts = NDArray[np.int64]


def counts_inside(
    interval: Interval, quality: float, level: float, rounds: int, floor: float = 0.0
) -> tuple[Counts, Counts]:
    """For each m = 1..rounds the first and the last count of right answers whose interval holds the quality."""
    asked = np.arange(1, rounds + 1, dtype=np.int64)
    first = _smallest(lambda right: interval.bounds(right, asked, level, floor)[1] >= quality, asked)
    beyond = _smallest(lambda right: interval.bounds(right, asked, level, floor)[0] > quality, asked)
    return first, beyond - 1


def ever_misses(interval: Interval, quality: float, level: float, rounds: int, floor: float = 0.0) -> float:
    """P(some round up to `rounds` has the quality outside the interval), one worker being asked in every round."""
    return float(_walk(interval, quality, level, rounds, floor, absorbing=True).sum())


def misses_at(interval: Interval, quality: float, level: float, rounds: int, floor: float = 0.0) -> NDArray[np.float64]:
    """P(the interval after m answers misses the quality), for each m = 1..rounds."""
    return _walk(interval, quality, level, rounds, floor, absorbing=False)


def _walk(
    interval: Interval, quality: float, level: float, rounds: int, floor: float, *, absorbing: bool
) -> NDArray[np.float64]:
    """The chance of being outside after each round; of being so for the first time, if absorbing."""
    first, last = counts_inside(interval, quality, level, rounds, floor)
    law, missed = np.zeros(rounds + 1), np.empty(rounds)
    law[0] = 1.0
    for m in range(1, rounds + 1):
        law[1 : m + 1] = law[1 : m + 1] * (1.0 - quality) + law[:m] * quality
        law[0] *= 1.0 - quality
        low, high = first[m - 1], last[m - 1] + 1
        missed[m - 1] = law[:low].sum() + law[high : m + 1].sum()
        if absorbing:
            law[:low] = 0.0
            law[high : m + 1] = 0.0
    return missed


def _smallest(holds: Callable[[Counts], NDArray[np.bool_]], asked: Counts) -> Counts:
    """The smallest count in 0..m at which the condition holds, m + 1 where it never does; all rounds at once."""
    low, high = np.zeros_like(asked), asked + 1
    while bool((low < high).any()):
        middle = (low + high) // 2
        # Where the search is over, middle may be m + 1, which is no count: ask about m and ignore the answer.
        found = holds(np.minimum(middle, asked)) & (middle <= asked)
        searching = low < high
        high = np.where(searching & found, middle, high)
        low = np.where(searching & ~found, middle + 1, low)
    return low
