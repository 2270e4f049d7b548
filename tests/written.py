"""How a bid could be written where it does not belong: in units as people write it, in millionths, in hexadecimal.

In units it is looked for anywhere. As a whole number it has to stand alone, zeros before it or not: the digits of some
hash or of a time of day are the same now and then.
"""

import re
from collections.abc import Iterable

from quorate.money import MILLIONTHS


def in_units(bid: int) -> str:
    """As the pages and the API show it: 0.5 for half a million millionths."""
    return f"{bid / MILLIONTHS:.6f}".rstrip("0")


def holds(text: str, bid: int) -> bool:
    """Whether a bid of so many millionths can be read in a text."""
    return in_units(bid) in text or holds_number(text, bid)


def holds_number(text: str, bid: int) -> bool:
    """Whether it is there as a whole number, as the ledger would have it."""
    return re.search(rf"(?<![0-9a-f])0*(?:{bid}|{bid:x})(?![0-9a-f])", text, re.IGNORECASE) is not None


def found(text: str, bids: Iterable[int]) -> list[int]:
    """Those of the bids that can be read in a text."""
    return [bid for bid in bids if holds(text, bid)]
