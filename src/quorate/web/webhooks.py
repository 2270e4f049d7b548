"""Signed webhooks: claimed from the outbox under a lease, posted, and tried again with back-off (docs/api.md).

Quorate-Signature: t=<seconds>,v1=<hex of HMAC-SHA256(secret, "<seconds>." + raw body)>
Quorate-Delivery: <key>      the same on every attempt: a receiver drops what it has seen
"""

import asyncio
import hashlib
import hmac
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import httpcore
import httpx

from quorate import __version__
from quorate.campaign.ledger import Delivery, HookRow
from quorate.campaign.refusal import Tampered, Unavailable
from quorate.campaign.settings import Millis
from quorate.web.context import Context
from quorate.web.receivers import Outside

SIGNATURE = "Quorate-Signature"
DELIVERY = "Quorate-Delivery"
TOPIC = "Quorate-Topic"

# Longer than an attempt may take, so that nobody else claims it meanwhile.
LEASE: Millis = 30_000
ATTEMPT_SECONDS = 10.0
AT_ONCE = 50
# In all; each holds a connection.
MOST_ON_THEIR_WAY = 500
# After attempt k: first * 2^(k-1) at most, half of it or more; 16 attempts take two to four hours.
FIRST_PAUSE: Millis = 1_000
LONGEST_PAUSE: Millis = 3_600_000
MOST_ATTEMPTS = 16
LONGEST_ERROR = 200
# Nothing more: a requester could learn from it who listens where in the service's own network.
UNREACHED = "the receiver could not be reached; check its address and its certificate, and that both are public"
FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    httpx.InvalidURL,
    ValueError,
)

_LOG = logging.getLogger("quorate.web")


def sign(secret: bytes, seconds: int, body: bytes) -> str:
    """The header's value. The time is signed too, so that an old message cannot be sent again as new."""
    tag = hmac.new(secret, str(seconds).encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={tag}"


def pause(attempts: int, chance: float) -> Millis | None:
    """How long to wait after so many attempts; None: give up. Half of it is chance, so that senders spread out."""
    if attempts >= MOST_ATTEMPTS:
        return None
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempts - 1))
    return int(longest * (0.5 + 0.5 * chance))


class Sender:
    """Takes what is due and posts it. A hook is sent nothing more while something is on its way to it, so that a slow
    receiver keeps nobody waiting but itself.
    """

    def __init__(
        self,
        context: Context,
        clock: Callable[[], Millis],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._context = context
        self._clock = clock
        self._chance = chance
        # With fewer connections than messages on their way, those of slow receivers would be waited for.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            max_connections=MOST_ON_THEIR_WAY,
            max_keepalive_connections=AT_ONCE,
            network_backend=Outside(local=context.local_hooks),
        )
        self._on_their_way: dict[asyncio.Task[None], int] = {}
        self._free = asyncio.Event()

    async def close(self) -> None:
        """What is on its way is given up; it is sent again when its lease ends."""
        for task in self._on_their_way:
            task.cancel()
        await asyncio.gather(*self._on_their_way, return_exceptions=True)
        await self._pool.aclose()

    async def keep_sending(self, pause_seconds: float) -> None:
        """Until cancelled; without a pause while there is more for somebody."""
        while True:
            self._free.clear()
            try:
                begun = await self.begin()
            except Unavailable as unavailable:
                begun = 0
                _LOG.warning("webhooks wait: %s", unavailable)
            except Exception:  # noqa: BLE001 - without this task nothing is sent until somebody notices
                begun = 0
                _LOG.exception("webhooks wait; trying again")
            if begun < AT_ONCE or len(self._on_their_way) >= MOST_ON_THEIR_WAY:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._free.wait(), pause_seconds)

    async def send_due(self) -> int:
        """One round, to its end; how many messages were tried."""
        before = set(self._on_their_way)
        begun = await self.begin()
        await asyncio.gather(*(task for task in self._on_their_way if task not in before))
        return begun

    async def begin(self) -> int:
        """Start what is due; how many messages that are."""
        room = min(AT_ONCE, MOST_ON_THEIR_WAY - len(self._on_their_way))
        if room <= 0:
            return 0
        busy = sorted(set(self._on_their_way.values()))
        due = await self._context.blocking(self._context.store.claim, self._clock(), LEASE, room, busy)
        found = {campaign: await self._hooks_of(campaign) for campaign in {delivery.campaign for delivery in due}}
        for delivery in due:
            hooks = found[delivery.campaign]
            if hooks is None:
                continue
            task = asyncio.create_task(self._send(delivery, hooks.get(delivery.hook)))
            self._on_their_way[task] = delivery.hook
            task.add_done_callback(partial(self._sent, wake=len(due) == room))
        return len(due)

    async def _hooks_of(self, campaign: str) -> dict[int, HookRow] | None:
        """None where they cannot be read: what was claimed for them comes back when its lease ends."""
        try:
            hooks = await self._context.blocking(self._context.service.hooks, campaign)
        except Exception:  # noqa: BLE001 - whatever it is, the messages of other campaigns go out
            _LOG.exception("webhooks of campaign %s cannot be read; tried again later", campaign)
            return None
        return {hook.id: hook for hook in hooks}

    def _sent(self, task: "asyncio.Task[None]", *, wake: bool) -> None:
        """`wake`: there was more than could be taken, so look at once when a hook has nothing on its way any more."""
        hook = self._on_their_way.pop(task)
        if not task.cancelled() and task.exception() is not None:
            _LOG.error("a webhook's message could not be sent; tried again later", exc_info=task.exception())
        if wake and hook not in self._on_their_way.values():
            self._free.set()

    async def _send(self, delivery: Delivery, hook: HookRow | None) -> None:
        store, blocking = self._context.store, self._context.blocking
        if hook is None:
            await blocking(store.failed, delivery.id, "the hook was removed", None)
            return
        error = await self._post(delivery, hook)
        if error is None:
            await blocking(store.delivered, delivery.id, self._clock())
            return
        wait = pause(delivery.attempts, self._chance())
        await blocking(store.failed, delivery.id, error, None if wait is None else self._clock() + wait)
        if wait is None:
            _LOG.warning("webhook %s: given up after %s attempts: %s", delivery.key, delivery.attempts, error)

    async def _post(self, delivery: Delivery, hook: HookRow) -> str | None:
        """What went wrong, for people; None if it was taken. The whole attempt has a limit, and nobody reads what the
        receiver says beyond its status: it could say it a byte at a time.
        """
        body, seconds = delivery.payload.encode(), self._clock() // 1_000
        try:
            secret = self._context.service.hook_secret(hook)
        except Tampered as tampered:
            return str(tampered)[:LONGEST_ERROR]
        headers: dict[bytes | str, bytes | str] = {
            "Content-Type": "application/json",
            "User-Agent": f"quorate/{__version__}",
            SIGNATURE: sign(secret, seconds, body),
            DELIVERY: delivery.key,
            TOPIC: delivery.topic,
        }
        try:
            target, headers["Host"] = _target(hook.url)
            # The pool follows no redirection, keeps no cookie, and asks no proxy.
            async with (
                asyncio.timeout(ATTEMPT_SECONDS),
                self._pool.stream("POST", target, content=body, headers=headers) as answer,
            ):
                return None if 200 <= answer.status < 300 else f"the receiver answered {answer.status}"
        except TimeoutError:
            return f"the receiver did not answer within {ATTEMPT_SECONDS:g} s"
        except FAILURES as error:
            _LOG.info("webhook %s: %s: %s", delivery.key, type(error).__name__, error)
            return UNREACHED


def _target(url: str) -> tuple[httpcore.URL, str]:
    """As it goes over the wire, and the header that names the host."""
    found = httpx.URL(url)
    target = httpcore.URL(scheme=found.raw_scheme, host=found.raw_host, port=found.port, target=found.raw_path)
    return target, found.netloc.decode("ascii")
