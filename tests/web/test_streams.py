"""Server-sent events from a real `quorate serve`: complete, in order, resumed, bounded, and nobody else's."""

import asyncio
import http.client
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quorate.campaign.ledger import TOPICS
from quorate.campaign.tokens import Role, digest
from quorate.web import events_out
from quorate.web.context import context_of
from quorate.web.limits import Limits
from quorate.web.pages.session import cookie_name
from quorate.web.streams import BEGIN
from tests.crash_http import NAME, Given, prepare
from tests.served import API, PATIENCE_SECONDS, Client, Served
from tests.web_api import Api

TASKS = 200


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Given]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('streams') / 'quorate.db'}"
    tokens = prepare(url, TASKS)
    with Served(url) as served:
        yield served, tokens


@dataclass(frozen=True)
class Event:
    identity: int | None
    event: str
    data: Any


class Stream:
    """One connection to the stream, read event by event."""

    def __init__(self, port: int, token: str, query: str = "", room: str = f"{API}/campaigns", **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(
            "GET", f"{room}/{NAME}/stream{query}", headers={"Authorization": f"Bearer {token}", **named}
        )
        self.response = self._connection.getresponse()

    def next(self) -> Event | None:
        """None at the end of the stream. Comments and the reconnection time are passed over."""
        found: dict[str, str] = {}
        while True:
            line = self.response.readline().decode()
            if not line:
                return None
            if line == "\n":
                if "data" in found:
                    number = found.get("id")
                    return Event(None if number is None else int(number), found["event"], json.loads(found["data"]))
                found = {}
                continue
            name, _, value = line.rstrip("\n").partition(": ")
            found[name] = value

    def take(self, count: int) -> list[Event]:
        found = [self.next() for _ in range(count)]
        assert None not in found, "the stream ended"
        return [event for event in found if event is not None]

    def close(self) -> None:
        self.response.close()
        self._connection.close()


@contextmanager
def stream(port: int, token: str, query: str = "", **headers: str) -> Iterator[Stream]:
    made = Stream(port, token, query, **headers)
    try:
        yield made
    finally:
        made.close()


def post(served: Served, tokens: Given, *keys: str) -> None:
    client = Client(served.port, tokens.requester)
    client.post(f"/campaigns/{NAME}/tasks", {"tasks": [{"key": key} for key in keys]})
    client.close()


def ledger(served: Served, tokens: Given) -> list[dict[str, Any]]:
    client = Client(served.port, tokens.requester)
    items: list[dict[str, Any]] = client.get(f"/campaigns/{NAME}/events")["items"]
    client.close()
    return items


def test_the_whole_ledger_on_its_topics_then_what_is_new(given: tuple[Served, Given]) -> None:
    served, tokens = given
    # Before anything is explored on: only the first task is assigned, and the others wait for its truth.
    post(served, tokens, "a", "b")
    known = [event for event in ledger(served, tokens) if event["kind"] in TOPICS]
    with stream(served.port, tokens.requester, "?after=0") as listening:
        assert listening.response.getheader("content-type") == "text/event-stream; charset=utf-8"
        found = listening.take(len(known))
        assert [event.identity for event in found] == [event["seq"] for event in known]
        assert [event.event for event in found] == [TOPICS[event["kind"]] for event in known]
        for event, wanted in zip(found, known, strict=True):
            assert event.data == {"campaign": NAME, **{name: wanted[name] for name in ("seq", "at", "kind", "body")}}
        answer_all(served, tokens, "a")
        assert listening.take(1)[0].event == "verdicts"


def answer_all(served: Served, tokens: Given, key: str) -> None:
    for token in tokens.workers:
        client = Client(served.port, token)
        client.post(f"/campaigns/{NAME}/tasks/{key}/answer", {"label": 1})
        client.close()


def test_a_client_resumes_after_the_last_event_it_has_seen(given: tuple[Served, Given]) -> None:
    served, tokens = given
    known = [event["seq"] for event in ledger(served, tokens) if event["kind"] in TOPICS]
    for seen in (known[0], known[1]):
        with stream(served.port, tokens.requester, Last_Event_ID=str(seen)) as listening:
            rest = [event.identity for event in listening.take(len(known) - known.index(seen) - 1)]
        assert rest == [seq for seq in known if seq > seen], "each once, in order"


def test_only_the_topics_that_are_asked_for(given: tuple[Served, Given]) -> None:
    served, tokens = given
    with stream(served.port, tokens.requester, "?after=0&topic=campaign") as listening:
        wanted = [event["seq"] for event in ledger(served, tokens) if TOPICS.get(event["kind"]) == "campaign"]
        assert [event.identity for event in listening.take(len(wanted))] == wanted


def test_a_worker_hears_of_its_own_work_alone(given: tuple[Served, Given]) -> None:
    served, tokens = given
    with stream(served.port, tokens.workers[3]) as listening:
        found = {event.event: event.data for event in listening.take(2)}
        assert found["stage"] == {"stage": "running"}
        mine = Client(served.port, tokens.workers[3])
        work = mine.get(f"/campaigns/{NAME}/workers/me/assignments")
        assert found["assignments"] == work
        mine.close()
    with stream(served.port, tokens.workers[3], "?after=0&topic=payouts") as listening:
        assert {event.event for event in listening.take(2)} == {"stage", "assignments"}, "whatever it asks for"


def test_strangers_and_too_many_are_refused(given: tuple[Served, Given]) -> None:
    served, tokens = given
    with stream(served.port, "qr_nobody") as refused:
        assert refused.response.status == 401
    most = Limits().streams_per_token
    held = [Stream(served.port, tokens.workers[0]) for _ in range(most)]
    try:
        with stream(served.port, tokens.workers[0]) as refused:
            assert refused.response.status == 429
            assert refused.response.getheader("content-type") == "application/problem+json"
            assert json.loads(refused.response.read())["code"] == "too-many-streams"
        with stream(served.port, tokens.workers[1]) as other:
            assert other.response.status == 200
    finally:
        for one in held:
            one.close()


def issued(client: Client, role: str, worker: int | None = None) -> str:
    token: str = client.post(f"/campaigns/{NAME}/tokens", {"role": role, "worker": worker})["token"]
    return token


def test_a_revoked_token_hears_nothing_more(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'quorate.db'}"
    tokens = prepare(url, TASKS)
    with Served(url) as served, ExitStack() as stack:
        client, port = Client(served.port, tokens.requester), served.port
        stack.callback(client.close)

        def listening(token: str, first: int, room: str = f"{API}/campaigns", cookie: str = "none") -> Stream:
            made = stack.enter_context(stream(port, token, room=room, Cookie=f"{cookie}={token}"))
            made.take(first)
            return made

        held = [issued(client, *whose) for whose in (("auditor",), ("worker", 0), ("requester",), ("worker", 1))]
        invitation = issued(client, "worker", 2)
        ending = [
            listening(held[0], 0),
            listening(held[1], 2),
            # As pages listen: by a cookie alone.
            listening(held[2], 1, "/c", cookie_name(Role.REQUESTER)),
            listening(held[3], 2, "/w", cookie_name(Role.WORKER)),
            listening(invitation, 2),
        ]
        going_on = [listening(tokens.requester, 0), listening(tokens.workers[0], 2)]
        for token in held:
            assert client.ask("DELETE", f"/campaigns/{NAME}/tokens/{digest(token)}").status == 204
        worker = Client(port, invitation)
        stack.callback(worker.close)
        worker.post(f"/campaigns/{NAME}/workers/me/token")
        # Work for everybody, and an event for who oversees.
        post(served, tokens, "a")
        assert [one.next() for one in ending] == [None] * 5
        assert [one.take(1)[0].event for one in going_on] == ["assignments"] * 2


def test_what_another_process_revokes_is_found_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_out, "LOOK_SECONDS", 0.05)
    with Api(tmp_path, alone=False) as api:
        run = api.auction()
        here = context_of(api.app)

        async def heard() -> list[bytes]:
            """From a first look until the end of the stream, beside which somebody revokes and closes the auction."""
            caller = await here.holder(run.auditor)
            assert caller is not None
            watch = here.streams.watch(run.name, caller)
            events = events_out.ledger_events(here, watch, run.name, 1, ["campaign"])
            found = [await anext(events), await anext(events)]
            await here.blocking(api.tokens.revoke, caller.digest)
            await asyncio.sleep(2 * events_out.LOOK_SECONDS)
            await here.blocking(here.service.close_auction, run.name)
            found += [event async for event in events]
            watch.leave()
            return found

        found = api.wait_for(asyncio.wait_for(heard(), PATIENCE_SECONDS))
    assert [b"campaign opened" in event for event in found] == [False, True]


def test_a_token_revoked_on_the_way_to_its_stream_hears_nothing(tmp_path: Path) -> None:
    """After the gate let it in, and before there was a watch to end."""
    with Api(tmp_path) as api:
        run = api.auction()
        here = context_of(api.app)

        async def heard() -> list[bytes]:
            caller = await here.holder(run.workers[0])
            assert caller is not None
            assert caller.worker is not None
            await here.blocking(here.keyring.revoke, caller.digest)
            watch = here.streams.watch(run.name, caller)
            found = [event async for event in events_out.worker_events(here, watch, run.name, caller.worker)]
            watch.leave()
            return found

        assert api.wait_for(asyncio.wait_for(heard(), PATIENCE_SECONDS)) == [BEGIN]


def test_a_service_that_stops_ends_its_streams(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"sqlite:///{tmp_path_factory.mktemp('stopping') / 'quorate.db'}"
    tokens = prepare(url, TASKS)
    served = Served(url).start()
    with stream(served.port, tokens.requester) as overseer, stream(served.port, tokens.workers[0]) as worker:
        worker.take(2)
        assert served.stop() == 0
        assert overseer.next() is None
        assert worker.next() is None
