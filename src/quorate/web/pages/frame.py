"""What every page of a requester's campaign shares."""

from collections.abc import Sequence
from typing import Any

from quorate.campaign import projection
from quorate.campaign.bidding import is_dead
from quorate.campaign.service import wall_clock
from quorate.campaign.state import State
from quorate.campaign.views import WorkerView
from quorate.web.context import Context

# The left end of the scale on which shares of right answers are drawn, while all that are shown lie to the right of it.
HALF = 0.5


async def state_of(here: Context, campaign: str) -> State:
    return await here.look(campaign, here.service.state)


def frame(state: State) -> dict[str, Any]:
    now = wall_clock()
    return {
        "campaign": state.campaign,
        "status_": projection.status(state, now),
        "dead": is_dead(state, now),
        "base": f"/c/{state.campaign}",
    }


def axis(people: Sequence[WorkerView]) -> float:
    """Where the scale of shares of right answers begins."""
    return HALF if all(worker.lower is None or worker.lower >= HALF for worker in people) else 0.0


def by_interest(worker: WorkerView) -> tuple[bool, bool, bool, float, int]:
    """The jury first, then who still takes part, the surest good ones before the others."""
    lower = -1.0 if worker.lower is None else worker.lower
    return not worker.in_jury, not worker.in_pool, worker.withdrawn, -lower, worker.worker
