"""A new campaign: the form, its predicted cost beside it, and the first link; the form again while it is a draft."""

from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import Response

from quorate.campaign.refusal import Code
from quorate.campaign.settings import Settings
from quorate.campaign.tokens import Role
from quorate.campaign.views import Stage
from quorate.errors import InvalidInput, QuorateError
from quorate.web import newcomers
from quorate.web.context import Context
from quorate.web.invitations import link
from quorate.web.pages.draft_form import (
    DEFAULTS,
    asked_of_form,
    changed,
    expected_of_form,
    form_page,
    is_on_form,
    said,
    settings_of,
    values_in,
    values_of,
)
from quorate.web.pages.expected import expected_of, remember_expected
from quorate.web.pages.forecast import forecasts_of
from quorate.web.pages.frame import frame, state_of
from quorate.web.pages.render import go, page
from quorate.web.pages.session import (
    SENT_BEFORE,
    OperatorSeat,
    RequesterSeat,
    Seat,
    cookie_name,
    is_reused,
    once,
    posted,
    remember,
)
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import Campaign, Here

router = APIRouter(include_in_schema=False)


@router.get("/new")
async def new(seat: OperatorSeat) -> Response:
    return form_page(seat, DEFAULTS)


@router.get("/new/plan")
async def plan(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """The part of the page beside the form."""
    return await _plan_part(here, request)


@router.post("/new/predicted")
async def predicted(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """The form again, with the prediction in it: a button for who has no script."""
    return await _predicted(here, request, seat)


@router.post("/new")
async def draft(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """Draft it; this browser is signed in as its requester, and the next page shows the requester's link."""
    async with posted(here, request, seat) as form:
        values, key = values_of(form), once(form)
    try:
        made, token = await newcomers.draft(here, settings_of(values), None, key)
    except QuorateError as error:
        return form_page(seat, values, SENT_BEFORE if is_reused(error) else said(error))
    caller = await here.holder(token)
    if caller is None:
        raise TypeError("a token just issued is not known")
    response = go(f"/c/{made}/drafted")
    remember(here, request, response, caller, token)
    # A draft may be made whatever is expected of it.
    with suppress(InvalidInput):
        remember_expected(response, made, expected_of_form(values))
    return response


@router.get("/c/{campaign}/drafted")
async def drafted(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """The requester's own link, while it is a draft and on this page alone: a cookie that scripts cannot read should
    not stand on every one.
    """
    state = await state_of(here, campaign)
    if state.stage is not Stage.DRAFT:
        return go(f"/c/{campaign}")
    own = link(here, request, request.cookies[cookie_name(Role.REQUESTER)])
    return page("drafted.html", seat, link=own, **frame(state))


@router.get("/c/{campaign}/settings")
async def change_page(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """The form again, while it is a draft."""
    settings = await _drafted(here, campaign)
    if settings is None:
        return go(f"/c/{campaign}")
    return form_page(seat, values_in(settings, expected_of(request)), campaign=campaign)


@router.get("/c/{campaign}/settings/plan")
async def change_plan(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    return await _plan_part(here, request)


@router.post("/c/{campaign}/settings/predicted")
async def change_predicted(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    return await _predicted(here, request, seat, campaign)


@router.post("/c/{campaign}/settings")
async def change(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    async with posted(here, request, seat) as form:
        values = values_of(form)
    settings = await _drafted(here, campaign)
    if settings is None:
        raise Stop(problem(Code.WRONG_STAGE, "the settings are fixed since the campaign opened; draft another one"))
    try:
        await here.blocking(here.service.redraft, campaign, changed(settings, values))
    except QuorateError as error:
        return form_page(seat, values, said(error), campaign=campaign)
    response = go(f"/c/{campaign}?done=changed")
    with suppress(InvalidInput):
        remember_expected(response, campaign, expected_of_form(values))
    return response


async def _drafted(here: Context, campaign: str) -> Settings | None:
    """The settings, while they can be changed with the form."""
    state = await state_of(here, campaign)
    changeable = state.stage is Stage.DRAFT and state.settings is not None and is_on_form(state.settings)
    return state.settings if changeable else None


async def _plan_part(here: Context, request: Request) -> Response:
    values = values_of(request.query_params)
    made, wrong = None, ""
    try:
        made = await forecasts_of(request).plan(here, request, asked_of_form(values))
    except QuorateError as error:
        wrong = said(error)
    return page("plan.html", problem=wrong, made=made, currency=values["currency"])


async def _predicted(here: Context, request: Request, seat: Seat, campaign: str = "") -> Response:
    async with posted(here, request, seat) as form:
        values = values_of(form)
    try:
        made = await forecasts_of(request).plan(here, request, asked_of_form(values))
    except QuorateError as error:
        return form_page(seat, values, said(error), campaign=campaign)
    return form_page(seat, values, made=made, campaign=campaign)
