"""The numbers of a question, checked: what a notebook gives may be of any type."""

from numbers import Integral, Real

from quorate.errors import InvalidInput


def check_share(value: object, what: str, lowest: float, why: str) -> float:
    """A number strictly between `lowest` and 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not lowest < float(value) < 1.0:
        raise InvalidInput(f"{what} is {value!r}; {why}: give a number such as 0.9")
    return float(value)


def check_count(value: object, what: str, why: str) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInput(f"{what} is {value!r}; {why}: give a whole number (an int) of at least 1")
    return int(value)
