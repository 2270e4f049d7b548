"""Kill -9 `quorate serve` again and again under load, and see what is left.

Small in tests/contract/test_service_crashes.py, in full in `python -m benchmarks service --crash 200`.

Clients post tasks, answer and tell truths at the same time, everything under idempotency keys. When the service dies
they wait for the next life and send again, under the same key, what they had no answer to. At the end nothing
acknowledged is missing, nothing is doubled, the chain is intact, everything follows from its causes, and the state is
that of a campaign whose service nobody killed.

The clients' order is chance; the campaign's end is not. One task at a time is explored, whose truth is told once it is
decided, and what is answered depends on the task and the worker alone.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from quorate.campaign.persistent import Vector
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.settings import PaymentRule, PolicyRule, Settings
from quorate.campaign.snapshot import fingerprint
from quorate.campaign.state import State, evolve
from quorate.campaign.tokens import Role, Tokens
from quorate.campaign.vault import Vault
from quorate.money import MILLIONTHS
from quorate.store import SqlStore, open_store
from tests.crash import WORKERS, world
from tests.served import GONE, ROOT, SECRET, Answer, Client, Served

NAME = "crashed"
BATCH = 20
# One life of four is killed before it serves, or just as it begins to. The others after so many acknowledgements and a
# moment more: counted, so that a fast machine does not finish its campaign between two kills.
LONGEST_START = 3.0
MOST_WORK = 40
LONGEST_MOMENT = 0.02
PAUSE_SECONDS = 0.02
# A campaign in which nothing is acknowledged for so long is stuck.
STUCK_SECONDS = 90.0


@dataclass(frozen=True)
class Report:
    """`refused` counts requests that were not answered as they must be: keyed ones with success, doubled ones alike.

    `same` compares the final state with the uninterrupted run's.
    """

    kills: int
    acknowledged: int
    lost: int
    doubled: int
    refused: int
    events: int
    intact: bool
    same: bool
    seconds: float

    @property
    def clean(self) -> bool:
        return self.lost == self.doubled == self.refused == 0 and self.intact and self.same


def settings(tasks: int) -> Settings:
    return Settings(
        title="a campaign whose service is killed",
        # Easily met, so that most tasks are exploited: exploring waits for one task's truth after the other.
        target=0.6,
        confidence=0.5,
        horizon=tasks,
        cap=20 * MILLIONTHS,
        policy=PolicyRule(kappa=Fraction(4)),
        payment=PaymentRule("randomised"),
        exploring_at_once=1,
        at_once=20,
    )


@dataclass(frozen=True)
class Given:
    """A campaign whose auction is closed, and the tokens for it."""

    tasks: int
    requester: str
    workers: tuple[str, ...]


def prepare(url: str, tasks: int) -> Given:
    """With the same seeds and salts in every database."""
    store = open_store(url)
    service = CampaignService(store, Vault(bytes.fromhex(SECRET), os.urandom), entropy=bytes)
    service.draft(settings(tasks), campaign=NAME)
    service.open(NAME)
    for number, bid in enumerate(world()[1]):
        service.enrol(NAME, f"w{number}")
        service.bid(NAME, number, Bid(bid * MILLIONTHS))
    service.close_auction(NAME)
    issued = Tokens(store, wall_clock)
    workers = tuple(issued.issue(NAME, Role.WORKER, number) for number in range(WORKERS))
    given = Given(tasks, issued.issue(NAME, Role.REQUESTER), workers)
    service.close()
    store.close()
    return given


class Site:
    """Where a service is; clients wait here while it is away."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._port: int | None = None
        self._over = False

    def back(self, port: int) -> None:
        with self._changed:
            self._port = port
            self._changed.notify_all()

    def away(self) -> None:
        with self._changed:
            self._port = None

    def end(self) -> None:
        """Nobody shall wait any more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def port(self) -> int:
        """Whoever insists asks here before every attempt, so that nobody goes on when all is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._port is not None, STUCK_SECONDS)
            if self._over:
                raise TimeoutError("the work was ended before this request was answered")
            if self._port is None:
                raise TimeoutError("the service did not come back")
            return self._port


@dataclass
class Tally:
    """What the clients were told. `things` are a kind of event and what it is about."""

    things: set[tuple[str, int, int]] = field(default_factory=set)
    times: int = 0
    refused: list[str] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def acknowledge(self, things: Sequence[tuple[str, int, int]]) -> None:
        with self.changed:
            self.things.update(things)
            self.times += 1
            self.changed.notify_all()

    def refuse(self, what: str) -> None:
        with self.changed:
            self.refused.append(what)

    def known(self) -> set[tuple[str, int, int]]:
        with self.changed:
            return set(self.things)


class Insisting:
    """A client that sends its request again, under the same key, until somebody answers."""

    def __init__(self, site: Site, token: str) -> None:
        self._site = site
        self._client = Client(0, token)

    def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        while True:
            port = self._site.port()
            if port != self._client.port:
                self._client.close()
                self._client.port = port
            try:
                answer = self._client.ask(method, f"/campaigns/{NAME}{path}", body, key)
            except GONE:
                time.sleep(PAUSE_SECONDS)
                continue
            if answer.status != 503:
                return answer
            time.sleep(PAUSE_SECONDS)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        if not answer.good:
            raise RuntimeError(f"GET {path}: {answer.status} {answer.body[:300]!r}")
        return answer.json()

    def close(self) -> None:
        self._client.close()


class Work:
    """Everybody who has something to do in one campaign, each in a thread."""

    def __init__(self, given: Given, sites: Sequence[Site]) -> None:
        self.tally = Tally()
        self._given = given
        self._sites = sites
        self._over = threading.Event()
        self._field, _ = world()
        self._pool = ThreadPoolExecutor(WORKERS + 2)
        self._busy: list[Future[None]] = []
        self._clients: list[Insisting] = []

    def start(self) -> None:
        self._busy = [
            self._pool.submit(self._post, self._client(0, self._given.requester)),
            self._pool.submit(self._tell, self._client(1, self._given.requester)),
        ]
        for number, token in enumerate(self._given.workers):
            self._busy.append(self._pool.submit(self._answer, self._client(number, token), number))

    def _client(self, at: int, token: str) -> Insisting:
        client = Insisting(self._sites[at % len(self._sites)], token)
        self._clients.append(client)
        return client

    def wait(self, times: int) -> bool:
        """Until there are so many acknowledgements; False if the work ended before that."""
        known, since = self.tally.times, time.monotonic()
        while self.tally.times < times:
            for job in self._busy:
                if job.done() and job.exception() is not None:
                    job.result()
            if all(job.done() for job in self._busy):
                return False
            with self.tally.changed:
                self.tally.changed.wait(PAUSE_SECONDS)
            if self.tally.times != known:
                known, since = self.tally.times, time.monotonic()
            elif time.monotonic() - since > STUCK_SECONDS:
                raise TimeoutError(f"nothing has been acknowledged for {STUCK_SECONDS:g} s")
        return True

    def stop(self) -> None:
        """Whether or not everything is done."""
        self._over.set()
        for site in self._sites:
            site.end()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for client in self._clients:
            client.close()

    def _keyed(self, client: Insisting, path: str, body: Any, key: str) -> Any:
        """What was answered; None, and tallied as refused, if it was not taken whole."""
        answer = client.ask("POST", path, body, key)
        found = answer.json()
        if answer.good and not found.get("refused"):
            return found
        self.tally.refuse(f"{key}: {answer.status} {found}")
        return None

    def _post(self, client: Insisting) -> None:
        for start in range(0, self._given.tasks, BATCH):
            numbers = range(start, min(start + BATCH, self._given.tasks))
            body = {"tasks": [{"key": f"t{number}", "payload": number} for number in numbers]}
            if self._keyed(client, "/tasks", body, f"post-{start}") is not None:
                self.tally.acknowledge([("task posted", number, -1) for number in numbers])
            if self._over.is_set():
                return

    def _answer(self, client: Insisting, number: int) -> None:
        """What is asked, as the world has it; every third answer twice more: under its key, and without one."""
        while not self._over.is_set():
            leases = client.get("/workers/me/assignments")["items"]
            for lease in leases:
                self._give(client, number, lease["task"], lease["key"])
            if not leases:
                if client.get("/terms")["stage"] == "closed":
                    break
                time.sleep(PAUSE_SECONDS)

    def _give(self, client: Insisting, number: int, task: int, name: str) -> None:
        truth = int(self._field.truth(task))
        right = bool(self._field.right(task, np.array([number], dtype=np.int64))[0])
        path, body, key = f"/tasks/{name}/answer", {"label": truth if right else 1 - truth}, f"{number}-{task}"
        first = self._keyed(client, path, body, key)
        if first is None:
            return
        self.tally.acknowledge([("answer given", task, number)])
        if task % 3 == 0:
            if self._keyed(client, path, body, key) != first:
                self.tally.refuse(f"{key}: answered otherwise the second time")
            doubled = client.ask("POST", path, body)
            if doubled.status != 409 or doubled.json()["code"] != "second-answer":
                self.tally.refuse(f"{key} without its key: {doubled.status} {doubled.body[:300]!r}")

    def _tell(self, client: Insisting) -> None:
        """Truths of decided tasks, a few at a time; then pay, confirm, and close."""
        told: set[int] = set()
        first = 0
        while len(told) < self._given.tasks and not self._over.is_set():
            page = client.get(f"/tasks?limit={5 * BATCH}" + (f"&after={first - 1}" if first else ""))["items"]
            ready = [task["task"] for task in page if task["state"] == "decided" and task["task"] not in told][:BATCH]
            if not ready:
                time.sleep(PAUSE_SECONDS)
                continue
            truths = [{"task": task, "truth": int(self._field.truth(task))} for task in ready]
            if self._keyed(client, "/truths", {"truths": truths}, f"truths-{ready[0]}-{ready[-1]}-{len(told)}"):
                self.tally.acknowledge([("truth revealed", task, -1) for task in ready])
            told.update(ready)
            while first in told:
                first += 1
        if not self._over.is_set():
            ordered = self._keyed(client, "/payouts", {}, "payouts") or {"payouts": []}
            for payout in ordered["payouts"]:
                self._keyed(client, f"/payouts/{payout['payout']}/confirm", None, f"confirm-{payout['payout']}")
            self._keyed(client, "/close", {}, "close")


@contextmanager
def working(given: Given, sites: Sequence[Site]) -> Iterator[Work]:
    """Clients at work while the block runs; then they end, whatever happened."""
    work = Work(given, sites)
    work.start()
    try:
        yield work
    finally:
        work.stop()


def crash(killed: str, quiet: str, *, kills: int, tasks: int, before: str = "", seed: int = 1) -> Report:
    """Kill the service on the first database so many times, and compare with one life on the second.

    `before` is Python that the killed services run first (tests.served.Served).
    """
    dice, begun = random.Random(seed), time.monotonic()
    site, served = Site(), Served(killed, before)
    given = prepare(killed, tasks)
    done = lost = 0
    try:
        served.start()
        with working(given, [site]) as work:
            site.back(served.port)
            while done < kills and not lost and work.wait(work.tally.times + dice.randint(1, MOST_WORK)):
                time.sleep(dice.uniform(0.0, LONGEST_MOMENT))
                done += _kill_and_restart(served, site, dice, kills - done)
                # Before the clients go on: they would give an answer that was lost once more, and nobody could tell.
                lost = len(work.tally.known() - set(things(killed)))
                if not lost:
                    site.back(served.port)
            if not lost:
                work.wait(sys.maxsize)
            else:
                site.back(served.port)
        served.stop()
    finally:
        served.kill()
    if not lost:
        undisturbed(quiet, tasks)
    return examine(killed, quiet, work.tally, kills=done, lost=lost, seconds=time.monotonic() - begun)


def _kill_and_restart(served: Served, site: Site, dice: random.Random, left: int) -> int:
    """One death at work, and with a chance of one in four another one at birth; how many."""
    site.away()
    served.kill()
    deaths = 1
    if left > 1 and dice.random() < 0.25:
        served.launch()
        time.sleep(dice.uniform(0.0, LONGEST_START))
        served.kill()
        deaths += 1
    served.start()
    return deaths


def undisturbed(url: str, tasks: int) -> Tally:
    """The same campaign on another database, whose service lives from its beginning to its end."""
    given, site = prepare(url, tasks), Site()
    with Served(url) as served, working(given, [site]) as work:
        site.back(served.port)
        work.wait(sys.maxsize)
    return work.tally


def things(url: str) -> list[tuple[str, int, int]]:
    """What people did, as the ledger has it."""
    store = open_store(url, migrate=False)
    kinds: dict[str, Callable[[dict[str, Any]], int]] = {
        "task posted": lambda _: -1,
        "answer given": lambda body: int(body["worker"]),
        "truth revealed": lambda _: -1,
    }
    found = []
    for record in store.read(NAME, 0, 10**9, list(kinds)):
        body = json.loads(record.body)
        found.append((record.kind, int(body["task"]), kinds[record.kind](body)))
    store.close()
    return found


def examine(url: str, reference: str, tally: Tally, *, kills: int, lost: int, seconds: float) -> Report:
    """Of a campaign that has ended; one that has lost something is not compared."""
    found = things(url)
    state, end = final(url), None if lost else final(reference)
    return Report(
        kills=kills,
        acknowledged=len(tally.known()),
        lost=lost or len(tally.known() - set(found)),
        doubled=len(found) - len(set(found)),
        refused=len(tally.refused),
        events=state.seq,
        intact=all(ledger_command(name, url) for name in ("verify", "replay")),
        same=end is not None and timeless(state) == timeless(end),
        seconds=round(seconds, 1),
    )


def final(url: str) -> State:
    store: SqlStore = open_store(url)
    service = CampaignService(store, Vault(bytes.fromhex(SECRET), os.urandom))
    state = service.state(NAME)
    service.close()
    store.close()
    return state


def timeless(state: State) -> str:
    """The fingerprint without the deadlines: two runs have different clocks."""
    return fingerprint(evolve(state, tasks=Vector(task._replace(deadline=0) for task in state.tasks)))


def ledger_command(name: str, url: str) -> bool:
    """Whether the auditor's command finds nothing wrong."""
    done = subprocess.run(
        [sys.executable, "-c", "from quorate.cli.main import main; main()", "ledger", name, url, "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "QUORATE_SECRET": SECRET},
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stdout[-1_000:] + done.stderr[-1_000:])
    return done.returncode == 0
