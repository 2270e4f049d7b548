"""A worker leaves, by itself or by the requester."""

from quorate.campaign.refusal import Code, Refused
from quorate.web.context import Context


async def leave(here: Context, campaign: str, worker: int, why: str) -> None:
    """A click too many is no reproach: the worker has left already."""
    try:
        await here.blocking(here.service.withdraw, campaign, worker, why)
    except Refused as refused:
        if refused.code is not Code.ALREADY_WITHDRAWN:
            raise
