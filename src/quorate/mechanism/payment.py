"""What a payment is, and what it leaves behind: a settlement whose lines add up to the unit (paper, section 5.1)."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.mechanism.allocation import Allocation
from quorate.money import Money
from quorate.policy.base import Phase, Policy


@dataclass(frozen=True, eq=False)
class Sealed:
    """Bids as handed in, before the first task. The policy runs on `seen`; `bonus` is promised per task, up front."""

    bids: NDArray[np.int64]
    seen: NDArray[np.int64]
    bonus: NDArray[np.int64]
    cap: Money


@dataclass(frozen=True)
class Verdict:
    """Whether, under a payment, no worker gains by bidding anything but its cost; and why, or why not."""

    truthful: bool
    why: str


@dataclass(frozen=True)
class Line:
    """So many tasks of one phase at one price: the bid, plus a bonus (mode R), plus what the threshold adds (mode
    D).
    """

    phase: Phase
    tasks: int
    bid: Money
    bonus: Money = 0
    threshold: Money = 0

    @property
    def price(self) -> Money:
        return self.bid + self.bonus + self.threshold

    @property
    def total(self) -> Money:
        return self.tasks * self.price


@dataclass(frozen=True)
class Payout:
    """What one worker is paid; a worker who was never asked has no lines."""

    worker: int
    lines: tuple[Line, ...]

    @property
    def tasks(self) -> int:
        return sum(line.tasks for line in self.lines)

    @property
    def total(self) -> Money:
        return sum(line.total for line in self.lines)


@dataclass(frozen=True)
class Settlement:
    """Every worker's payout. Amounts are Python integers: no campaign is large enough to overflow them."""

    payment: str
    payouts: tuple[Payout, ...]

    @property
    def spend(self) -> Money:
        """What the requester pays: the sum of what the workers are paid."""
        return sum(payout.total for payout in self.payouts)


@runtime_checkable
class Payment(Protocol):
    """A payment rule.

    Contract:
    - `seal` is called once, before the first task, and looks at nothing but the bids, the cap and the coins' seed; no
      seen bid is below the bid or above the cap; worker i's entries depend on other bids in no way;
    - `settle` is pure: the same sealed bids, policy and allocation give the same settlement; every price is at
      least the bid; the tasks paid are exactly the tasks done;
    - `judge` says whether truth is a best bid under this policy, and why; "truthful" means proved.
    """

    @property
    def name(self) -> str: ...

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed: ...

    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement: ...

    def judge(self, policy: Policy) -> Verdict: ...


def check_match(sealed: Sealed, allocation: Allocation) -> None:
    if len(sealed.bids) != len(allocation):
        raise InvalidInput(
            f"{len(sealed.bids)} bids were sealed and the allocation has {len(allocation)} workers; settle one campaign"
        )


def lines_at(
    allocation: Allocation, bids: NDArray[np.int64], parts: dict[Phase, tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> tuple[Payout, ...]:
    """A payout per worker, from (bonus, threshold) per worker in each phase."""
    done = {Phase.EXPLORE: allocation.explored, Phase.EXPLOIT: allocation.exploited}
    # Lists first: a campaign has thousands of lines, and numbers come out of an array one by one only slowly.
    columns = [
        (phase, tasks.tolist(), parts[phase][0].tolist(), parts[phase][1].tolist()) for phase, tasks in done.items()
    ]
    return tuple(
        Payout(
            worker,
            tuple(
                Line(phase, tasks[worker], bid, bonus[worker], threshold[worker])
                for phase, tasks, bonus, threshold in columns
                if tasks[worker] > 0
            ),
        )
        for worker, bid in enumerate(bids.tolist())
    )
