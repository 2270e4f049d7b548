"""Small steps that every depth-first search over juries takes."""

from quorate._jit import inline
from quorate.certify.frontier import Ints


@inline
def step_at(prices: Ints, step: int, price: int) -> int:
    """The last step whose price is at most `price`, from `step` on; steps ascend."""
    while step + 1 < prices.size and prices[step + 1] <= price:
        step += 1
    return step


@inline
def note(members: Ints, prices: Ints, row: int, start: Ints, depth: int, last: int, price: int) -> None:
    """Write down the jury of the members chosen so far and `last`; `start[i]` is one past the member at depth i."""
    for i in range(depth):
        members[row, i] = start[i] - 1
    members[row, depth] = last
    prices[row] = price
