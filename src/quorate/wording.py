"""Numbers and names in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 answer, 2 answers."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def printable(text: str) -> str:
    """What would not show as itself (control characters, line ends, turns of direction) escaped as Python writes it.

    Names come from data, and one printed raw could steer the terminal that shows it.
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
