"""The ledger: its events, notes on the promise, the chain check, the export, and the live stream."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from quorate.campaign import views
from quorate.campaign.codec import KINDS
from quorate.campaign.ledger import TOPICS
from quorate.campaign.refusal import Tampered
from quorate.web.auth import Anyone, Overseer
from quorate.web.events_out import ledger_events, worker_events
from quorate.web.exporting import LINES, ledger_file
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import After, Campaign, Here, Limit, errors, page, page_of
from quorate.web.shown import reply
from quorate.web.streams import MEDIA_TYPE, EventStream

router = APIRouter(prefix="/campaigns/{campaign}", tags=["ledger"])

Kinds = Annotated[list[str], Query(alias="kind", max_length=len(KINDS), description="only events of these kinds")]
Topics = Annotated[
    list[str], Query(alias="topic", max_length=10, description="only these topics; all if none is named")
]
LastEvent = Annotated[
    str | None, Header(alias="Last-Event-ID", pattern="^[0-9]{1,15}$", description="resume after this event")
]


class Checked(BaseModel):
    """`problem` names the first event that does not fit, if the chain is broken."""

    intact: bool
    events: int
    hash: str | None
    problem: str | None


@router.get("/events", response_model=page_of(views.EventView), responses=errors())
async def events(
    here: Here,
    campaign: Campaign,
    caller: Overseer,
    after: After = None,
    limit: Limit = 1_000,
    kinds: Kinds = [],  # noqa: B006 - read, never changed
) -> Response:
    """Events as they stand in the ledger, amounts in millionths; bids once the auction is closed, not before."""
    _check_known("kind", kinds, KINDS)
    found = await here.blocking(here.service.events, campaign, after or 0, min(limit, here.limits.page), kinds)
    return reply(page(found))


@router.get("/notes", response_model=page_of(views.NoteView), responses=errors())
async def notes(here: Here, campaign: Campaign, caller: Overseer, after: After = None, limit: Limit = 100) -> Response:
    """What happened to the promise, in words, in order."""
    return reply(page(await here.blocking(here.service.notes, campaign, after or 0, min(limit, here.limits.page))))


@router.get("/verify", response_model=Checked, responses=errors())
async def verify(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """Check every event against the hash of the one before."""
    try:
        head = await here.blocking(here.service.verify, campaign)
    except Tampered as tampered:
        head = await here.blocking(here.store.head, campaign)
        return reply({"intact": False, "events": head.seq, "hash": None, "problem": str(tampered)})
    return reply({"intact": True, "events": head.seq, "hash": head.hash, "problem": None})


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={
        **errors(),
        200: {"description": "one event a line", "content": {LINES: {"schema": {"type": "string"}}}},
    },
)
async def export(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """The whole ledger, a line of JSON an event: `quorate ledger verify` and `replay` read it without the database."""
    await here.look(campaign, here.service.state)
    return ledger_file(here.service, campaign)


@router.get(
    "/stream",
    response_class=StreamingResponse,
    responses={**errors(), 200: {"description": "events", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def stream(
    here: Here,
    campaign: Campaign,
    caller: Anyone,
    topics: Topics = [],  # noqa: B006 - read, never changed
    after: After = None,
    last: LastEvent = None,
) -> Response:
    """Server-sent events. Overseers get ledger events by topic, resumed after Last-Event-ID (or `after`; from now on
    without either); a worker gets its own open tasks (`assignments`) and the campaign's `stage`, whenever they change.
    """
    _check_known("topic", topics, TOPICS.values())
    state = await here.look(campaign, here.service.state)
    watch = here.streams.watch(campaign, caller)
    if caller.worker is not None:
        return EventStream(watch, worker_events(here, watch, campaign, caller.worker))
    start = int(last) if last is not None else state.seq if after is None else after
    return EventStream(watch, ledger_events(here, watch, campaign, start, topics))


def _check_known(what: str, given: list[str], known: Any) -> None:
    if not set(given) <= set(known):
        raise Stop(problem("invalid-request", f"an unknown {what}; there are {', '.join(sorted(set(known)))}"))
