"""What every handler needs, made once per application."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar, cast

from fastapi import FastAPI, Request

from quorate.campaign.ledger import Store
from quorate.campaign.results import Result
from quorate.campaign.service import CampaignService
from quorate.campaign.tokens import Tokens
from quorate.web.handover import Handover
from quorate.web.keyring import LONGEST_TOKEN, Caller, Keyring
from quorate.web.limits import Buckets, Limits
from quorate.web.streams import Streams

P = ParamSpec("P")
T = TypeVar("T")

# Callers that block share a durable transaction only if they block at the same time.
THREADS = 64


@dataclass(frozen=True, eq=False)
class Context:
    """`alone`: no other process writes to the store, so reads need not ask it whether something is new.

    `public_url` is how people reach the service, for links in invitations; None: as the request came. `local_hooks`:
    webhooks may go to this machine and its own network.
    """

    service: CampaignService
    tokens: Tokens
    store: Store
    keyring: Keyring
    limits: Limits
    streams: Streams
    alone: bool
    public_url: str | None
    local_hooks: bool
    buckets: Buckets
    strangers: Buckets
    checks: Buckets
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="quorate-web")
    )
    # Hooks are added one after the other: a request that is sent again while it is under way finds what it made, and
    # those that come together are counted.
    hooking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _handover: Handover = field(default_factory=Handover)
    _loaded: set[str] = field(default_factory=set)

    async def blocking(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what waits for the disk, or computes for long, beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, partial(function, *args, **kwargs))

    async def durable(self, future: "Future[Result]") -> Result:
        """The outcome of service.submit, once it is durable."""
        return await self._handover.wait(future)

    async def holder(self, text: str) -> Caller | None:
        """Whose token it is; None if it is nobody's, or revoked."""
        if not 0 < len(text) <= LONGEST_TOKEN:
            return None
        return self.keyring.remembered(text) or await self.blocking(self.keyring.look_up, text)

    async def look(self, campaign: str, function: Callable[..., T], *args: object) -> T:
        """A short read of one campaign's state: service.function(campaign, *args, fresh=...).

        From memory where nobody else writes; a thread waits for the store otherwise, and for the first look.
        """
        if self.alone and campaign in self._loaded:
            return function(campaign, *args, fresh=False)
        found = await self.blocking(lambda: function(campaign, *args, fresh=not self.alone))
        self._loaded.add(campaign)
        return found


def make_context(
    service: CampaignService,
    tokens: Tokens,
    store: Store,
    *,
    operator: str | None,
    limits: Limits,
    alone: bool,
    public_url: str | None,
    local_hooks: bool,
    clock: Callable[[], float] = time.monotonic,
) -> Context:
    """`operator` is the digest of the token that may draft campaigns; without one nobody may."""
    streams = Streams(service, limits.streams, limits.streams_per_token)
    return Context(
        service=service,
        tokens=tokens,
        store=store,
        keyring=Keyring(tokens, operator, clock, streams.end),
        limits=limits,
        streams=streams,
        alone=alone,
        public_url=public_url,
        local_hooks=local_hooks,
        buckets=Buckets(limits.requests_per_second, limits.burst, clock),
        strangers=Buckets(limits.anonymous_per_second, limits.anonymous_burst, clock),
        checks=Buckets(limits.checks_per_second, limits.checks_burst, clock),
    )


def context_of(app: FastAPI) -> Context:
    return cast(Context, app.state.context)


async def context(request: Request) -> Context:
    """The dependency. Not a plain function: that would be called in a thread, at every request."""
    return cast(Context, request.app.state.context)
