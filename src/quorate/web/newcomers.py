"""A new campaign with its requester's token, a new worker with its invitation: for the API and the pages.

Under the same idempotency key both are the same again, tokens included.
"""

import hashlib

from quorate.campaign.settings import Settings
from quorate.campaign.tokens import Role
from quorate.web.context import Context


async def draft(here: Context, settings: Settings, campaign: str | None, key: str | None) -> tuple[str, str]:
    """The campaign's name, which follows from the key if it was not given, and the token."""
    if campaign is None and key is not None:
        campaign = f"c{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    made = await here.blocking(here.service.draft, settings, campaign=campaign, key=key)
    entropy = here.service.token_entropy(made, Role.REQUESTER, None, key)
    return made, await here.blocking(here.tokens.issue, made, Role.REQUESTER, None, "", entropy)


async def invite(here: Context, campaign: str, name: str, key: str | None) -> tuple[int, str]:
    """The worker's number and the token of its invitation."""
    worker = (await here.blocking(here.service.enrol, campaign, name, key=key)).worker
    entropy = here.service.token_entropy(campaign, Role.WORKER, worker, key)
    return worker, await here.blocking(here.tokens.issue, campaign, Role.WORKER, worker, name, entropy)
