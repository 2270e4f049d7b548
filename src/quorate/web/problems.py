"""Every error as problem+json (RFC 9457): what was given, the rule, the remedy. Nothing that was sent is sent back.

A request may hold a bid, so no answer repeats a request's body: where validation fails, the answer names the place and
the rule only. Outside the API, pages may show the same problem in words (`app.state.page_of_problem`).
"""

import json
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quorate.campaign.refusal import Code, Refused, Tampered, Unavailable
from quorate.errors import InvalidInput

API_PREFIX = "/api/"
MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1

_LOG = logging.getLogger("quorate.web")

STATUS: dict[str, int] = {
    Code.UNKNOWN_CAMPAIGN: 404,
    Code.UNKNOWN_TASK: 404,
    Code.UNKNOWN_WORKER: 404,
    Code.UNKNOWN_PAYOUT: 404,
    Code.INVALID: 422,
    Code.KEY_REUSED: 422,
    Code.NOT_ASKED: 403,
    Code.LEASE_EXPIRED: 410,
    "unauthenticated": 401,
    "forbidden": 403,
    "unknown-token": 404,
    "unknown-hook": 404,
    "not-found": 404,
    "too-large": 413,
    "too-many-requests": 429,
    "too-many-streams": 429,
    "invalid-request": 422,
    "unavailable": 503,
    "tampered": 500,
    "internal": 500,
}
# Every other refusal says that the campaign is no longer, or not yet, where the request would have it.
OTHERWISE = 409

# What the framework says without a word of its own; pages say it in theirs.
NO_SUCH_ADDRESS = "there is nothing at this address; see /api/v1/openapi.json"
OTHER_METHOD = "this address takes another method; see /api/v1/openapi.json"


@dataclass(frozen=True)
class Problem:
    """One error for a machine (`code`) and for a person (`detail`)."""

    code: str
    status: int
    detail: str
    errors: tuple[dict[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        return self.code.replace("-", " ").capitalize()

    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "type": f"urn:quorate:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors:
            found["errors"] = list(self.errors)
        return found

    def response(self) -> Response:
        return Response(json.dumps(self.body()), self.status, dict(self.headers), MEDIA_TYPE)


class Stop(HTTPException):
    """Raised by a handler or dependency to answer with a problem. The framework lets its own kind of exception pass."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.detail)
        self.problem = problem


def problem(code: str, detail: str, **headers: str) -> Problem:
    """With the status that belongs to the code; header names are written with underscores."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Problem(code, STATUS.get(code, OTHERWISE), detail, headers=named)


def unknown_campaign(name: str | None) -> Problem:
    """One answer for a campaign that is not there and for one that the token does not open."""
    return problem(Code.UNKNOWN_CAMPAIGN, f"there is no campaign {name!r:.80} for this token; check both")


def problem_of(error: Exception) -> Problem:
    """Raises nothing; what is not foreseen is a 500 that says nothing of the inside."""
    if isinstance(error, Stop):
        return error.problem
    if isinstance(error, Refused):
        return problem(error.code.value, error.message)
    if isinstance(error, Unavailable):
        return problem("unavailable", str(error), Retry_After=str(RETRY_SECONDS))
    if isinstance(error, Tampered):
        return problem("tampered", str(error))
    if isinstance(error, InvalidInput):
        return problem(Code.INVALID, str(error))
    if isinstance(error, RequestValidationError):
        return _invalid_request(error)
    if isinstance(error, HTTPException) and error.status_code == 400:
        # The framework's word for bytes that it cannot read; other bad JSON comes as a validation error.
        return problem("invalid-request", "the body is not JSON in UTF-8; send it so, with its Content-Type")
    if isinstance(error, HTTPException):
        code = "not-found" if error.status_code == 404 else HTTPStatus(error.status_code).phrase.lower()
        headers = tuple((error.headers or {}).items())
        return Problem(code.replace(" ", "-"), error.status_code, _http_detail(error), headers=headers)
    return problem("internal", "something went wrong here; nothing was changed that was not acknowledged")


def _http_detail(error: HTTPException) -> str:
    if error.status_code == 404:
        return NO_SUCH_ADDRESS
    if error.status_code == 405:
        return OTHER_METHOD
    return str(error.detail)


# Rules in words of their own, where the framework's are none for a person.
RULES = {
    "extra_forbidden": "a field that this request does not have; leave it out",
    "string_unicode": "half of a character (a lone surrogate, as in a cut emoji); cut text between characters",
}


def _invalid_request(error: RequestValidationError) -> Problem:
    """Where and which rule, never the value. A field that is not known is not named: its name came from outside."""
    found = []
    for one in error.errors():
        unknown = one["type"] == "extra_forbidden"
        place = one["loc"][:-1] if unknown else one["loc"]
        rule = RULES.get(one["type"], str(one["msg"]))
        found.append({"at": ".".join(str(step) for step in place), "rule": rule})
    where = "; ".join(f"{one['at']}: {one['rule']}" for one in found[:5])
    return Problem("invalid-request", 422, f"the request is not as described: {where}", tuple(found))


async def answer(request: Request, error: Exception) -> Response:
    """The exception handler of the whole application."""
    found = problem_of(error)
    if found.status >= 500:
        _LOG.error("%s %s: %s", request.method, request.url.path, found.code, exc_info=error)
    page_of_problem = getattr(request.app.state, "page_of_problem", None)
    if page_of_problem is not None and not request.url.path.startswith(API_PREFIX):
        page: Response = page_of_problem(request, found)
        return page
    return found.response()


def install(app: FastAPI) -> None:
    for kind in (Stop, Refused, Unavailable, Tampered, InvalidInput, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)
