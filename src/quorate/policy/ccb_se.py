"""CCB-SE: CCB-S that drops workers who are dear and no better (paper, section 6.2, "Elimination Strategy").

The paper's lemma that this keeps the allocation monotone is false (MATHS 6), so it is never truthful here.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate.policy.base import LearningPolicy, State, Workers, members
from quorate.select.knapsack import Selection


@dataclass(frozen=True)
class CCBSE(LearningPolicy):
    name: ClassVar[str] = "ccb-se"
    truthful: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Elimination orders workers by price over value, so they need values."""
        super().__post_init__()
        self.pessimistic.check_additive()

    def decide(self, state: State) -> State:
        """Eliminate for good, then Algorithm 2 among those who are left."""
        left = np.flatnonzero(state.alive)
        gone = self._eliminated(state, left)
        if len(gone):
            alive = state.alive.copy()
            alive[gone] = False
            state = replace(state, alive=alive)
            left = np.flatnonzero(alive)
        best = self._select(state, left, state.upper, optimistic=True)
        jury = left[members(best)]
        if best.feasible and self.pessimistic.meets(state.lower[jury]):
            return self.exploit(state, jury)
        return self.explore(state, left)

    def _select(self, state: State, left: Workers, qualities: NDArray[np.float64], *, optimistic: bool) -> Selection:
        constraint = self.optimistic if optimistic else self.pessimistic
        return self.selector.select(
            state.bids[left], qualities[left], constraint, state.keys[left], optimistic=optimistic
        )

    def _eliminated(self, state: State, left: Workers) -> Workers:
        """r beyond the prefix {1..k} goes when c_k / a_k- <= c_r / a_r+ and c_r >= every price in the prefix.

        The prefix is in the order of c / a-, and k is the last position that the selection on pessimistic values uses.
        """
        safe = self._select(state, left, state.lower, optimistic=False)
        if not safe.feasible:
            return left[:0]
        prices = state.bids[left]
        ratio_low = price_per_value(prices, self.pessimistic.values(state.lower[left], optimistic=False))
        ratio_high = price_per_value(prices, self.pessimistic.values(state.upper[left], optimistic=True))
        order = np.argsort(ratio_low, kind="stable")
        position = np.empty(len(left), dtype=np.int64)
        position[order] = np.arange(len(left))
        k = int(position[list(safe.members)].max(initial=-1))
        if k < 0:
            return left[:0]
        beyond = position > k
        dear = prices >= prices[order[: k + 1]].max()
        gone: Workers = left[beyond & dear & (ratio_low[order[k]] <= ratio_high)]
        return gone


def price_per_value(prices: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
    """c / a, infinite where a = 0: one correctly rounded division, so that every path orders alike."""
    out = np.full(len(prices), np.inf)
    np.divide(prices, values, out=out, where=values > 0)
    return out
