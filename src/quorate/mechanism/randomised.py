"""`randomised`, mode R: a truthful price for any monotone policy (paper, Theorem 5.1 and Corollary 5.3; MATHS 6).

Once, before the first task, coins that do not look at bids turn each bid b into (x, y) (quorate.mechanism.coins). The
policy runs on x for the whole horizon. The price per task is fixed up front: b + [y > b] (C - b) / g.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quorate.mechanism.allocation import Allocation
from quorate.mechanism.coins import DEFAULT_ONE_IN, check_one_in, resample
from quorate.mechanism.payment import Sealed, Settlement, Verdict, check_match, lines_at
from quorate.model.problem import check_bids
from quorate.money import Money
from quorate.policy.base import Phase, Policy


@dataclass(frozen=True)
class Randomised:
    """`one_in` = 1 / g: one bid in so many is resampled, and its worker gets the bonus (C - b) one_in on every task.

    A small g disturbs the allocation less and spreads pay more: with constant tasks A, sd = A (C - b) sqrt((1 - g) /
    g).
    """

    one_in: int = DEFAULT_ONE_IN
    name: str = "randomised"

    def __post_init__(self) -> None:
        check_one_in(self.one_in)

    def seal(self, bids: ArrayLike, cap: Money, coins: int) -> Sealed:
        checked = check_bids(bids, cap)
        drawn = resample(coins, checked, cap, self.one_in)
        return Sealed(checked, drawn.x, drawn.bonus, cap)

    def settle(self, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        check_match(sealed, allocation)
        nothing = np.zeros_like(sealed.bids)
        parts = {Phase.EXPLORE: (sealed.bonus, nothing), Phase.EXPLOIT: (sealed.bonus, nothing)}
        return Settlement(self.name, lines_at(allocation, sealed.bids, parts))

    def judge(self, policy: Policy) -> Verdict:
        if policy.truthful:
            return Verdict(
                True,
                f"{policy.name!r} as set up gives nobody more tasks for a higher bid, whatever the answers "
                f"(docs/proofs.md), and the expected pay is Myerson's: truth is best on average over the coins, and no "
                f"coin pays below the bid",
            )
        return Verdict(False, why_not_monotone(policy))


def why_not_monotone(policy: Policy) -> str:
    """Why a policy's allocation is not, or not known to be, ex-post monotone."""
    known = {
        "ccb-ns": "'ccb-ns' is not monotone: whom it adds to a jury, and so what it learns, depends on bids "
        "(docs/counterexamples.md)",
        "ccb-s": "'ccb-s' with a bossy selector is not monotone: a loser's bid can move the stopping time while it "
        "keeps losing (docs/counterexamples.md); use the selector 'exact'",
        "ccb-se": "'ccb-se' is not monotone, with any selector: a bid moves the prefix that eliminates others, and "
        "with it the stopping time (docs/counterexamples.md); use 'assured'",
        "epsilon-greedy": "'epsilon-greedy' is not monotone: it goes on learning from the juries that bids chose; use "
        "'assured'",
    }
    return known.get(policy.name, f"{policy.name!r} is not proved to be monotone in bids; use 'assured'")
