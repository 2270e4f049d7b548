"""What a bid earns on average over mode R's coins, exactly, where money is just the bids of a grid (MATHS 6).

The grid's bids lie in equal steps, and its last is the cap. With A(x) the worker's tasks when the allocation sees x,
all else fixed, and g = 1 / one_in:

    A~(b) = (1 - g) A(b) + g mean(A~(u), u > b),  A~(cap) = A(cap)      (the recursion of quorate.mechanism.coins)
    expected pay = b A~(b) + step sum(A~(u), u > b)                     (Myerson's)

`mode_r.expected_utilities` is the same in floating point, for thousands of bids.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from quorate.errors import InvalidInput
from quorate.mechanism.coins import check_one_in
from quorate.money import Money, show


@dataclass(frozen=True)
class Expected:
    """Means over the coins: tasks, and pay in millionths."""

    tasks: Fraction
    pay: Fraction


def check_money(grid: Sequence[Money], cap: Money) -> None:
    """Refuse a grid that is not all of money from its lowest bid up: the coins would have nowhere to go."""
    steps = {high - low for low, high in pairwise(grid)}
    if not grid or grid[-1] != cap or len(steps) > 1 or not all(step > 0 for step in steps):
        raise InvalidInput(
            f"under 'randomised' the coins move a bid to any higher one, and the bids of `grid` are all there are; "
            f"give them upwards, in equal steps, up to the cap {show(cap)}"
        )


def expect(grid: Sequence[Money], tasks: Sequence[int], one_in: int) -> list[Expected]:
    """For each bid of the grid, whose last is the cap, where the allocation gives tasks[k] to a seen bid of grid[k]."""
    check_money(grid, grid[-1] if grid else 0)
    check_one_in(one_in)
    step = grid[-1] - grid[-2] if len(grid) > 1 else 0
    g, above = Fraction(1, one_in), Fraction(0)
    found: list[Expected] = []
    for higher, (bid, done) in enumerate(zip(reversed(grid), reversed(tasks), strict=True)):
        mean = (1 - g) * done + g * above / higher if higher else Fraction(done)
        found.append(Expected(mean, bid * mean + step * above))
        above += mean
    return found[::-1]
