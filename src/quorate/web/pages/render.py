"""Templates to pages: everything escaped, scripts and styles from this server alone."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from quorate.campaign.settings import Millis
from quorate.campaign.wording import utc
from quorate.money import Money, show
from quorate.web.pages.amounts import about, exact, places
from quorate.web.pages.assets import static
from quorate.web.pages.encoding import writable
from quorate.web.pages.session import Seat, fresh_key
from quorate.web.pages.words import doing
from quorate.wording import counted

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

NAMES_SHOWN = 12

# What the page says after something was done: named in the address, so that nothing from outside is shown.
DONE: dict[str, str] = {
    "changed": "The settings are changed.",
    "opened": "The campaign is open: invite workers, who now place sealed bids.",
    "bid": "Your bid is sealed. The requester cannot see it until bidding closes.",
    "auction": "Bidding is closed. Tasks get their juries as soon as they are posted.",
    "already": "That task needs no further answer from you.",
    "ordered": "Payouts are ordered.",
    "confirmed": "The payout is marked as paid.",
    "all-confirmed": "Everything that was ordered is marked as paid.",
    "closed": "The campaign is closed. Statements are final and the coins are revealed.",
    "withdrawn": "Done. What was earned stays earned.",
    "truth": "Taken: the campaign learns from it.",
    "out": "You are signed out here.",
    "first": "You are in. Your invitation is used up now: keep this link of your own before you go on.",
    "worker-out": "You are signed out here. The link of your own, which you kept, lets you in again.",
}


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("quorate.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {filter_.__name__: filter_ for filter_ in FILTERS}
    made.globals |= {"static": static, "fresh_key": fresh_key}
    return made


def compile_templates() -> None:
    """All at once: otherwise the first to open a page waits for its templates, a tenth of a second and more."""
    made = environment()
    for name in made.list_templates():
        made.get_template(name)


def page(
    template: str, seat: Seat | None = None, *, status: int = 200, done: str | None = None, **values: Any
) -> HTMLResponse:
    """`done` names a sentence of DONE, or something that the template says itself; what is unknown says nothing."""
    said = {"seat": seat, "mark": seat.mark if seat else "", "done": done, "said": DONE.get(done or ""), **values}
    body = environment().get_template(template).render(said)
    return HTMLResponse(writable(body), status, {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"})


def go(path: str) -> RedirectResponse:
    """See other: after a form, so that reloading repeats nothing."""
    return RedirectResponse(path, 303)


def money(amount: Money | None, currency: str = "") -> str:
    """Exact; a dash where there is none."""
    return "–" if amount is None else f"{exact(amount)} {currency}".rstrip()


def glance(amount: Money | None, currency: str = "") -> str:
    """Rounded; a dash where there is none."""
    return "–" if amount is None else f"{about(amount)} {currency}".rstrip()


def fixed(amount: Money | None, decimals: int) -> str:
    """In a column of amounts with so many decimals (`places`); a dash where there is none."""
    return "–" if amount is None else show(amount, decimals)


def when(at: Millis | None) -> str:
    return "–" if at is None else f"{utc(at):%d %b %Y, %H:%M:%S} UTC"


def clock(at: Millis) -> str:
    """Short; `when` says the year and the seconds."""
    return f"{utc(at):%d %b %H:%M} UTC"


def iso(at: Millis) -> str:
    return utc(at).isoformat(timespec="milliseconds")


def share(part: float) -> str:
    """What was counted or measured."""
    return f"{part:.1%}"


def percent(part: float) -> str:
    """What was chosen: as short as it is exact, 95% or 99.9%."""
    return f"{100 * part:.4g}%"


def span(milliseconds: Millis) -> str:
    """The largest unit that says it."""
    for unit, size in (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000)):
        if milliseconds >= size:
            count = round(milliseconds / size, 1)
            return f"{count:g} {unit}{'' if count == 1 else 's'}"
    return "less than a second"


def some(workers: Sequence[int], people: Sequence[str]) -> list[str]:
    """The first few names."""
    return [people[worker] for worker in workers[:NAMES_SHOWN]]


def names(workers: Sequence[int], people: Sequence[str]) -> str:
    """A few names, and how many more."""
    shown, more = ", ".join(some(workers, people)), len(workers) - NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def question(payload: Any) -> str:
    """A task's payload in one line."""
    if isinstance(payload, str):
        return payload
    if isinstance(payload, dict):
        return ", ".join(f"{name}: {question(value)}" for name, value in payload.items())
    return "" if payload is None else json.dumps(payload, ensure_ascii=False)


FILTERS = (money, glance, fixed, places, counted, when, clock, iso, share, percent, span, some, names, question, doing)
