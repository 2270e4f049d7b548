"""Ledgers from before a rule hold what is refused today: everybody still gets to see them."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quorate.campaign.commands import TaskSpec
from quorate.campaign.replay import replay
from quorate.campaign.tokens import Role
from quorate.web.pages import mount
from quorate.web.pages.session import cookie_name
from tests.web_api import SECRET, Api, Run

HALF = "cut: \ud83d"
PAGES = {
    Role.REQUESTER: ("", "/live", "/workers", "/tasks", "/awaited.csv", "/verdicts.csv", "/pay", "/ledger", "/export"),
    Role.WORKER: ("", "/pay"),
}
ROOM = {Role.REQUESTER: "/c", Role.WORKER: "/w"}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("old"), pages=mount) as made:
        yield made


def check_pages(old: Api, run: Run) -> str:
    """All that was shown."""
    shown = ""
    for role, paths in PAGES.items():
        token = run.requester if role is Role.REQUESTER else run.workers[0]
        for path in paths:
            at = f"{ROOM[role]}/{run.name}{path}"
            response = old.ask("GET", at, headers={"Cookie": f"{cookie_name(role)}={token}"})
            assert response.status_code == 200, at
            shown += response.text
    return shown


@pytest.fixture
def with_half(old: Api, monkeypatch: pytest.MonkeyPatch) -> Run:
    """One task is decided and awaits its truth, the others are being answered."""
    run = old.auction(exploring_at_once=10).close_auction()
    with monkeypatch.context() as before:
        before.setattr("quorate.campaign.work.is_whole", lambda _: True)
        old.service.post_tasks(run.name, [TaskSpec("t0", HALF), TaskSpec("t1", HALF), TaskSpec("t2", {HALF: [HALF]})])
    run.post("/answers", {"answers": [{"task": "t0", "worker": at, "label": 1} for at in range(4)]})
    return run


def test_half_a_character_is_shown_as_a_question_mark(old: Api, with_half: Run) -> None:
    assert "cut: ?" in check_pages(old, with_half)


def test_what_was_taken_before_a_rule_is_no_forgery(old: Api, with_half: Run) -> None:
    assert replay(with_half.name, old.service.records(with_half.name), None).verdicts == 1


@pytest.mark.parametrize(
    ("command", "by_worker"), [(("assignments",), True), (("verdicts", "--awaited"), False), (("verdicts",), False)]
)
def test_the_shell_says_half_a_character_as_json_does(
    old: Api, with_half: Run, tmp_path: Path, command: tuple[str, ...], by_worker: bool
) -> None:
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(f"{old.store.url.removeprefix('sqlite:///')}")) as ledger:
        ledger.execute("VACUUM INTO ?", (str(copy),))
    token = with_half.workers[0] if by_worker else with_half.requester
    script = "from quorate.cli.main import main; main()"
    where = ("--store", f"sqlite:///{copy}", "-c", with_half.name, "--token", token)
    line = [sys.executable, "-c", script, "campaign", *command, *where]
    environment = {**os.environ, "QUORATE_SECRET": SECRET.hex()}
    said = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60, env=environment).stdout
    assert ("\\ud83d" in said) == (command != ("verdicts",))


@pytest.mark.parametrize("settings", [{"answer_within": 2**53, "truth_within": 2**53}, {"bids_until": 2**53}])
def test_times_that_no_calendar_has_are_shown_as_its_end(
    old: Api, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("quorate.campaign.decide.check_draft", lambda _: None)
        run = old.auction(**settings)
    if "bids_until" not in settings:
        run.close_auction().tasks(1)
    assert "9999" in check_pages(old, run)
    assert replay(run.name, old.service.records(run.name), None).verdicts == 0
