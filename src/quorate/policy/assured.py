"""`assured`, the default: the same promise, proved truthful, far cheaper (MATHS 6).

1. Pool: the m lowest bidders take part. 2. Nested anytime intervals. 3. Elimination by dominance. 4. V is the
cheapest jury on pessimistic qualities, W on optimistic ones; stop when price(V) - price(W) <= g_t and use V to the
end.

With `Stopping.HEAD_COUNT`, rule 4 counts heads instead: with v and w the fewest workers that reach the target on
pessimistic and on optimistic qualities, and th the first bid outside the pool, stop when th (v - w) <= g_t. Rule 3
looks at the pool's bids and is left out.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput, NotTwoValued
from quorate.model.error import LogOdds
from quorate.model.interval import nest
from quorate.model.philox import tie_keys
from quorate.model.problem import check_bids
from quorate.money import Money
from quorate.policy.base import Ask, LearningPolicy, Phase, State, Workers, counted, members
from quorate.policy.pool import (
    DEFAULT_KAPPA,
    Stopping,
    allowance,
    check_pool,
    check_told,
    lowest_bidders,
    outside_bid,
    stopping_rule,
)
from quorate.select.knapsack import Selection
from quorate.vote import log_odds_weights

DEFAULT_POOL = 60


@dataclass(frozen=True)
class Assured(LearningPolicy):
    """`kappa` scales the gap allowed, g_t = kappa t m cap / (T - t): it never looks at a bid."""

    pool: int = DEFAULT_POOL
    kappa: Fraction = DEFAULT_KAPPA
    stopping: Stopping = Stopping.PRICE_GAP
    eliminates: bool = True
    name: ClassVar[str] = "assured"
    truthful: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_pool(self.pool, self.kappa)
        # It may come as a word; compared as such it would be neither rule.
        object.__setattr__(self, "stopping", stopping_rule(self.stopping))
        if not self.selector.two_valued:
            raise NotTwoValued(
                f"the selector {self.selector.name!r} is not two-valued, so 'assured' could not promise truthfulness "
                f"(docs/proofs.md); use 'exact'"
            )
        if not self.pessimistic.additive:
            raise InvalidInput(
                f"the error model {self.pessimistic.model.name!r} is not additive, which dominance and head counts "
                f"need; use 'log-odds' or 'linear'"
            )
        super().__post_init__()

    def start(self, bids: ArrayLike, seed: int) -> State:
        """The m lowest bidders, by (bid, key), are the pool; nobody else is ever asked."""
        checked = check_bids(bids, self.problem.cap)
        keys = tie_keys(seed, len(checked))
        return self._first(checked, keys, lowest_bidders(checked, keys, self.pool))

    @property
    def floor(self) -> float:
        """The error model's: whoever uses `linear` vouches that every quality is above it, so intervals may too."""
        return self.pessimistic.model.floor

    def pool_size(self, state: State) -> int:
        return min(self.pool, len(state.bids))

    def tell(self, state: State, jury: Workers, right: NDArray[np.bool_]) -> State:
        """As everybody's `tell`, but of the pool only: nobody else was asked."""
        if state.stop is not None:
            return state
        told = counted(state, jury, right)
        # Whoever is left or was told of before is in the pool; only for the late answer of somebody who left without
        # one are all ranked again.
        doubtful = jury[~state.alive[jury] & (state.asked[jury] == 0)]
        if len(doubtful):
            check_told(lowest_bidders(state.bids, state.keys, self.pool), doubtful)
        return self.decide(self.bound(told))

    def outside_bid(self, state: State) -> Money:
        """th: the lowest bid outside the pool, or the cap if there is none."""
        return outside_bid(state.bids, self.pool, self.problem.cap)

    def level(self, state: State) -> float:
        return self.problem.mu / self.pool_size(state)

    def bound(self, state: State) -> State:
        """Nested intervals of who is left; an eliminated worker's stays, whatever comes late (MATHS 6, repair 3)."""
        left = np.flatnonzero(state.alive)
        new_lower, new_upper = self.interval.bounds(state.right[left], state.asked[left], self.level(state), self.floor)
        lower, upper = state.lower.copy(), state.upper.copy()
        lower[left], upper[left] = nest(lower[left], upper[left], new_lower, new_upper)
        return replace(state, lower=lower, upper=upper)

    def decide(self, state: State) -> State:
        if self.stopping is Stopping.PRICE_GAP and self.eliminates:
            state = replace(state, alive=state.alive & ~self._dominated(state))
        left = np.flatnonzero(state.alive)
        best = self._cheapest(state, left, optimistic=False)
        if best.feasible and self._close_enough(state, left, best):
            return self._ask(state, left[members(best)], Phase.EXPLOIT)
        return self._ask(state, left, Phase.EXPLORE)

    def allowance(self, state: State) -> Money:
        return allowance(self.problem, self.kappa, self.pool_size(state), state.round)

    def _cheapest(self, state: State, left: Workers, *, optimistic: bool) -> Selection:
        """V on pessimistic qualities, W on optimistic ones."""
        constraint, qualities = (self.optimistic, state.upper) if optimistic else (self.pessimistic, state.lower)
        return self.selector.select(
            state.bids[left], qualities[left], constraint, state.keys[left], optimistic=optimistic
        )

    def _close_enough(self, state: State, left: Workers, best: Selection) -> bool:
        if self.stopping is Stopping.PRICE_GAP:
            hoped = self._cheapest(state, left, optimistic=True)
            return hoped.feasible and best.price - hoped.price <= self.allowance(state)
        certain = self.pessimistic.values(state.lower[left], optimistic=False)
        possible = self.optimistic.values(state.upper[left], optimistic=True)
        v = fewest(certain, self.pessimistic.requirement)
        w = fewest(possible, self.optimistic.requirement)
        return v is not None and w is not None and self.outside_bid(state) * (v - w) <= self.allowance(state)

    def _dominated(self, state: State) -> NDArray[np.bool_]:
        """k goes when workers cheaper than k and surely no worse reach the requirement by themselves (MATHS 6, repair
        3).

        Those already eliminated count too, at their frozen values. Both values are cut at the optimistic requirement,
        the larger one, so that neither V nor W could need k.
        """
        pool = np.flatnonzero(state.asked > 0)
        order = pool[np.lexsort((state.keys[pool], state.bids[pool]))]
        enough = self.optimistic.requirement
        low = np.minimum(self.optimistic.values(state.lower[order], optimistic=False), enough)
        high = np.minimum(self.optimistic.values(state.upper[order], optimistic=True), enough)
        cheaper = np.tri(len(order), k=-1, dtype=np.bool_)
        surely_as_good = low[None, :] >= high[:, None]
        reached = np.where(cheaper & surely_as_good, low[None, :], 0).sum(axis=1)
        dominated = np.zeros(len(state.bids), dtype=np.bool_)
        dominated[order] = reached >= enough
        return dominated

    def _ask(self, state: State, jury: Workers, phase: Phase) -> State:
        """Log-odds weights once the jury is certified; until then the plain majority, as the paper's exploration
        does.
        """
        certain = state.lower[jury]
        weighted = isinstance(self.pessimistic.model, LogOdds) and self.pessimistic.meets(certain)
        ask = Ask(jury, phase, log_odds_weights(certain) if weighted else None)
        return replace(state, ask=ask, stop=state.round + 1 if phase is Phase.EXPLOIT else None)


def fewest(values: NDArray[np.int64], requirement: int) -> int | None:
    """The fewest workers whose values reach the requirement, or None."""
    reached = np.cumsum(-np.sort(-values))
    if len(reached) == 0 or reached[-1] < requirement:
        return None
    return int(np.searchsorted(reached, requirement)) + 1
