"""Server-sent events: who listens to which campaign, bounded in number, ended when the service stops."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from quorate.campaign.service import CampaignService
from quorate.web.keyring import Caller
from quorate.web.problems import Stop, problem

MEDIA_TYPE = "text/event-stream"
# A browser that loses the connection comes back after this long, with the last event's id.
RECONNECT_MILLISECONDS = 2_000


class Watch:
    """One listener: `changed` wakes when the campaign has new events."""

    def __init__(self, caller: Caller, leave: Callable[["Watch"], None]) -> None:
        self.caller = caller
        self.ended = False
        # When the token was last seen to be good. Not yet: it may have been revoked before anybody listened.
        self.vouched = -math.inf
        self._event = asyncio.Event()
        self._leave = leave

    async def changed(self, seconds: float) -> bool:
        """Whether something happened within so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)
        happened = self._event.is_set()
        self._event.clear()
        return happened

    def wake(self) -> None:
        self._event.set()

    def end(self) -> None:
        """Nothing more is sent."""
        self.ended = True
        self.wake()

    def leave(self) -> None:
        self._leave(self)


class Streams:
    """All listeners of one event loop."""

    def __init__(self, service: CampaignService, most: int, most_per_token: int) -> None:
        self._service = service
        self._most = most
        self._most_per_token = most_per_token
        self._watches: dict[str, set[Watch]] = {}
        self._subscriptions: dict[str, Callable[[], None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def __len__(self) -> int:
        return sum(len(watches) for watches in self._watches.values())

    def watch(self, campaign: str, caller: Caller) -> Watch:
        """Listen; the caller must `leave`. Refused where there are too many, or the service is stopping."""
        if self._closed:
            raise Stop(problem("unavailable", "the service is stopping; connect again in a moment", Retry_After="2"))
        watches = self._watches.get(campaign, set())
        mine = sum(1 for watch in watches if watch.caller.digest == caller.digest)
        if mine >= self._most_per_token or len(self) >= self._most:
            raise Stop(
                problem(
                    "too-many-streams",
                    f"a token may hold {self._most_per_token} streams, and the service {self._most}; close one first",
                    Retry_After="5",
                )
            )
        self._loop = asyncio.get_running_loop()
        if campaign not in self._subscriptions:
            self._subscribe(campaign)
        watch = Watch(caller, lambda left: self._left(campaign, left))
        self._watches.setdefault(campaign, set()).add(watch)
        return watch

    def end(self, digest: str) -> None:
        """Nothing more is sent to who listens with this token. From any thread: the loop does it next."""
        if self._loop is not None:
            # A loop that has ended holds no stream any more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._end, digest)

    def close(self) -> None:
        """End every stream at its next look; no new ones."""
        self._closed = True
        for leave in self._subscriptions.values():
            leave()
        self._subscriptions.clear()
        for watches in self._watches.values():
            for watch in watches:
                watch.end()

    def _end(self, digest: str) -> None:
        for watches in self._watches.values():
            for watch in watches:
                if watch.caller.digest == digest:
                    watch.end()

    def _subscribe(self, campaign: str) -> None:
        loop = asyncio.get_running_loop()

        def tell(seq: int) -> None:
            # On the writer's thread, which must not suffer from a loop that has just ended.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._wake, campaign)

        self._subscriptions[campaign] = self._service.subscribe(campaign, tell)

    def _wake(self, campaign: str) -> None:
        for watch in self._watches.get(campaign, ()):
            watch.wake()

    def _left(self, campaign: str, watch: Watch) -> None:
        watches = self._watches.get(campaign, set())
        watches.discard(watch)
        if not watches:
            self._watches.pop(campaign, None)
            leave = self._subscriptions.pop(campaign, None)
            if leave is not None:
                leave()


class EventStream(StreamingResponse):
    """Streams until the client leaves or the service stops, and then leaves the watch, started or not."""

    def __init__(self, watch: Watch, events: AsyncIterator[bytes]) -> None:
        super().__init__(events, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watch.leave()


def frame(event: str, data: str, identity: int | None = None) -> bytes:
    """One event as it goes over the wire; `data` is one line."""
    number = "" if identity is None else f"id: {identity}\n"
    return f"{number}event: {event}\ndata: {data}\n\n".encode("ascii")


KEEP_ALIVE = b": still here\n\n"
BEGIN = f"retry: {RECONNECT_MILLISECONDS}\n\n".encode("ascii")
