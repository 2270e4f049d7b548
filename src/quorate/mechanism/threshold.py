"""`threshold`, mode D: no coins, no spread; truth is a dominant strategy for every realization (MATHS 6).

The policy explores with the m lowest bidders for a number of tasks that no pool worker's bid can move, then uses V,
the cheapest jury on the final pessimistic qualities. With th the lowest bid outside the pool (the cap if there is
none), a pool worker is paid

    th                                            per exploration task,
    min(th, price(V without i) - price(V) + b_i)  per later task, if it is in V (th if V without i does not exist).

Proof. Let c be i's cost. Its bid decides only whether it is in the pool (b < th, ties by key) and in V (b below the
critical price p, ties by keys): every price above is free of b. If c > th, being in the pool pays at most th < c on
every task: stay out, as the truth does. If c <= th, each exploration task earns th - c >= 0, and their number does
not depend on b within the pool; and V pays min(th, p) - c, which is worth having just when c <= min(th, p), when the
truth is in V. Without the min a worker could enter the pool at a loss per exploration task and regain it at p > th.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.mechanism.allocation import Allocation
from quorate.mechanism.payment import Sealed, Settlement, Verdict, check_match, lines_at
from quorate.model.family import families
from quorate.model.problem import check_bids
from quorate.money import Money
from quorate.policy.assured import Assured
from quorate.policy.assured_joint import AssuredJoint
from quorate.policy.base import LearningPolicy, Phase, Policy, Workers
from quorate.policy.pool import Stopping, lowest_bidders, outside_bid
from quorate.select.base import SELECTORS, Selector


@dataclass(frozen=True)
class Threshold:
    """The default for deterministic campaigns; needs `assured` with the head-count stopping rule to be truthful."""

    name: str = "threshold"

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed:
        checked = check_bids(bids, cap)
        return Sealed(checked, checked, np.zeros_like(checked), cap)

    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        check_match(sealed, allocation)
        bids = sealed.bids
        pool, outside = pool_and_threshold(policy, sealed, allocation)
        exploring = np.where(pool, outside - bids, 0)
        later = np.zeros_like(bids)
        for worker, price in critical_prices(policy, sealed, allocation).items():
            # A policy that does not choose V exactly on pessimistic qualities could be quoted less than the bid.
            later[worker] = max(0, (outside if price is None else min(outside, price)) - int(bids[worker]))
        nothing = np.zeros_like(bids)
        parts = {Phase.EXPLORE: (nothing, exploring), Phase.EXPLOIT: (nothing, later)}
        return Settlement(self.name, lines_at(allocation, bids, parts))

    def judge(self, policy: Policy) -> Verdict:
        stopping = policy.stopping if isinstance(policy, Assured | AssuredJoint) else None
        if stopping is Stopping.HEAD_COUNT:
            return Verdict(
                True,
                "exploration ends by head counts and bids outside the pool, and V is an exact minimum, so no worker's "
                "bid moves the prices it faces: truth is a dominant strategy for every realization (docs/proofs.md)",
            )
        if stopping is not None:
            return Verdict(
                False,
                f"{policy.name!r} with price-gap stopping ends exploration by the pool's own bids, and every "
                f"exploration task pays above the bid: bids can buy more of them; use head-count stopping, or the "
                f"payment 'randomised'",
            )
        return Verdict(
            False,
            f"{policy.name!r} ends exploration by the bids of those who explore, and every exploration task pays above "
            f"the bid: bids can buy more of them; use 'assured' with head-count stopping",
        )


def pool_and_threshold(policy: Policy, sealed: Sealed, allocation: Allocation) -> tuple[NDArray[np.bool_], Money]:
    """(who is in the pool, th). Without a pool everybody is in, and th is the cap.

    By bids and keys, as the policy draws it: a pool worker who did nothing is no outsider.
    """
    if isinstance(policy, Assured | AssuredJoint):
        inside = lowest_bidders(sealed.bids, allocation.keys, policy.pool)
        return inside, outside_bid(sealed.bids, policy.pool, sealed.cap)
    return np.ones(len(sealed.bids), dtype=np.bool_), sealed.cap


def critical_prices(policy: Policy, sealed: Sealed, allocation: Allocation) -> dict[int, Money | None]:
    """Per member i of V: price(V without i) - price(V) + b_i, the highest bid at which it stays; None if unbounded.

    "V without i" is the cheapest jury of the rest of the pool on what is certain at the end of exploration.
    """
    pool = np.flatnonzero(pool_and_threshold(policy, sealed, allocation)[0])
    cheapest = _cheapest_certified if isinstance(policy, AssuredJoint) else _cheapest
    price = int(sealed.bids[allocation.jury].sum())
    critical: dict[int, Money | None] = {}
    for worker in allocation.jury.tolist():
        without = cheapest(policy, sealed.bids, allocation, pool, worker)
        critical[worker] = None if without is None else without - price + int(sealed.bids[worker])
    return critical


def _cheapest(
    policy: Policy, bids: NDArray[np.int64], allocation: Allocation, pool: Workers, without: int
) -> Money | None:
    """The price of the cheapest jury on pessimistic qualities."""
    rest = pool[pool != without]
    found = exact_selector(policy).select(
        bids[rest], allocation.lower[rest], policy.pessimistic, allocation.keys[rest], optimistic=False
    )
    return found.price if found.feasible else None


def _cheapest_certified(
    policy: Policy, bids: NDArray[np.int64], allocation: Allocation, pool: Workers, without: int
) -> Money | None:
    """The price of the cheapest certified jury, of the family over the whole pool."""
    if allocation.family is None or not isinstance(policy, AssuredJoint):
        raise InvalidInput("this allocation has no evidence on juries; settle 'assured-joint' from its own final state")
    certified = allocation.family.lower > policy.problem.target
    prices: list[Money] = []
    for family in families(len(pool), policy.max_size):
        juries = pool[family.members[certified[family.part]]]
        prices += bids[juries[(juries != without).all(axis=1)]].sum(axis=1).tolist()
    return min(prices, default=None)


def exact_selector(policy: Policy) -> Selector:
    """The policy's own where it is an exact one (it then fits the error model); else the exact knapsack."""
    if isinstance(policy, LearningPolicy) and policy.selector.two_valued:
        return policy.selector
    return SELECTORS["exact"]
