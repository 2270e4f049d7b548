"""Numbers and names in sentences."""

import unicodedata

# What a terminal obeys or takes for the end of a line, and halves of characters, which it cannot be sent.
CONTROL = frozenset({"Cc", "Zl", "Zp", "Cs"})
# Turns of the direction in which a line reads: after one, a line may seem to say what it does not.
TURNS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 answer, 2 answers."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def printable(text: str) -> str:
    """What a terminal would obey, and what would mislead a reader, is written out as Python does it.

    A name or a question comes from data, and may hold anything.
    """
    if text.isprintable():
        return text
    return "".join(
        sign.encode("unicode_escape").decode() if sign in TURNS or unicodedata.category(sign) in CONTROL else sign
        for sign in text
    )
