"""The pool and the gap that ends exploration: what `assured` and its joint form share (MATHS 6, repairs 1 and 4)."""

from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput, UnknownName
from quorate.model.problem import Problem
from quorate.money import Money

DEFAULT_KAPPA = Fraction(1, 4)


class Stopping(StrEnum):
    """What ends exploration.

    `PRICE_GAP`: the certain jury costs at most g_t more than the hoped-for one; goes with the randomised payment
    (mode R). `HEAD_COUNT`: it needs so few more heads that at the first bid outside the pool they cost at most g_t;
    looks at nothing that a pool worker bids, and goes with the threshold payment (mode D).
    """

    PRICE_GAP = "price-gap"
    HEAD_COUNT = "head-count"


def stopping_rule(name: str) -> Stopping:
    """The stopping rule of that name."""
    if name not in list(Stopping):
        raise UnknownName(f"no stopping rule is called {name!r}; there are {', '.join(Stopping)}")
    return Stopping(name)


def lowest_bidders(bids: NDArray[np.int64], keys: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """The `size` lowest bidders by (bid, key): they take part, and nobody else is ever asked."""
    chosen = np.zeros(len(bids), dtype=np.bool_)
    chosen[np.lexsort((keys, bids))[:size]] = True
    return chosen


def outside_bid(bids: NDArray[np.int64], size: int, cap: Money) -> Money:
    """th: the lowest bid outside the pool, or the cap if there is none."""
    return cap if len(bids) <= size else int(np.partition(bids, size)[size])


def allowance(problem: Problem, kappa: Fraction, size: int, t: int) -> Money:
    """g_t = kappa t m cap / (T - t), rounded down; at the horizon any gap will do. It never looks at a bid."""
    rest = problem.horizon - t
    return problem.cap * size if rest <= 0 else int(kappa * t * size * problem.cap / rest)


def check_told(pool: NDArray[np.bool_], jury: NDArray[np.int64]) -> None:
    strangers = jury[~pool[jury]]
    if len(strangers):
        raise InvalidInput(f"worker {strangers[0]} is not in the pool, so nobody asked it; tell only of the pool")


def check_pool(size: int, kappa: Fraction) -> None:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InvalidInput(f"a pool of {size!r} is not a whole number (an int) of workers; take at least 1")
    if not isinstance(kappa, int | Fraction):
        raise InvalidInput(f"kappa {kappa!r} is not exact, and a rounded gap could move; try Fraction(1, 4)")
    if kappa < 0:
        raise InvalidInput(f"kappa {kappa} is negative, so exploration could never end; take 0 or more")
