"""What a payment makes of bids, for whoever pays it and reads no proof; `Verdict.why` is for who does."""

from dataclasses import dataclass

BEST = {
    "threshold": "A worker's bid decides whether it is asked, not what it is paid: each answer is paid the highest "
    "price at which it would still have been asked. Asking more can only lose the work.",
    "randomised": "Each answer is paid its worker's bid, and to a few workers a bonus as well, drawn by lot before the "
    "first task: the lower the bid, the larger the bonus. Asking more gains nothing on average over the coins, and can "
    "lose the work.",
}
# Where nothing says that the true price is best: under a policy with which nobody has proved it, or at all.
NOT_BEST = {
    "threshold": "Each answer is paid its worker's bid or more, but with this policy bids can also buy more of the "
    "work while it explores: a false price may pay.",
    "randomised": "Each answer is paid its worker's bid, and by lot a bonus, but with this policy a higher bid may "
    "bring more work: a false price may pay.",
    "pay-as-bid": "Each answer is paid its worker's bid: whoever asks more than its true price, and is still asked, "
    "earns the difference.",
}


@dataclass(frozen=True)
class InWords:
    """`says`: the payment, and what the best bid is. `why`: in sentences."""

    says: str
    why: str


def in_words(payment: str, truthful: bool) -> InWords:
    """Of a registered payment; `truthful` as its pairing with the campaign's policy is."""
    name = payment.capitalize()
    if not truthful:
        return InWords(f"{name}; the true price need not be the best bid", NOT_BEST[payment])
    average = ", on average over the coins" if payment == "randomised" else ""
    return InWords(f"{name}; the true price is the best bid{average}", BEST[payment])
