"""Minimum knapsacks the slow way: every jury tried, and GA as the paper's section 6.2 words it."""

from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quorate.select.knapsack import Knapsack

Jury = tuple[int, ...]


@cache
def every_jury(workers: int) -> NDArray[np.int64]:
    """One row for each of the 2^n juries, 1 where the worker is in it."""
    return np.arange(2**workers)[:, None] >> np.arange(workers) & 1


def cheapest(knapsack: Knapsack) -> tuple[int, int] | None:
    """The least (price, key sum) over all juries that meet the requirement; None if there is none."""
    juries = every_jury(len(knapsack))
    price, key = juries @ knapsack.prices, juries @ knapsack.keys
    enough = juries @ knapsack.values >= knapsack.requirement
    if not enough.any():
        return None
    least = int(price[enough].min())
    return least, int(key[enough & (price == least)].min())


def cheapest_by_value(knapsack: Knapsack) -> tuple[int, int] | None:
    """The same by dynamic programming over the values (cut at the requirement), in Python's integers."""
    most = max(0, knapsack.requirement)
    best: dict[int, tuple[int, int]] = {0: (0, 0)}
    workers = zip(knapsack.prices.tolist(), knapsack.values.tolist(), knapsack.keys.tolist(), strict=True)
    for price, value, key in workers:
        for reached, (paid, keyed) in list(best.items()):
            total, cost = min(most, reached + value), (paid + price, keyed + key)
            if total not in best or cost < best[total]:
                best[total] = cost
    return best.get(most)


def greedy(prices: list[int], values: list[int], requirement: int) -> Jury | None:
    """GA: S_0, B_0, S_1, B_1, ... along price / value, then the cheapest S_0 + ... + S_l + {j} with j in B_l.

    Of equal candidates the first. Workers without value have no place in the order and are in no candidate.
    """
    if requirement <= 0:
        return ()
    order = sorted((i for i in range(len(prices)) if values[i]), key=lambda i: (Fraction(prices[i], values[i]), i))
    smalls: list[int] = []
    candidates: list[list[int]] = []
    at = 0
    while at < len(order):
        # S_l: as long as the constraint is not met.
        while at < len(order) and sum(values[i] for i in [*smalls, order[at]]) < requirement:
            smalls.append(order[at])
            at += 1
        # B_l: as long as each of them alone would meet it.
        while at < len(order) and sum(values[i] for i in [*smalls, order[at]]) >= requirement:
            candidates.append([*smalls, order[at]])
            at += 1
    if not candidates:
        return None
    return tuple(sorted(min(candidates, key=lambda jury: sum(prices[i] for i in jury))))
