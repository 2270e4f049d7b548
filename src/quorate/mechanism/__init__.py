"""What to pay so that asking one's true price is best (paper, section 5; MATHS 6), and the registry of payments."""

from quorate.errors import UnknownName
from quorate.mechanism.allocation import Allocation
from quorate.mechanism.paid import Paid, play_and_pay
from quorate.mechanism.pairing import Pairing, admit, pair, stopping_for
from quorate.mechanism.pay_as_bid import PayAsBid
from quorate.mechanism.payment import Line, Payment, Payout, Sealed, Settlement, Verdict
from quorate.mechanism.randomised import Randomised
from quorate.mechanism.statement import CampaignStatement, WorkerStatement, cheapest_known, write_statement
from quorate.mechanism.threshold import Threshold

PAYMENTS: dict[str, Payment] = {payment.name: payment for payment in (Randomised(), Threshold(), PayAsBid())}


def payment_named(name: str) -> Payment:
    """The registered payment of that name, with its default parameters."""
    if name not in PAYMENTS:
        raise UnknownName(f"no payment is called {name!r}; there are {', '.join(PAYMENTS)}")
    return PAYMENTS[name]


__all__ = [
    "PAYMENTS",
    "Allocation",
    "CampaignStatement",
    "Line",
    "Paid",
    "Pairing",
    "PayAsBid",
    "Payment",
    "Payout",
    "Randomised",
    "Sealed",
    "Settlement",
    "Threshold",
    "Verdict",
    "WorkerStatement",
    "admit",
    "cheapest_known",
    "pair",
    "payment_named",
    "play_and_pay",
    "stopping_for",
    "write_statement",
]
