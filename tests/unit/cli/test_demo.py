"""`quorate demo`: a whole campaign over a real service; what it says is so; Ctrl-C ends it cleanly."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

from quorate.campaign.fold import rules_of
from quorate.campaign.service import CampaignService
from quorate.campaign.state import State
from quorate.campaign.views import TaskView
from quorate.cli.demo_live import Live, serving
from quorate.cli.demo_live import Play as Plan
from quorate.cli.demo_told import show
from quorate.cli.demo_try import QUESTIONS, open_for_bids
from quorate.cli.main import run
from quorate.cli.reach import Session, remote
from quorate.lab.demo import CONFIDENCE, TARGET, Outcome, breaks_promise, draw
from quorate.lab.world import World
from quorate.model.problem import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Phase, play
from quorate.policy.play import Play as Played
from quorate.store import open_store, open_vault
from quorate.web.serving import check_store, listen

SMALL = ["demo", "--workers", "11", "--tasks", "100", "--speed", "0", "--port", "0"]
PATIENCE_SECONDS = 120


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('demo')}/demo.db"


@pytest.fixture(scope="module")
def told(store: str) -> dict[str, Any]:
    """What a demo that decides as `play` does says, as a program would read it."""
    given = [*SMALL, "--seed", "3", "--exploring-at-once", "1", "--store", store, "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from quorate.cli.main import main; main()", *given],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert "/enter#qr_requester_" in done.stderr, "links are said, beside the document"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def views(store: str, name: str) -> tuple[State, list[TaskView]]:
    opened = open_store(store)
    service = CampaignService(opened, open_vault(store))
    try:
        return service.state(name), list(service.tasks(name, None, 1_000).items)
    finally:
        service.close()
        opened.close()


def check_same(tasks: list[TaskView], played: Played) -> None:
    assert [set(task.workers) for task in tasks] == [set(jury.tolist()) for jury in played.juries]
    assert [task.phase for task in tasks] == [phase.value for phase in played.phases]
    assert [task.verdict == task.truth for task in tasks] == played.verdicts_right.tolist()


class TestWhatItSays:
    def test_decisions_are_those_of_play(self, store: str, told: dict[str, Any]) -> None:
        state, tasks = views(store, told["campaign"])
        world, realization = draw(11, 3)
        policy = rules_of(state).policy
        assert policy.problem == Problem(TARGET, CONFIDENCE, 100, world.cap)
        played = play(policy, realization, world.prices, seed=state.seed, qualities=world.qualities)
        check_same(tasks, played)
        assured = told["policies"][0]
        assert assured["asked"] * MILLIONTHS == pytest.approx(played.total, abs=0.5)
        assert assured["kept"] == played.verdicts_right.mean()
        assert (assured["violations"], assured["policy"]) == (played.vote_violations, "assured")

    def test_promised_kept_and_spent(self, told: dict[str, Any]) -> None:
        assert told["promised"] == {"target": 0.9, "confidence": 0.9}
        assert (told["kept"]["keeping"], told["kept"]["decided"], told["kept"]["below_promise"]) == ("assumed", 100, 0)
        assert told["kept"]["right"] == round(told["policies"][0]["kept"] * 100)
        spent = {name: float(amount) for name, amount in told["spent"].items()}
        assert spent["paid"] == spent["exploring"] + spent["working"]
        assert spent["paid"] > spent["asked"], "the threshold payment adds to what is asked"
        assured, *papers = told["policies"]
        assert (assured["paid"], assured["asked"]) == (spent["paid"], spent["asked"])
        assert all(outcome["paid"] == outcome["asked"] for outcome in papers)
        cheapest = min(papers, key=lambda outcome: outcome["paid"])
        assert (told["saved"]["against"], told["saved"]["paid"]) == (cheapest["policy"], cheapest["paid"])
        assert told["saved"]["share"] == 1 - spent["paid"] / cheapest["paid"], "what is paid against what is paid"

    def test_the_ledger_stays_whole_and_follows(self, store: str, told: dict[str, Any]) -> None:
        file = store.removeprefix("sqlite:///")
        assert run(["ledger", "verify", file]) == 0
        assert run(["ledger", "replay", file]) == 0

    def test_a_second_demo_on_the_same_store_is_told_to_people(
        self, store: str, told: dict[str, Any], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run([*SMALL, "--store", store]) == 0
        said = capsys.readouterr().out
        for words in (
            "as its requester:\nhttp://127.0.0.1:",
            "Promised: each verdict is right with probability at least 90%, and all of this holds with probability 90%",
            "of 100 verdicts are right",
            "ccb-se",
            "Kept in",
        ):
            assert words in said
        assert "spent" not in said, "money is asked or paid"
        opened = open_store(store)
        assert opened.campaigns() == ["demo", "demo-2"]
        opened.close()


@pytest.mark.parametrize(("width", "left_out"), [(60, {"dearest", "asked", "jury"}), (80, {"dearest"}), (120, set())])
def test_a_narrow_terminal_breaks_no_number(
    told: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    left_out: set[str],
) -> None:
    large = Outcome("epsilon-greedy", 0.996, 0, 1_404, 110, 2_613_655.0, 2_613_655.0)
    told = {**told, "policies": [large.to_dict()]}
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    show(told)
    said = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(map(len, said.splitlines())) <= width
    table = said.partition("What was kept, asked and paid")[2].partition("Right: ")[0].split()
    assert {"epsilon-greedy", "99.6%", "2,613,655", "below", "promise"} <= set(table)
    assert {"asked", "jury", "dearest"} - set(table) == left_out


def test_a_jury_that_breaks_the_promise_is_counted() -> None:
    world = World(np.array([0.95, 0.6, 0.6]), np.array([1, 1, 1]), MILLIONTHS)
    assert breaks_promise(world, np.array([0, 1, 2]), None), "a majority of these is right less often than 0.9"
    assert not breaks_promise(world, np.array([0]), None)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """Store, address, and the operator's token of a service in this process."""
    url, operator = f"sqlite:///{tmp_path}/x.db", secrets.token_hex(16)
    check_store(url)
    with listen("127.0.0.1", 0) as listening, serving(url, operator, listening) as at:
        yield url, at, operator


def test_it_decides_as_play_does_when_exploration_has_ended(service: tuple[str, str, str]) -> None:
    """A promise so small that it is learned to be kept within some tasks."""
    store, at, operator = service
    world = World(np.array([0.98, 0.96, 0.94, 0.68, 0.88]), np.arange(1, 6) * MILLIONTHS, 20 * MILLIONTHS)
    realization = world.realization(3)
    with remote(at) as reach:
        live = Live(reach, Session(reach, operator), Plan(world, realization, 60, 0.6, 0.6, 1, 4))
        live.draft()
        live.gather(lambda: None)
        live.post_tasks()
        status = list(live.rounds())[-1]
        votes = list(live.votes())
        statement = live.close()
    state, tasks = views(store, "demo")
    played = play(rules_of(state).policy, realization, world.prices, seed=state.seed)
    assert Phase.EXPLOIT in played.phases
    check_same(tasks, played)
    assert sum(count for count, _, _ in votes) == 60
    assert status["decided"] == 60
    assert float(statement["as_bid"]) * MILLIONTHS == pytest.approx(played.total, abs=0.5)


@pytest.fixture
def live(service: tuple[str, str, str]) -> Iterator[Live]:
    """Set up, with nothing answered yet."""
    _, at, operator = service
    world, realization = draw(11, 3)
    with remote(at) as reach:
        live = Live(reach, Session(reach, operator), Plan(world, realization, 100, TARGET, CONFIDENCE, 8, 8))
        live.draft()
        live.gather(lambda: None)
        live.post_tasks()
        yield live


class TestPeopleAtThePages:
    """Whoever has the demo's links may do what their bearers can."""

    def test_the_requester_closes_the_campaign(self, live: Live) -> None:
        rounds = live.rounds()
        next(rounds)
        assert next(rounds)["decided"] == 8
        live.requester.post("/close", {"force": True})
        last = list(rounds)[-1]
        assert (last["stage"], last["decided"]) == ("closed", 8)
        assert live.close()["final"]

    def test_while_answers_are_on_their_way(self, live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
        ask = Session.ask

        def late(session: Session, method: str, path: str, **more: Any) -> Any:
            if path.endswith("/truths"):
                live.requester.post("/close", {"force": True})
            return ask(session, method, path, **more)

        monkeypatch.setattr(Session, "ask", late)
        assert list(live.rounds())[-1]["stage"] == "closed"

    def test_a_worker_answers_before_the_one_that_is_played(self, live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
        ask = Session.ask

        def late(session: Session, method: str, path: str, **more: Any) -> Any:
            done = ask(session, method, path, **more)
            return ask(session, method, path, **more) if path.endswith("/answers") else done

        monkeypatch.setattr(Session, "ask", late)
        rounds = live.rounds()
        next(rounds)
        assert next(rounds)["decided"] == 8


def test_a_campaign_to_be_tried_by_hand(service: tuple[str, str, str]) -> None:
    """Open for bids; once they are closed there is something to answer, and it is paid."""
    _, at, operator = service
    with remote(at) as reach:
        invitation, link = open_for_bids(reach, Session(reach, operator))
        worker, requester = (Session(reach, one.partition("#")[2]) for one in (invitation, link))
        assert requester.get("")["stage"] == "auction"
        worker.put("/workers/me/bid", {"bid": "0.4"})
        requester.post("/auction/close")
        answered = 0
        while asked := worker.get("/workers/me/assignments")["items"]:
            worker.post("/answers", {"answers": [{"task": asked[0]["task"], "label": 1}]})
            answered += 1
        assert requester.get("")["decided"] == answered == len(QUESTIONS)
        assert worker.get("/workers/me/statement")["earned"] == str(answered)


class TestItsEnd:
    def start(self, folder: Path, *more: str) -> subprocess.Popen[str]:
        """In a process group of its own, whose members can be counted."""
        return subprocess.Popen(
            [sys.executable, "-c", "from quorate.cli.main import main; main()", *SMALL, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "HOME": str(folder), "TMPDIR": str(folder)},
        )

    def check_gone(self, process: subprocess.Popen[str], folder: Path) -> None:
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
        assert list(folder.glob("quorate-demo-*")) == [], "its folder goes away with it"

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
    def test_in_the_middle(self, tmp_path: Path, how: signal.Signals) -> None:
        with self.start(tmp_path, "--speed", "0.01", "--wait") as process:
            assert process.stdout is not None
            for line in process.stdout:
                if "as a worker" in line:
                    break
            process.send_signal(how)
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 130
        assert err == "quorate: stopped by Ctrl-C\n"
        assert "Promised" not in out
        self.check_gone(process, tmp_path)

    def test_closed_on_its_page(self, tmp_path: Path) -> None:
        """What was kept and paid until then is told, and the dashboard stays."""
        with self.start(tmp_path, "--speed", "0.5", "--wait") as process:
            assert process.stdout is not None
            at, _, _, link = (process.stdout.readline().strip() for _ in range(4))
            with remote(at.split()[-1]) as reach:
                requester = Session(reach, link.partition("#")[2])
                while requester.get("")["verdicts_right"] == 0:
                    sleep(0.1)
                requester.post("/close", {"force": True})
            said = ""
            for line in process.stdout:
                said += line
                if "Ctrl-C ends it" in line:
                    break
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, err
        closed = re.search(r"^The campaign was closed on its page after (\d+) of 100 tasks.$", said, re.MULTILINE)
        assert closed is not None
        assert 0 < int(closed[1]) < 100
        assert f"of {closed[1]} verdicts are right" in said
        self.check_gone(process, tmp_path)

    def test_after_the_campaign(self, tmp_path: Path) -> None:
        with self.start(tmp_path, "--wait") as process:
            assert process.stdout is not None
            address = process.stdout.readline().split()[3]
            said = []
            for line in process.stdout:
                said.append(line.partition("_")[0])
                if "Ctrl-C ends it" in line:
                    break
            assert said[said.index("to try a worker's pages, bid in a small campaign:\n") + 1] == f"{address}/enter#qr"
            with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), PATIENCE_SECONDS):
                pass
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0
        assert err == "quorate: stopped\n"
        self.check_gone(process, tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--store", "postgresql://user@host/name"], "is no SQLite file"),
        (["--store", "sqlite://"], "is no SQLite file"),
        (["--store", "sqlite:////no/such/folder/x.db"], "check the folder"),
        (["--tasks", "20"], "--tasks"),
    ],
)
def test_what_is_wrong_takes_one_line(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SMALL, *given]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        assert run(["demo", "--port", port]) == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in capsys.readouterr().err
