"""Webhooks against a receiver on loopback: signed, tried again with back-off, the same key on every attempt."""

import hashlib
import hmac
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quorate.campaign.ledger import TOPICS
from quorate.web.context import context_of
from quorate.web.webhooks import AT_ONCE, LEASE, LONGEST_PAUSE, MOST_ATTEMPTS, Sender, pause
from tests.served import wait_until
from tests.web_api import Api, Run

SECRET = "a-secret-of-the-receiver"
# Later than every event of the campaign under test, whose times are the real ones.
NOON = 4_000_000_000_000


@dataclass(frozen=True)
class Message:
    """As it came over the wire."""

    headers: dict[str, str]
    body: bytes

    @property
    def key(self) -> str:
        return self.headers["quorate-delivery"]


class Server(ThreadingHTTPServer):
    """With room for all that a sender sends at once."""

    request_queue_size = 128


class Receiver:
    """Answers with the statuses it is given, then with 204 for ever.

    `drip`: seconds between the bytes of its answers, which never end by themselves.
    """

    def __init__(self, drip: float = 0.0) -> None:
        self.got: list[Message] = []
        self.statuses: list[int] = []
        self.closed = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(Message({name.lower(): value for name, value in self.headers.items()}, body))
                if drip:
                    with suppress(OSError):
                        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                        while not receiver.closed.wait(drip):
                            self.wfile.write(b"x")
                    return
                status = receiver.statuses.pop(0) if receiver.statuses else 204
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", receiver.url)
                self.end_headers()

            def log_message(self, *args: Any) -> None: ...

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/news"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


class Clocked:
    """A sender whose time passes when told to, and whose chance is the longest pause."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.now = NOON
        self.sender = Sender(context_of(api.app), lambda: self.now, lambda: 1.0)

    def round(self) -> int:
        return self.api.wait_for(self.sender.send_due())

    def close(self) -> None:
        self.api.wait_for(self.sender.close())


@pytest.fixture
def sender(api: Api) -> Iterator[Clocked]:
    made = Clocked(api)
    while made.round():
        pass
    yield made
    made.close()


def hooked(api: Api, receiver: Receiver, *topics: str) -> Run:
    """A running campaign of two tasks, whose news on these topics goes to the receiver from now on."""
    run = api.running()
    run.post("/hooks", {"url": receiver.url, "topics": list(topics), "secret": SECRET})
    return run


def decide(run: Run, task: str = "t0") -> None:
    for worker in run.workers:
        run.post(f"/tasks/{task}/answer", {"label": 1}, worker)


def is_signed(message: Message, secret: str) -> bool:
    """As a receiver checks it, from the documentation alone."""
    parts = dict(part.split("=", 1) for part in message.headers["quorate-signature"].split(","))
    signed = hmac.new(secret.encode(), parts["t"].encode() + b"." + message.body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signed, parts["v1"])


def test_a_message_is_the_event_and_is_signed(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "verdicts")
    decide(run)
    assert sender.round() == 1
    (message,) = receiver.got
    (event,) = run.get("/events?kind=verdict made")["items"]
    assert json.loads(message.body) == {
        "campaign": run.name,
        **{name: event[name] for name in ("seq", "at", "kind", "body")},
    }
    assert message.headers["quorate-topic"] == "verdicts"
    assert message.headers["content-type"] == "application/json"
    assert is_signed(message, SECRET)
    assert f"t={NOON // 1_000}," in message.headers["quorate-signature"], "an old message is known by its time"
    assert not is_signed(message, SECRET + "x")
    assert not is_signed(Message(message.headers, message.body + b" "), SECRET)
    assert sender.round() == 0
    assert [one["error"] for one in run.get("/hooks/deliveries")["items"]] == [None]


def test_every_event_on_its_topics_once_and_no_other(api: Api, receiver: Receiver, sender: Clocked) -> None:
    topics = ("assignments", "verdicts", "campaign", "payouts")
    run = hooked(api, receiver, *topics)
    before = run.get("")["seq"]
    run.post("/tasks", {"tasks": [{"key": f"n{at}"} for at in range(30)]})
    decide(run)
    run.post("/payouts")
    run.post("/close", {"force": True})
    while sender.round():
        pass
    events = [event for event in run.get("/events")["items"] if event["seq"] > before]
    wanted = Counter(event["seq"] for event in events if TOPICS.get(event["kind"]) in topics)
    assert Counter(json.loads(message.body)["seq"] for message in receiver.got) == wanted
    assert len({message.key for message in receiver.got}) == len(wanted) > 30


def test_what_fails_is_tried_again_later_under_the_same_key(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "verdicts")
    receiver.statuses = [500, 302, 404]
    decide(run)
    waits = []
    while not run.get("/hooks/deliveries")["items"][0]["delivered"]:
        before = len(receiver.got)
        sender.now += 1
        sender.round()
        if len(receiver.got) > before:
            waits.append(sender.now)
        assert sender.now < NOON + 60_000
        sender.now += 99
    assert len(receiver.got) == len(waits) == 4, "a redirection is not followed"
    assert len({message.key for message in receiver.got}) == 1
    assert all(is_signed(message, SECRET) for message in receiver.got)
    pauses = [later - earlier for earlier, later in pairwise(waits)]
    assert [round(one, -3) for one in pauses] == [1_000, 2_000, 4_000]


def test_the_pause_doubles_is_part_chance_and_ends() -> None:
    longest = [pause(attempts, 1.0) for attempts in range(1, MOST_ATTEMPTS)]
    assert longest[:3] == [1_000, 2_000, 4_000]
    assert longest[-1] == LONGEST_PAUSE
    assert all(later == min(2 * earlier, LONGEST_PAUSE) for earlier, later in pairwise(longest))
    assert pause(3, 0.0) == 2_000
    assert pause(MOST_ATTEMPTS, 0.5) is None


def test_it_gives_up_in_the_end_and_says_so(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "verdicts")
    receiver.statuses = [503] * 100
    decide(run)
    for _ in range(MOST_ATTEMPTS + 3):
        sender.round()
        sender.now += LONGEST_PAUSE + 1
    assert len(receiver.got) == MOST_ATTEMPTS
    (delivery,) = run.get("/hooks/deliveries")["items"]
    assert delivery["given_up"]
    assert delivery["error"] == "the receiver answered 503"
    assert delivery["attempts"] == MOST_ATTEMPTS


def test_a_receiver_that_is_not_there_costs_nothing_else(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "verdicts")
    gone = Receiver()
    gone.close()
    run.post("/hooks", {"url": gone.url, "topics": ["verdicts"]})
    decide(run)
    assert sender.round() == 2
    assert len(receiver.got) == 1
    errors = [one["error"] for one in run.get("/hooks/deliveries")["items"]]
    assert sorted(error is None for error in errors) == [False, True]


def test_a_sender_that_dies_after_sending_sends_the_same_key_again(
    api: Api, receiver: Receiver, sender: Clocked, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = hooked(api, receiver, "verdicts")
    decide(run)

    def dies(*args: Any) -> None:
        raise RuntimeError("killed between sending and noting it down")

    with monkeypatch.context() as patch:
        patch.setattr(api.store, "delivered", dies)
        with pytest.raises(RuntimeError, match="killed"):
            sender.round()
    sender.round()
    assert len(receiver.got) == 1, "it is leased to the one that died"
    sender.now += LEASE + 1
    sender.round()
    first, second = receiver.got
    assert (first.key, first.body) == (second.key, second.body)


def test_two_senders_share_the_work(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "assignments")
    run.post("/tasks", {"tasks": [{"key": f"n{at}"} for at in range(120)]})
    other = Clocked(api)
    threads = [threading.Thread(target=lambda one=one: [one.round() for _ in range(3)]) for one in (sender, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert Counter(message.key for message in receiver.got).most_common(1)[0][1] == 1
    assert len(receiver.got) == 120


def test_a_removed_hook_hears_nothing_more(api: Api, receiver: Receiver, sender: Clocked) -> None:
    run = hooked(api, receiver, "verdicts")
    decide(run)
    (hook,) = run.get("/hooks")["items"]
    assert run.ask("DELETE", f"/hooks/{hook['hook']}").status_code == 204
    decide(run, "t1")
    sender.round()
    assert receiver.got == []
    (delivery,) = run.get("/hooks/deliveries")["items"]
    assert (delivery["given_up"], delivery["error"]) == (True, "the hook was removed")


@pytest.fixture
def slow() -> Iterator[list[Receiver]]:
    made = [Receiver(drip=0.1) for _ in range(3)]
    yield made
    for one in made:
        one.close()


def test_slow_receivers_keep_nobody_else_waiting(
    tmp_path: Path, receiver: Receiver, slow: list[Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three say a byte every tenth of a second, to every one of more messages than are sent at once."""
    monkeypatch.setattr("quorate.web.webhooks.ATTEMPT_SECONDS", 6.0)
    with Api(tmp_path, background=True) as api:
        runs, other = [hooked(api, one, "assignments") for one in slow], hooked(api, receiver, "verdicts")
        begun = time.monotonic()
        for run, one in zip(runs, slow, strict=True):
            run.post("/tasks", {"tasks": [{"key": f"n{at}"} for at in range(AT_ONCE + 20)]})
            wait_until(lambda one=one: len(one.got) == AT_ONCE)
        decide(other)
        decide(other, "t1")
        wait_until(lambda: len(receiver.got) == 2)
        assert time.monotonic() - begun < 6.0, "before any attempt at a slow one ends"
        first = runs[0]
        wait_until(lambda: any(one["error"] for one in first.get("/hooks/deliveries?limit=200")["items"]), 20.0)
        errors = {one["error"] for one in first.get("/hooks/deliveries?limit=200")["items"]} - {None}
    assert errors == {"the receiver did not answer within 6 s"}


def test_a_message_that_cannot_be_sent_stops_no_other(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Api(tmp_path, background=True) as api:
        broken = hooked(api, receiver, "verdicts")
        whole = api.store.hooks

        def hooks(campaign: str) -> Any:
            if campaign == broken.name:
                raise ValueError("a row that nobody can read")
            return whole(campaign)

        monkeypatch.setattr(api.store, "hooks", hooks)
        decide(broken)
        other = hooked(api, receiver, "verdicts")
        decide(other)
        wait_until(lambda: receiver.got)
    assert json.loads(receiver.got[0].body)["campaign"] == other.name


def test_the_service_sends_by_itself(tmp_path: Path, receiver: Receiver) -> None:
    with Api(tmp_path, background=True) as api:
        run = hooked(api, receiver, "verdicts")
        decide(run)
        wait_until(lambda: receiver.got)
    assert is_signed(receiver.got[0], SECRET)
