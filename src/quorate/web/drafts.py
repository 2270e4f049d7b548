"""A new campaign and its requester's token, for the API and the pages."""

import hashlib

from quorate.campaign.settings import Settings
from quorate.campaign.tokens import Role
from quorate.web.context import Context


async def draft(here: Context, settings: Settings, campaign: str | None, key: str | None) -> tuple[str, str]:
    """The name and the token. Under the same idempotency key both are the same again; a name that was not given follows
    from the key.
    """
    if campaign is None and key is not None:
        campaign = f"c{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    made = await here.blocking(here.service.draft, settings, campaign=campaign, key=key)
    entropy = here.service.token_entropy(made, Role.REQUESTER, None, key)
    return made, await here.blocking(here.tokens.issue, made, Role.REQUESTER, None, "", entropy)
