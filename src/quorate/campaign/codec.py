"""Events as canonical JSON and back: keys sorted, no spaces, ASCII, no NaN. The hash chain rests on this one form."""

import json
from dataclasses import fields
from typing import Any

from quorate.campaign import events
from quorate.campaign.refusal import Tampered
from quorate.errors import InvalidInput

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in events.Event.__args__}
# JSON has lists where events have tuples.
_TUPLES = {
    name: tuple(field.name for field in fields(kind) if "tuple" in str(field.type)) for name, kind in KINDS.items()
}


def canonical(value: Any) -> str:
    """The one JSON text of a value; raises InvalidInput if it has none."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{error}; give text, numbers, true, false, null, lists and objects only") from error


def is_whole(value: Any) -> bool:
    """Whether all its text can be written. JSON escapes half of an emoji that was cut, and no encoding can say it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def encode(event: events.Event) -> str:
    return canonical(event.__dict__)


def decode(kind: str, body: str) -> events.Event:
    """Raises Tampered for what no version of this software wrote."""
    try:
        given = json.loads(body)
        for name in _TUPLES[kind]:
            if given[name] is not None:
                given[name] = tuple(given[name])
        made: events.Event = KINDS[kind](**given)
    except (KeyError, TypeError, ValueError) as error:
        raise Tampered(
            f"an event of kind {kind!r} cannot be read ({error}); the ledger was changed, or written by a newer version"
        ) from error
    return made
