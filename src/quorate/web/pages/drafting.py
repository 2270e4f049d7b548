"""A new campaign: the form, its predicted cost beside it, and the first link."""

import re
from contextlib import suppress
from math import isfinite

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, QueryParams
from starlette.responses import Response

from quorate.campaign.settings import Millis, PaymentRule, PolicyRule, Settings, from_hours
from quorate.campaign.tokens import Role
from quorate.campaign.views import Stage
from quorate.errors import InvalidInput, QuorateError
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import Money, to_millionths
from quorate.web import newcomers
from quorate.web.invitations import link
from quorate.web.pages.amounts import pointed
from quorate.web.pages.expected import Expected, remember_expected
from quorate.web.pages.forecast import Asked, Shown, compared, forecasts_of
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
from quorate.web.routers.common import Campaign, Here

router = APIRouter(include_in_schema=False)

LONGEST_CURRENCY = 20

# What the form starts with; `expect_*` only shape the prediction.
DEFAULTS: dict[str, str] = {
    "title": "",
    "no": "no",
    "yes": "yes",
    "target": "0.95",
    "confidence": "0.95",
    "horizon": "10000",
    "cap": "2",
    "currency": "",
    "policy": "assured",
    "payment": "threshold",
    "pool": "",
    "answer_hours": "24",
    "truth_hours": "",
    "truth_share": "1",
    "exploring_at_once": "8",
    "expect_workers": "60",
    "expect_price_low": "0.5",
    "expect_price_high": "1.5",
    "expect_quality_low": "0.6",
    "expect_quality_high": "0.95",
}

# What the fields are called, on the page and in what is said of them.
LABELS: dict[str, str] = {
    "title": "Title",
    "no": "First answer",
    "yes": "Second answer",
    "target": "Target: a verdict is right with probability",
    "confidence": "Confidence: all of this holds with probability",
    "horizon": "Tasks in all",
    "cap": "Highest bid for one answer",
    "currency": "Currency",
    "policy": "Policy",
    "payment": "Payment",
    "pool": "How many of the lowest bidders take part",
    "answer_hours": "Hours to answer a task",
    "truth_hours": "Hours to wait for a truth",
    "truth_share": "Share of tasks whose truth is asked for",
    "exploring_at_once": "Tasks explored at once",
    "expect_workers": "Workers who will bid",
    "expect_price_low": "Prices from",
    "expect_price_high": "Prices to",
    "expect_quality_low": "Right answers from",
    "expect_quality_high": "Right answers to",
}


# How the settings and the planner call what the form calls otherwise.
CALLED: dict[str, str] = {
    "target": "target",
    "confidence": "confidence",
    "horizon": "horizon",
    "cap": "cap",
    "truth_share": "truth_share",
    "exploring_at_once": "exploring_at_once",
    "lowest_price": "expect_price_low",
    "highest_price": "expect_price_high",
}
# Where a message begins with it, or says its value; anywhere else the word may be the reader's own.
CALLED_SO = re.compile(rf"^(?:--)?({'|'.join(CALLED)})\b|\b({'|'.join(CALLED)})(?= = )")


@router.get("/new")
async def form_page(seat: OperatorSeat) -> Response:
    return _form(seat, DEFAULTS)


def _form(seat: Seat, values: dict[str, str], wrong: str = "", made: Shown | None = None) -> Response:
    """With what was typed; `made` is the prediction for who has no script."""
    status = 422 if wrong else 200
    return page(
        "new.html", seat, status=status, values=values, labels=LABELS, one_in=DEFAULT_ONE_IN, problem=wrong, made=made
    )


@router.get("/new/plan")
async def plan(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """The part of the page beside the form."""
    values = _values(request.query_params)
    made, wrong = None, ""
    try:
        made = await forecasts_of(request).plan(here, request, _asked(values))
    except QuorateError as error:
        wrong = _said(error)
    return page("plan.html", problem=wrong, made=made, currency=values["currency"])


@router.post("/new/predicted")
async def predicted(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """The form again, with the prediction in it: a button for who has no script."""
    async with posted(here, request, seat) as form:
        values = _values(form)
    try:
        made = await forecasts_of(request).plan(here, request, _asked(values))
    except QuorateError as error:
        return _form(seat, values, _said(error))
    return _form(seat, values, made=made)


@router.post("/new")
async def draft(here: Here, request: Request, seat: OperatorSeat) -> Response:
    """Draft it; this browser is signed in as its requester, and the next page shows the requester's link."""
    async with posted(here, request, seat) as form:
        values, key = _values(form), once(form)
    try:
        made, token = await newcomers.draft(here, _settings(values), None, key)
    except QuorateError as error:
        return _form(seat, values, SENT_BEFORE if is_reused(error) else _said(error))
    caller = await here.holder(token)
    if caller is None:
        raise TypeError("a token just issued is not known")
    response = go(f"/c/{made}/drafted")
    remember(here, request, response, caller, token)
    # A draft may be made whatever is expected of it.
    with suppress(InvalidInput):
        remember_expected(response, made, _expected(values))
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


def _values(given: FormData | QueryParams) -> dict[str, str]:
    found = {name: given.get(name, otherwise) for name, otherwise in DEFAULTS.items()}
    return {name: value.strip() if isinstance(value, str) else "" for name, value in found.items()}


def _settings(values: dict[str, str]) -> Settings:
    if len(values["currency"]) > LONGEST_CURRENCY:
        raise InvalidInput(f"{_spoken('currency')} has more than {LONGEST_CURRENCY} characters; give its short name")
    return Settings(
        title=values["title"],
        target=_share(values, "target"),
        confidence=_share(values, "confidence"),
        horizon=_whole(values, "horizon"),
        cap=_money(values, "cap"),
        policy=PolicyRule(values["policy"], pool=_whole(values, "pool") if values["pool"] else None),
        payment=PaymentRule(values["payment"]),
        labels=(values["no"], values["yes"]),
        currency=values["currency"],
        answer_within=_hours(values, "answer_hours"),
        truth_within=_hours(values, "truth_hours") if values["truth_hours"] else None,
        truth_share=_share(values, "truth_share"),
        exploring_at_once=_whole(values, "exploring_at_once"),
    )


def _asked(values: dict[str, str]) -> Asked:
    expected = _expected(values)
    return Asked(
        expected.workers,
        _share(values, "target"),
        _share(values, "confidence"),
        _whole(values, "horizon"),
        _money(values, "cap"),
        values["policy"],
        _whole(values, "pool") if values["pool"] else None,
        compared(values["policy"], values["payment"]),
        expected.price_range,
        expected.quality_range,
        truth_share=_share(values, "truth_share"),
    )


def _expected(values: dict[str, str]) -> Expected:
    return Expected(
        _whole(values, "expect_workers"),
        (_money(values, "expect_price_low"), _money(values, "expect_price_high")),
        (_share(values, "expect_quality_low"), _share(values, "expect_quality_high")),
    )


def _hours(values: dict[str, str], name: str) -> Millis:
    return from_hours(_number(values, name), _spoken(name))


def _money(values: dict[str, str], name: str) -> Money:
    return to_millionths(pointed(values[name]), _spoken(name))


def _number(values: dict[str, str], name: str) -> float:
    try:
        found = float(pointed(values[name]))
    except ValueError as error:
        raise InvalidInput(f"{_spoken(name)} is not a number; give one such as {DEFAULTS[name] or '1'}") from error
    if not isfinite(found):
        raise InvalidInput(f"{_spoken(name)} is not finite; give a number such as {DEFAULTS[name] or '1'}")
    return found


def _share(values: dict[str, str], name: str) -> float:
    """As `_number`; a percentage is told apart, since its remedy is plain."""
    found = _number(values, name)
    if 2 <= found <= 100:
        raise InvalidInput(f"{_spoken(name)}: {found:g} is a percentage; write {found / 100:g}")
    return found


def _whole(values: dict[str, str], name: str) -> int:
    if not (values[name].isascii() and values[name].isdigit() and len(values[name]) <= 9):
        raise InvalidInput(f"{_spoken(name)} is not a whole number; give one such as {DEFAULTS[name] or '60'}")
    return int(values[name])


def _spoken(name: str) -> str:
    """The field as the page calls it, without its explanation."""
    return f"“{LABELS[name].partition(':')[0]}”"


def _said(error: QuorateError) -> str:
    """With the fields called as the page calls them."""
    return CALLED_SO.sub(lambda found: _spoken(CALLED[found[1] or found[2]]), str(error))
