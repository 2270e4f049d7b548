"""Kill -9 a campaign's process again and again, and see what is left: small in the tests, in full in the benchmarks.

    python -m tests.crash sqlite:///crash.db sqlite:///undisturbed.db --kills 200

One parent without threads forks a child for every life. A child opens the store, goes on where the ledger stands, and
reports every acknowledgement through a pipe before it asks for more; the parent kills it at a random moment. At the end
nothing acknowledged is missing, nothing is doubled, the chain is intact, everything follows from its causes, and the
state is that of a run that nobody interrupted.
"""

import argparse
import json
import math
import os
import random
import select
import signal
import sys
import time
import traceback
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from quorate.campaign import commands, results
from quorate.campaign.replay import replay
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService, read_all
from quorate.campaign.settings import PaymentRule, PolicyRule, Settings
from quorate.campaign.snapshot import fingerprint
from quorate.campaign.vault import Vault
from quorate.campaign.views import Stage
from quorate.model.realization import Field
from quorate.money import MILLIONTHS
from quorate.store import open_store
from tests.campaigns import Drive, answers_of_world

WORKERS = 8
SECRET = bytes(32)
NAME = "crashed"
# One life of four is killed so many seconds after birth at most, and at its first acknowledgement at the latest, which
# hits starting and setting up. The others are killed after so many acknowledgements and a moment more, which hits the
# work: counted, so that a fast machine does not finish its campaign between two kills.
LONGEST_START = 0.6
MOST_WORK = 40
LONGEST_MOMENT = 0.005


@dataclass(frozen=True)
class Report:
    """`same` compares the final state with the uninterrupted run's."""

    kills: int
    lives: int
    acknowledged: int
    lost: int
    doubled: int
    events: int
    same: bool
    seconds: float

    @property
    def clean(self) -> bool:
        return self.lost == self.doubled == 0 and self.same


def world() -> tuple[Field, list[int]]:
    generator = np.random.default_rng(11)
    return Field.of(5, generator.uniform(0.7, 0.98, WORKERS)), generator.integers(1, 20, WORKERS).tolist()


def settings(tasks: int) -> Settings:
    return Settings(
        title="a campaign that is killed",
        target=0.8,
        confidence=0.9,
        horizon=tasks,
        cap=20 * MILLIONTHS,
        policy=PolicyRule(kappa=Fraction(2)),
        payment=PaymentRule("randomised"),
        exploring_at_once=4,
        at_once=8,
    )


def live(url: str, tasks: int, acknowledge: int) -> None:
    """One life: go on from the ledger to the campaign's end, unless killed. Everything is a function of the state."""
    store = open_store(url)
    # The same seeds in every life, or an opening that was cut short would start another campaign.
    service = CampaignService(store, Vault(SECRET, os.urandom), clock=lambda: 1_000, entropy=bytes)
    field, bids = world()
    _set_up(service, bids, tasks)
    while True:
        state = service.state(NAME)
        if state.stage is Stage.CLOSED:
            break
        if not state.open:
            service.close_campaign(NAME, key="close")
            continue
        _answer_round(service, field, acknowledge)
    service.close()
    store.close()


def _set_up(service: CampaignService, bids: list[int], tasks: int) -> None:
    """Every step under its key: what is done already is not done again."""
    service.draft(settings(tasks), campaign=NAME, key="draft")
    service.open(NAME, key="open")
    for number, bid in enumerate(bids):
        service.enrol(NAME, f"w{number}", key=f"enrol {number}")
        service.bid(NAME, number, Bid(bid * MILLIONTHS), key=f"bid {number}")
    service.close_auction(NAME, key="close auction")
    field, _ = world()
    for start in range(0, tasks, 50):
        specs = [commands.TaskSpec(gold=int(field.truth(task))) for task in range(start, min(start + 50, tasks))]
        service.post_tasks(NAME, specs, key=f"post {start}")


def _answer_round(service: CampaignService, field: Field, acknowledge: int) -> None:
    """Everybody who is asked answers, all at once and some twice; each acknowledgement is reported as it comes."""
    waiting: list[tuple[int, int, Future[results.Result]]] = []
    for view in [service.task(NAME, task, fresh=False) for task in service.state(NAME).open]:
        truth = field.truth(view.task)
        pending = [worker for worker in view.workers if worker not in view.answers]
        right = field.right(view.task, np.array(pending, dtype=np.int64))
        for worker, is_right in zip(pending, right.tolist(), strict=True):
            command = commands.GiveAnswers((commands.Answer(view.task, worker, int(is_right == truth)),))
            waiting.append((view.task, worker, service.submit(NAME, command, key=f"{view.task}/{worker}")))
            if worker % 3 == 0:
                service.submit(NAME, command)
    for task, worker, future in waiting:
        batch = future.result()
        if not isinstance(batch, results.Batch) or not isinstance(batch.items[0], results.AnswerTaken):
            raise AssertionError(f"the answer of {worker} to {task} was not taken: {batch}")
        os.write(acknowledge, f"{task} {worker}\n".encode())


def crash(url: str, kills: int, tasks: int, seed: int, reference: str) -> Report:
    """`kills` deaths, then a life to the end; compared with one life on `reference`."""
    _warm_up()
    dice, begun = random.Random(seed), time.monotonic()
    acknowledged: set[tuple[int, int]] = set()
    lives = done = lost = 0
    while True:
        lived, killed = _one_life(url, tasks, _moment(dice) if done < kills else None)
        acknowledged.update(lived)
        lives += 1
        done += killed
        # Before the next life: it would give an answer that was lost once more, and nobody could tell.
        lost += len(acknowledged - _answered(url)) if acknowledged else 0
        if not killed:
            break
    _one_life(reference, tasks, None)
    return _examine(url, reference, len(acknowledged), lost, done, lives, time.monotonic() - begun)


def _warm_up() -> None:
    """Load the compiled kernels once, for all lives to inherit: a life shall be killed at work."""
    field, bids = world()
    drive = Drive(settings(200)).open().enrol(bids).close_auction()
    drive.do(commands.PostTasks(tuple(commands.TaskSpec(gold=int(field.truth(task))) for task in range(200))))
    while drive.state.open:
        task = drive.state.open[0]
        drive.answer(task, answers_of_world(drive, field, task))


@dataclass(frozen=True)
class Moment:
    """When to kill: `patience` seconds after birth, or `seconds` after so many acknowledgements; whichever is first."""

    patience: float
    acknowledged: int
    seconds: float


def _moment(dice: random.Random) -> Moment:
    if dice.random() < 0.25:
        return Moment(dice.uniform(0.0, LONGEST_START), 1, 0.0)
    return Moment(math.inf, dice.randint(1, MOST_WORK), dice.uniform(0.0, LONGEST_MOMENT))


def _answered(url: str) -> set[tuple[int, int]]:
    """What the ledger has, as seen by a process of its own."""
    store = open_store(url, migrate=False)
    bodies = [json.loads(record.body) for record in store.read(NAME, 0, 10**9, ["answer given"])]
    store.close()
    return {(body["task"], body["worker"]) for body in bodies}


def _one_life(url: str, tasks: int, kill: Moment | None) -> tuple[list[tuple[int, int]], bool]:
    """What a child acknowledged, and whether it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            live(url, tasks, writing)
            status = 0
        except Exception:
            traceback.print_exc()
            raise
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(writing)
    text = _listen(reading, child, kill)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status != 0:
        raise RuntimeError(f"a life ended by itself with status {status}")
    # A last line without its end was cut off by the kill: it was never told to anybody.
    whole = text[: text.rfind(b"\n") + 1].decode()
    return [(int(task), int(worker)) for task, worker in (line.split() for line in whole.splitlines())], killed


def _listen(reading: int, child: int, kill: Moment | None) -> bytes:
    end = math.inf if kill is None else time.monotonic() + kill.patience
    text = b""
    while True:
        if kill is not None and text.count(b"\n") >= kill.acknowledged:
            end, kill = time.monotonic() + kill.seconds, None
        rest = None if math.isinf(end) else max(0.0, end - time.monotonic())
        ready, _, _ = select.select([reading], [], [], rest)
        if not ready:
            os.kill(child, signal.SIGKILL)
            end, kill = math.inf, None
            continue
        chunk = os.read(reading, 65_536)
        if not chunk:
            os.close(reading)
            return text
        text += chunk


def _examine(url: str, reference: str, acknowledged: int, lost: int, kills: int, lives: int, seconds: float) -> Report:
    prints, given, events = [], [], 0
    for where in (url, reference):
        store = open_store(where)
        seed = json.loads(store.read(NAME, 0, 1, ["campaign closed"])[0].body)["coin_seed"]
        # Reading checks the chain, replaying that everything follows.
        found = replay(NAME, read_all(store, NAME), int(seed, 16))
        prints.append(found.fingerprint)
        if where == url:
            events = found.events
            bodies = [json.loads(record.body) for record in store.read(NAME, 0, 10**9, ["answer given"])]
            given = [(body["task"], body["worker"]) for body in bodies]
            service = CampaignService(store, Vault(SECRET, os.urandom), clock=lambda: 1_000)
            prints.append(fingerprint(service.state(NAME)))
            service.close()
        store.close()
    return Report(
        kills=kills,
        lives=lives,
        acknowledged=acknowledged,
        lost=lost,
        doubled=len(given) - len(set(given)),
        events=events,
        same=len(set(prints)) == 1,
        seconds=round(seconds, 1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("url")
    parser.add_argument("reference", help="an empty database for the uninterrupted run")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tasks", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    report = crash(given.url, given.kills, given.tasks, given.seed, given.reference)
    sys.stdout.write(json.dumps({**asdict(report), "clean": report.clean}) + "\n")
    sys.exit(0 if report.clean else 1)


if __name__ == "__main__":
    main()
