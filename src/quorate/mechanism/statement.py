"""Statements: what each worker did and is paid, and what the requester spends, against what it might have been.

All amounts are whole millionths; the requester's spend is the sum of the workers' totals, to the unit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.mechanism.pairing import Pairing
from quorate.mechanism.payment import Line, Sealed, Settlement
from quorate.mechanism.threshold import exact_selector
from quorate.model.error import majority_error
from quorate.model.family import families
from quorate.model.philox import tie_keys
from quorate.model.problem import check_bids, check_qualities
from quorate.money import Money, show
from quorate.policy.assured_joint import AssuredJoint
from quorate.policy.base import Policy
from quorate.policy.pool import lowest_bidders


@dataclass(frozen=True)
class WorkerStatement:
    """`lines` hold the tasks, the price per task and its parts. `utility` = total - true cost x tasks, lab only."""

    worker: int
    tasks: int
    lines: tuple[Line, ...]
    total: Money
    utility: Money | None


@dataclass(frozen=True)
class CampaignStatement:
    """`spend` against paying every task as bid, at its true cost, and the cheapest possible with everything known.

    The last two are known in the lab only; `cheapest` is also None where no jury meets the target at the true
    qualities.
    """

    pairing: Pairing
    workers: tuple[WorkerStatement, ...]
    spend: Money
    pay_as_bid: Money
    true_cost: Money | None
    cheapest: Money | None

    def to_text(self) -> str:
        """For people, one line per amount; an untruthful pairing says so first."""
        lines = [self.pairing.label, f"  {self.pairing.why}", f"spend              {show(self.spend)}"]
        lines.append(f"as bid             {show(self.pay_as_bid)}{_times(self.spend, self.pay_as_bid)}")
        if self.true_cost is not None:
            lines.append(f"true costs         {show(self.true_cost)}{_times(self.spend, self.true_cost)}")
        if self.cheapest is not None:
            lines.append(f"everything known   {show(self.cheapest)}{_times(self.spend, self.cheapest)}")
        return "\n".join(lines)


def _times(spend: Money, other: Money) -> str:
    return f"   (spend is {spend / other:.2f} times this)" if other > 0 else ""


def write_statement(
    pairing: Pairing,
    sealed: Sealed,
    settlement: Settlement,
    *,
    costs: ArrayLike | None = None,
    cheapest: Money | None = None,
) -> CampaignStatement:
    """The statement of a settled campaign; `costs` (true, in millionths) are known in the lab only."""
    known = None if costs is None else check_bids(costs, sealed.cap)
    if known is not None and len(known) != len(sealed.bids):
        raise InvalidInput(f"{len(known)} true costs were given for {len(sealed.bids)} workers; give one per worker")
    workers = tuple(
        WorkerStatement(
            worker=payout.worker,
            tasks=payout.tasks,
            lines=payout.lines,
            total=payout.total,
            utility=None if known is None else payout.total - int(known[payout.worker]) * payout.tasks,
        )
        for payout in settlement.payouts
    )
    return CampaignStatement(
        pairing=pairing,
        workers=workers,
        spend=settlement.spend,
        pay_as_bid=_priced(workers, sealed.bids),
        true_cost=None if known is None else _priced(workers, known),
        cheapest=cheapest,
    )


def _priced(workers: tuple[WorkerStatement, ...], prices: NDArray[np.int64]) -> Money:
    return sum(worker.tasks * int(prices[worker.worker]) for worker in workers)


def cheapest_known(policy: Policy, costs: ArrayLike, qualities: ArrayLike) -> Money | None:
    """The cheapest possible with everything known: the cheapest jury at the true qualities and costs, on every task.

    None if no jury meets the policy's constraint even so. Juries are those that the policy could choose at all: of
    anybody, but for `assured-joint` of its family over the lowest bidders, by the exact error of their majority if they
    err independently. That is what qualities alone can say of a jury.
    """
    prices = check_bids(costs, policy.problem.cap)
    true = check_qualities(qualities, len(prices))
    keys = tie_keys(0, len(prices))
    if isinstance(policy, AssuredJoint):
        price = _cheapest_of_family(policy, prices, true, keys)
    else:
        found = exact_selector(policy).select(prices, true, policy.pessimistic, keys, optimistic=False)
        price = found.price if found.feasible else None
    return None if price is None else price * policy.problem.horizon


def _cheapest_of_family(
    policy: AssuredJoint, prices: NDArray[np.int64], true: NDArray[np.float64], keys: NDArray[np.int64]
) -> Money | None:
    pool = np.flatnonzero(lowest_bidders(prices, keys, policy.pool))
    best: Money | None = None
    for family in families(len(pool), policy.max_size):
        juries = pool[family.members]
        sums = prices[juries].sum(axis=1)
        for jury in np.argsort(sums, kind="stable"):
            if best is not None and sums[jury] >= best:
                break
            if majority_error(true[juries[jury]]) < policy.pessimistic.bar:
                best = int(sums[jury])
                break
    return best
