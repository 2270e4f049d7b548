"""Workers: invited, bidding under seal, asked, and leaving."""

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from quorate.campaign import results, views
from quorate.campaign.tokens import Role
from quorate.web import newcomers
from quorate.web.auth import (
    UNAUTHENTICATED,
    Anyone,
    Overseer,
    Requester,
    RequesterOrWorker,
    WorkerOnly,
    WorkerOrSpent,
    own_only,
)
from quorate.web.bodies import BidIn, InviteIn, WithdrawIn
from quorate.web.invitations import link
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import (
    After,
    Campaign,
    Here,
    Key,
    Limit,
    SecretKey,
    WorkerPath,
    errors,
    list_of,
    page_of,
    worker_number,
)
from quorate.web.shown import model_of, plain, reply

router = APIRouter(prefix="/campaigns/{campaign}/workers", tags=["workers"])


class Invited(BaseModel):
    """`token` is the worker's invitation; it is shown this once, and `link` carries it."""

    worker: int
    name: str
    token: str
    link: str


class Private(BaseModel):
    """The worker's alone, shown this once. A bid placed with it can be read with it."""

    token: str


Assignments = list_of(views.Assignment)


def coins_shown(found: views.CoinCheck) -> dict[str, Any]:
    """With the answer to the question itself."""
    return {**plain(found), "fair": found.fair}


@router.get("", response_model=page_of(views.WorkerView), responses=errors())
async def workers(
    here: Here, campaign: Campaign, caller: Overseer, after: After = None, limit: Limit = 100
) -> Response:
    """Everybody enrolled, with what is known of each; bids only once the auction is closed."""
    found = await here.blocking(here.service.workers, campaign, fresh=not here.alone)
    start = 0 if after is None else after + 1
    stop = min(start + min(limit, here.limits.page), len(found))
    return reply({"items": found[start:stop], "after": stop - 1 if stop < len(found) else None})


@router.post("", status_code=201, response_model=Invited, responses=errors(409))
async def invite(
    here: Here, campaign: Campaign, caller: Requester, request: Request, body: InviteIn, key: Key = None
) -> Response:
    """Enrol a worker and make its token. Under the same idempotency key: the same worker, the same token."""
    worker, token = await newcomers.invite(here, campaign, body.name, key)
    shown = {"worker": worker, "name": body.name, "token": token, "link": link(here, request, token)}
    return reply(shown, 201)


@router.post("/{worker}/token", status_code=201, response_model=Private, responses=errors())
async def exchange(
    here: Here, campaign: Campaign, caller: WorkerOrSpent, worker: WorkerPath, key: SecretKey = None
) -> Response:
    """Exchange an invitation, once, for a token that nobody but the worker has seen. The invitation is spent then; all
    that it still opens is the same answer again, under the same key.
    """
    own_only(caller, await worker_number(here, caller, campaign, worker))
    if caller.private:
        raise Stop(problem("forbidden", "this token is the worker's own already; only an invitation is exchanged"))
    own = None if key is None else caller.own(key)
    entropy = here.service.token_entropy(campaign, Role.WORKER, caller.worker, own)
    token = await here.blocking(here.keyring.exchange, caller.digest, entropy)
    if token is None:
        raise Stop(UNAUTHENTICATED)
    return reply({"token": token}, 201)


@router.get("/{worker}", response_model=model_of(views.WorkerView), responses=errors())
async def one(here: Here, campaign: Campaign, caller: Overseer, worker: WorkerPath) -> Response:
    number = await worker_number(here, caller, campaign, worker)
    return reply((await here.blocking(here.service.workers, campaign, fresh=not here.alone))[number])


@router.put("/{worker}/bid", response_model=model_of(results.BidTaken), responses=errors(409))
async def bid(
    here: Here, campaign: Campaign, caller: WorkerOnly, worker: WorkerPath, body: BidIn, key: Key = None
) -> Response:
    """Place the sealed bid, or change it until the auction closes. Answers with its commitment, never with the bid."""
    number = await worker_number(here, caller, campaign, worker)
    own_only(caller, number)
    return reply(await here.blocking(here.service.bid, campaign, number, body.sealed(), holder=caller.digest, key=key))


@router.get("/{worker}/bid", response_model=model_of(views.OwnBid) | None, responses=errors())
async def own_bid(here: Here, campaign: Campaign, caller: WorkerOnly, worker: WorkerPath) -> Response:
    """The worker's own bid, and what opens its commitment; for nobody else. Null before the first. Until the auction
    closes it is open only to the token that placed it, and to that only if it is not an invitation.
    """
    number = await worker_number(here, caller, campaign, worker)
    own_only(caller, number)
    return reply(await here.blocking(here.service.own_bid, campaign, number, caller.reader))


@router.get("/{worker}/assignments", response_model=Assignments, responses=errors())
async def assignments(
    here: Here, campaign: Campaign, caller: RequesterOrWorker, worker: WorkerPath, limit: Limit = 100
) -> Response:
    """Open tasks of the worker, the earliest first, each with its deadline and its price."""
    number = await worker_number(here, caller, campaign, worker)
    found = await here.look(campaign, here.service.assignments, number, min(limit, here.limits.page))
    return reply({"items": found})


@router.get("/{worker}/statement", response_model=model_of(views.WorkerPay), responses=errors())
async def statement(here: Here, campaign: Campaign, caller: Anyone, worker: WorkerPath) -> Response:
    """What the worker has earned and been paid, line by line."""
    number = await worker_number(here, caller, campaign, worker)
    return reply(await here.blocking(here.service.worker_statement, campaign, number))


@router.get("/{worker}/coins", response_model=model_of(views.CoinCheck, fair=bool) | None, responses=errors())
async def coins(here: Here, campaign: Campaign, caller: Anyone, worker: WorkerPath) -> Response:
    """After the end: do the revealed coins give what was promised? Null before, and where pay needs no coins."""
    number = await worker_number(here, caller, campaign, worker)
    found = await here.blocking(here.service.check_coins, campaign, number)
    return reply(None if found is None else coins_shown(found))


@router.post("/{worker}/withdraw", response_model=model_of(results.Left), responses=errors(409))
async def withdraw(
    here: Here,
    campaign: Campaign,
    caller: RequesterOrWorker,
    worker: WorkerPath,
    body: WithdrawIn | None = None,
    key: Key = None,
) -> Response:
    """The worker leaves for good; what it has earned stays earned."""
    number = await worker_number(here, caller, campaign, worker)
    reason = "" if body is None else body.reason
    return reply(await here.blocking(here.service.withdraw, campaign, number, reason, key=key))
