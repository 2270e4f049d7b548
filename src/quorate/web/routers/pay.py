"""Statements and payouts."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from quorate.campaign import results, views
from quorate.web.auth import Overseer, Requester
from quorate.web.bodies import ConfirmIn, PayoutsIn
from quorate.web.routers.common import Campaign, Here, Key, errors
from quorate.web.shown import model_of, reply

router = APIRouter(prefix="/campaigns/{campaign}", tags=["pay"])

PayoutPath = Annotated[str, Path(max_length=200, description="the payout's name, as ordered")]


@router.get("/statement", response_model=model_of(views.CampaignPay), responses=errors())
async def statement(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """What every worker has earned, and so what the requester spends, to the unit."""
    return reply(await here.blocking(here.service.statement, campaign))


@router.post("/payouts", response_model=model_of(results.PayoutsOrdered), responses=errors(409))
async def order(
    here: Here, campaign: Campaign, caller: Requester, body: PayoutsIn | None = None, key: Key = None
) -> Response:
    """Order what is earned and not ordered yet, for one worker or for all."""
    worker = None if body is None else body.worker
    return reply(await here.blocking(here.service.order_payouts, campaign, worker, key=key))


@router.post("/payouts/{payout}/confirm", response_model=model_of(results.Done), responses=errors(409))
async def confirm(
    here: Here,
    campaign: Campaign,
    caller: Requester,
    payout: PayoutPath,
    body: ConfirmIn | None = None,
    key: Key = None,
) -> Response:
    """The payment provider has paid it; `reference` is its own."""
    reference = "" if body is None else body.reference
    return reply(await here.blocking(here.service.confirm_payout, campaign, payout, reference, key=key))
