"""The ends of anytime intervals, solved once: where all have been asked equally often they depend on (k, m) alone.

A pool of sixty would otherwise solve two equations a worker and round, the same ones in every run of a study.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.engine.rules import Rules, lower_end, upper_end

# Up to so many answers are remembered: 33 MB of address space, of which only what is used takes memory.
LONGEST = 2047


class Ends(NamedTuple):
    """Entry m (m + 1) / 2 + k of each: the end after k right of m answers, 0 where not solved yet (no end is 0)."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def ends_of(rules: Rules) -> Ends:
    """The table for these rules; runs share it. Whoever fills an entry writes the same number."""
    return _ends(rules.log_term, rules.floor) if rules.anytime else Ends(np.empty(0), np.empty(0))


@lru_cache(maxsize=4)
def _ends(log_term: float, floor: float) -> Ends:
    size = (LONGEST + 1) * (LONGEST + 2) // 2
    return Ends(np.zeros(size), np.zeros(size))


@inline
def known_lower(ends: Ends, rules: Rules, right: int, asked: int) -> float:
    """`lower_end`, from the table where it has it."""
    entry = asked * (asked + 1) // 2 + right
    if entry >= len(ends.lower):
        return lower_end(rules, right, asked)
    if ends.lower[entry] == 0.0:
        ends.lower[entry] = lower_end(rules, right, asked)
    end: float = ends.lower[entry]
    return end


@inline
def known_upper(ends: Ends, rules: Rules, right: int, asked: int) -> float:
    """`upper_end`, from the table where it has it."""
    entry = asked * (asked + 1) // 2 + right
    if entry >= len(ends.upper):
        return upper_end(rules, right, asked)
    if ends.upper[entry] == 0.0:
        ends.upper[entry] = upper_end(rules, right, asked)
    end: float = ends.upper[entry]
    return end
