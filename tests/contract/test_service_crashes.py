"""`quorate serve` killed, its database restarted, two of it at once: what clients were told over HTTP stands.

Small; `python -m benchmarks service --crash 200` kills 200 times on each store.
"""

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.crash_http import (
    NAME,
    Given,
    Insisting,
    Site,
    Tally,
    Work,
    crash,
    final,
    ledger_command,
    prepare,
    things,
    timeless,
    undisturbed,
    working,
)
from tests.postgres import server_or_skip
from tests.served import OPERATOR, Client, Served

KILLS = 3
TASKS = 60


def two_databases(kind: str, folder: Path) -> tuple[str, str]:
    if kind == "sqlite":
        return f"sqlite:///{folder / 'killed.db'}", f"sqlite:///{folder / 'quiet.db'}"
    server = server_or_skip()
    return server.create_database(), server.create_database()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_kill_nine_of_the_service_loses_nothing_and_doubles_nothing(kind: str, tmp_path: Path) -> None:
    report = crash(*two_databases(kind, tmp_path), kills=KILLS, tasks=TASKS)
    assert report.kills == KILLS
    assert report.acknowledged > 3 * TASKS
    assert report.lost == report.doubled == report.refused == 0, report
    assert report.intact
    assert report.same, "the state of a campaign whose service nobody killed"


def test_a_service_that_acknowledges_too_early_is_caught(tmp_path: Path) -> None:
    urls = two_databases("sqlite", tmp_path)
    report = crash(*urls, kills=20, tasks=20 * TASKS, before="import tests.writes_behind")
    assert report.lost > 0
    assert not report.clean


class Never(BaseHTTPRequestHandler):
    """A service that is there and takes nothing."""

    status = 503

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"refused": 1}'
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[Site]:
    """A site where this handler answers everything."""
    server, site = ThreadingHTTPServer(("127.0.0.1", 0), handler), Site()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    site.back(server.server_port)
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_whoever_insists_ends_when_the_work_is_over() -> None:
    """Otherwise a service that takes nothing for ever would never be reported."""
    with answering(Never) as site, ThreadPoolExecutor(1) as pool:
        insisting = Insisting(site, "token")
        waiting = pool.submit(insisting.ask, "POST", "/tasks", {})
        time.sleep(0.2)
        assert not waiting.done()
        site.end()
        with pytest.raises(TimeoutError, match="was ended"):
            waiting.result(10.0)
        insisting.close()


@pytest.mark.parametrize("status", [200, 409])
def test_what_was_refused_is_not_counted_as_acknowledged(status: int) -> None:
    refusing = type("Refusing", (Never,), {"status": status})
    with answering(refusing) as site:
        work, insisting = Work(Given(5, "token", ()), [site]), Insisting(site, "token")
        work._post(insisting)
        work._give(insisting, 0, 3, "t3")
        work.stop()
        insisting.close()
    assert work.tally.known() == set()
    assert len(work.tally.refused) == 2


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """How the campaign ends where nothing goes wrong, on whichever store."""
    url = f"sqlite:///{tmp_path_factory.mktemp('quiet') / 'quiet.db'}"
    assert not undisturbed(url, TASKS).refused
    return timeless(final(url))


def check_end(url: str, tally: Tally, whole: str) -> None:
    found = things(url)
    assert not tally.refused
    assert len(found) == len(set(found)), "nothing doubled"
    assert tally.known() == set(found), "all that was acknowledged, and nothing else"
    assert timeless(final(url)) == whole
    assert ledger_command("verify", url)
    assert ledger_command("replay", url)


def test_a_database_server_that_restarts_twice_in_mid_run(whole: str) -> None:
    server = server_or_skip()
    url, site = server.create_database(), Site()
    given = prepare(url, TASKS)
    with Served(url) as served, working(given, [site]) as work:
        site.back(served.port)
        assert work.wait(40)
        server.shut_down("fast")
        server.start()
        assert work.wait(work.tally.times + 40)
        server.kill()
        work.wait(sys.maxsize)
    check_end(url, work.tally, whole)


def test_two_services_serve_one_campaign_and_one_of_them_dies(whole: str) -> None:
    url, sites = server_or_skip().create_database(), [Site(), Site()]
    given = prepare(url, TASKS)
    with ExitStack() as stack:
        services = [stack.enter_context(Served(url)) for _ in sites]
        work = stack.enter_context(working(given, sites))
        for site, served in zip(sites, services, strict=True):
            site.back(served.port)
        assert work.wait(60)
        services[0].kill()
        # As a proxy would: whose service has died goes to the other, with what it had no answer to.
        sites[0].back(services[1].port)
        assert work.wait(work.tally.times + 60)
        sites[0].back(services[0].start().port)
        work.wait(sys.maxsize)
    check_end(url, work.tally, whole)


def test_a_second_service_on_one_sqlite_file_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'one.db'}"
    prepare(url, TASKS)
    with Served(url) as first:
        with pytest.raises(RuntimeError, match="ended with status 2"):
            Served(url).start()
        client = Client(first.port, OPERATOR)
        assert client.get("/campaigns") == {"campaigns": [NAME]}
        client.close()
