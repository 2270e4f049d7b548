"""The requester's dashboard, live, and the campaign's stages: each thing done is one form."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import juries, projection
from quorate.campaign.bidding import is_dead
from quorate.campaign.service import wall_clock
from quorate.campaign.views import NoteView, WorkerView
from quorate.errors import QuorateError
from quorate.web.context import Context
from quorate.web.events_out import change_events
from quorate.web.pages.forecast import asked_of, forecasts_of
from quorate.web.pages.frame import axis, frame, state_of
from quorate.web.pages.keeping import basis, kept
from quorate.web.pages.render import go, page
from quorate.web.pages.session import RequesterSeat, posted, text
from quorate.web.pages.words import say
from quorate.web.routers.common import Campaign, Here
from quorate.web.streams import EventStream

router = APIRouter(prefix="/c/{campaign}", include_in_schema=False)

WORKERS_SHOWN = 24
EVENTS_SHOWN = 10
NOTES_READ = 60
NOTES_SHOWN = 6


@router.get("")
async def overview(here: Here, campaign: Campaign, seat: RequesterSeat, done: str | None = None) -> Response:
    return page("overview.html", seat, done=done, **await here.blocking(_overview, here, campaign))


@router.get("/live")
async def live(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    """The dashboard's moving part alone."""
    return page("live.html", seat, **await here.blocking(_overview, here, campaign))


@router.get("/stream")
async def stream(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    """Tells the page when to look again."""
    await state_of(here, campaign)
    watch = here.streams.watch(campaign, seat.caller)
    return EventStream(watch, change_events(here, watch, campaign))


@router.get("/plan")
async def plan(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """Spend against plan: computed beside the dashboard, since it takes a second; a page of its own without script."""
    state = await state_of(here, campaign)
    asked = asked_of(state)
    made, wrong = None, ""
    if asked is not None:
        try:
            made = await forecasts_of(request).plan(here, request, asked)
        except QuorateError as error:
            wrong = str(error)
    alone = request.headers.get("sec-fetch-dest") == "document"
    template = "whole_plan.html" if alone else "against_plan.html"
    return page(template, seat, made=made, problem=wrong, **frame(state))


def _overview(here: Context, campaign: str) -> dict[str, Any]:
    """Everything from one state, so that the page agrees with itself."""
    state = here.service.state(campaign, fresh=not here.alone)
    people = projection.workers(state)
    shown = sorted(people, key=_interest)[:WORKERS_SHOWN]
    events = here.service.latest(campaign, EVENTS_SHOWN)
    framed, jury = frame(state), juries.jury_view(state)
    return {
        **framed,
        "dead": is_dead(state, wall_clock()),
        "keeping": kept(framed["status_"]),
        "basis": basis(framed["status_"]),
        "jury": jury,
        "why": [] if jury is None else [line for line in jury.why if line not in jury.needed],
        "people": shown,
        "axis": axis(shown),
        "enrolled": len(people),
        "names_": [worker.name for worker in people],
        "events": [say(state, event) for event in events if event.seq <= state.seq],
        "notes": _gathered(here.service.latest_notes(campaign, NOTES_READ)),
    }


def _gathered(notes: Sequence[NoteView]) -> list[tuple[NoteView, int]]:
    """The newest note of each kind, and how many more of the kind were among the newest."""
    counts: dict[str, int] = {}
    newest: dict[str, NoteView] = {}
    for note in notes:
        newest.setdefault(note.note, note)
        counts[note.note] = counts.get(note.note, 0) + 1
    return [(note, counts[kind] - 1) for kind, note in newest.items()][:NOTES_SHOWN]


def _interest(worker: WorkerView) -> tuple[bool, bool, bool, float, int]:
    """The jury first, then who still takes part, the surest good ones before the others."""
    lower = -1.0 if worker.lower is None else worker.lower
    return not worker.in_jury, not worker.in_pool, worker.withdrawn, -lower, worker.worker


@router.post("/open")
async def open_campaign(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat):
        await here.blocking(here.service.open, campaign)
    return go(f"/c/{campaign}?done=opened")


@router.post("/close-auction")
async def close_auction(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat):
        await here.blocking(here.service.close_auction, campaign)
    return go(f"/c/{campaign}?done=auction")


@router.post("/close")
async def close(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat) as form:
        force = text(form, "force") == "yes"
    await here.blocking(here.service.close_campaign, campaign, force=force)
    return go(f"/c/{campaign}?done=closed")
