"""Iterative deepening: search ever wider gaps above a relaxation's bound until the best jury found is inside (MATHS 4).

No gap limit, no time limit: the search ends with the proof. Work grows with the gap that the instance has, not with the
one that a heuristic jury leaves, since the gap starts small and widens so that the lists of `core` grow a few times.
"""

import math

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.core import aim, search
from quorate.select.order import sort_front
from quorate.select.parts import HIGH_SHIFT, LOW_BITS, LOW_MASK, PART, put
from quorate.select.relaxation import LAM, SCALE, reduce_costs, rounding

# The first gap aims at lists of at most exp(4) parts.
FIRST_TARGET = 4.0
# How much longer the lists may become from one gap to the next, while they are short and when they are not.
GROWTH = 3.0
LONG_GROWTH = 2.0
LONG = 1000
# A search whose lists become this many times longer than the patience is given up: its gap was widened too much.
MARGIN = 16
# The sides of a core, where a group's number of workers stood before.
LEFT = -1
RIGHT = -2
# So many more workers within a gap than patience are too many to search: it is as with lists that become too long.
CROWD = 4
# Workers nearest to a reduced cost of 0 that are put in order at first.
NEAREST = 48


@inline
def _put_flip(
    core: NDArray[np.void], place: int, worker: int, joins: bool, price: int, value: int, key: int, reduced: float
) -> None:
    """One worker's joining or leaving, as a part."""
    sign = 1 if joins else -1
    low = sign * key
    high = ((sign * price) << HIGH_SHIFT) + (low >> LOW_BITS)
    put(core, place, sign * value, high, low & LOW_MASK, reduced, worker)


@inline
def _arrange(
    order: NDArray[np.int64],
    count: int,
    groups: NDArray[np.int64],
    sides: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Where in the core the first `count` workers go: the smallest reduced costs in the middle, the others outward.

    The lists of `core` are long once cheap flips have been chosen from, so these come late for both sides. Workers of a
    group go to one side: all that matters of them is how many, which the dropping of dominated parts sees only where
    they meet in one list. The side is the one whose groups leave fewer choices so far.
    """
    for k in range(count):
        sides[groups[order[k]]] = 0
    for k in range(count):
        sides[groups[order[k]]] += 1
    left = 0
    right = 0
    left_choices = 0.0
    right_choices = 0.0
    for k in range(count):
        group = groups[order[k]]
        if sides[group] > 0:
            choices = math.log1p(sides[group])
            if left_choices <= right_choices:
                left_choices += choices
                sides[group] = LEFT
            else:
                right_choices += choices
                sides[group] = RIGHT
        if sides[group] == LEFT:
            left += 1
            places[k] = -left
        else:
            places[k] = right
            right += 1
    for k in range(count):
        places[k] += left


@inline
def _start(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    reduced: NDArray[np.float64],
    jury: NDArray[np.bool_],
    base: NDArray[np.bool_],
    best: NDArray[np.void],
) -> int:
    """Fill in the base jury and the cost of `jury` relative to it, drop reduced costs' signs; the base's value."""
    total = 0
    high = 0
    low = 0
    for i in range(len(prices)):
        base[i] = reduced[i] < 0.0
        reduced[i] = abs(reduced[i])
        if base[i]:
            total += values[i]
        if jury[i] != base[i]:
            sign = 1 if jury[i] else -1
            low += sign * keys[i]
            high += ((sign * prices[i]) << HIGH_SHIFT) + (low >> LOW_BITS)
            low &= LOW_MASK
    put(best, 0, 0, high, low, 0.0, 0)
    return total


@kernel
def deepen(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    groups: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    jury: NDArray[np.bool_],
    target: float,
    patience: int,
) -> tuple[bool, float, float]:
    """Replace `jury`, which meets the requirement, by the best one that the relaxation covers, if that is better.

    Returns (whether this is proved, the gap searched, the next target). It is not proved only if lists became longer
    than `patience`, or the core much larger; the jury is then the best seen, and the search can go on from the target
    returned.

    While no part is of use, because the base jury is far from the requirement, lists stay short whatever the gap, and
    become long all at once; so a search can be given up, and the next target lies half-way to it.
    """
    n = len(prices)
    reduced = np.empty(n)
    gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, reduced)
    if gap < 0.0:
        return True, 0.0, target
    base = np.empty(n, np.bool_)
    best = np.empty(1, PART)
    need = requirement - _start(prices, values, keys, reduced, jury, base, best)
    order = np.arange(n)
    sides = np.empty(n, np.int64)
    places = np.empty(n, np.int64)
    flips = np.empty(n, np.int64)
    work = np.empty(n)
    most = MARGIN * patience
    ready = 0
    wanted = NEAREST
    searched = 0.0
    finished = 0.0
    while True:
        ready = sort_front(reduced, order, ready, n, wanted)
        rate, reach, _ = aim(reduced, order, ready, target, gap)
        reach += rounding(n, relaxation[SCALE], reach)
        if ready < n and reduced[order[ready - 1]] <= reach:
            wanted = 2 * ready
            continue
        count = 0
        while count < ready and reduced[order[count]] <= reach:
            count += 1
        if count > CROWD * patience:
            return False, searched, target
        longest = 1
        if count > 0:
            core = np.empty(count, PART)
            _arrange(order, count, groups, sides, places)
            for k in range(count):
                i = order[k]
                _put_flip(core, places[k], i, not base[i], prices[i], values[i], keys[i], reduced[i])
            flipped, longest = search(core, reach, rate, need, relaxation[LAM], most, best, flips)
            if flipped >= 0:
                for i in range(n):
                    jury[i] = base[i]
                for place in flips[:flipped]:
                    i = core[place]["origin"]
                    jury[i] = not base[i]
                gap = min(gap, reduce_costs(prices, values, keys, requirement, relaxation, jury, work))
        if longest > most:
            return False, searched, 0.5 * (finished + target)
        searched = reach
        finished = target
        length = math.log(max(longest, 16))
        target *= 1.0 + math.log(GROWTH if longest < LONG else LONG_GROWTH) / length
        if gap <= reach or longest > patience:
            return gap <= reach, reach, target
