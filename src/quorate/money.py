"""Integer money: every amount is a whole number of millionths of the currency's unit.

A model's answer costs a fraction of a cent, so cents are too coarse; a float loses the exactness on which
ties, payments and the ledger rest.
"""

from collections.abc import Iterable
from decimal import Context, Decimal, InvalidOperation
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput

Money = int
MILLIONTHS = 1_000_000
MILLIONTH = Decimal("0.000001")
# Digits enough for the largest price, whatever the caller's own decimal context.
ROOM = Context(prec=28)
# One price may be at most a million units: 10^5 workers at this price still sum far inside 64 bits.
LARGEST = 10**6 * MILLIONTHS


def to_millionths(amount: object, what: str = "price") -> Money:
    """The amount (in units: 0.25, "0.25", Decimal) as millionths; exact or refused.

    A float means the shortest decimal that prints as it, which is what its author wrote.
    """
    remedy = "give a non-negative decimal such as 0.25"
    if isinstance(amount, bool) or not isinstance(amount, Real | Decimal | str):
        raise InvalidInput(f"{what} {amount!r} is not a decimal number; {remedy}")
    try:
        exact = amount if isinstance(amount, Decimal) else Decimal(str(amount).strip())
    except InvalidOperation as error:
        raise InvalidInput(f"{what} {amount!r} is not a decimal number; {remedy}") from error
    if not exact.is_finite():
        raise InvalidInput(f"{what} {amount!r} is not finite; {remedy}")
    if exact < 0:
        raise InvalidInput(f"{what} {amount!r} is negative; a worker cannot be asked to pay: give 0 or more")
    if exact > LARGEST // MILLIONTHS:
        raise InvalidInput(f"{what} {amount!r} is above the largest price, {LARGEST // MILLIONTHS}; use a larger unit")
    # Comparing is exact, where multiplying would first round to the context's 28 digits.
    rounded = exact.quantize(MILLIONTH, context=ROOM)
    if exact != rounded:
        raise InvalidInput(
            f"{what} {amount!r} is finer than a millionth of a unit; round it to six decimals, or use a smaller unit"
        )
    return int(rounded.scaleb(6, context=ROOM))


def prices_to_millionths(amounts: Iterable[object]) -> NDArray[np.int64]:
    """Many amounts at once; the error names the position."""
    return np.array(
        [to_millionths(amount, f"price of worker {index}") for index, amount in enumerate(amounts)], dtype=np.int64
    )


def from_millionths(amount: Money) -> Decimal:
    """The exact decimal amount in units."""
    return Decimal(f"{int(amount)}E-6")


def show(amount: Money, decimals: int | None = None) -> str:
    """For people: thousands apart, and no more decimals than needed (or just so many)."""
    units = from_millionths(amount)
    if decimals is not None:
        return f"{units:,.{decimals}f}"
    text = f"{units:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
