"""How pay is explained to a worker before it bids: why the true price is the best bid, with a small example; or that
it need not be.
"""

from dataclasses import dataclass

from quorate.campaign.settings import Settings
from quorate.mechanism import Pairing, Randomised
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import Money
from quorate.web.pages.amounts import exact


@dataclass(frozen=True)
class Example:
    """Sentences, and a small table of what bids would bring; `best` is the row of the true price."""

    lead: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: int
    end: str


# How a payment pays, where that does not make the true price the best bid.
PAYS: dict[str, str] = {
    "threshold": "For each answer you are paid what is computed as the highest price at which you would still have "
    "been asked, and never less than you bid.",
    "randomised": "You are paid at least your bid for each answer, and by lot a bonus.",
    "pay-as-bid": "You are paid exactly what you ask.",
}


def example(settings: Settings, pairing: Pairing) -> Example:
    """For the payment of the campaign, with its own cap and made-up workers."""
    if not pairing.truthful:
        return _unproved(pairing)
    if settings.payment.name == "threshold":
        return _threshold(settings.cap)
    return _randomised(settings.cap, settings.payment.one_in or DEFAULT_ONE_IN)


def above_the_cap(payment: str, cap: Money, one_in: int | None, currency: str) -> str:
    """Where a bonus lifts pay above the highest bid, to how much: (cap - b) one_in + b is the most at b = 0."""
    if payment != Randomised.name:
        return ""
    chance = one_in or DEFAULT_ONE_IN
    return (
        f"One worker in {chance} is paid more by lot: at most {exact(cap * chance)} {currency}".rstrip() + " an answer."
    )


def _unproved(pairing: Pairing) -> Example:
    return Example(
        f"{PAYS[pairing.payment]} In this campaign nobody has proved that your true price is your best bid, and it may "
        "not be: a higher bid may pay you more, and may lose you the work. Whoever asks you has accepted that.",
        (),
        (),
        -1,
        "",
    )


def _threshold(cap: Money) -> Example:
    """Cost 3/10 of the cap; the others' bids put the line at 6/10."""
    cost, line = cap * 3 // 10, cap * 6 // 10
    gain = f"+{exact(line - cost)}"
    return Example(
        "Your bid decides whether you are asked, not how much you get. For each answer you get the highest price at "
        f"which you would still have been asked. Say an answer is worth {exact(cost)} to you, and the others' bids put "
        f"that highest price at {exact(line)}:",
        ("You bid", "Paid per answer", "You gain"),
        (
            (f"{exact(cap * 2 // 10)}, too low", exact(line), gain),
            (f"{exact(cost)}, your true price", exact(line), gain),
            (f"{exact(cap * 5 // 10)}, higher", exact(line), gain),
            (f"{exact(cap * 7 // 10)}, too high", "not asked", "0"),
        ),
        1,
        "Asking more cannot raise your pay; it can only lose you the work. Asking less cannot raise it either, and "
        f"had the line been below {exact(cost)}, you would have worked at a loss. You never get less than you bid.",
    )


def _randomised(cap: Money, one_in: int) -> Example:
    """The bid, and with a chance of 1 in `one_in` a bonus of (cap - bid) one_in: price = b + [y > b] (C - b) / g."""
    cost = cap * 3 // 10
    rows = tuple(
        (exact(bid) + said, exact(bid), exact(bid + (cap - bid) * one_in))
        for bid, said in ((cost, ", your true price"), (cap * 5 // 10, ", higher"), (cap * 7 // 10, ", higher still"))
    )
    return Example(
        "You get at least your bid for each answer. Before the first task a coin is tossed for you, once: with a "
        f"chance of 1 in {one_in} you get a large bonus with every answer as well. The lower your bid, the larger the "
        f"bonus. Say an answer is worth {exact(cost)} to you:",
        ("You bid", "Without the bonus", f"With it (1 in {one_in})"),
        rows,
        0,
        "On average the bonus is exactly what makes your true price your best bid: asking more gains nothing on tasks "
        "that you would get anyway, and gets you fewer. The coins do not look at bids: a hash of them was published "
        "before, and when the campaign closes you can check yours here.",
    )
