"""The worker's pages: the sealed bid, the tasks, the pay, and the coins after the end."""

from enum import StrEnum
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import pay_views, projection
from quorate.campaign.bidding import is_dead
from quorate.campaign.flow import asks_now
from quorate.campaign.fold import rules_of
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.sealed import Bid
from quorate.campaign.service import wall_clock
from quorate.campaign.state import State
from quorate.campaign.tokens import Role
from quorate.campaign.views import OwnBid, Stage
from quorate.errors import InvalidInput
from quorate.mechanism import Randomised
from quorate.web.context import Context
from quorate.web.events_out import worker_events
from quorate.web.invitations import link
from quorate.web.pages.amounts import pointed
from quorate.web.pages.explained import example
from quorate.web.pages.leaving import leave
from quorate.web.pages.posing import posed
from quorate.web.pages.render import go, page
from quorate.web.pages.session import Seat, WorkerSeat, cookie_name, posted, text, whole, worker_of
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import Campaign, Here
from quorate.web.streams import EventStream

router = APIRouter(prefix="/w/{campaign}", include_in_schema=False)

QUEUE = 100
# A click too many is no reproach.
HARMLESS = frozenset({Code.SECOND_ANSWER, Code.TASK_DECIDED})


@router.get("")
async def desk(here: Here, campaign: Campaign, seat: WorkerSeat, done: str | None = None) -> Response:
    """What there is to do now."""
    return await _desk(here, campaign, seat, done=done)


async def _desk(
    here: Context, campaign: str, seat: Seat, *, done: str | None = None, refused: str = "", typed: str = ""
) -> Response:
    """`typed` is a bid that was refused, for its worker alone to correct."""
    number = worker_of(seat)
    state = await here.look(campaign, here.service.state)
    own = await here.blocking(here.service.own_bid, campaign, number, seat.caller.reader)
    work = projection.assignments(state, number, QUEUE)
    asks = posed(work[0].payload) if work else None
    values = {
        "own": own,
        "work": work,
        "asks": asks,
        "queue": QUEUE,
        "refused": refused,
        "typed": typed,
        **_frame(state, number),
    }
    return page("worker.html", seat, status=422 if refused else 200, done=done, **values)


def _frame(state: State, number: int) -> dict[str, Any]:
    settings = state.settings
    if settings is None:
        raise Stop(problem("wrong-stage", "this campaign has not begun yet"))
    worker, now = state.workers[number], wall_clock()
    return {
        "base": f"/w/{state.campaign}",
        "campaign": state.campaign,
        "settings": settings,
        "stage": state.stage.value,
        "pairing": rules_of(state).pairing,
        "me": worker,
        "learning": not state.ended,
        "standing": _standing(state, worker.position).value,
        "example": example(settings, rules_of(state).pairing),
        "coin_commitment": state.coin_commitment,
        "now": now,
        "dead": is_dead(state, now),
    }


class Standing(StrEnum):
    """What a worker may expect who has no open task."""

    ASKED = "asked"
    # In the pool, and the campaign asks others of it.
    BY = "by"
    NOBODY = "nobody"
    OUT = "out"


def _standing(state: State, position: int) -> Standing:
    if state.auction is None or position not in state.auction.pool:
        return Standing.OUT
    jury = asks_now(state).jury.tolist()
    if not jury:
        return Standing.NOBODY
    return Standing.ASKED if position in jury else Standing.BY


@router.get("/link")
async def own_link(
    here: Here, request: Request, campaign: Campaign, seat: WorkerSeat, done: str | None = None
) -> Response:
    """The worker's own link, on this page alone: a cookie that scripts cannot read should not stand on every one."""
    if not seat.caller.private:
        raise Stop(problem("forbidden", "you came in by an invitation itself; open its link to get a link of your own"))
    state = await here.look(campaign, here.service.state)
    own = link(here, request, request.cookies[cookie_name(Role.WORKER)])
    return page("worker_link.html", seat, done=done, link=own, **_frame(state, worker_of(seat)))


@router.get("/stream")
async def stream(here: Here, campaign: Campaign, seat: WorkerSeat) -> Response:
    """Tells the page when there is something new to do."""
    await here.look(campaign, here.service.state)
    watch = here.streams.watch(campaign, seat.caller)
    return EventStream(watch, worker_events(here, watch, campaign, worker_of(seat)))


@router.post("/bid")
async def bid(here: Here, request: Request, campaign: Campaign, seat: WorkerSeat) -> Response:
    """A bid as the API takes it, or with a decimal comma."""
    async with posted(here, request, seat) as form:
        given = text(form, "bid")
    try:
        sealed = Bid.parse(pointed(given))
        await here.blocking(here.service.bid, campaign, worker_of(seat), sealed, holder=seat.caller.digest)
    except InvalidInput as error:
        return await _desk(here, campaign, seat, refused=str(error), typed=given)
    except Refused as refused:
        if refused.code is not Code.INVALID:
            raise
        return await _desk(here, campaign, seat, refused=refused.message, typed=given)
    return go(f"/w/{campaign}?done=bid")


@router.post("/answer")
async def answer(here: Here, request: Request, campaign: Campaign, seat: WorkerSeat) -> Response:
    async with posted(here, request, seat) as form:
        task, label = whole(form, "task"), text(form, "label")
    if label not in ("0", "1"):
        raise Stop(problem("invalid-request", "an answer is one of the two buttons; go back and choose one"))
    try:
        await here.blocking(here.service.answer, campaign, worker_of(seat), task, int(label))
    except Refused as refused:
        if refused.code not in HARMLESS:
            raise
        return go(f"/w/{campaign}?done=already")
    return go(f"/w/{campaign}?done=answered")


@router.post("/withdraw")
async def withdraw(here: Here, request: Request, campaign: Campaign, seat: WorkerSeat) -> Response:
    async with posted(here, request, seat):
        await leave(here, campaign, worker_of(seat), "by the worker")
    return go(f"/w/{campaign}/pay?done=withdrawn")


@router.get("/pay")
async def pay(here: Here, campaign: Campaign, seat: WorkerSeat, done: str | None = None) -> Response:
    """What was earned and paid; once the campaign is closed, the coins with every number of the check."""
    number = worker_of(seat)
    state = await here.look(campaign, here.service.state)
    own = await here.blocking(here.service.own_bid, campaign, number, seat.caller.reader)
    return page(
        "worker_pay.html",
        seat,
        done=done,
        statement=pay_views.worker_pay(state, number),
        proof=_proof(state, number, own),
        own=own,
        **_frame(state, number),
    )


def _proof(state: State, number: int, own: OwnBid | None) -> dict[str, Any] | None:
    """None before the end, without a bid, and where pay needs no coins."""
    check, settings, payment = pay_views.coin_check(state, number), state.settings, rules_of(state).payment
    if state.stage is not Stage.CLOSED or check is None or settings is None or own is None:
        return None
    if not isinstance(payment, Randomised) or state.coin_seed is None:
        return None
    return {
        "check": check,
        "seed": state.coin_seed,
        "salt": state.coin_salt,
        "cap": settings.cap,
        "one_in": payment.one_in,
        "bid": own.amount,
    }
