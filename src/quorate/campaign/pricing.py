"""What an answer earns, known before it is given: the payment's own prices, asked for one task of each kind.

Every payment's price depends on the phase and the worker, not on how many tasks there will be, so settling an
allocation of one task each is a price list.
"""

import numpy as np
from numpy.typing import NDArray

from quorate.campaign.leaving import WORTHLESS
from quorate.mechanism import Allocation, Payment, Sealed
from quorate.money import Money
from quorate.policy.base import Phase, Policy
from quorate.policy.base import State as Learned

Positions = tuple[int, ...]


def exploration_prices(
    payment: Payment, sealed: Sealed, policy: Policy, learned: Learned, pool: Positions
) -> tuple[Money, ...]:
    """Per answer while exploring, by position; 0 outside the pool."""
    found = _prices(payment, sealed, policy, learned, pool, (), learned.lower)
    return tuple(found.get((position, Phase.EXPLORE), 0) for position in range(len(sealed.bids)))


def jury_prices(
    payment: Payment,
    sealed: Sealed,
    policy: Policy,
    learned: Learned,
    pool: Positions,
    jury: Positions,
    gone: frozenset[int],
) -> tuple[Money, ...]:
    """Per answer of each member of the jury used to the end; who left cannot stand in for a member."""
    lower = learned.lower.copy()
    lower[sorted(gone)] = WORTHLESS
    found = _prices(payment, sealed, policy, learned, pool, jury, lower)
    return tuple(found[position, Phase.EXPLOIT] for position in jury)


def _prices(
    payment: Payment,
    sealed: Sealed,
    policy: Policy,
    learned: Learned,
    pool: Positions,
    jury: Positions,
    lower: NDArray[np.float64],
) -> dict[tuple[int, Phase], Money]:
    explored, exploited = np.zeros_like(sealed.bids), np.zeros_like(sealed.bids)
    explored[list(pool)] = 1
    exploited[list(jury)] = 1
    one_each = Allocation(explored, exploited, np.array(jury, dtype=np.int64), lower, learned.keys, learned.family)
    settled = payment.settle(sealed, policy, one_each)
    return {(payout.worker, line.phase): line.price for payout in settled.payouts for line in payout.lines}
