"""What a stream sends: the ledger's own events to who oversees a campaign, and to a worker its own work alone.

Pages are told that something is new, and look themselves.
"""

import asyncio
import json
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
    while not watch.ended:
        page = await context.blocking(context.service.events, campaign, after, PAGE, kinds)
        for event in page.items:
            after = event.seq
            yield ledger_frame(campaign, event)
        quiet = 0.0 if page.items else quiet
        if page.after is not None:
            continue
        patience = HEARTBEAT_SECONDS if context.alone else LOOK_SECONDS
        if not await watch.changed(patience):
            quiet += patience
            if quiet >= HEARTBEAT_SECONDS:
                quiet = 0.0
                yield KEEP_ALIVE


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
    while not watch.ended:
        seq, found = await now()
        for event, data in found.items():
            if sent.get(event) != data:
                quiet = 0.0
                yield frame(event, data, seq)
        sent = found
        await asyncio.sleep(PAUSE_SECONDS)
        patience = HEARTBEAT_SECONDS if context.alone else LOOK_SECONDS
        if not await watch.changed(patience):
            quiet += patience
            if quiet >= HEARTBEAT_SECONDS:
                quiet = 0.0
                yield KEEP_ALIVE
