"""Times in sentences."""

from datetime import UTC, datetime

from quorate.campaign.settings import Millis

# The last second of any calendar: ledgers from before times were bounded hold later ones.
LAST: Millis = 253_402_300_799_000


def utc(at: Millis) -> datetime:
    """The time, as far as calendars go."""
    return datetime.fromtimestamp(min(at, LAST) / 1000, UTC)
