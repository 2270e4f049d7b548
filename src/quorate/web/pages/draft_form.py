"""The form of a draft: what stands in its fields, as settings and back, and what is wrong with them in its words."""

import re
from dataclasses import replace
from math import isfinite

from starlette.datastructures import FormData, QueryParams
from starlette.responses import Response

from quorate.campaign.settings import HOUR, Millis, PaymentRule, PolicyRule, Settings, from_hours
from quorate.errors import InvalidInput, QuorateError
from quorate.lab.plan import PLANNED
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import Money, to_millionths
from quorate.web.pages.amounts import pointed
from quorate.web.pages.expected import Expected
from quorate.web.pages.forecast import COMPARED, Asked, Shown, compared
from quorate.web.pages.render import page
from quorate.web.pages.session import Seat
from quorate.web.shown import money_text

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


def form_page(
    seat: Seat, values: dict[str, str], wrong: str = "", made: Shown | None = None, campaign: str = ""
) -> Response:
    """With what was typed; `made` is the prediction for who has no script. `campaign`: the draft that it changes."""
    return page(
        "new.html",
        seat,
        status=422 if wrong else 200,
        values=values,
        labels=LABELS,
        one_in=DEFAULT_ONE_IN,
        problem=wrong,
        made=made,
        campaign=campaign,
    )


def values_of(given: FormData | QueryParams) -> dict[str, str]:
    found = {name: given.get(name, otherwise) for name, otherwise in DEFAULTS.items()}
    return {name: value.strip() if isinstance(value, str) else "" for name, value in found.items()}


def settings_of(values: dict[str, str]) -> Settings:
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


def asked_of_form(values: dict[str, str]) -> Asked:
    expected = expected_of_form(values)
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


def expected_of_form(values: dict[str, str]) -> Expected:
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


def said(error: QuorateError) -> str:
    """With the fields called as the page calls them."""
    return CALLED_SO.sub(lambda found: _spoken(CALLED[found[1] or found[2]]), str(error))


def is_on_form(settings: Settings) -> bool:
    """Whether the form offers what was chosen elsewhere."""
    return settings.policy.name in PLANNED and settings.payment.name in COMPARED


def values_in(settings: Settings, expected: Expected) -> dict[str, str]:
    """What stands in the form of a draft."""
    low, high = (min(price, settings.cap) for price in expected.price_range)
    return {
        "title": settings.title,
        "no": settings.labels[0],
        "yes": settings.labels[1],
        "target": str(settings.target),
        "confidence": str(settings.confidence),
        "horizon": str(settings.horizon),
        "cap": money_text(settings.cap),
        "currency": settings.currency,
        "policy": settings.policy.name,
        "payment": settings.payment.name,
        "pool": "" if settings.policy.pool is None else str(settings.policy.pool),
        "answer_hours": _in_hours(settings.answer_within),
        "truth_hours": "" if settings.truth_within is None else _in_hours(settings.truth_within),
        "truth_share": str(settings.truth_share),
        "exploring_at_once": str(settings.exploring_at_once),
        "expect_workers": str(expected.workers),
        "expect_price_low": money_text(low),
        "expect_price_high": money_text(high),
        "expect_quality_low": str(expected.quality_range[0]),
        "expect_quality_high": str(expected.quality_range[1]),
    }


def changed(settings: Settings, values: dict[str, str]) -> Settings:
    """As the form says; what it has no field for stays, as far as it belongs to what was not changed."""
    new = settings_of(values)
    policy, payment = new.policy, new.payment
    if policy.name == settings.policy.name:
        policy = replace(settings.policy, pool=policy.pool)
    if payment.name == settings.payment.name:
        payment = settings.payment
    kept = {name: getattr(settings, name) for name in ("slack", "accept_untruthful", "at_once", "bids_until")}
    return replace(new, policy=policy, payment=payment, **kept)


def _in_hours(length: Millis) -> str:
    return f"{length / HOUR:.12g}"
