"""Confidence intervals on qualities (paper, section 4.1; MATHS 3)."""

from quorate.errors import UnknownName
from quorate.model.interval.anytime import AnytimeInterval
from quorate.model.interval.base import Interval, nest
from quorate.model.interval.hoeffding import HoeffdingInterval

INTERVALS: dict[str, Interval] = {interval.name: interval for interval in (HoeffdingInterval(), AnytimeInterval())}


def interval(name: str) -> Interval:
    """The registered interval of that name."""
    if name not in INTERVALS:
        raise UnknownName(f"no interval is called {name!r}; there are {', '.join(sorted(INTERVALS))}")
    return INTERVALS[name]


__all__ = ["INTERVALS", "AnytimeInterval", "HoeffdingInterval", "Interval", "interval", "nest"]
