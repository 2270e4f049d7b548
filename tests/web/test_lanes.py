"""A request that takes a lane is answered as the ordinary way answers it, to the byte; an unusual one takes no lane."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from quorate.web import app as application
from quorate.web.app import API, FREQUENT, lanes
from quorate.web.auth import Requester
from quorate.web.lanes import Lanes, lane_of
from tests.web_api import Api, Run


class Counted:
    """How many requests took a lane, and how many went the ordinary way although somebody was asking."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = self.ordinary = 0
        take = Lanes.take

        async def counting(lanes: Lanes, *args: Any) -> Any:
            left = await take(lanes, *args)
            self.taken += left is None
            self.ordinary += left is not None
            return left

        monkeypatch.setattr(Lanes, "take", counting)


@pytest.fixture
def ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Run, Run]]:
    """The same campaign twice: with lanes, and without."""
    for name in "ab":
        (tmp_path / name).mkdir()
    with Api(tmp_path / "a") as fast:
        monkeypatch.setattr(application, "FREQUENT", ())
        with Api(tmp_path / "b") as slow:
            yield fast.running(), slow.running()


JSON = {"Content-Type": "application/json"}
SHOUTED = {"Content-Type": "Application/JSON"}
# What a client may send: (method, path, whose token, how). Plain ones first, then what must not be taken for plain.
PLAIN: list[tuple[str, str, str, dict[str, Any]]] = [
    ("POST", "/tasks", "requester", {"json": {"tasks": [{"key": "n0", "payload": {"a": [1.5, None, "ü"]}}, {}]}}),
    ("POST", "/tasks", "requester", {"json": {"tasks": [{"key": "n0"}, {"gold": 1}]}}),
    ("POST", "/tasks", "worker", {"json": {"tasks": [{}]}}),
    ("GET", "/tasks/t0", "requester", {}),
    ("GET", "/tasks/0", "auditor", {}),
    ("GET", "/tasks/t0", "worker", {}),
    ("GET", "/tasks/nothing", "requester", {}),
    ("GET", "/workers/me/assignments", "worker", {}),
    ("GET", "/workers/1/assignments", "worker", {}),
    ("GET", "/workers/w1/assignments", "requester", {}),
    ("POST", "/tasks/t0/answer", "worker", {"json": {"label": 1}, "headers": {"Idempotency-Key": "k"}}),
    ("POST", "/tasks/t0/answer", "worker", {"json": {"label": 1}, "headers": {"Idempotency-Key": "k"}}),
    ("POST", "/tasks/t0/answer", "worker", {"json": {"label": 0}, "headers": {"Idempotency-Key": "k"}}),
    ("POST", "/tasks/t0/answer", "worker", {"json": {"label": 1}}),
    ("POST", "/tasks/t0/answer", "requester", {"json": {"label": 1}}),
    ("POST", "/answers", "requester", {"json": {"answers": [{"task": "t0", "worker": "w1", "label": 1}]}}),
    ("POST", "/answers", "worker", {"json": {"answers": [{"task": 1, "label": 0}, {"task": 99, "label": 0}]}}),
    ("POST", "/answers", "worker", {"json": {"answers": [{"task": 1, "worker": 3, "label": 0}]}}),
    ("POST", "/truths", "requester", {"json": {"truths": [{"task": "t0", "truth": 1}, {"task": "t0", "truth": 0}]}}),
]
UNUSUAL: list[tuple[str, str, str, dict[str, Any]]] = [
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": 2}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": True}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": 1, "more": 1}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": [1]}),
    ("POST", "/tasks/t1/answer", "worker", {}),
    ("POST", "/tasks/t1/answer", "worker", {"content": b"{", "headers": JSON}),
    ("POST", "/tasks/t1/answer", "worker", {"content": b"\xff\xfe\xfd", "headers": JSON}),
    ("POST", "/tasks/t1/answer", "worker", {"content": b"[" * 100_000, "headers": JSON}),
    ("POST", "/tasks/t1/answer", "worker", {"content": b'{"label": 1}', "headers": {"Content-Type": "text/plain"}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": 1}, "headers": {"Idempotency-Key": "k" * 201}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": 1}, "headers": {"Idempotency-Key": "two words"}}),
    ("POST", "/tasks/t1/answer", "worker", {"json": {"label": 1}, "headers": {"Idempotency-Key": ""}}),
    (
        "POST",
        "/tasks/t1/answer",
        "worker",
        {"content": b'{"label": 1}', "headers": [("Content-Type", "application/json"), ("Content-Type", "text/plain")]},
    ),
    ("GET", "/tasks/t0?limit=3", "requester", {}),
    ("GET", "/tasks/t%C3%BC", "requester", {}),
    ("GET", "/tasks/t0/", "requester", {}),
    ("GET", "/workers/me/assignments?limit=1", "worker", {}),
    ("POST", "/tasks", "requester", {"json": {"tasks": []}}),
    ("POST", "/truths", "requester", {"json": {"truths": [{"task": "t0", "truth": "1"}]}}),
    ("PUT", "/tasks/t0/answer", "worker", {"json": {"label": 1}}),
    (
        "POST",
        "/tasks/t1/answer",
        "worker",
        {"content": b'{"label": 1}', "headers": SHOUTED},
    ),
]


def ask(run: Run, method: str, path: str, who: str, how: dict[str, Any]) -> httpx.Response:
    token = {"requester": run.requester, "auditor": run.auditor, "worker": run.workers[0]}[who]
    headers = [*httpx.Headers(how.get("headers", {})).multi_items(), ("Authorization", f"Bearer {token}")]
    more = {name: value for name, value in how.items() if name != "headers"}
    return run.api.wait_for(run.api._client.request(method, run.path(path), headers=headers, **more))


def same(ways: tuple[Run, Run], requests: list[tuple[str, str, str, dict[str, Any]]]) -> list[int]:
    statuses = []
    for request in requests:
        fast, slow = (ask(run, *request) for run in ways)
        # Two campaigns have two names and two clocks.
        shown = [
            (one.status_code, sorted(one.headers.items()), without_time(one, run))
            for one, run in zip((fast, slow), ways, strict=True)
        ]
        assert shown[0][0::2] == shown[1][0::2], request
        assert {name for name, _ in shown[0][1]} == {name for name, _ in shown[1][1]}, request
        statuses.append(fast.status_code)
    return statuses


def without_time(response: httpx.Response, run: Run) -> Any:
    text = response.text.replace(run.name, "NAME")
    found = httpx.Response(200, text=text).json() if text else None
    for one in found.get("items", [found]) if isinstance(found, dict) else [found]:
        if isinstance(one, dict):
            one.pop("deadline", None)
    return found


def test_plain_requests_take_a_lane_and_are_answered_alike(
    ways: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    statuses = same(ways, PLAIN)
    assert counted.taken == len(PLAIN), "the first application has lanes"
    assert counted.ordinary == len(PLAIN), "the second one has none"
    assert set(statuses) == {200, 403, 404, 409, 422}
    assert fingerprint_of(ways[0]) == fingerprint_of(ways[1])


def test_unusual_requests_go_the_ordinary_way(ways: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    same(ways, UNUSUAL)
    assert counted.taken == 0
    assert fingerprint_of(ways[0]) == fingerprint_of(ways[1])


def fingerprint_of(run: Run) -> list[tuple[str, Any]]:
    """What happened, without names, clocks and seeds."""
    events = run.get("/events")["items"]
    return [
        (event["kind"], {name: value for name, value in event["body"].items() if name != "deadline"})
        for event in events
        if event["kind"] in ("task posted", "answer given", "truth revealed", "verdict made", "jury assigned")
    ]


def test_a_body_in_parts_is_read_whole_once(ways: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    async def parts() -> Any:
        for part in (b'{"la', b'bel"', b": 1}"):
            yield part

    counted = Counted(monkeypatch)
    request = ("POST", "/tasks/t0/answer", "worker", {"content": parts(), "headers": JSON})
    assert ask(ways[0], *request).status_code == 200
    assert counted.taken == 1


def test_every_frequent_handler_has_a_lane() -> None:
    assert {lane.handler for lane in lanes()} == set(FREQUENT)


def test_a_handler_that_needs_more_has_no_lane() -> None:
    router = APIRouter()

    @router.get("/campaigns/{campaign}/things")
    async def things(campaign: str, caller: Requester, size: int) -> None: ...

    (route,) = (one for one in router.routes if isinstance(one, APIRoute))
    with pytest.raises(ValueError, match="needs size"):
        lane_of(API, route)
