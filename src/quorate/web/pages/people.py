"""The requester's workers: who takes part, invitations, and removing one."""

import hashlib

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import projection
from quorate.campaign.state import State
from quorate.campaign.tokens import Role
from quorate.errors import QuorateError
from quorate.web import newcomers
from quorate.web.invitations import link
from quorate.web.pages.frame import axis, by_interest, frame, state_of
from quorate.web.pages.leaving import leave
from quorate.web.pages.render import go, page
from quorate.web.pages.session import RequesterSeat, Seat, once, posted, text, whole
from quorate.web.pages.turning import Part
from quorate.web.routers.common import After, Campaign, Here, check_size

router = APIRouter(prefix="/c/{campaign}", include_in_schema=False)

WORKERS_A_PAGE = 25
MOST_INVITED = 500


@router.get("/workers")
async def workers(
    here: Here, campaign: Campaign, seat: RequesterSeat, after: After = None, done: str | None = None
) -> Response:
    state = await state_of(here, campaign)
    people = sorted(await here.blocking(projection.workers, state), key=by_interest)
    part = Part(after or 0, WORKERS_A_PAGE, len(people))
    shown = part.of(people)
    return page("workers.html", seat, done=done, people=shown, axis=axis(shown), part=part, **frame(state))


@router.post("/invite")
async def invite(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """One worker a line; the links are shown this once."""
    async with posted(here, request, seat) as form:
        names = list(dict.fromkeys(line.strip() for line in text(form, "names").splitlines() if line.strip()))
        key = once(form)
    check_size(here, len(names))
    made, refused = [], []
    for name in names[:MOST_INVITED]:
        # Each worker has a key of its own, from which its token follows: a second click shows the same links again.
        own = None if key is None else f"{key}-{hashlib.sha256(name.encode()).hexdigest()}"
        try:
            _, token = await newcomers.invite(here, campaign, name, own)
        except QuorateError as error:
            refused.append((name, str(error)))
            continue
        made.append((name, link(here, request, token)))
    refused += [(name, f"at most {MOST_INVITED} at once; invite the rest again") for name in names[MOST_INVITED:]]
    return _invited(seat, await state_of(here, campaign), made, refused, Role.WORKER)


@router.post("/invite-auditor")
async def invite_auditor(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat) as form:
        name = text(form, "name", "auditor")
    token = await here.blocking(here.tokens.issue, campaign, Role.AUDITOR, None, name)
    made = [(name, link(here, request, token))]
    return _invited(seat, await state_of(here, campaign), made, [], Role.AUDITOR)


@router.post("/link")
async def new_link(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """For a worker who has lost its own. It opens no bid that was placed with another."""
    async with posted(here, request, seat) as form:
        number = whole(form, "worker")
    state = await state_of(here, campaign)
    await here.look(campaign, here.service.worker_number, number)
    name = state.workers[number].name
    token = await here.blocking(here.tokens.issue, campaign, Role.WORKER, number, name)
    return _invited(seat, state, [(name, link(here, request, token))], [], Role.WORKER)


def _invited(
    seat: Seat, state: State, made: list[tuple[str, str]], refused: list[tuple[str, str]], role: Role
) -> Response:
    """A worker's link opens once; an auditor's stays what it is."""
    return page("invited.html", seat, made=made, refused=refused, once=role is Role.WORKER, **frame(state))


@router.post("/withdraw")
async def withdraw(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """A worker who does not answer any more."""
    async with posted(here, request, seat) as form:
        worker = whole(form, "worker")
    await leave(here, campaign, worker, "by the requester")
    return go(f"/c/{campaign}/workers?done=withdrawn")
