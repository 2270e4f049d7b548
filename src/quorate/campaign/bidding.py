"""Until when bids are taken, and what is left to do where that has passed without one."""

from quorate.campaign.settings import Millis, Settings
from quorate.campaign.state import State
from quorate.campaign.views import Stage

ONLY_CLOSE = "this campaign can only be closed, and another opened with a later bids_until, or with none"


def is_over(settings: Settings, now: Millis) -> bool:
    return settings.bids_until is not None and now > settings.bids_until


def is_dead(state: State, now: Millis) -> bool:
    """Whether the auction can neither take a bid any more nor close, for there is none."""
    if state.stage is not Stage.AUCTION or state.settings is None or not is_over(state.settings, now):
        return False
    return not any(worker.bids for worker in state.workers)
