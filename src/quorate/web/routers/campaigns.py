"""A campaign from draft to close, and what is to be seen of it."""

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from quorate.campaign import results, views
from quorate.campaign.fold import rules_of
from quorate.campaign.settings import Settings
from quorate.campaign.state import State
from quorate.web import newcomers
from quorate.web.auth import Anyone as AnyRole
from quorate.web.auth import AnyoneOrOperator, OperatorOnly, Overseer, Requester
from quorate.web.bodies import CloseIn, DraftIn, SettingsIn
from quorate.web.invitations import link
from quorate.web.routers.common import Campaign, Here, Key, errors
from quorate.web.shown import MoneyText, model_of, money_text, reply

router = APIRouter(tags=["campaigns"])


class Drafted(BaseModel):
    """`token` is a requester's token for the campaign; it is shown this once."""

    campaign: str
    token: str
    link: str


class CampaignNames(BaseModel):
    campaigns: list[str]


class Terms(BaseModel):
    """What a worker should know before it bids."""

    campaign: str
    title: str
    stage: str
    labels: list[str]
    cap: MoneyText
    currency: str
    payment: str
    pairing: str
    truthful: bool
    why: str
    horizon: int
    answer_within: int
    bids_until: int | None
    coin_commitment: str | None


@router.post("/campaigns", status_code=201, response_model=Drafted, responses=errors(409))
async def draft(here: Here, caller: OperatorOnly, request: Request, body: DraftIn, key: Key = None) -> Response:
    """Draft a campaign (operator). With an idempotency key and no name, the name follows from the key; so does
    the token, which is the same again under the same key.
    """
    made, token = await newcomers.draft(here, body.settings.settings(), body.campaign, key)
    return reply({"campaign": made, "token": token, "link": link(here, request, token)}, 201)


@router.get("/campaigns", response_model=CampaignNames, responses=errors())
async def names(here: Here, caller: AnyoneOrOperator) -> Response:
    """All campaigns for the operator; its own for any other token."""
    found = await here.blocking(here.service.campaigns) if caller.is_operator else [caller.campaign]
    return reply({"campaigns": found})


@router.get("/campaigns/{campaign}", response_model=model_of(views.Status), responses=errors())
async def status(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """Whether the promise is being kept, what is in flight, and what has been spent."""
    return reply(await here.look(campaign, here.service.status))


@router.get("/campaigns/{campaign}/terms", response_model=Terms, responses=errors())
async def terms(here: Here, campaign: Campaign, caller: AnyRole) -> Response:
    """The labels, the cap, how pay is computed and why one's true price is best: for workers too."""
    return reply(terms_of(await here.look(campaign, here.service.state)))


@router.put("/campaigns/{campaign}/settings", response_model=model_of(results.Done), responses=errors(409))
async def redraft(here: Here, campaign: Campaign, caller: Requester, body: SettingsIn, key: Key = None) -> Response:
    """Change the settings of a draft."""
    return reply(await here.blocking(here.service.redraft, campaign, body.settings(), key=key))


@router.get("/campaigns/{campaign}/settings", response_model=model_of(Settings), responses=errors())
async def settings(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """What was fixed when the campaign opened, or will be."""
    return reply((await here.look(campaign, here.service.status)).settings)


@router.post("/campaigns/{campaign}/open", response_model=model_of(results.CampaignOpened), responses=errors(409))
async def open_campaign(here: Here, campaign: Campaign, caller: Requester, key: Key = None) -> Response:
    """Fix the settings, publish the commitment to the coins; workers may enrol and bid."""
    return reply(await here.blocking(here.service.open, campaign, key=key))


@router.post(
    "/campaigns/{campaign}/auction/close", response_model=model_of(results.AuctionResult), responses=errors(409)
)
async def close_auction(here: Here, campaign: Campaign, caller: Requester, key: Key = None) -> Response:
    """Open the bids, toss the coins, draw the pool; waiting tasks get their juries."""
    return reply(await here.blocking(here.service.close_auction, campaign, key=key))


@router.post("/campaigns/{campaign}/close", response_model=model_of(results.Closed), responses=errors(409))
async def close_campaign(
    here: Here, campaign: Campaign, caller: Requester, body: CloseIn | None = None, key: Key = None
) -> Response:
    """Order what is unpaid, reveal the coins, make the statements final. `force` leaves tasks in flight undecided."""
    force = body is not None and body.force
    return reply(await here.blocking(here.service.close_campaign, campaign, force=force, key=key))


@router.get("/campaigns/{campaign}/jury", response_model=model_of(views.JuryView) | None, responses=errors())
async def jury(here: Here, campaign: Campaign, caller: Overseer) -> Response:
    """The jury now in use, and why it and not a cheaper one; null where nobody can be asked."""
    return reply(await here.look(campaign, here.service.jury))


def terms_of(state: State) -> dict[str, Any]:
    """Nothing in it depends on a bid."""
    settings, pairing = state.settings, rules_of(state).pairing
    if settings is None:
        raise ValueError(f"campaign {state.campaign!r} has no settings")
    return {
        "campaign": state.campaign,
        "title": settings.title,
        "stage": state.stage,
        "labels": settings.labels,
        "cap": money_text(settings.cap),
        "currency": settings.currency,
        "payment": settings.payment.name,
        "pairing": pairing.label,
        "truthful": pairing.truthful,
        "why": pairing.why,
        "horizon": settings.horizon,
        "answer_within": settings.answer_within,
        "bids_until": settings.bids_until,
        "coin_commitment": state.coin_commitment,
    }
