"""Lanes for the requests that come by the thousand, without the framework's general machinery between gate and handler.

A lane takes a request that is plainly as the document describes it: a known address, a JSON body that the handler's own
model accepts. It calls the same handler after the same check of who may, so its answer is the ordinary one. Any other
request goes the ordinary way, which says what is wrong with it. Lanes are read off the routes: they cannot differ.
They halve the processor time of a task (docs/benchmarks.md, "Campaigns").
"""

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from quorate.web import problems
from quorate.web.auth import Allow
from quorate.web.context import Context

# Of the names that a path may hold, those that need no second look.
PLAIN = r"[A-Za-z0-9_.~-]{1,200}"
PLAIN_CAMPAIGN = r"[A-Za-z0-9_-]{1,64}"
PLAIN_KEY = re.compile(rb"[!-~]{1,200}")
JSON = (b"application/json", b"application/json; charset=utf-8")
# What a handler may ask for; one with anything else has no lane.
KNOWN = frozenset({"here", "campaign", "caller", "body", "key"})


@dataclass(frozen=True)
class Lane:
    """One handler. `body` is its model, None where it takes none; `keyed` says that it takes an idempotency key."""

    method: str
    path: "re.Pattern[str]"
    handler: Callable[..., Awaitable[Response]]
    allow: Allow
    body: type[BaseModel] | None
    keyed: bool


def lane_of(prefix: str, route: APIRoute) -> Lane:
    """Read off the route: its address, its model, and who may."""
    hints = get_type_hints(route.endpoint, include_extras=True)
    named = re.findall(r"{(\w+)}", route.path_format)
    taken = inspect.signature(route.endpoint).parameters
    more = [name for name, one in taken.items() if name not in KNOWN.union(named) and one.default is one.empty]
    if more:
        raise ValueError(f"{route.path} needs {', '.join(more)}, which a lane does not bring; it cannot have one")
    pattern = re.sub(r"{(\w+)}", lambda found: f"(?P<{found[1]}>{_plain(found[1])})", prefix + route.path_format)
    (method,) = route.methods or {"GET"}
    return Lane(method, re.compile(pattern), route.endpoint, _allow(hints["caller"]), hints.get("body"), "key" in hints)


def _plain(name: str) -> str:
    return PLAIN_CAMPAIGN if name == "campaign" else PLAIN


def _allow(hint: Any) -> Allow:
    allow: Allow = get_args(hint)[1].dependency
    return allow


class Lanes:
    """The lanes of one application: `take` answers a request, or says that it has to go the ordinary way."""

    def __init__(self, context: Context, lanes: Iterable[Lane]) -> None:
        self._context = context
        self._lanes: dict[str, list[Lane]] = {}
        for lane in lanes:
            self._lanes.setdefault(lane.method, []).append(lane)

    async def take(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send) -> Receive | None:
        """None: it is answered. Otherwise from where the ordinary way reads the request."""
        found = self._find(scope)
        if found is None or len(headers) != len(scope["headers"]):
            return receive
        lane, given = found
        if not _plainly(lane, headers):
            return receive
        if lane.keyed and b"idempotency-key" in headers:
            given["key"] = scope["caller"].own(headers[b"idempotency-key"].decode("ascii"))
        try:
            if lane.body is not None:
                # The gate counts what comes, and stops a body that is too large in the middle of it.
                raw = await _whole(receive)
                if raw is None:
                    return None
                given["body"] = _read(lane.body, raw)
                if given["body"] is None:
                    return _again(raw, receive)
            caller = lane.allow.admit(scope["caller"], given["campaign"])
            response = await lane.handler(here=self._context, caller=caller, **given)
        except Exception as error:  # noqa: BLE001 - as the application's own handler of all errors does
            response = await problems.answer(Request(scope, receive), error)
        await response(scope, receive, send)
        return None

    def _find(self, scope: Scope) -> tuple[Lane, dict[str, Any]] | None:
        if scope["query_string"]:
            return None
        for lane in self._lanes.get(scope["method"], ()):
            found = lane.path.fullmatch(scope["path"])
            if found is not None:
                return lane, found.groupdict()
        return None


def _plainly(lane: Lane, headers: dict[bytes, bytes]) -> bool:
    if lane.body is not None and headers.get(b"content-type") not in JSON:
        return False
    key = headers.get(b"idempotency-key")
    return key is None or PLAIN_KEY.fullmatch(key) is not None


def _read(model: type[BaseModel], raw: bytes) -> BaseModel | None:
    """None: it is not as described, and the ordinary way says what is wrong with it."""
    try:
        return model.model_validate(json.loads(raw))
    except (ValidationError, ValueError, RecursionError):
        return None


async def _whole(receive: Receive) -> bytes | None:
    """The body; None where the caller went away in the middle of it."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(raw: bytes, receive: Receive) -> Receive:
    """The body that was read, for the ordinary way to read."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": raw, "more_body": False}

    return replayed
