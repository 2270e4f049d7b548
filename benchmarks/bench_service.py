"""The service over HTTP: load beside a bare measurement of the same store, and kill -9.

    python -m benchmarks service                 load on SQLite
    python -m benchmarks service --postgresql    the same on a private PostgreSQL
    python -m benchmarks service --no-lanes      the same on SQLite, every request through the framework
    python -m benchmarks service --pages         the dashboard with 1,100 workers and 10^4 tasks
    python -m benchmarks service --crash 200     kill -9 at so many random moments, on both stores
    python -m benchmarks service --crash 200 --postgresql    on that one only

`quorate serve` runs in a process of its own, and so does the load (benchmarks.http_load); all share the machine. A task
end to end is posted, looked up, answered by a jury of three, each over its own connection, and decided: five requests,
of which four wait until their events are on the disk. "Bare" is the same store committing one small row at a time.
The dashboard is asked for as a browser would: the first time after a start, one after another, and by eight at once.
"""

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.bench_campaign import ANSWERS_AIM, NAME, TASKS_AIM, bare_commits, crowd, explored, postgresql
from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.tokens import Role, Tokens
from quorate.campaign.vault import Vault
from quorate.store import open_store
from tests import crash_http
from tests.served import SECRET, Served

CLIENTS = (1, 16, 64)
# The highest there is: no load on one machine could meet it.
NO_LIMIT = ("--rate", "1000000")
# What `quorate.web.lanes` gains is seen without it.
WITHOUT_LANES = "import quorate.web.app as app; app.FREQUENT = ()"
PAGE_LIMIT = 0.3
PAGES = 30
# How long after a start the first dashboard is asked for: at once, and when everything has been loaded.
PAUSES = (0.0, 2.0)
PAGES_AT_ONCE = 8
CROWD = 1_100
CROWD_TASKS = 10_000
WORKERS = 5
HORIZON = 200_000
BATCH = 500
BATCHED_TASKS = 10_000
TICKS = os.sysconf("SC_CLK_TCK")


def prepare(url: str) -> dict[str, Any]:
    """A campaign that has chosen its jury of three for good, and tokens for it."""
    store = open_store(url)
    service = CampaignService(store, Vault(bytes.fromhex(SECRET), os.urandom))
    size = explored(service, horizon=HORIZON, workers=WORKERS)
    if size != 3:
        raise RuntimeError(f"the jury has {size} members where the benchmark says 3")
    tokens = Tokens(store, wall_clock)
    workers = {str(number): tokens.issue(NAME, Role.WORKER, number) for number in range(WORKERS)}
    given = {"campaign": NAME, "requester": tokens.issue(NAME, Role.REQUESTER), "workers": workers}
    service.close()
    store.close()
    return given


def processor_seconds(pid: int) -> float:
    """What a process has used so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def send(served: Served, given: dict[str, Any], what: str, *, keyed: bool = False, **how: Any) -> dict[str, Any]:
    """One load; what it found, and what share of the elapsed time each side's processor work took."""
    before = processor_seconds(served.pid)
    load = {**given, "port": served.port, "what": what, "how": how, "keyed": keyed, "name": f"n{time.time_ns()}"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.http_load", json.dumps(load)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    found: dict[str, Any] = json.loads(done.stdout)
    shares = {"server": processor_seconds(served.pid) - before, "client": found["cpu"]}
    return {**found, **{f"{side}_share": used / found["seconds"] for side, used in shares.items()}}


def told(what: str, rate: float, unit: str, found: dict[str, Any]) -> None:
    cuts = statistics.quantiles(found["spent"], n=100) if len(found["spent"]) > 1 else found["spent"] * 99
    print(
        f"{what:32s} {rate:8.0f} {unit}   p50 {cuts[49] * 1e3:7.1f} ms   p99 {cuts[98] * 1e3:7.1f} ms   "
        f"processor: server {found['server_share']:4.0%}, client {found['client_share']:4.0%}",
        flush=True,
    )


def bare(url: str, seconds: float) -> float:
    store = open_store(url)
    found = bare_commits(store, seconds)
    store.close()
    return found


def load(url: str, seconds: float, first: str = "") -> None:
    """`first` is Python that the service runs before it starts."""
    given = prepare(url)
    before = bare(url, seconds / 2)
    with Served(url, first, *NO_LIMIT) as served:
        for clients in CLIENTS:
            for keyed in (False, True):
                found = send(served, given, "unbatched", keyed=keyed, clients=clients, seconds=seconds)
                named = f"{clients} clients{', keys' if keyed else ''}"
                told(named, found["tasks"] / found["seconds"], "tasks/s  ", found)
                spent = found["server_share"] * found["seconds"] / found["tasks"]
                print(f"{'':32s} {spent * 1e3:.2f} ms of the server's processor a task", flush=True)
        found = send(served, given, "batched", tasks=BATCHED_TASKS, size=BATCH)
        told(f"batches of {BATCH}", found["answers"] / found["seconds"], "answers/s", found)
    after = bare(url, seconds / 2)
    print(f"bare commits of this store: {before:.0f}/s before, {after:.0f}/s after")
    print(f"aims on SQLite: {TASKS_AIM} tasks/s, {ANSWERS_AIM} answers/s")


def crowded(url: str) -> str:
    """A campaign of 1,100 workers and 10^4 tasks, most of them decided; its requester's token."""
    store = open_store(url)
    service = CampaignService(store, Vault(bytes.fromhex(SECRET), os.urandom))
    crowd(service, workers=CROWD, tasks=CROWD_TASKS)
    token = Tokens(store, wall_clock).issue(NAME, Role.REQUESTER)
    service.close()
    store.close()
    return token


def page(port: int, token: str) -> float:
    """Seconds from asking for the dashboard to its last byte, over a connection of its own."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/c/{NAME}", headers={"Cookie": f"quorate_requester={token}"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != 200 or b"</html>" not in body:
        raise RuntimeError(f"the dashboard: {response.status} {body[:300]!r}")
    return time.perf_counter() - begun


def dashboard(url: str) -> int:
    """Exit status 1 if the median is over the limit."""
    token = crowded(url)
    print(f"dashboard, {CROWD:,} workers and {CROWD_TASKS:,} tasks (limit {PAGE_LIMIT * 1e3:g} ms)")
    for pause in PAUSES:
        with Served(url, "", *NO_LIMIT) as served:
            time.sleep(pause)
            print(f"the first, {pause:g} s after a start: {page(served.port, token) * 1e3:.0f} ms")
    with Served(url, "", *NO_LIMIT) as served:
        page(served.port, token)
        spent = [page(served.port, token) for _ in range(PAGES)]
        with ThreadPoolExecutor(PAGES_AT_ONCE) as pool:
            together = list(pool.map(lambda _: page(served.port, token), range(PAGES_AT_ONCE * 5)))
    median = statistics.median(spent)
    print(f"one after another: median {median * 1e3:.0f} ms, longest {max(spent) * 1e3:.0f} ms")
    middle = statistics.median(together)
    print(f"{PAGES_AT_ONCE} at once: median {middle * 1e3:.0f} ms, longest {max(together) * 1e3:.0f} ms")
    return int(median > PAGE_LIMIT)


def crash(folder: Path, kills: int, *, sqlite: bool) -> int:
    """Exit status 1 if anything acknowledged was lost or doubled, or the end differs from a quiet run's."""
    failed = 0
    with postgresql() as server:
        urls = {"SQLite": [f"sqlite:///{folder}/{name}.db" for name in ("killed", "quiet")]} if sqlite else {}
        urls["PostgreSQL"] = [server.create_database(), server.create_database()]
        for name, (killed, quiet) in urls.items():
            report = crash_http.crash(killed, quiet, kills=kills, tasks=15 * kills)
            print(f"{name}: {json.dumps({**asdict(report), 'clean': report.clean})}", flush=True)
            failed |= not report.clean
    return failed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--no-lanes", action="store_true")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--crash", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if given.crash:
            return crash(Path(folder), given.crash, sqlite=not given.postgresql)
        if given.pages:
            return dashboard(f"sqlite:///{folder}/crowd.db")
        if given.postgresql:
            with postgresql() as server:
                print("PostgreSQL")
                load(server.create_database(), given.seconds)
            return 0
        print("SQLite" + (", without lanes" if given.no_lanes else ""))
        load(f"sqlite:///{folder}/load.db", given.seconds, WITHOUT_LANES if given.no_lanes else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
