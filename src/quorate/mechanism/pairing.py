"""Any policy may be paired with any payment; a pairing that is not truthful says so (MATHS 6)."""

from dataclasses import dataclass

from quorate.errors import NotTruthful
from quorate.mechanism.payment import Payment
from quorate.mechanism.threshold import Threshold
from quorate.policy.base import Policy
from quorate.policy.pool import Stopping


@dataclass(frozen=True)
class Pairing:
    """`truthful` means proved: no worker gains by bidding anything but its cost. `why` is for every output."""

    policy: str
    payment: str
    truthful: bool
    why: str

    @property
    def label(self) -> str:
        """One line for tables and reports."""
        return f"{self.policy} with {self.payment}: {'truthful' if self.truthful else 'NOT truthful'}"


def pair(policy: Policy, payment: Payment) -> Pairing:
    """What may be said of the policy under the payment."""
    verdict = payment.judge(policy)
    return Pairing(policy.name, payment.name, verdict.truthful, verdict.why)


def stopping_for(payment: Payment) -> Stopping:
    """What ends the exploration of `assured` and `assured-joint` where truth is to be a best bid under the payment
    (MATHS 6): threshold pays above the bid while exploring, so that no bid may move its end.
    """
    return Stopping.HEAD_COUNT if isinstance(payment, Threshold) else Stopping.PRICE_GAP


def admit(policy: Policy, payment: Payment, *, accept_untruthful: bool = False) -> Pairing:
    """The guard of a live campaign: a pairing that is not truthful is refused unless the requester opts in."""
    found = pair(policy, payment)
    if not found.truthful and not accept_untruthful:
        raise NotTruthful(
            f"{found.label}: {found.why}. A live campaign takes one that is not truthful only where its settings say "
            f"`accept_untruthful` (`quorate campaign new --accept-untruthful`)"
        )
    return found
