"""`assured` with nothing assumed of how errors depend on each other: certify the jury itself (MATHS 7).

While exploring, everybody in the pool answers every task, so every jury's own majority verdict is known, right or
wrong, on each. An anytime-valid interval per jury, at a level shared over a family fixed in advance, certifies it. V
is the cheapest jury whose lower bound is above the target, W the cheapest whose upper bound is; stop as `assured`
does, and use V to the end.

The family looks at no bid, the intervals are nested and V's family is within W's, so below some bid of worker i the
cheapest jury is one fixed jury with i and above it one without. Hence price(V) - price(W) rises with i's bid where i
is in V and falls where it is not, which is all that the proof of MATHS 6 uses: the allocation is ex-post monotone.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.model.constraint import Constraint
from quorate.model.error import Majority
from quorate.model.family import families, jury_level, mask_of
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.interval import AnytimeInterval, nest
from quorate.model.philox import tie_keys
from quorate.model.problem import Problem, check_bids
from quorate.policy.base import Ask, FamilyEvidence, Phase, State, Workers, counted
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

DEFAULT_JOINT_POOL = 15
DEFAULT_MAX_SIZE = 5


@dataclass(frozen=True)
class AssuredJoint:
    """`pool` lowest bidders, juries of odd size up to `max_size`, majority vote."""

    problem: Problem
    pool: int = DEFAULT_JOINT_POOL
    max_size: int = DEFAULT_MAX_SIZE
    kappa: Fraction = DEFAULT_KAPPA
    stopping: Stopping = Stopping.PRICE_GAP
    name: ClassVar[str] = "assured-joint"
    truthful: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_pool(self.pool, self.kappa)
        # It may come as a word; compared as such it would be neither rule.
        object.__setattr__(self, "stopping", stopping_rule(self.stopping))
        families(self.pool, self.max_size)
        if self.problem.slack:
            raise InvalidInput(
                f"slack {self.problem.slack:g} has no use here: the optimistic jury is judged at the target; take 0"
            )

    @property
    def pessimistic(self) -> Constraint:
        """The exact majority error: what the lab judges by, where it knows the qualities and errors are independent."""
        return Constraint.below(Majority(), self.problem.alpha)

    def start(self, bids: ArrayLike, seed: int) -> State:
        checked = check_bids(bids, self.problem.cap)
        workers, keys = len(checked), tie_keys(seed, len(checked))
        alive = lowest_bidders(checked, keys, self.pool)
        juries = families(min(self.pool, workers), self.max_size)[-1].part.stop
        nothing = np.zeros(juries, dtype=np.int64)
        return State(
            bids=checked,
            keys=keys,
            asked=np.zeros(workers, dtype=np.int64),
            right=np.zeros(workers, dtype=np.int64),
            lower=np.zeros(workers),
            upper=np.ones(workers),
            alive=alive,
            round=0,
            ask=Ask(np.flatnonzero(alive), Phase.EXPLORE),
            family=FamilyEvidence(nothing, nothing, np.zeros(juries), np.ones(juries)),
        )

    def ask(self, state: State) -> Ask:
        return state.ask

    def tell(self, state: State, jury: Workers, right: NDArray[np.bool_]) -> State:
        """Every jury all of whose members answered has one more verdict, right or wrong."""
        if state.stop is not None:
            return state
        return self.decide(self._observe(counted(state, jury, right), jury, right))

    def _observe(self, state: State, jury: Workers, right: NDArray[np.bool_]) -> State:
        pool = np.flatnonzero(state.alive)
        before = _evidence(state)
        check_told(state.alive, jury)
        here = np.searchsorted(pool, jury)
        answered, correct = mask_of(here), mask_of(here[right]) if right.any() else np.uint64(0)
        asked, successes = before.asked.copy(), before.right.copy()
        low, high = np.empty_like(before.lower), np.empty_like(before.upper)
        for family in families(len(pool), self.max_size):
            part = family.part
            complete = (family.masks & answered) == family.masks
            asked[part] += complete
            successes[part] += complete & (2 * np.bitwise_count(family.masks & correct) > family.size)
            level = jury_level(self.problem.mu, len(pool), family.size, self.max_size)
            low[part], high[part] = _bounds(successes[part], asked[part], level)
        lower, upper = nest(before.lower, before.upper, low, high)
        return replace(state, family=FamilyEvidence(asked, successes, lower, upper))

    def decide(self, state: State) -> State:
        """Whom to ask next, on the evidence there is."""
        pool, best = np.flatnonzero(state.alive), self.cheapest_certified(state)
        if best is None:
            return replace(state, ask=Ask(pool, Phase.EXPLORE))
        if self._close_enough(state, pool, best):
            return replace(state, ask=Ask(best, Phase.EXPLOIT), stop=state.round + 1)
        # Everybody answers, but only the certified jury's verdict carries the promise.
        weights = np.where(np.isin(pool, best), BILLIONTHS, 0)
        return replace(state, ask=Ask(pool, Phase.EXPLORE, weights))

    def cheapest_certified(self, state: State) -> Workers | None:
        """V: the cheapest jury that is surely right often enough."""
        return self._cheapest(state, _evidence(state).lower > self.problem.target)

    def _cheapest(self, state: State, wanted: NDArray[np.bool_]) -> Workers | None:
        """The cheapest wanted jury by (price, sum of keys)."""
        pool = np.flatnonzero(state.alive)
        best: tuple[int, int] | None = None
        found: Workers | None = None
        for family in families(len(pool), self.max_size):
            members = pool[family.members[wanted[family.part]]]
            if len(members) == 0:
                continue
            prices, keys = state.bids[members].sum(axis=1), state.keys[members].sum(axis=1)
            first = int(np.lexsort((keys, prices))[0])
            if best is None or (int(prices[first]), int(keys[first])) < best:
                best, found = (int(prices[first]), int(keys[first])), members[first]
        return found

    def _close_enough(self, state: State, pool: Workers, best: Workers) -> bool:
        evidence = _evidence(state)
        allowed = allowance(self.problem, self.kappa, len(pool), state.round)
        if self.stopping is Stopping.PRICE_GAP:
            hoped = self._cheapest(state, evidence.upper > self.problem.target)
            return hoped is not None and int(state.bids[best].sum() - state.bids[hoped].sum()) <= allowed
        v, w = self._fewest(pool, evidence.lower), self._fewest(pool, evidence.upper)
        return outside_bid(state.bids, self.pool, self.problem.cap) * (v - w) <= allowed

    def _fewest(self, pool: Workers, bounds: NDArray[np.float64]) -> int:
        """The smallest size of a jury whose bound is above the target."""
        for family in families(len(pool), self.max_size):
            if bool((bounds[family.part] > self.problem.target).any()):
                return family.size
        return self.max_size + 1


def _evidence(state: State) -> FamilyEvidence:
    if state.family is None:
        raise InvalidInput("this state was not begun by 'assured-joint'; start one with its start()")
    return state.family


def _bounds(
    right: NDArray[np.int64], asked: NDArray[np.int64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Anytime bounds, each distinct pair of counts solved once: thousands of juries share a few dozen."""
    pairs, which = np.unique((asked << 32) | right, return_inverse=True)
    lower, upper = AnytimeInterval().bounds(pairs & 0xFFFFFFFF, pairs >> 32, level, 0.0)
    return lower[which], upper[which]
