"""A campaign of simulated workers over the real API of a real service: what `quorate demo` plays.

Everybody has a token and does what its bearer could do with curl: workers bid, look for work and answer; the requester
sets up, posts tasks and tells truths. Nothing here looks into the service or its store.
"""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from socket import socket
from time import monotonic, sleep
from typing import Any

import numpy as np

from quorate.campaign.ranges import from_ranges
from quorate.campaign.refusal import Code
from quorate.campaign.tokens import digest
from quorate.cli.reach import API, ApiProblem, Reach, Session
from quorate.errors import InvalidInput, QuorateError
from quorate.lab.world.base import World
from quorate.model.realization import Realization
from quorate.money import from_millionths
from quorate.web.pages import mount
from quorate.web.serving import Server, Serving, address, configured

START_SECONDS = 60.0
# Workers who send at the same time.
AT_ONCE = 32
BATCH = 1_000
NAME = "demo"
# Why an answer is not needed any more: somebody at a page was quicker, with a worker's link or the requester's.
OVERTAKEN = frozenset({Code.SECOND_ANSWER, Code.TASK_DECIDED, Code.NOT_ASKED})
NAMES = ("Ada", "Bo", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "June")


@contextmanager
def serving(store: str, operator: str, listening: socket) -> Iterator[str]:
    """`quorate serve` in a thread of this process, with its pages; ended cleanly on the way out."""
    server = Server(configured(Serving(store, digest(operator), True, None, mount)))
    thread = threading.Thread(target=server.run, args=([listening],), name="quorate-demo-service")
    thread.start()
    try:
        end = monotonic() + START_SECONDS
        while not server.started:
            if not thread.is_alive() or monotonic() > end:
                raise InvalidInput("the demo's service did not start; see the messages above")
            sleep(0.01)
        yield address(listening)
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def unless_closed() -> Iterator[None]:
    """The campaign may be closed on its page at any moment; what was on its way then comes to nothing."""
    try:
        yield
    except ApiProblem as problem:
        if problem.code != Code.WRONG_STAGE:
            raise


@dataclass(frozen=True)
class Play:
    """What is simulated: task number t of the campaign is task t of the realization, worker number i is worker i."""

    world: World
    realization: Realization
    tasks: int
    target: float
    confidence: float
    exploring_at_once: int
    at_once: int

    def settings(self) -> dict[str, Any]:
        return {
            "title": "Demo: is the photograph sharp?",
            "target": self.target,
            "confidence": self.confidence,
            "horizon": self.tasks,
            "cap": _amount(self.world.cap),
            "labels": ["blurred", "sharp"],
            "exploring_at_once": self.exploring_at_once,
            "at_once": self.at_once,
        }


class Live:
    """One campaign, from draft to close."""

    def __init__(self, reach: Reach, operator: Session, play: Play) -> None:
        self._reach = reach
        self._play = play
        self._operator = operator
        self._workers: list[Session] = []

    def draft(self) -> tuple[str, str]:
        """Draft and open; the requester's and the auditor's links."""
        self.requester, link = begin(self._reach, self._operator, NAME, self._play.settings())
        auditor = self.requester.post("/tokens", {"role": "auditor", "label": "demo"})
        return link, auditor["link"]

    def gather(self, invited_one: Callable[[], None]) -> tuple[str, str]:
        """Invite, take sealed bids, close the auction; name and link of a worker who is likely to be asked."""
        world = self._play.world
        invited = []
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="quorate-demo-bidder") as crowd:
            bids = []
            for number in range(len(world)):
                invited.append(self.requester.post("/workers", {"name": worker_name(number)}))
                bidder = Session(self._reach, invited[number]["token"], self.requester.name)
                self._workers.append(bidder)
                bids.append(crowd.submit(bidder.put, "/workers/me/bid", {"bid": _amount(int(world.prices[number]))}))
                invited_one()
            for bid in bids:
                bid.result()
        self.requester.post("/auction/close")
        shown = int(np.argmax(world.qualities / world.prices))
        # The worker's own invitation would be spent by whoever follows its link, and its bearer here needs it.
        another = self.requester.post("/tokens", {"role": "worker", "worker": shown, "label": "demo"})
        return worker_name(shown), another["link"]

    def post_tasks(self) -> None:
        tasks = [
            {"key": f"photo-{task}", "payload": {"question": "Is it sharp?", "photo": f"{task:05d}.jpg"}}
            for task in range(self._play.tasks)
        ]
        for start in range(0, len(tasks), BATCH):
            self.requester.post("/tasks", {"tasks": tasks[start : start + BATCH]})

    def rounds(self) -> Iterator[dict[str, Any]]:
        """Whoever has open work answers all of it, then its truths become known; the status before each round."""
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="quorate-demo-worker") as crowd:
            while True:
                busy = [worker["worker"] for worker in self._listed() if worker["open_leases"]]
                # After that: where nobody is busy since the campaign was closed, the status says so.
                status: dict[str, Any] = self.requester.get("")
                yield status
                if not busy:
                    return
                with unless_closed():
                    decided = sorted({task for done in crowd.map(self._work, busy) for task in done})
                    truths = [{"task": task, "truth": int(self._play.realization.truth(task))} for task in decided]
                    for start in range(0, len(truths), BATCH):
                        self.requester.post("/truths", {"truths": truths[start : start + BATCH]})

    def close(self) -> dict[str, Any]:
        """Everything is paid and final; the requester's statement."""
        with unless_closed():
            self.requester.post("/close")
        statement: dict[str, Any] = self.requester.get("/statement")
        return statement

    def votes(self) -> Iterator[tuple[int, Any, Any]]:
        """(how many tasks, jury, weights or None), from the public ledger."""
        juries: dict[int, dict[str, Any]] = {}
        tasks: dict[int, int] = {}
        after: int | None = 0
        while after is not None:
            page = self.requester.get("/events", after=after, limit=BATCH, kind=["jury chosen", "jury assigned"])
            for event in page["items"]:
                body = event["body"]
                if event["kind"] == "jury chosen":
                    juries[body["jury"]] = body
                else:
                    tasks[body["jury"]] = tasks.get(body["jury"], 0) + 1
            after = page["after"]
        for jury, count in tasks.items():
            weights = juries[jury]["weights"]
            members = np.array(from_ranges(juries[jury]["members"]), dtype=np.int64)
            yield count, members, None if weights is None else np.array(weights, dtype=np.int64)

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.requester.page("/workers", None, len(self._workers))["items"]
        return found

    def _work(self, number: int) -> list[int]:
        """One worker answers all that it is asked; the tasks whose jury it completed."""
        me, play = self._workers[number], self._play
        answers = []
        for item in me.get("/workers/me/assignments", limit=BATCH)["items"]:
            truth = bool(play.realization.truth(item["task"]))
            right = bool(play.realization.right(item["task"], np.array([number]))[0])
            answers.append({"task": item["task"], "label": int(truth if right else not truth)})
        done = me.post("/answers", {"answers": answers})["items"] if answers else []
        for item in done:
            if item["type"] == "ItemRefused" and item["code"] not in OVERTAKEN:
                raise QuorateError(f"an answer of the demo was refused: {item['message']}")
        return [item["task"] for item in done if item["type"] != "ItemRefused" and item["decided"]]


def worker_name(number: int) -> str:
    return f"{NAMES[number % len(NAMES)]}-{number}"


def begin(reach: Reach, operator: Session, name: str, settings: dict[str, Any]) -> tuple[Session, str]:
    """Draft and open under this name, or if it is taken with a number; its requester and the requester's link."""
    taken = operator.ask("GET", f"{API}/campaigns")["campaigns"]
    free = next(one for one in _numbered(name) if one not in taken)
    made = operator.ask("POST", f"{API}/campaigns", json={"campaign": free, "settings": settings})
    requester = Session(reach, made["token"], free)
    requester.post("/open")
    return requester, made["link"]


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _amount(money: int) -> str:
    return f"{from_millionths(money):f}"
