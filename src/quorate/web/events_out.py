"""What a stream sends: the ledger's own events to who oversees a campaign, and to a worker its own work alone.

Pages are told that something is new, and look themselves.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from quorate.campaign.ledger import TOPICS
from quorate.campaign.views import EventView
from quorate.web.context import Context
from quorate.web.shown import dumps, plain
from quorate.web.streams import BEGIN, KEEP_ALIVE, Watch, frame

HEARTBEAT_SECONDS = 15.0
# Where other processes write too, nobody wakes this one: look so often.
LOOK_SECONDS = 1.0
# What is not the ledger itself is made anew at most so often, however fast the campaign goes.
PAUSE_SECONDS = 0.25
PAGE = 500
OPEN_TASKS = 100

# The ledger's number, and the data of each kind of event.
Now = tuple[int, dict[str, str]]


def kinds_of(topics: Sequence[str]) -> list[str]:
    """The kinds of events on these topics; on all, if none is named."""
    return [kind for kind, topic in TOPICS.items() if not topics or topic in topics]


async def ledger_events(
    context: Context, watch: Watch, campaign: str, after: int, topics: Sequence[str] = ()
) -> AsyncIterator[bytes]:
    """Every event past `after`, in order, none twice; the id is the event's number, from which a client resumes."""
    kinds, quiet = kinds_of(topics), 0.0
    yield BEGIN
    while await _may_hear(context, watch):
        page = await context.blocking(context.service.events, campaign, after, PAGE, kinds)
        for event in page.items:
            if not await _may_hear(context, watch):
                return
            after = event.seq
            yield ledger_frame(campaign, event)
        quiet = 0.0 if page.items else quiet
        if page.after is not None:
            continue
        patience = _patience(context)
        if not await watch.changed(patience):
            quiet += patience
            if quiet >= HEARTBEAT_SECONDS:
                quiet = 0.0
                yield KEEP_ALIVE


def _patience(context: Context) -> float:
    """How long a quiet stream waits before it looks by itself."""
    return HEARTBEAT_SECONDS if context.alone else LOOK_SECONDS


async def _may_hear(context: Context, watch: Watch) -> bool:
    """Asked again before everything that is sent: it may have been read before the token was revoked, or after.

    This process ends the watches of a token that it revokes. What another one revokes is found here, as often as a
    quiet stream looks; and so is what was revoked between the gate and the watch.
    """
    now = time.monotonic()
    if not watch.ended and now - watch.vouched >= _patience(context):
        watch.vouched = now
        if not await context.blocking(context.keyring.stands, watch.caller):
            watch.ended = True
    return not watch.ended


def ledger_frame(campaign: str, event: EventView) -> bytes:
    """The same JSON as a webhook's message, under the event's topic."""
    message = {"campaign": campaign, "seq": event.seq, "at": event.at, "kind": event.kind, "body": event.body}
    return frame(TOPICS[event.kind], json.dumps(message), event.seq)


async def worker_events(context: Context, watch: Watch, campaign: str, worker: int) -> AsyncIterator[bytes]:
    """The worker's open tasks and the campaign's stage: at once, and whenever they have changed."""

    async def now() -> Now:
        state = await context.look(campaign, context.service.state)
        work = await context.look(campaign, context.service.assignments, worker, OPEN_TASKS)
        return state.seq, {"stage": dumps({"stage": state.stage.value}), "assignments": dumps({"items": plain(work)})}

    async for sent in _newest(context, watch, now):
        yield sent


async def change_events(context: Context, watch: Watch, campaign: str) -> AsyncIterator[bytes]:
    """How many events there are: at once, and whenever there are more. Tells a page when to look again."""

    async def now() -> Now:
        state = await context.look(campaign, context.service.state)
        return state.seq, {"changed": dumps(state.seq)}

    async for sent in _newest(context, watch, now):
        yield sent


async def _newest(context: Context, watch: Watch, now: Callable[[], Awaitable[Now]]) -> AsyncIterator[bytes]:
    """Of each kind of event the newest that there is; what changed meanwhile is passed over."""
    sent: dict[str, str] = {}
    quiet = 0.0
    yield BEGIN
    while await _may_hear(context, watch):
        seq, found = await now()
        for event, data in found.items():
            if not await _may_hear(context, watch):
                return
            if sent.get(event) != data:
                quiet = 0.0
                yield frame(event, data, seq)
        sent = found
        await asyncio.sleep(PAUSE_SECONDS)
        patience = _patience(context)
        if not await watch.changed(patience):
            quiet += patience
            if quiet >= HEARTBEAT_SECONDS:
                quiet = 0.0
                yield KEEP_ALIVE
