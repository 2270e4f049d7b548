"""Numbers in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 answer, 2 answers."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
