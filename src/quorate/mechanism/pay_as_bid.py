"""`pay-as-bid`: every task at the price asked. The baseline that people use; it rewards asking for more."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quorate.mechanism.allocation import Allocation
from quorate.mechanism.payment import Sealed, Settlement, Verdict, check_match, lines_at
from quorate.model.problem import check_bids
from quorate.money import Money
from quorate.policy.base import Phase, Policy


@dataclass(frozen=True)
class PayAsBid:
    """Price per task: b. Not truthful with any policy."""

    name: str = "pay-as-bid"

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed:
        checked = check_bids(bids, cap)
        return Sealed(checked, checked, np.zeros_like(checked), cap)

    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        check_match(sealed, allocation)
        nothing = np.zeros_like(sealed.bids)
        parts = {Phase.EXPLORE: (nothing, nothing), Phase.EXPLOIT: (nothing, nothing)}
        return Settlement(self.name, lines_at(allocation, sealed.bids, parts))

    def judge(self, policy: Policy) -> Verdict:
        return Verdict(
            False,
            "pay-as-bid is not truthful: whoever bids its cost earns nothing, and whoever asks for more and is still "
            "asked earns the difference; use 'threshold' or 'randomised'",
        )
