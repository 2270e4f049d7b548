"""What happens without a request: time passes in every campaign, and webhooks go out."""

import asyncio
import logging
from contextlib import suppress

from quorate.campaign.refusal import Unavailable
from quorate.campaign.service import wall_clock
from quorate.web.context import Context
from quorate.web.webhooks import Sender

TICK_SECONDS = 1.0
SENDING_SECONDS = 1.0

_LOG = logging.getLogger("quorate.web")


class Background:
    """Tasks that live as long as the application."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._sender = Sender(self._context, wall_clock)
        self._tasks = [
            asyncio.create_task(self._ticks(), name="quorate-ticks"),
            asyncio.create_task(self._sender.keep_sending(SENDING_SECONDS), name="quorate-webhooks"),
        ]

    async def stop(self) -> None:
        """A tick under way ends first: it may be about to commit."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        await self._sender.close()

    async def _ticks(self) -> None:
        while True:
            try:
                await self._context.blocking(self._context.service.tick, shared=not self._context.alone)
            except Unavailable as error:
                _LOG.warning("time could not pass: %s; trying again", error)
            except Exception:  # noqa: BLE001 - without this task time stands still until somebody notices
                _LOG.exception("time could not pass; trying again")
            await asyncio.sleep(TICK_SECONDS)
