"""Processes that are killed, servers that restart, disks that are full, files that are locked: on both stores.

Small; `python -m benchmarks.bench_campaign --crash` kills 200 times.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, OperationalError

from quorate.campaign.refusal import Refused, Unavailable
from quorate.campaign.service import CampaignService
from quorate.campaign.vault import Vault
from quorate.store import SqlStore, open_store, postgres, sqlite
from tests.campaigns import small
from tests.postgres import PostgresServer, server_or_skip

KILLS = 10
ROOT = Path(__file__).parents[2]


def two_databases(kind: str, folder: Path) -> tuple[str, str]:
    if kind == "sqlite":
        return f"sqlite:///{folder / 'killed.db'}", f"sqlite:///{folder / 'whole.db'}"
    server = server_or_skip()
    return server.create_database(), server.create_database()


def run_crashes(urls: tuple[str, str], before: str = "", kills: int = KILLS) -> dict[str, Any]:
    """In a process of its own: it forks, which a process with threads must not."""
    script = f"{before}\nimport sys\nfrom tests.crash import main\nsys.argv[1:] = {[*urls, '--kills', str(kills)]!r}"
    script += f" + ['--tasks', '{20 * kills}']\nmain()"
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_kill_nine_loses_nothing_and_doubles_nothing(kind: str, tmp_path: Path) -> None:
    report = run_crashes(two_databases(kind, tmp_path))
    assert report["kills"] == KILLS
    assert report["acknowledged"] > 0
    assert report["lost"] == 0
    assert report["doubled"] == 0
    assert report["same"], "the state of a run that nobody interrupted"


def test_a_store_that_acknowledges_too_early_is_caught(tmp_path: Path) -> None:
    report = run_crashes(two_databases("sqlite", tmp_path), before="import tests.writes_behind", kills=4)
    assert report["lost"] > 0


class Busy:
    """Enrols workers one after another from a thread, each under its own key, asking again where it is told to."""

    def __init__(self, service: CampaignService, campaign: str) -> None:
        self.service = service
        self.campaign = campaign
        self.acknowledged: list[str] = []
        self.told_to_wait = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        number = 0
        while not self.stop.is_set():
            name = f"w{number}"
            try:
                self.service.enrol(self.campaign, name, key=name)
            except Unavailable:
                self.told_to_wait += 1
                self.stop.wait(0.05)
                continue
            self.acknowledged.append(name)
            number += 1

    def wait_for(self, count: int) -> None:
        goal = len(self.acknowledged) + count
        while len(self.acknowledged) < goal:
            assert self.thread.is_alive()
            self.stop.wait(0.01)


def opened(store: Any) -> tuple[CampaignService, str]:
    service = CampaignService(store, Vault(bytes(32), os.urandom))
    campaign = service.draft(small())
    service.open(campaign)
    return service, campaign


def names_in_ledger(store: SqlStore, campaign: str) -> list[str]:
    return [json.loads(record.body)["name"] for record in store.read(campaign, 0, 10**6, ["worker enrolled"])]


@pytest.mark.parametrize("how", ["fast", "kill"])
def test_a_server_that_restarts_in_mid_run(how: str) -> None:
    server: PostgresServer = server_or_skip()
    store = open_store(server.create_database())
    service, campaign = opened(store)
    busy = Busy(service, campaign)
    busy.thread.start()
    try:
        busy.wait_for(10)
        if how == "kill":
            server.kill()
        else:
            server.shut_down(how)
            server.start()
        busy.wait_for(10)
    finally:
        busy.stop.set()
        busy.thread.join()
    assert names_in_ledger(store, campaign) == busy.acknowledged, "none lost, none doubled, in order"
    service.verify(campaign)
    service.close()
    store.close()


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SqlStore, CampaignService, str]]:
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS", 50)
    monkeypatch.setattr("quorate.campaign.engine.PATIENCE_SECONDS", 0.0)
    store = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    service, campaign = opened(store)
    yield store, service, campaign
    service.close()
    store.close()


def test_a_locked_database_is_a_clean_refusal(embedded: tuple[SqlStore, CampaignService, str]) -> None:
    store, service, campaign = embedded
    service.enrol(campaign, "before")
    with store._writing([]):
        with pytest.raises(Unavailable, match="locked") as caught:
            service.enrol(campaign, "meanwhile")
        assert caught.value.passing
        assert service.status(campaign).workers == 1, "readers are not locked out"
    assert service.enrol(campaign, "after").worker == 1
    assert names_in_ledger(store, campaign) == ["before", "after"]
    service.verify(campaign)


def test_a_full_disk_is_a_clean_refusal_and_nothing_is_half_written(
    embedded: tuple[SqlStore, CampaignService, str],
) -> None:
    store, service, campaign = embedded
    service.enrol(campaign, "before")
    with store._reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    limit = [pages + 8]
    event.listen(store._engine, "checkout", lambda dbapi, *_: dbapi.execute(f"PRAGMA max_page_count = {limit[0]}"))
    accepted = ["before"]
    refused = None
    while refused is None and len(accepted) < 1_000:
        try:
            service.enrol(campaign, f"w{len(accepted)}")
        except Unavailable as unavailable:
            refused = unavailable
        else:
            accepted.append(f"w{len(accepted)}")
    assert refused is not None
    assert "full" in str(refused)
    assert not refused.passing
    assert names_in_ledger(store, campaign) == accepted
    assert service.status(campaign).workers == len(accepted)
    service.verify(campaign)
    limit[0] = pages + 10_000
    service.enrol(campaign, "after")
    assert names_in_ledger(store, campaign) == [*accepted, "after"]
    service.verify(campaign)


def test_a_refusal_of_the_database_is_said_in_words() -> None:
    class Said(Exception):
        def __init__(self, text: str, sqlstate: str | None = None) -> None:
            super().__init__(text)
            self.sqlstate = sqlstate

    def failed(text: str, sqlstate: str | None = None) -> DBAPIError:
        return OperationalError("INSERT ...", {}, Said(text, sqlstate))

    assert postgres._diagnose(failed("could not extend file", "53100")) == (
        "the database server's disk is full; nothing was written: make room and try again",
        False,
    )
    for state in ("57P01", "40P01", "53300"):
        found = postgres._diagnose(failed("x", state))
        assert found is not None
        assert found[1], "over in a moment"
    for text, passing in (("database is locked", True), ("database or disk is full", False), ("disk I/O error", False)):
        found = sqlite._diagnose(failed(text))
        assert found is not None
        assert found[1] is passing
    assert sqlite._diagnose(failed("near SELECT: syntax error")) is None


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_services_on_one_database_serve_one_campaign(kind: str, tmp_path: Path) -> None:
    url, _ = two_databases(kind, tmp_path)
    stores = [open_store(url), open_store(url)]
    first, campaign = opened(stores[0])
    second = CampaignService(stores[1], Vault(bytes(32), os.urandom))
    outcomes: dict[str, list[int]] = {}
    lock = threading.Lock()

    def enrol(service: CampaignService, offset: int) -> None:
        for number in range(30):
            name = f"w{number + offset}"
            try:
                found = service.enrol(campaign, name).worker
            except Refused:
                continue
            with lock:
                outcomes.setdefault(name, []).append(found)

    # Every name is tried by both services: exactly one of them may win.
    threads = [threading.Thread(target=enrol, args=(service, 10 * at)) for at, service in enumerate((first, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found for numbers in outcomes.values() for found in numbers) == list(range(40))
    assert first.status(campaign).seq == second.status(campaign).seq
    assert first.verify(campaign) == second.verify(campaign)
    for service, store in zip((first, second), stores, strict=True):
        service.close()
        store.close()
