"""The way in and out: a link or a token becomes a cookie; the operator's list of campaigns."""

import logging

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import projection
from quorate.campaign.refusal import Tampered
from quorate.campaign.settings import Millis
from quorate.campaign.tokens import Role
from quorate.campaign.views import Status
from quorate.web.context import Context
from quorate.web.invitations import ENTER_PATH
from quorate.web.keyring import Caller
from quorate.web.pages.keeping import Kept, kept
from quorate.web.pages.render import go, page
from quorate.web.pages.session import (
    OperatorSeat,
    Seat,
    Sit,
    cookie_name,
    forget,
    mark_of,
    posted,
    remember,
    room_of,
    sent_from_here,
    text,
)
from quorate.web.problems import Stop, problem, unknown_campaign
from quorate.web.routers.common import Here

router = APIRouter(include_in_schema=False)

_LOG = logging.getLogger("quorate.web")

UNKNOWN = (
    "This link or token opens nothing: it is incomplete, or it was withdrawn. Check that all of it was copied, or ask "
    "whoever invited you for a new one."
)
CAMPAIGNS_SHOWN = 200


@router.get("/")
async def home(here: Here, request: Request, done: str | None = None) -> Response:
    """The operator's campaigns; the entrance for everybody else."""
    token = request.cookies.get(cookie_name(None), "")
    caller = await here.holder(token)
    if caller is None or not caller.is_operator:
        return page("enter.html", why="", done=done)
    found, broken = await here.blocking(_campaigns, here)
    return page("home.html", Seat(caller, mark_of(token)), campaigns=found, broken=broken, done=done)


def _campaigns(here: Context) -> tuple[list[tuple[Status, Kept, Millis]], list[str]]:
    """With when each was drafted, the newest first; apart from them the names of those whose ledger cannot be read."""
    found, broken = [], []
    for name, drafted in here.store.newest(CAMPAIGNS_SHOWN):
        try:
            state = here.service.state(name, fresh=not here.alone)
            status = projection.status(state)
        except Tampered:
            _LOG.exception("campaign %s cannot be shown", name)
            broken.append(name)
            continue
        found.append((status, kept(status), drafted))
    return found, broken


@router.get(ENTER_PATH)
async def enter_page() -> Response:
    """The token is behind `#` in the link: the page's script sends it on, and without script it is pasted."""
    return page("enter.html", why="")


@router.post(ENTER_PATH)
async def enter(here: Here, request: Request) -> Response:
    async with sent_from_here(here, request) as form:
        token = text(form, "token").rsplit("#", 1)[-1].strip()
    caller = await here.holder(token)
    if caller is not None and caller.worker is not None and not caller.private:
        # Whoever made the invitation has seen its token: from here on the worker has one of its own.
        private = await here.blocking(here.keyring.exchange, caller.digest)
        caller = None if private is None else await here.holder(private)
        if caller is not None and private is not None:
            return _seated(here, request, caller, private, f"{room_of(caller)}/link?done=first")
    if caller is None:
        held = await here.blocking(here.tokens.spent, token)
        return page("enter.html", status=401, why=UNKNOWN) if held is None else go(f"/w/{held.campaign}/spent")
    return _seated(here, request, caller, token, room_of(caller))


@router.get("/w/{campaign}/spent")
async def spent(here: Here, request: Request, campaign: str) -> Response:
    """A worker's link that opens nothing any more. The browser that it opened in has the worker's own token; its cookie
    comes with this address, and not with that of the form.
    """
    caller = await here.holder(request.cookies.get(cookie_name(Role.WORKER), ""))
    if caller is not None and caller.role is Role.WORKER and caller.campaign == campaign:
        return go(room_of(caller))
    return page("spent.html", status=401)


@router.post("/take/{campaign}")
async def take(here: Here, request: Request, seat: OperatorSeat, campaign: str) -> Response:
    """The operator enters a campaign with a requester's token of its own."""
    async with posted(here, request, seat):
        await here.look(campaign, here.service.state)
    return await _taken(here, request, campaign, Role.REQUESTER)


@router.post("/take/{campaign}/ledger")
async def take_ledger(here: Here, request: Request, seat: OperatorSeat, campaign: str) -> Response:
    """The operator enters as an auditor: this works where the campaign itself cannot be read any more."""
    async with posted(here, request, seat):
        if campaign not in await here.blocking(here.service.campaigns):
            raise Stop(unknown_campaign(campaign))
    return await _taken(here, request, campaign, Role.AUDITOR)


async def _taken(here: Context, request: Request, campaign: str, role: Role) -> Response:
    token = await here.blocking(here.tokens.issue, campaign, role, None, "operator")
    caller = await here.holder(token)
    if caller is None:
        raise Stop(problem("unauthenticated", UNKNOWN))
    return _seated(here, request, caller, token, room_of(caller))


def _seated(here: Context, request: Request, caller: Caller, token: str, to: str) -> Response:
    response = go(to)
    remember(here, request, response, caller, token)
    return response


@router.post("/out")
async def operator_out(here: Here, request: Request, seat: OperatorSeat) -> Response:
    return await _out(here, request, seat)


@router.post("/{room}/{campaign}/out")
async def out(here: Here, request: Request, room: str, campaign: str) -> Response:
    """Sign out of one campaign in one role."""
    roles = {"c": Role.REQUESTER, "w": Role.WORKER, "a": Role.AUDITOR}
    if room not in roles:
        raise Stop(problem("not-found", "there is no such page"))
    return await _out(here, request, await Sit(roles[room])(request, here))


async def _out(here: Context, request: Request, seat: Seat) -> Response:
    async with posted(here, request, seat):
        response = go("/?done=worker-out" if seat.caller.role is Role.WORKER else "/?done=out")
    forget(response, seat.caller)
    return response
