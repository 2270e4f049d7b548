"""Tokens and webhooks: who else may see the campaign, and where its news goes."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from quorate.campaign.ledger import TOPICS
from quorate.campaign.tokens import Role, check_worker
from quorate.web.auth import Requester, RequesterOrOperator
from quorate.web.bodies import LARGEST_WHOLE, HookIn, TokenIn
from quorate.web.context import Context
from quorate.web.invitations import link
from quorate.web.problems import Stop, problem
from quorate.web.receivers import check_url
from quorate.web.routers.common import Campaign, Here, Key, errors, keep_key
from quorate.web.shown import reply

router = APIRouter(prefix="/campaigns/{campaign}", tags=["access"])

DigestPath = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="as listed; not the token itself")]
HookPath = Annotated[int, Path(ge=0, le=LARGEST_WHOLE)]


class TokenMade(BaseModel):
    """Shown this once: only a hash is kept."""

    token: str
    link: str


class TokenOut(BaseModel):
    digest: str
    role: str
    worker: int | None
    label: str
    created: int
    revoked: int | None


class TokensOut(BaseModel):
    items: list[TokenOut]


class HookMade(BaseModel):
    """`secret` checks the signatures; shown this once."""

    hook: int
    secret: str


class HookOut(BaseModel):
    hook: int
    url: str
    topics: list[str]
    created: int


class HooksOut(BaseModel):
    items: list[HookOut]


class DeliveryOut(BaseModel):
    key: str
    hook: int
    topic: str
    attempts: int
    error: str | None
    delivered: int | None
    given_up: bool


class DeliveriesOut(BaseModel):
    items: list[DeliveryOut]


@router.get("/tokens", response_model=TokensOut, responses=errors())
async def tokens(here: Here, campaign: Campaign, caller: Requester) -> Response:
    """Every token of the campaign, by its digest; revoked ones too."""
    rows = await here.blocking(here.tokens.issued, campaign)
    names = ("digest", "role", "worker", "label", "created", "revoked")
    return reply({"items": [{name: getattr(row, name) for name in names} for row in rows]})


@router.post("/tokens", status_code=201, response_model=TokenMade, responses=errors())
async def issue(
    here: Here, campaign: Campaign, caller: RequesterOrOperator, request: Request, body: TokenIn, key: Key = None
) -> Response:
    """Another token for this campaign. The operator may so help a requester who has lost its own."""
    await here.look(campaign, here.service.state)
    worker = None
    if body.worker is not None:
        worker = await here.look(campaign, here.service.worker_number, body.worker)
    role = Role(body.role)
    check_worker(role, worker)
    await keep_key(here, campaign, key, f"issue {role} {worker} {body.label}")
    entropy = here.service.token_entropy(campaign, role, worker, key)
    token = await here.blocking(here.tokens.issue, campaign, role, worker, body.label, entropy)
    return reply({"token": token, "link": link(here, request, token)}, 201)


@router.delete("/tokens/{digest}", status_code=204, responses=errors())
async def revoke(here: Here, campaign: Campaign, caller: Requester, digest: DigestPath) -> Response:
    """From now on it opens nothing."""
    known = await here.blocking(here.tokens.issued, campaign)
    if all(row.digest != digest for row in known):
        raise Stop(problem("unknown-token", "this campaign has no token with that digest; list its tokens"))
    await here.blocking(here.keyring.revoke, digest)
    return Response(status_code=204)


@router.get("/hooks", response_model=HooksOut, responses=errors())
async def hooks(here: Here, campaign: Campaign, caller: Requester) -> Response:
    found = await here.blocking(here.service.hooks, campaign)
    items = [{"hook": row.id, "url": row.url, "topics": row.topics, "created": row.created} for row in found]
    return reply({"items": items})


@router.post("/hooks", status_code=201, response_model=HookMade, responses=errors(409))
async def add_hook(here: Here, campaign: Campaign, caller: Requester, body: HookIn, key: Key = None) -> Response:
    """Send news on these topics to a public address, signed (docs/api.md). The same address, topics and secret again
    are the same hook.
    """
    check_url(body.url, local=here.local_hooks)
    topics = sorted(set(body.topics))
    if not set(topics) <= set(TOPICS.values()):
        raise Stop(problem("invalid-request", f"an unknown topic; there are {', '.join(sorted(set(TOPICS.values())))}"))
    await keep_key(here, campaign, key, f"hook {body.url} {topics} {body.secret}")
    secret = body.secret or here.service.new_hook_secret(campaign, key).hex()
    async with here.hooking:
        hook = await here.blocking(_hook, here, campaign, body.url, topics, secret.encode())
    return reply({"hook": hook, "secret": secret}, 201)


def _hook(here: Context, campaign: str, url: str, topics: list[str], secret: bytes) -> int:
    """The number of the hook that is the same in all, or else of a new one."""
    known = here.service.hooks(campaign)
    for hook in known:
        if (hook.url, list(hook.topics)) == (url, topics) and here.service.hook_secret(hook) == secret:
            return hook.id
    if len(known) >= here.limits.hooks:
        raise Stop(problem("too-many-hooks", f"a campaign has at most {here.limits.hooks} hooks; remove one first"))
    return here.service.add_hook(campaign, url, topics, secret)


@router.delete("/hooks/{hook}", status_code=204, responses=errors())
async def remove_hook(here: Here, campaign: Campaign, caller: Requester, hook: HookPath) -> Response:
    """Messages not yet delivered are given up."""
    if not await here.blocking(here.service.remove_hook, campaign, hook):
        raise Stop(problem("unknown-hook", f"this campaign has no hook {hook}; list its hooks"))
    return Response(status_code=204)


@router.get("/hooks/deliveries", response_model=DeliveriesOut, responses=errors())
async def deliveries(
    here: Here, campaign: Campaign, caller: Requester, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
) -> Response:
    """The newest messages and what became of them."""
    return reply({"items": await here.blocking(here.store.deliveries, campaign, limit)})
