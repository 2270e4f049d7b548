"""The ledger in a browser: its events, the chain check, the replay and the export, for auditors and requesters."""

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign.chain import checked
from quorate.campaign.ledger import Head
from quorate.campaign.refusal import Tampered
from quorate.campaign.replay import Replayed, replay
from quorate.campaign.tokens import Role
from quorate.campaign.views import EventView
from quorate.web.context import Context
from quorate.web.exporting import ledger_file
from quorate.web.pages.render import page
from quorate.web.pages.session import ROOMS, AuditorSeat, RequesterSeat, Seat, posted
from quorate.web.pages.turning import IN_TIME, Part
from quorate.web.pages.words import say
from quorate.web.routers.common import After, Campaign, Here

router = APIRouter(include_in_schema=False)

EVENTS_A_PAGE = 50


@router.get("/a/{campaign}")
async def auditor(here: Here, campaign: Campaign, seat: AuditorSeat, after: After = None) -> Response:
    return await _ledger(here, campaign, seat, after or 0)


@router.get("/c/{campaign}/ledger")
async def requester(here: Here, campaign: Campaign, seat: RequesterSeat, after: After = None) -> Response:
    return await _ledger(here, campaign, seat, after or 0)


@router.post("/a/{campaign}/check")
async def check(here: Here, request: Request, campaign: Campaign, seat: AuditorSeat) -> Response:
    return await _checked(here, request, campaign, seat)


@router.post("/c/{campaign}/check")
async def check_requester(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    return await _checked(here, request, campaign, seat)


@router.get("/a/{campaign}/export")
async def export(here: Here, campaign: Campaign, seat: AuditorSeat) -> Response:
    return ledger_file(here.service, campaign)


@router.get("/c/{campaign}/export")
async def export_requester(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    return ledger_file(here.service, campaign)


async def _ledger(here: Context, campaign: str, seat: Seat, after: int, **found: Any) -> Response:
    try:
        state = await here.look(campaign, here.service.state)
        events = await here.blocking(_events, here, campaign, after)
    except Tampered as tampered:
        return _broken(campaign, seat, tampered)
    rows = [(say(state, event), event, json.dumps(event.body)) for event in events if event.seq <= state.seq]
    values = {
        "checked": None,
        "replayed": None,
        "rows": rows,
        "part": Part(after, EVENTS_A_PAGE, state.seq, IN_TIME),
        **found,
    }
    return page("ledger.html", seat, state=state, **_frame(campaign, seat), **values)


def _events(here: Context, campaign: str, after: int) -> list[EventView]:
    """Checked against each other before they are put into words: of one that was changed, what it needs may be gone."""
    before = here.store.read(campaign, after - 1, 1) if after else []
    head = Head(before[0].seq, before[0].hash) if before else None
    for _ in checked(campaign, here.store.read(campaign, after, EVENTS_A_PAGE), head):
        pass
    return list(here.service.events(campaign, after, EVENTS_A_PAGE).items)


def _broken(campaign: str, seat: Seat, tampered: Tampered) -> Response:
    """Without the campaign's state: it is made from the ledger, and there may be none."""
    return page("ledger_broken.html", seat, broken=str(tampered), **_frame(campaign, seat))


def _frame(campaign: str, seat: Seat) -> dict[str, Any]:
    role = seat.caller.role or Role.AUDITOR
    return {"campaign": campaign, "base": f"{ROOMS[role]}/{campaign}", "role": role.value}


async def _checked(here: Context, request: Request, campaign: str, seat: Seat) -> Response:
    """The chain, and then everything decided anew from what people did."""
    async with posted(here, request, seat):
        pass
    try:
        head, replayed = await here.blocking(_check, here, campaign)
    except Tampered as tampered:
        return _broken(campaign, seat, tampered)
    return await _ledger(here, campaign, seat, 0, checked=head, replayed=replayed)


def _check(here: Context, campaign: str) -> tuple[Head, Replayed]:
    head = here.service.verify(campaign)
    coin_seed = here.service.state(campaign).coin_seed
    return head, replay(campaign, here.service.records(campaign), coin_seed)
