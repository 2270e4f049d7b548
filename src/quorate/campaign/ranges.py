"""Sets of positions as text, "0-59,61": a jury of 1,100 is one short field of one event."""

from collections.abc import Iterable


def to_ranges(positions: Iterable[int]) -> str:
    """Increasing positions as ranges."""
    parts: list[str] = []
    start = last = -2
    for position in positions:
        if position != last + 1:
            if start >= 0:
                parts.append(_part(start, last))
            start = position
        last = position
    if start >= 0:
        parts.append(_part(start, last))
    return ",".join(parts)


def from_ranges(text: str) -> tuple[int, ...]:
    """The inverse of `to_ranges`."""
    found: list[int] = []
    for part in text.split(","):
        if part:
            start, _, last = part.partition("-")
            found.extend(range(int(start), int(last or start) + 1))
    return tuple(found)


def _part(start: int, last: int) -> str:
    return str(start) if start == last else f"{start}-{last}"
