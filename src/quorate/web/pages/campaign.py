"""The requester's dashboard, live, and the campaign's stages: each thing done is one form."""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import juries, projection
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.state import State
from quorate.campaign.views import NoteView, Stage
from quorate.errors import QuorateError
from quorate.web.context import Context
from quorate.web.events_out import change_events
from quorate.web.pages.draft_form import is_on_form
from quorate.web.pages.expected import expected_of
from quorate.web.pages.explained import above_the_cap
from quorate.web.pages.forecast import Asked, asked_before, asked_of, forecasts_of
from quorate.web.pages.frame import axis, by_interest, frame, state_of
from quorate.web.pages.keeping import basis, kept
from quorate.web.pages.render import go, page
from quorate.web.pages.session import RequesterSeat, Seat, posted, text
from quorate.web.pages.words import say
from quorate.web.routers.common import Campaign, Here
from quorate.web.streams import EventStream

router = APIRouter(prefix="/c/{campaign}", include_in_schema=False)

WORKERS_SHOWN = 24
EVENTS_SHOWN = 10
NOTES_READ = 60
NOTES_SHOWN = 6
# A part of the dashboard and what it is called.
AGAINST_PLAN = ("against_plan.html", "Spend against plan")
PREDICTED = ("predicted.html", "Predicted cost")
CLOSING = ("closing.html", "If the bidding closed now")


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
    """Beside the dashboard, since it takes a second to compute: spend against plan, before bids are open what is
    predicted.
    """
    state = await state_of(here, campaign)
    if state.auction is not None:
        return await _simulated(here, request, seat, state, asked_of(state), AGAINST_PLAN)
    return await _simulated(here, request, seat, state, asked_before(state, expected_of(request)), PREDICTED)


@router.get("/closing")
async def closing(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """What to expect if the bidding closed now: before it does, since nobody can join after that."""
    state = await state_of(here, campaign)
    bidders = sum(worker.bids for worker in state.workers)
    asked = asked_before(state, expected_of(request), bidders) if bidders else None
    return await _simulated(here, request, seat, state, asked, CLOSING, bidders=bidders)


async def _simulated(
    here: Context,
    request: Request,
    seat: Seat,
    state: State,
    asked: Asked | None,
    part: tuple[str, str],
    **more: Any,
) -> Response:
    """The part alone, for the page's script; a page of its own without script."""
    made, wrong = None, ""
    if asked is not None:
        try:
            made = await forecasts_of(request).plan(here, request, asked)
        except QuorateError as error:
            wrong = str(error)
    template, title = part
    alone = request.headers.get("sec-fetch-dest") == "document"
    values = {"made": made, "problem": wrong, "part": template, "title": title, **more, **frame(state)}
    return page("whole_plan.html" if alone else template, seat, **values)


def _overview(here: Context, campaign: str) -> dict[str, Any]:
    """Everything from one state, so that the page agrees with itself."""
    state = here.service.state(campaign, fresh=not here.alone)
    people = projection.workers(state)
    shown = sorted(people, key=by_interest)[:WORKERS_SHOWN]
    events = here.service.latest(campaign, EVENTS_SHOWN)
    framed, jury = frame(state), juries.jury_view(state)
    settings = framed["status_"].settings
    return {
        **framed,
        "above_the_cap": above_the_cap(settings.payment.name, settings.cap, settings.payment.one_in, settings.currency),
        "on_form": is_on_form(settings),
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


@router.post("/open")
async def open_campaign(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat):
        await _reach(here, campaign, Stage.AUCTION, here.service.open)
    return go(f"/c/{campaign}?done=opened")


@router.post("/close-auction")
async def close_auction(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat):
        await _reach(here, campaign, Stage.RUNNING, here.service.close_auction)
    return go(f"/c/{campaign}?done=auction")


@router.post("/close")
async def close(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat) as form:
        force = text(form, "force") == "yes"
    await _reach(here, campaign, Stage.CLOSED, here.service.close_campaign, force=force)
    return go(f"/c/{campaign}?done=closed")


async def _reach(here: Context, campaign: str, stage: Stage, step: Callable[..., object], **options: bool) -> None:
    """A click too many is no reproach: the campaign is at the stage already."""
    try:
        await here.blocking(step, campaign, **options)
    except Refused as refused:
        if refused.code is not Code.WRONG_STAGE or (await state_of(here, campaign)).stage is not stage:
            raise
