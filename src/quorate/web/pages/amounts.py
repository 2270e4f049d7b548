"""Numbers as people write them, and money as they read it: exact where it is paid, rounded where it is glanced at."""

from collections.abc import Iterable

from quorate.money import MILLIONTHS, Money, show

CENTS = 2
FIGURES = 3


def pointed(typed: str) -> str:
    """With a decimal comma as a point: many keypads have no other. Where both stand, what the comma means is open."""
    return typed.replace(",", ".") if typed.count(",") == 1 and "." not in typed else typed


def exact(amount: Money) -> str:
    """Every digit, and cents even where there are none, so that columns line up."""
    text = show(amount)
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<{CENTS}}"


def about(amount: Money) -> str:
    """Cents; three figures of what is less than a tenth of a unit, as a model's answer is."""
    if amount == 0 or abs(amount) * 10 >= MILLIONTHS:
        return show(amount, CENTS)
    leading = len(str(MILLIONTHS)) - 1 - len(str(abs(amount)))
    return show(amount, min(leading + FIGURES, len(str(MILLIONTHS)) - 1))


def places(amounts: Iterable[Money | None], *, roughly: bool = False) -> int:
    """Decimals for a column, so that its points stand below each other: enough for all of them, or at a glance."""
    texts = ((about if roughly else exact)(amount) for amount in amounts if amount is not None)
    return max((len(text.partition(".")[2]) for text in texts), default=CENTS)
