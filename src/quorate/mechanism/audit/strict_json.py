"""One JSON object, read strictly: exact decimals of a bounded size, no key twice, no endless nesting."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from quorate.errors import InvalidInput

# Exact arithmetic on more digits, or on an exponent of a billion, would never come to an end.
LONGEST_NUMBER = 50
MOST_ZEROS = 30


def read_object(text: str, source: str) -> dict[str, Any]:
    """The object, with `int` and `Decimal` for numbers; every complaint is one line that begins with `source`."""
    try:
        given = json.loads(
            text,
            parse_int=lambda digits: int(_bounded(digits)),
            parse_float=_bounded,
            parse_constant=_no_number,
            object_pairs_hook=_once_each,
        )
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{source} is not JSON: {error}") from error
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from error
    except RecursionError as error:
        raise InvalidInput(f"{source} is nested too deeply; a case holds lists of lists of numbers") from error
    if not isinstance(given, dict):
        raise InvalidInput(f"{source} is not a JSON object; begin it with a brace and give keys and values")
    return given


def _bounded(text: str) -> Decimal:
    if len(text) > LONGEST_NUMBER:
        raise InvalidInput(f"a number of {len(text)} characters is too long; give at most {LONGEST_NUMBER}")
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise InvalidInput(f"the number {text} has an exponent too large; write it out in digits") from error
    if abs(number.adjusted()) > MOST_ZEROS:
        raise InvalidInput(f"the number {text} is out of range; give one between 1e-{MOST_ZEROS} and 1e{MOST_ZEROS}")
    return number


def _no_number(name: str) -> None:
    raise InvalidInput(f"{name} is not a number; give one in digits")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidInput(f"the key {twice!r} is given twice; give it once")
    return found
