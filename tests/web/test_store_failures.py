"""A full disk and a locked database over HTTP: 503 as a problem, nothing half-written, and the retry does it once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from quorate.store import sqlite
from tests.web_api import Api, Run

KEY = {"Idempotency-Key": "the-same-wish"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS", 50)
    monkeypatch.setattr("quorate.campaign.engine.PATIENCE_SECONDS", 0.0)
    with Api(tmp_path) as api:
        yield api.running()


def post(run: Run, tasks: list[dict[str, Any]]) -> httpx.Response:
    return run.ask("POST", "/tasks", json={"tasks": tasks}, headers=KEY)


def check_refused(run: Run, response: httpx.Response, said: str, seq: int) -> None:
    assert response.status_code == 503
    assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["Retry-After"]) >= 1
    problem = response.json()
    assert problem["code"] == "unavailable"
    assert said in problem["detail"]
    assert "nothing was written" in problem["detail"]
    assert run.get("")["seq"] == seq, "readers go on, and see nothing of it"
    assert run.api.store.head(run.name).seq == seq
    assert run.api.store.recorded(run.name, list(KEY.values())) == {}


def check_done_once(run: Run, tasks: list[dict[str, Any]]) -> None:
    first, again = post(run, tasks), post(run, tasks)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert first.json()["refused"] == 0
    assert run.get("")["posted"] == 2 + len(tasks)
    assert run.get("/verify")["intact"]


def test_a_locked_database(run: Run) -> None:
    tasks, seq = [{"key": "wanted"}], run.get("")["seq"]
    with run.api.store._writing([]):
        check_refused(run, post(run, tasks), "locked", seq)
    check_done_once(run, tasks)


def test_a_full_disk(run: Run) -> None:
    """Room for a few pages more, and a command that needs a hundred."""
    tasks = [{"key": f"wanted-{at}", "payload": "x" * 5_000} for at in range(100)]
    seq, store = run.get("")["seq"], run.api.store
    with store._reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    limit = [pages + 8]
    event.listen(store._engine, "checkout", lambda dbapi, *_: dbapi.execute(f"PRAGMA max_page_count = {limit[0]}"))
    check_refused(run, post(run, tasks), "full", seq)
    limit[0] = pages + 10_000
    check_done_once(run, tasks)
