"""A whole simulated campaign with its payments: seal, play, settle (MATHS 6)."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from quorate.mechanism.allocation import Allocation
from quorate.mechanism.pairing import Pairing, pair
from quorate.mechanism.payment import Payment, Sealed, Settlement
from quorate.model.realization import Realization
from quorate.policy.base import Policy
from quorate.policy.play import Play, play


@dataclass(frozen=True, eq=False)
class Paid:
    """What happened and who is paid what; `pairing` says whether truth was a best bid."""

    pairing: Pairing
    sealed: Sealed
    play: Play
    allocation: Allocation
    settlement: Settlement


def play_and_pay(
    policy: Policy,
    payment: Payment,
    realization: Realization,
    bids: ArrayLike,
    *,
    seed: int = 0,
    coins: int = 0,
    qualities: ArrayLike | None = None,
) -> Paid:
    """Run the policy on the bids as the payment shows them, then settle. `seed` draws tie keys, `coins` mode R's
    coins.
    """
    sealed = payment.seal(bids, policy.problem.cap, coins)
    played = play(policy, realization, sealed.seen, seed=seed, qualities=qualities)
    allocation = Allocation.from_play(played)
    return Paid(pair(policy, payment), sealed, played, allocation, payment.settle(sealed, policy, allocation))
