"""How a task's question stands on its worker's page: words as a heading, addresses and file names small below it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quorate.web.pages.render import question

# One word with a slash or an ending in it: where something is to be found, and nothing to read.
PLACE = re.compile(r"\S*/\S*|\S+\.[A-Za-z][A-Za-z0-9]{1,4}")

# What it is called, where it has a name, and what it says.
Line = tuple[str, str]


@dataclass(frozen=True)
class Posed:
    words: Sequence[Line]
    places: Sequence[Line]


def posed(payload: Any) -> Posed:
    """A payload's parts, each where it can be read."""
    parts = payload.items() if isinstance(payload, dict) else [("", payload)]
    lines = [(str(name), question(value)) for name, value in parts if value not in (None, "")]
    places = [line for line in lines if PLACE.fullmatch(line[1].strip())]
    return Posed([line for line in lines if line not in places], places)
