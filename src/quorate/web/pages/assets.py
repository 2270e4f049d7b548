"""Style, script and icon: a few files, whose addresses change with their contents."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MEDIA_TYPES: dict[str, str] = {
    "quorate.css": "text/css",
    "quorate.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """`address` names this content and no other, so that browsers may keep it for good."""

    body: bytes
    media_type: str
    address: str


@cache
def asset(name: str) -> Asset:
    """One of MEDIA_TYPES."""
    body = files("quorate.web").joinpath("static", name).read_bytes()
    return Asset(body, MEDIA_TYPES[name], f"/static/{name}?{hashlib.sha256(body).hexdigest()[:16]}")


def static(name: str) -> str:
    """For templates: where the file is."""
    return asset(name).address
