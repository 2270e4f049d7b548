"""From the campaign's values to JSON: money as decimal strings, everything else as it is called there.

One table says which fields are money; both what is sent and what the OpenAPI document says of it come from it.
"""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from quorate.campaign import results, settings, views
from quorate.money import MILLIONTHS, Money

MONEY: dict[type, frozenset[str]] = {
    settings.Settings: frozenset({"cap"}),
    views.Spend: frozenset({"earned", "ordered", "unordered", "confirmed", "exploring", "exploiting"}),
    views.WorkerView: frozenset({"bid", "price", "earned", "ordered", "confirmed"}),
    views.JuryView: frozenset({"price", "bids", "gap", "allowance"}),
    views.Assignment: frozenset({"price"}),
    views.OwnBid: frozenset({"amount"}),
    views.CoinCheck: frozenset({"bid", "cap", "seen", "expected_seen", "bonus", "expected_bonus"}),
    views.PayLine: frozenset({"bid", "bonus", "threshold", "price", "total"}),
    views.PayoutView: frozenset({"amount"}),
    views.WorkerPay: frozenset({"earned", "confirmed"}),
    views.CampaignPay: frozenset({"earned", "as_bid", "confirmed"}),
    results.AnswerTaken: frozenset({"price"}),
    results.Left: frozenset({"earned"}),
    results.PayoutOrder: frozenset({"amount"}),
    results.Closed: frozenset({"earned"}),
}
NO_MONEY: frozenset[str] = frozenset()
JSON_HINTS: tuple[Any, ...] = (Any, dict[str, Any])
# What stands in a batch says of itself what it is.
TAGGED = (results.Posted, results.AnswerTaken, results.TruthTaken, results.ItemRefused)

MoneyText = Annotated[str, Field(pattern=r"^-?\d+(\.\d{1,6})?$", description="a decimal amount in units of currency")]


def money_text(amount: Money) -> str:
    """Exact, in units, without needless zeros: 250000 is "0.25"."""
    units, rest = divmod(abs(amount), MILLIONTHS)
    text = f"{units}.{rest:06d}".rstrip("0").rstrip(".") if rest else str(units)
    return f"-{text}" if amount < 0 else text


def plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if value is None or isinstance(value, str | int | float):
        return value.value if isinstance(value, Enum) else value
    if is_dataclass(value) and not isinstance(value, type):
        kind: Any = type(value)
        found = {name: form(getattr(value, name)) for name, form in _shape(kind)}
        return {"type": kind.__name__, **found} if kind in TAGGED else found
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


@cache
def _shape(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Of each field its name and what gives its form."""
    hints, money = get_type_hints(kind), MONEY.get(kind, NO_MONEY)
    return tuple((field.name, _form(hints[field.name], field.name in money)) for field in fields(kind))


def _form(hint: Any, is_money: bool) -> Callable[[Any], Any]:
    if is_money:
        return lambda amount: None if amount is None else money_text(amount)
    # JSON already, as people sent it.
    return (lambda given: given) if hint in JSON_HINTS else plain


def dumps(value: Any) -> str:
    """One line, ASCII: no text that came from outside can fail to be encoded."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def reply(value: Any, status: int = 200) -> Response:
    """A JSON answer. A Response is sent as it is: nothing is validated twice."""
    return Response(dumps(plain(value)), status, media_type="application/json")


@cache
def model_of(kind: type, **more: type) -> type[BaseModel]:
    """The same for the OpenAPI document: a model with the fields that `plain` gives, and some that a router adds."""
    hints, money = get_type_hints(kind), MONEY.get(kind, NO_MONEY)
    found: dict[str, Any] = {"type": (Literal[kind.__name__], ...)} if kind in TAGGED else {}
    for field in fields(kind):
        hint = hints[field.name]
        if field.name in money:
            hint = MoneyText | None if type(None) in get_args(hint) else MoneyText
        found[field.name] = (_described(hint), ...)
    found |= {name: (hint, ...) for name, hint in more.items()}
    doc = (kind.__doc__ or "").strip()
    return cast(type[BaseModel], create_model(kind.__name__, __doc__=doc, **found))


def _described(hint: Any) -> Any:
    """A type hint with every dataclass in it replaced by its model."""
    if isinstance(hint, type) and is_dataclass(hint):
        return model_of(hint)
    if hint is Fraction:
        return str
    inner = get_args(hint)
    if not inner or get_origin(hint) is Literal:
        return hint
    replaced = tuple(_described(one) if one is not Ellipsis else one for one in inner)
    if get_origin(hint) in (Union, UnionType):
        return Union[replaced]  # noqa: UP007 - the members are only known here
    return get_origin(hint)[replaced]
