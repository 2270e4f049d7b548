"""Campaigns at the level of the engine and its store: load beside a bare measurement of the disk, size, and crashes.

    python -m benchmarks.bench_campaign               load on SQLite, and 1,100 workers x 10^4 tasks
    python -m benchmarks.bench_campaign --postgresql  the same on a private PostgreSQL
    python -m benchmarks.bench_campaign --events 1000000   memory and start-up time with so many events
    python -m benchmarks.bench_campaign --crash 200   kill -9 at so many random moments, on both stores

A task end to end is posted, assigned, answered by a jury of three, and decided; every command waits until its events
are on the disk. "Bare" is the same store committing one small row at a time from one connection: what a service without
group commit could at best do, commands per second.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from sqlalchemy import text

from quorate.campaign import commands, results
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService
from quorate.campaign.settings import PolicyRule, Settings
from quorate.campaign.vault import Vault
from quorate.money import MILLIONTHS
from quorate.store import SqlStore, open_store
from tests.postgres import PostgresServer

TASKS_AIM = 300
ANSWERS_AIM = 5_000
START_LIMIT = 2.0
BATCH = 500
SECRET = bytes(32)
NAME = "bench"
KIBIBYTES_PER_MEBIBYTE = 1024


def settings(horizon: int, workers: int, kappa: int) -> Settings:
    return Settings(
        title="a campaign under load",
        target=0.95,
        confidence=0.9,
        horizon=horizon,
        cap=20 * MILLIONTHS,
        policy=PolicyRule(pool=workers, kappa=Fraction(kappa)),
        exploring_at_once=8,
        at_once=1_000_000,
    )


def service_on(store: SqlStore) -> CampaignService:
    return CampaignService(store, Vault(SECRET, os.urandom))


def explored(service: CampaignService, horizon: int, workers: int = 5) -> int:
    """A campaign that has just chosen its jury for good; its size."""
    service.draft(settings(horizon, workers, horizon // 200), campaign=NAME)
    service.open(NAME)
    for number in range(workers):
        service.enrol(NAME, f"w{number}")
        service.bid(NAME, number, Bid((3 + number) * MILLIONTHS))
    service.close_auction(NAME)
    # Enough right answers that three of five are certified and two are not; then the jury may be chosen.
    while not service.state(NAME, fresh=False).ended:
        service.post_tasks(NAME, [commands.TaskSpec(gold=1)])
        answer_all(service)
    view = service.jury(NAME)
    if view is None:
        raise RuntimeError("the campaign of the benchmark has no jury")
    return len(view.workers)


def answer_all(service: CampaignService) -> None:
    open_tasks = [service.task(NAME, task, fresh=False) for task in service.state(NAME, fresh=False).open]
    given = [commands.Answer(view.task, worker, 1) for view in open_tasks for worker in view.workers]
    service.answers(NAME, given)


def bare_commits(store: SqlStore, seconds: float) -> float:
    """Commits per second of one row, one after another, with the store's own durability."""
    with store._writing([]) as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS bare (number BIGINT, body TEXT)"))
    end, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        with store._writing([]) as connection:
            connection.exec_driver_sql(f"INSERT INTO bare VALUES ({count}, '{'x' * 200}')")
        count += 1
    return count / seconds


def unbatched(service: CampaignService, clients: int, seconds: float) -> tuple[float, list[float]]:
    """Tasks per second and the time each took: every client posts a task, its jury answers, and it is decided."""
    end = time.perf_counter() + seconds
    spent: list[float] = []
    lock = threading.Lock()

    def client() -> None:
        while time.perf_counter() < end:
            start = time.perf_counter()
            posted = service.post_tasks(NAME, [commands.TaskSpec()]).items[0]
            jury = service.task(NAME, posted.task, fresh=False).workers
            waiting: list[Future[results.Result]] = [
                service.submit(NAME, commands.GiveAnswers((commands.Answer(posted.task, worker, 1),)))
                for worker in jury
            ]
            for future in waiting:
                future.result()
            with lock:
                spent.append(time.perf_counter() - start)

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda _: client(), range(clients)))
    return len(spent) / (time.perf_counter() - begun), spent


def batched(service: CampaignService, tasks: int) -> float:
    """Answers per second: tasks and answers in batches of 500, two batches on their way at a time."""
    begun, answers = time.perf_counter(), 0
    waiting: list[Future[results.Result]] = []
    for _ in range(0, tasks, BATCH):
        posted = service.post_tasks(NAME, [commands.TaskSpec()] * BATCH)
        given = [
            commands.Answer(item.task, worker, 1)
            for item in posted.items
            for worker in service.task(NAME, item.task, fresh=False).workers
        ]
        answers += len(given)
        waiting.extend(
            service.submit(NAME, commands.GiveAnswers(tuple(given[start : start + BATCH])))
            for start in range(0, len(given), BATCH)
        )
        while len(waiting) > 4:
            waiting.pop(0).result()
    for future in waiting:
        future.result()
    return answers / (time.perf_counter() - begun)


def load(store: SqlStore, seconds: float) -> None:
    service = service_on(store)
    size = explored(service, horizon=100_000)
    print(f"jury of {size}")
    before = bare_commits(store, seconds / 2)
    for clients in (1, 16, 64, 256):
        rate, spent = unbatched(service, clients, seconds)
        cuts = statistics.quantiles(spent, n=100) if len(spent) > 1 else [spent[0]] * 99
        p50, p99 = cuts[49] * 1e3, cuts[98] * 1e3
        print(f"unbatched, {clients:4d} clients: {rate:8.1f} tasks/s   p50 {p50:7.1f} ms   p99 {p99:7.1f} ms")
    print(f"batches of {BATCH}:        {batched(service, 10_000):8.0f} answers/s   (aim {ANSWERS_AIM})")
    after = bare_commits(store, seconds / 2)
    print(f"bare commits of this store: {before:.0f}/s before, {after:.0f}/s after; aim {TASKS_AIM} tasks/s")
    begun = time.perf_counter()
    head = service.verify(NAME)
    print(f"chain of {head.seq} events verified in {time.perf_counter() - begun:.1f} s")
    service.close()


def many(store: SqlStore, workers: int, tasks: int) -> None:
    """A crowd, and what a dashboard then reads of it."""
    service = service_on(store)
    crowd(service, workers, tasks)
    for what, call in views(service).items():
        print(f"  {what:12s} {timed(call) * 1e3:7.1f} ms")
    service.close()


def crowd(service: CampaignService, workers: int, tasks: int) -> None:
    """So many workers and tasks, the default pool of 60: from enrolment to the last verdict."""
    begun = time.perf_counter()
    service.draft(settings(tasks, 60, 1), campaign=NAME)
    service.open(NAME)
    futures = [service.submit(NAME, commands.EnrolWorker(f"w{number}")) for number in range(workers)]
    for future in futures:
        future.result()
    with ThreadPoolExecutor(64) as pool:
        bids = (Bid((1 + number % 19) * MILLIONTHS) for number in range(workers))
        list(pool.map(lambda pair: service.bid(NAME, pair[0], pair[1]), enumerate(bids)))
    service.close_auction(NAME)
    print(f"{workers} workers enrolled, {workers} sealed bids opened: {time.perf_counter() - begun:.1f} s")
    begun = time.perf_counter()
    for start in range(0, tasks, BATCH):
        service.post_tasks(NAME, [commands.TaskSpec(gold=1) for _ in range(start, min(start + BATCH, tasks))])
    while service.state(NAME, fresh=False).open:
        answer_all(service)
    state = service.state(NAME)
    answers = sum(worker.answered for worker in state.workers)
    seconds = time.perf_counter() - begun
    print(f"{tasks} tasks decided by {answers} answers, {state.counts.explored} explored: {seconds:.1f} s")


def views(service: CampaignService) -> dict[str, Callable[[], object]]:
    """What a dashboard reads."""
    return {
        "status": lambda: service.status(NAME),
        "workers": lambda: service.workers(NAME),
        "jury": lambda: service.jury(NAME),
        "tasks": lambda: service.tasks(NAME),
        "latest": lambda: service.latest(NAME),
        "notes": lambda: service.latest_notes(NAME),
        "statement": lambda: service.statement(NAME),
    }


def timed(call: Callable[[], object], repeats: int = 5) -> float:
    found = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def size(url: str, events: int) -> None:
    """Memory and start-up time with many events, each in a process of its own."""
    store = open_store(url)
    service = service_on(store)
    explored(service, horizon=events)
    begun = time.perf_counter()
    while service.state(NAME, fresh=False).seq < events:
        batched(service, 5_000)
    seconds = time.perf_counter() - begun
    state = service.state(NAME)
    print(f"{state.seq} events written in {seconds:.0f} s ({state.seq / seconds:.0f} events/s)")
    print(f"memory of the writing process: {resident():.0f} MiB at most")
    service.close()
    store.close()
    for name in ("from the snapshot", "from events alone"):
        if name == "from events alone":
            store = open_store(url)
            with store._writing([]) as connection:
                connection.execute(text("DELETE FROM snapshots"))
            store.close()
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_campaign", "--start", url],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"start {name}: {done.stdout.strip()}   (limit {START_LIMIT:g} s from the snapshot)")


def start(url: str) -> None:
    """What a fresh process needs until it can serve."""
    imported = resident()
    begun = time.perf_counter()
    store = open_store(url)
    service = service_on(store)
    seq = service.status(NAME).seq
    seconds = time.perf_counter() - begun
    print(f"{seq} events in {seconds:.2f} s, {resident() - imported:.0f} MiB more than the imports' {imported:.0f} MiB")
    store.close()


def resident() -> float:
    """Largest resident size of this process so far, MiB (Linux; `getrusage` would begin with the parent's)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / KIBIBYTES_PER_MEBIBYTE
    raise RuntimeError("this system does not tell a process's largest resident size")


def crash(urls: tuple[str, str], kills: int) -> int:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", *urls, "--kills", str(kills), "--tasks", str(15 * kills)],
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"  {done.stdout.strip() or done.stderr[-2000:]}")
    return done.returncode


@contextmanager
def postgresql() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.stop()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--events", type=int, default=0)
    parser.add_argument("--crash", type=int, default=0)
    parser.add_argument("--start", default="", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args(arguments)
    if given.start:
        start(given.start)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if given.crash:
            return run_crashes(Path(folder), given.crash)
        if given.events:
            size(f"sqlite:///{folder}/size.db", given.events)
            return 0
        if given.postgresql:
            with postgresql() as server:
                print("PostgreSQL")
                run_load(server.create_database(), server.create_database(), given.seconds)
            return 0
        print("SQLite")
        run_load(f"sqlite:///{folder}/load.db", f"sqlite:///{folder}/many.db", given.seconds)
    return 0


def run_load(first: str, second: str, seconds: float) -> None:
    store = open_store(first)
    load(store, seconds)
    store.close()
    store = open_store(second)
    many(store, 1_100, 10_000)
    store.close()


def run_crashes(folder: Path, kills: int) -> int:
    print("SQLite")
    failed = crash((f"sqlite:///{folder}/killed.db", f"sqlite:///{folder}/whole.db"), kills)
    with postgresql() as server:
        print("PostgreSQL")
        failed |= crash((server.create_database(), server.create_database()), kills)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
