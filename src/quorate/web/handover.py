"""From the engine's thread to the event loop: everything that one transaction settles in one call.

asyncio.wrap_future wakes the loop for every future by itself. Each wake is a system call, in which the writing thread
lets go of the interpreter and then waits for it: with a hundred callers in a transaction that was longer than the disk.
"""

import asyncio
from collections import deque
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

T = TypeVar("T")


class Handover:
    """For one event loop, the first that waits here."""

    def __init__(self) -> None:
        self._settled: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._called = False

    async def wait(self, future: "Future[T]") -> T:
        """Its outcome. A caller that goes away cancels it, if it is not under way yet."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = self._loop.create_future()
        future.add_done_callback(lambda done: self._put(waiting, done))
        try:
            return await waiting
        except asyncio.CancelledError:
            future.cancel()
            raise

    def _put(self, waiting: "asyncio.Future[T]", done: "Future[T]") -> None:
        """On whichever thread. `_called` may be seen late, which costs a call and loses nothing: it falls first."""
        self._settled.append((waiting, done))
        if not self._called and self._loop is not None and not self._loop.is_closed():
            self._called = True
            self._loop.call_soon_threadsafe(self._give)

    def _give(self) -> None:
        self._called = False
        while self._settled:
            waiting, done = self._settled.popleft()
            if waiting.done():
                continue
            try:
                error = done.exception()
            except CancelledError:
                waiting.cancel()
                continue
            if error is None:
                waiting.set_result(done.result())
            else:
                waiting.set_exception(error)
