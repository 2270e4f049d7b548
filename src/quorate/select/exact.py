"""The exact minimum knapsack (paper, problem (9); MATHS 4): least price, and among those the least sum of keys.

The winner is a function of the instance alone: it depends on no order of processing, no limit and no rounding. That
rests on `relaxation` (what a bound says), `core` (every jury within a gap of it is searched) and `deepen` (the gap
widens until the best jury is inside). This file chooses the relaxations:
1. the plain one, with the requirement alone: enough for most instances;
2. if its lists grow long, a split on the jury's size around the relaxed one: decisive where prices are nearly equal or
   price = a value + b (strongly correlated);
3. once no cheaper jury is possible, a larger scale of the keys, for ties (price = a value, the subset-sum kind);
4. before that, in turn with the best multipliers, others that make lists shorter.
Before 2, workers whom no best jury needs are left out, and those who are alike are kept together (`dominance`).
Which of them is used changes the time only.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel, merge
from quorate.select.deepen import FIRST_TARGET, deepen
from quorate.select.dominance import alike, needed
from quorate.select.knapsack import INFEASIBLE, Certificate, Knapsack, Selection
from quorate.select.order import before
from quorate.select.relaxation import (
    KEY_WEIGHT,
    SCALE,
    WIDTH,
    key_scale,
    reduce_costs,
    relax_value,
)
from quorate.select.split import MOST_SIDES, shorten, split
from quorate.select.swap import improve
from quorate.select.ties import relax_ties

# A better relaxation is looked for when lists are longer than this.
PATIENCE = 1000
# The same once it is known that no quick proof will do: a better relaxation takes a while to find.
HARD_PATIENCE = 4 * PATIENCE
# How much longer lists may be in the next round.
IMPATIENCE = 4
# Each side of a split is proved in one step or in two (no cheaper jury; no better tie).
MOST_RELAXATIONS = 2 * MOST_SIDES


@inline
def _record(proof: NDArray[np.float64], row: int, relaxation: NDArray[np.float64], scale: float) -> None:
    for k in range(WIDTH):
        proof[row, k] = relaxation[k]
    proof[row, SCALE] = scale


@inline
def _prove_side(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    groups: NDArray[np.int64],
    requirement: int,
    relaxation: NDArray[np.float64],
    target: float,
    patience: int,
    jury: NDArray[np.bool_],
    proof: NDArray[np.float64],
    rows: int,
) -> int:
    """Improve the jury until no better one is covered by the relaxation; write its proof after proof[:rows].

    When lists grow longer than `patience`, another lam is tried and the search goes on with both in turn. A
    relaxation searched up to a gap excludes all prices that lie, with all keys added, within the gap: when no
    cheaper jury is left, only ties are.
    """
    work = np.empty(len(prices))
    begin = relaxation.copy()
    other = np.empty(WIDTH)
    other_target = FIRST_TARGET
    has_other = False
    cheapest = False
    first = True
    while True:
        proved, reach, target = deepen(prices, values, keys, groups, requirement, relaxation, jury, target, patience)
        if proved:
            _record(proof, rows, relaxation, relaxation[SCALE])
            return rows + 1
        gap = reduce_costs(prices, values, keys, requirement, relaxation, jury, work)
        if not cheapest and gap - 1.0 + KEY_WEIGHT <= reach:
            cheapest = True
            _record(proof, rows, relaxation, 0.0)
            rows += 1
        if cheapest:
            # From where prices count most: a round that went far away for ties would not find back.
            relaxation[:] = begin
            relax_ties(prices, values, keys, requirement, relaxation, jury)
        elif first:
            has_other = shorten(prices, values, keys, requirement, relaxation, jury, other)
        first = False
        if has_other:
            proved, _, other_target = deepen(
                prices, values, keys, groups, requirement, other, jury, other_target, patience
            )
            if proved:
                _record(proof, rows, other, other[SCALE])
                return rows + 1
        patience *= IMPATIENCE


@merge
def prove(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    keys: NDArray[np.int64],
    groups: NDArray[np.int64],
    requirement: int,
    patience: int,
    to_the_end: bool,
    jury: NDArray[np.bool_],
    proof: NDArray[np.float64],
) -> int:
    """Fill in the best jury and the relaxations that prove it; the number of these.

    Values and requirement are positive, and the values together reach the requirement. Unless it is to go on to the
    end, it returns 0 where the plain relaxation makes long lists.
    """
    n = len(prices)
    work = np.empty(n)
    scale = key_scale(n)
    lam, worker, size = relax_value(prices, values, keys, requirement, 0.0, scale, work)
    for i in range(n):
        jury[i] = i == worker or before(work, i, worker)
    plain = np.array([1.0, 0.0, lam, 0.0, scale])
    proved, reach, target = deepen(prices, values, keys, groups, requirement, plain, jury, FIRST_TARGET, patience)
    if proved:
        _record(proof, 0, plain, scale)
        return 1
    if not to_the_end:
        return 0
    improve(prices, values, requirement, jury)
    sides = np.empty((MOST_SIDES, WIDTH))
    left = split(prices, values, keys, requirement, plain, size, reach, jury, sides)
    if left == 0:
        return _prove_side(prices, values, keys, groups, requirement, plain, target, patience, jury, proof, 0)
    rows = 0
    while left > 0:
        left -= 1
        side = sides[left]
        rows = _prove_side(prices, values, keys, groups, requirement, side, FIRST_TARGET, patience, jury, proof, rows)
    return rows


@inline
def _unit(values: NDArray[np.int64], requirement: int) -> int:
    """The greatest common divisor of the values below the requirement; 1 if there are none.

    Counted in it, the requirement is rounded up to what sums can be. Else, where all values are even and the
    requirement is odd, no bound would ever reach a jury's price.
    """
    unit = 0
    for value in values:
        rest = value if value < requirement else 0
        while rest > 0:
            unit, rest = rest, unit % rest
        if unit == 1:
            break
    return max(1, unit)


@kernel
def _fewer(own: NDArray[np.int64], useful: NDArray[np.int64], size: int, requirement: int) -> int:
    """Close up over workers whom no best jury needs, and put those who are alike into groups; how many are left."""
    stays = needed(own[0, :size], own[1, :size], own[2, :size], requirement)
    left = 0
    for k in range(size):
        if stays[k]:
            for row in range(3):
                own[row, left] = own[row, k]
            useful[left] = useful[k]
            left += 1
    own[3, :left] = alike(own[0, :left], own[1, :left])
    return left


@kernel
def exact_kernel(
    prices: NDArray[np.int64],
    values: NDArray[np.int64],
    requirement: int,
    keys: NDArray[np.int64],
    members: NDArray[np.int64],
    proof: NDArray[np.float64],
) -> tuple[int, int]:
    """The exact minimum knapsack: (count, rows); count is -1 if infeasible.

    Values are cut at the requirement and counted in their common divisor: the same juries are feasible, and the
    relaxations, which are about these values, are tighter.

    `members[:count]` gets the jury, ascending; `proof[:rows]`, of MOST_RELAXATIONS rows and WIDTH columns, the
    relaxations that prove it. Limits as in `Knapsack`. Workspace is allocated inside.
    """
    if requirement <= 0:
        return 0, 0
    n = len(prices)
    own = np.empty((4, n), np.int64)
    useful = np.empty(n, np.int64)
    size = 0
    unit = _unit(values, requirement)
    enough = (requirement - 1) // unit + 1
    total = 0
    for i in range(n):
        if values[i] > 0:
            own[0, size] = prices[i]
            own[1, size] = enough if values[i] >= requirement else values[i] // unit
            own[2, size] = keys[i]
            own[3, size] = size
            useful[size] = i
            total += own[1, size]
            size += 1
    if total < enough:
        return -1, 0
    jury = np.empty(size, np.bool_)
    rows = 0
    hard = False
    while rows == 0:
        if hard:
            size = _fewer(own, useful, size, enough)
        rows = prove(
            own[0, :size],
            own[1, :size],
            own[2, :size],
            own[3, :size],
            enough,
            HARD_PATIENCE if hard else PATIENCE,
            hard,
            jury[:size],
            proof,
        )
        hard = True
    count = 0
    for k in range(size):
        if jury[k]:
            members[count] = useful[k]
            count += 1
    return count, rows


def exact(knapsack: Knapsack) -> Selection:
    """The jury of least price, and among those of least key sum, that meets the requirement (paper, problem (9)).

    Two-valued in every price (MATHS 6). The certificate holds the relaxations of the proof, which `check` verifies.
    """
    members = np.empty(len(knapsack), np.int64)
    proof = np.empty((MOST_RELAXATIONS, WIDTH))
    count, rows = exact_kernel(knapsack.prices, knapsack.values, knapsack.requirement, knapsack.keys, members, proof)
    if count < 0:
        return INFEASIBLE
    price = int(knapsack.prices[members[:count]].sum())
    relaxations = tuple(tuple(row) for row in proof[:rows].tolist())
    return Selection(True, tuple(members[:count].tolist()), price, Certificate("lagrange", price, 1, relaxations))
