"""Server-sent events from a real `quorate serve`: complete, in order, resumed, bounded, and nobody else's."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from quorate.campaign.ledger import TOPICS
from quorate.web.limits import Limits
from tests.crash_http import NAME, Given, prepare
from tests.served import API, PATIENCE_SECONDS, Client, Served

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

    def __init__(self, port: int, token: str, query: str = "", **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(
            "GET", f"{API}/campaigns/{NAME}/stream{query}", headers={"Authorization": f"Bearer {token}", **named}
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


def test_a_service_that_stops_ends_its_streams(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"sqlite:///{tmp_path_factory.mktemp('stopping') / 'quorate.db'}"
    tokens = prepare(url, TASKS)
    served = Served(url).start()
    with stream(served.port, tokens.requester) as overseer, stream(served.port, tokens.workers[0]) as worker:
        worker.take(2)
        assert served.stop() == 0
        assert overseer.next() is None
        assert worker.next() is None
