"""Who sits at a browser: the token in a cookie that scripts cannot read, one for each role and campaign.

A cookie is sent to its own room alone (`/c/<campaign>`, `/w/<campaign>`, `/a/<campaign>`; `/` for the operator), so
that one browser may hold several roles. Every form carries a mark made from the token, which another site cannot know.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from quorate.campaign.refusal import Code, Refused
from quorate.campaign.tokens import Role
from quorate.web.context import Context
from quorate.web.keyring import Caller
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import Here

ROOMS: dict[Role | None, str] = {None: "", Role.REQUESTER: "/c", Role.WORKER: "/w", Role.AUDITOR: "/a"}
REMEMBERED_SECONDS = 180 * 24 * 3600
LONGEST_NUMBER = 9
MARK = "form_mark"
ONCE = "once"
SENT_BEFORE = (
    "this form was sent before, with something else in it, and that was done; to do this as well, send it again"
)
MADE_HERE = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Seat:
    """`mark` goes into every form of this caller."""

    caller: Caller
    mark: str


def cookie_name(role: Role | None) -> str:
    return f"quorate_{'operator' if role is None else role.value}"


def room_of(caller: Caller) -> str:
    """Where this caller's pages begin."""
    return "/" if caller.role is None else f"{ROOMS[caller.role]}/{caller.campaign}"


def mark_of(token: str) -> str:
    return hmac.new(token.encode(), b"quorate form", hashlib.sha256).hexdigest()


def remember(here: Context, request: Request, response: Response, caller: Caller, token: str) -> None:
    """Sign in."""
    base = here.public_url or str(request.base_url)
    response.set_cookie(
        cookie_name(caller.role),
        token,
        max_age=REMEMBERED_SECONDS,
        path=room_of(caller),
        secure=base.startswith("https:"),
        httponly=True,
        samesite="lax",
    )


def forget(response: Response, caller: Caller) -> None:
    """Sign out."""
    response.delete_cookie(cookie_name(caller.role), path=room_of(caller), httponly=True, samesite="lax")


class Sit:
    """A dependency: the one who sits here with this role, in this campaign."""

    def __init__(self, role: Role | None) -> None:
        self._role = role

    async def __call__(self, request: Request, here: Here) -> Seat:
        token = request.cookies.get(cookie_name(self._role), "")
        caller = await here.holder(token)
        campaign = request.path_params.get("campaign")
        if caller is None or caller.role is not self._role or (self._role and caller.campaign != campaign):
            raise Stop(problem("unauthenticated", "this page opens with its link or its token only"))
        return Seat(caller, mark_of(token))


OperatorSeat = Annotated[Seat, Depends(Sit(None))]
RequesterSeat = Annotated[Seat, Depends(Sit(Role.REQUESTER))]
WorkerSeat = Annotated[Seat, Depends(Sit(Role.WORKER))]
AuditorSeat = Annotated[Seat, Depends(Sit(Role.AUDITOR))]


def worker_of(seat: Seat) -> int:
    if seat.caller.worker is None:
        raise Stop(problem("forbidden", "only a worker's link opens this page"))
    return seat.caller.worker


def check_from_here(request: Request) -> None:
    """Browsers say where a request comes from; a form of another site is refused."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Stop(problem("forbidden", "this form was sent from another site; open the page here and send it again"))


@asynccontextmanager
async def sent_from_here(here: Context, request: Request) -> AsyncIterator[FormData]:
    """The form, if no other site made it. Its size is the gate's business: a part may be as large as a request."""
    check_from_here(request)
    async with request.form(max_files=2, max_fields=100, max_part_size=here.limits.body_bytes) as form:
        yield form


@asynccontextmanager
async def posted(here: Context, request: Request, seat: Seat) -> AsyncIterator[FormData]:
    """The form, if it was made by a page of this caller."""
    async with sent_from_here(here, request) as form:
        if not hmac.compare_digest(text(form, MARK).encode(), seat.mark.encode()):
            raise Stop(problem("forbidden", "this form was not made by this page; reload the page and send it again"))
        yield form


def text(form: FormData, name: str, otherwise: str = "") -> str:
    """A text field, trimmed."""
    found = form.get(name)
    return found.strip() if isinstance(found, str) and found.strip() else otherwise


def fresh_key() -> str:
    """For one rendering of one form."""
    return secrets.token_hex(16)


def once(form: FormData) -> str | None:
    """The idempotency key that stands in the form: clicked twice, or reloaded, it is done once and answered alike."""
    found = text(form, ONCE)
    return found if MADE_HERE.fullmatch(found) else None


def is_reused(error: Exception) -> bool:
    """Whether a form was sent before with something else in it, as after going back to it."""
    return isinstance(error, Refused) and error.code is Code.KEY_REUSED


def whole(form: FormData, name: str) -> int:
    """A number that a page of ours put into its form."""
    found = text(form, name)
    if not (found.isascii() and found.isdigit() and len(found) <= LONGEST_NUMBER):
        raise Stop(problem("invalid-request", f"the form's {name} is not a number; reload the page and send it again"))
    return int(found)
