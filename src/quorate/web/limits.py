"""How much one caller may ask for: token buckets, bounded in number."""

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from quorate.errors import InvalidInput

# Callers remembered at once; the one who was quiet the longest is forgotten first, and starts with a full bucket.
MOST_BUCKETS = 10_000
# More than one process can answer.
MOST_PER_SECOND = 1_000_000


@dataclass(frozen=True)
class Limits:
    """Per token, or per address of callers without one; pages count like the API. `body_bytes` bounds every request.

    `checks`: checking a whole ledger, which costs seconds. `hooks`: of a campaign; each event on their topics is a
    message to every one of them.
    """

    requests_per_second: float = 1_000.0
    burst: int = 2_000
    anonymous_per_second: float = 5.0
    anonymous_burst: int = 20
    checks_per_second: float = 0.2
    checks_burst: int = 10
    body_bytes: int = 8 * 1024 * 1024
    batch: int = 10_000
    page: int = 1_000
    streams: int = 2_000
    streams_per_token: int = 4
    hooks: int = 20


def limits_of(rate: float, stranger_rate: float) -> Limits:
    """For so many requests a second of one token, and of one address without one."""
    for given in (rate, stranger_rate):
        if not 0.0 < given <= MOST_PER_SECOND:
            raise InvalidInput(
                f"a rate of {given:g} requests a second is not above 0 and at most {MOST_PER_SECOND:,}; give one such "
                f"as 1000"
            )
    return Limits(
        requests_per_second=rate,
        burst=math.ceil(2 * rate),
        anonymous_per_second=stranger_rate,
        anonymous_burst=math.ceil(4 * stranger_rate),
    )


class Buckets:
    """One token bucket per name: `take` says how many seconds to wait, 0 if none. Used by one event loop alone."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """level(now) = min(burst, level(then) + rate (now - then)); a request takes 1 of it."""
        now = self._clock()
        level, then = self._left.pop(name, (self._burst, now))
        level = min(self._burst, level + self._per_second * (now - then))
        wait = 0.0 if level >= 1.0 else (1.0 - level) / self._per_second
        self._left[name] = (level if wait else level - 1.0, now)
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return wait
