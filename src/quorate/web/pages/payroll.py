"""The requester's pay: the statement, payouts, and the download."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign import pay_views
from quorate.campaign.commands import ConfirmPayout
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.state import State
from quorate.campaign.views import CampaignPay
from quorate.mechanism.in_words import in_words
from quorate.web.pages.frame import frame, state_of
from quorate.web.pages.render import go, page
from quorate.web.pages.session import RequesterSeat, posted, text, whole
from quorate.web.pages.tables import csv_file
from quorate.web.pages.turning import Part
from quorate.web.pages.words import doing
from quorate.web.routers.common import After, Campaign, Here
from quorate.web.shown import money_text

router = APIRouter(prefix="/c/{campaign}", include_in_schema=False)

WORKERS_A_PAGE = 100
LONGEST_REFERENCE = 200


@router.get("/pay")
async def pay(
    here: Here, campaign: Campaign, seat: RequesterSeat, after: After = None, done: str | None = None
) -> Response:
    """Those who earned something, in the order of enrolment."""
    state = await state_of(here, campaign)
    statement = await here.blocking(pay_views.campaign_pay, state)
    paid = [worker for worker in statement.workers if worker.earned]
    part = Part(after or 0, WORKERS_A_PAGE, len(paid))
    ordered = len(state.payouts)
    values: dict[str, Any] = {
        "shown": part.of(paid),
        "part": part,
        "ordered": ordered,
        "unpaid": len(_due(state, ordered)),
    }
    framed = frame(state)
    why = in_words(framed["status_"].settings.payment.name, statement.truthful).why
    return page("pay.html", seat, done=done, statement=statement, why=why, **values, **framed)


@router.get("/pay.csv")
async def pay_csv(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    """A row for each worker, what the campaign did, and price; amounts are decimals in units of the currency."""
    statement = await here.blocking(pay_views.campaign_pay, await state_of(here, campaign))
    header = ("worker", "name", "while", "answers", "bid", "added", "price", "total")
    return csv_file(f"{campaign}-pay", header, _rows(statement))


def _rows(statement: CampaignPay) -> Iterator[tuple[Any, ...]]:
    for worker in statement.workers:
        for line in worker.lines:
            amounts = (line.bid, line.bonus + line.threshold, line.price, line.total)
            yield worker.worker, worker.name, doing(line.phase), line.answers, *map(money_text, amounts)


@router.post("/payouts")
async def order(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat):
        await here.blocking(here.service.order_payouts, campaign)
    return go(f"/c/{campaign}/pay?done=ordered")


@router.post("/confirm")
async def confirm(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """A click too many is no reproach: the same reference is there already."""
    async with posted(here, request, seat) as form:
        payout, reference = text(form, "payout"), text(form, "reference")[:LONGEST_REFERENCE]
    try:
        await here.blocking(here.service.confirm_payout, campaign, payout, reference)
    except Refused as refused:
        if (
            refused.code is not Code.SECOND_CONFIRMATION
            or _reference(await state_of(here, campaign), payout) != reference
        ):
            raise
    return go(f"/c/{campaign}/pay?done=confirmed")


@router.post("/confirm-all")
async def confirm_all(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """Every payout that was ordered when the page was made: one ordered since may not have been paid."""
    async with posted(here, request, seat) as form:
        ordered, reference = whole(form, "ordered"), text(form, "reference")[:LONGEST_REFERENCE]
    due = _due(await state_of(here, campaign), ordered)
    sent = [here.service.submit(campaign, ConfirmPayout(payout, reference)) for payout in due]
    for confirmed in sent:
        try:
            await here.durable(confirmed)
        except Refused as refused:
            # By somebody else, or by a second click.
            if refused.code is not Code.SECOND_CONFIRMATION:
                raise
    return go(f"/c/{campaign}/pay?done=all-confirmed")


def _due(state: State, ordered: int) -> list[str]:
    """Of the first payouts ordered, so many, those that are not confirmed as paid."""
    numbers = ((payout, state.payout_names.get(payout)) for worker in state.workers for payout in worker.payouts)
    return [
        payout
        for payout, number in numbers
        if number is not None and number < ordered and not state.payouts[number].confirmed
    ]


def _reference(state: State, payout: str) -> str | None:
    """Under which it was paid."""
    number = state.payout_names.get(payout)
    return None if number is None else state.payouts[number].reference
