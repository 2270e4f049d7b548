"""Before anything else is done for a request: headers for browsers, the size of its body, who asks, and how often.

Plain ASGI: it costs microseconds, and a stranger's body is not read. The API takes tokens from the header alone, never
from a cookie, so that no other site can make a browser use one. Pages look themselves at who sits there; the gate only
counts, by the cookies' tokens or as a stranger's.
"""

import re
from typing import Any

from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quorate.campaign.refusal import Unavailable
from quorate.web.auth import UNAUTHENTICATED
from quorate.web.context import Context
from quorate.web.keyring import Caller
from quorate.web.lanes import Lanes
from quorate.web.problems import API_PREFIX, Problem, Stop, answer, problem, problem_of

OPEN_PATHS = frozenset({"/api/v1/openapi.json"})
# Scripts and styles: a file in memory, kept by browsers for good.
FILES = "/static/"
# Where an invitation that is spent may come once more: for the answer that was lost when it was exchanged.
EXCHANGE = re.compile(r"/api/v1/campaigns/[^/]+/workers/[^/]+/token")
COOKIE = "quorate_"
MOST_COOKIES = 4
# What checks a whole ledger.
CHECKS = ("/verify", "/check")
SCHEME = b"bearer "

# Pages set their own policy and caching; these stand where a response says nothing.
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Gate:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, context: Context, lanes: Lanes) -> None:
        self._app = app
        self._context = context
        self._lanes = lanes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                present = {name for name, _ in headers}
                message["headers"] = [*headers, *(header for header in HEADERS if header[0] not in present)]
            await send(message)

        headers = dict(scope["headers"])
        refused = await self._refused(scope, headers)
        if refused is not None:
            said = await answer(Request(scope, receive), Stop(refused))
            await said(scope, receive, send_safely)
            return
        counted = self._counted(receive)
        ordinary = await self._lanes.take(scope, headers, counted, send_safely) if "caller" in scope else counted
        if ordinary is not None:
            await self._app(scope, ordinary, send_safely)

    async def _refused(self, scope: Scope, headers: dict[bytes, bytes]) -> Problem | None:
        size = headers.get(b"content-length", b"0")
        if not size.isdigit() or int(size) > self._context.limits.body_bytes:
            return self._too_large()
        path = scope["path"]
        if path in OPEN_PATHS or path.startswith(FILES):
            return None
        api = path.startswith(API_PREFIX)
        try:
            caller = await (self._caller(headers) if api else self._seated(headers))
        except Unavailable as unavailable:
            return problem_of(unavailable)
        wait = self._wait(scope, caller)
        if wait:
            return _too_many(wait)
        if not api:
            return None
        if caller is not None:
            scope["caller"] = caller
            return None
        scope["spent"] = await self._spent(headers) if EXCHANGE.fullmatch(path) else None
        return UNAUTHENTICATED if scope["spent"] is None else None

    def _wait(self, scope: Scope, caller: Caller | None) -> float:
        """Seconds; 0 if it may go on."""
        if caller is None:
            return self._context.strangers.take((scope.get("client") or ("unknown", 0))[0])
        wait = self._context.buckets.take(caller.digest)
        if not wait and scope["path"].endswith(CHECKS):
            return self._context.checks.take(caller.digest)
        return wait

    async def _caller(self, headers: dict[bytes, bytes]) -> Caller | None:
        return await self._context.holder(_bearer(headers))

    async def _spent(self, headers: dict[bytes, bytes]) -> Caller | None:
        return await self._context.blocking(self._context.keyring.spent, _bearer(headers))

    async def _seated(self, headers: dict[bytes, bytes]) -> Caller | None:
        """Of a page: whose cookie opens something."""
        cookies = cookie_parser(headers.get(b"cookie", b"").decode("latin-1"))
        for text in [text for name, text in cookies.items() if name.startswith(COOKIE)][:MOST_COOKIES]:
            caller = await self._context.holder(text)
            if caller is not None:
                return caller
        return None

    def _counted(self, receive: Receive) -> Receive:
        """A body without a declared length is counted as it comes."""
        taken = 0

        async def counting() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._context.limits.body_bytes:
                raise Stop(self._too_large())
            return message

        return counting

    def _too_large(self) -> Problem:
        most: Any = self._context.limits.body_bytes
        return problem("too-large", f"a request has at most {most} bytes, and says how many; send it in parts")


def _bearer(headers: dict[bytes, bytes]) -> str:
    """The token as it was sent; empty where there is none."""
    given = headers.get(b"authorization", b"")
    return given[len(SCHEME) :].strip().decode("latin-1") if given[: len(SCHEME)].lower() == SCHEME else ""


def _too_many(wait: float) -> Problem:
    seconds = max(1, -int(-wait // 1))
    return problem(
        "too-many-requests",
        f"too many requests with this token, or from this address without one; wait {seconds} s, and send many things "
        f"in one batch",
        Retry_After=str(seconds),
    )
