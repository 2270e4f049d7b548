"""`quorate campaign`: a whole campaign from the shell, on a store and at a real service; every command and refusal."""

import http.server
import io
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from quorate.campaign.ledger import Store
from quorate.campaign.views import CoinCheck
from quorate.cli.campaign.where import TOKEN_VARIABLE, URL_VARIABLE
from quorate.cli.main import run
from quorate.cli.reach_store import OnStore
from quorate.store import open_store
from tests.served import OPERATOR, Client, Served
from tests.unit.cli.shell import NAMES, NEW, Shell


@pytest.fixture(autouse=True)
def no_rights_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(f"sqlite:///{tmp_path_factory.mktemp('served')}/x.db") as served:
        yield served


@pytest.fixture
def on_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys, ["--store", f"sqlite:///{tmp_path}/x.db"], tmp_path)


@pytest.fixture
def at_service(served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys, ["--url", f"http://127.0.0.1:{served.port}"], tmp_path, ["--token", OPERATOR])


@pytest.fixture(params=["on_store", "at_service"])
def shell(request: pytest.FixtureRequest) -> Shell:
    found: Shell = request.getfixturevalue(request.param)
    return found


def ledger(shell: Shell) -> Store:
    return open_store(shell.where[1])


class TestAWholeCampaign:
    def test_from_the_shell_alone(self, shell: Shell, served: Served) -> None:
        name = shell.draft("--currency", "EUR")
        assert name in shell.ask("list", *shell.operator).split()
        assert "the hash of its coins is" in shell("open")
        invited = shell.invite(*NAMES)
        assert [row["link"].endswith(f"/enter#{row['token']}") for row in invited] == [True] * 3
        for at, worker in enumerate(NAMES):
            assert "the bid is sealed" in shell.by(worker, "bid", f"0.{at + 3}")
        assert "sealed" in shell("workers")
        assert f"the auction of {name} is closed: 3 workers take part" in shell("close-auction")
        posted = shell.json("tasks", shell.write('key,question,gold\nt1,one,clean\nt2,"two, too",\nt3,three,\n'))
        assert [item["key"] for item in posted["items"]] == ["t1", "t2", "t3"]
        assert "t2: two, too (clean or dirty; 2, until " in shell.by("ada", "assignments")
        own = shell.by("ada", "answers", shell.write("task,label\nt1,clean\nt2,dirty\n"))
        assert own == "2 answers taken (0 tasks decided by them)\n"
        rest = shell.write("task,worker,label\nt1,bob,0\nt1,cem,1\nt2,bob,1\nt2,cem,1\n")
        assert shell("answers", rest) == "4 answers taken (2 tasks decided by them)\n"
        assert shell("verdicts", "--awaited") == 'key,truth,question\nt2,,"two, too"\n'
        truths = shell.json("truths", shell.write("task,truth\nt2,clean\n"))
        assert (truths["right"], truths["wrong"], truths["refused"]) == (0, 1, [])
        assert shell("verdicts") == (
            "key,verdict,basis,truth,answers,asked\nt1,clean,everybody,clean,3,3\nt2,dirty,everybody,clean,3,3\n"
            "t3,,assigned,,0,3\n"
        )
        jury = shell("jury")
        assert jury.startswith("ada, bob, cem: 6 a task\n")
        status = shell("status")
        for words in ("kept so far", "3 invited, 3 with a bid", "3 of 5,000 posted", "1 of 2 verdicts", "12 EUR"):
            assert words in status
        paid = shell.json("payouts")["payouts"]
        assert [payout["amount"] for payout in paid] == ["4", "4", "4"]
        assert shell("confirm", paid[0]["payout"], "--reference", "TX-1") == f"{paid[0]['payout']} is confirmed\n"
        assert shell("payouts") == "nothing is to be ordered\n"
        assert "bob has left; 1 open tasks go on without it, 4 stay earned" in shell("leave", "bob")
        assert (
            "A worker left while exploring" in shell("notes") or shell("notes") != "nothing happened to the promise\n"
        )
        shell("close", code=2)
        assert "(--force)" in shell.err
        assert "tasks-in-flight" in shell.err
        assert f"{name} is closed: 12 earned; 1 tasks stay undecided" in shell("close", "--force")
        statement = shell.json("statement")
        assert (statement["final"], statement["earned"], statement["confirmed"]) == (True, "12", "4")
        own = json.loads(shell.by("cem", "statement", "--worker", "me", "--json"))
        assert own == shell.json("statement", "--worker", "cem") == statement["workers"][2]
        file = (served.store if shell.operator else shell.where[1]).removeprefix("sqlite:///")
        assert run(["ledger", "replay", file, "-c", name]) == 0

    def test_people_read_statements(self, on_store: Shell) -> None:
        on_store.running()
        on_store("answers", on_store.write("t0,ada,0\nt0,bob,0\n"))
        said = on_store("statement")
        assert "so far: 4 earned, 0.7 at the prices asked; 0 confirmed as paid" in said
        assert "\nThreshold; the true price is the best bid. A worker's bid decides whether it is asked," in said
        assert "proofs.md" not in said, "the proof is for who asks the API"
        row = next(line for line in said.splitlines() if "ada" in line)
        assert row.split() == ["ada", "explore", "1", "0.3", "1.7", "2", "2"]

    def test_the_caption_says_what_the_pairing_is(self, on_store: Shell) -> None:
        """Words are compared without the table's line breaks."""
        on_store.running(1, "--payment", "pay-as-bid", "--accept-untruthful")
        on_store("answers", on_store.write("t0,ada,0\nt0,bob,0\nt0,cem,0\n"))
        said = " ".join(on_store("statement").split())
        assert "what is added. Here asking more than one's true price can pay." in said
        assert "truth is the best bid" not in said
        assert "Pay-as-bid; the true price need not be the best bid. Each answer is paid its worker's bid" in said
        own = " ".join(on_store.by("ada", "statement", "--worker", "me").split())
        assert "Here asking more than one's true price can pay." in own

    def test_the_caption_of_a_truthful_pairing(self, on_store: Shell) -> None:
        on_store.running(1)
        for said in (on_store("statement"), on_store.by("ada", "statement", "--worker", "me")):
            assert "what is added so that truth is the best bid." in " ".join(said.split())


class TestWhatPeopleRead:
    """In the words of the pages, and numbers all in one way."""

    def parts(self, shell: Shell) -> list[str]:
        """What stands between name and bid in the list of workers."""
        rows = [line.split("  ") for line in shell("workers").splitlines()[4:] if line.strip()]
        return [[cell.strip() for cell in row if cell.strip()][2] for row in rows]

    def test_the_part_that_a_worker_has(self, on_store: Shell) -> None:
        file = on_store.write('[policy]\nname = "assured"\npool = 3\n')
        on_store.draft("--open", "--settings", file)
        on_store.invite(*NAMES, "dora", "emil")
        assert self.parts(on_store) == ["no bid yet"] * 5
        for at, worker in enumerate((*NAMES, "dora")):
            on_store.by(worker, "bid", f"0.{at + 3}")
        assert self.parts(on_store) == ["bid sealed"] * 4 + ["no bid yet"]
        on_store("close-auction")
        assert self.parts(on_store) == ["asked now"] * 3 + ["not in the pool", "did not bid"]
        on_store("leave", "bob")
        on_store("close")
        assert self.parts(on_store) == ["took part", "left", "took part", "not in the pool", "did not bid"]

    def test_numbers_and_what_verdicts_rest_on(self, on_store: Shell) -> None:
        on_store.running(1, "--cap", "2000")
        on_store("answers", on_store.write("t0,ada,0\nt0,bob,0\nt0,cem,0\n"))
        said = on_store("status")
        assert "verdicts  1 by the whole pool\n" in said
        assert "spent     6,000: 6,000 exploring, 0 working; 6,000 not ordered yet\n" in said
        assert "so far: 6,000 earned, 1.2 at the prices asked; 0 confirmed as paid" in on_store("statement")
        assert on_store("payouts").splitlines()[0].endswith(": 2,000 to ada")
        assert on_store("jury").startswith("ada, bob, cem: 6,000 a task\n")

    def test_the_jury_of_a_closed_campaign_was_its_last(self, on_store: Shell) -> None:
        on_store.running(1)
        on_store("close", "--force")
        assert on_store("jury").startswith("The last jury was ada, bob, cem: 6 a task\n")


class TestCoins:
    def test_a_worker_checks_its_own_after_the_close(self, shell: Shell) -> None:
        shell.running(1, "--payment", "randomised")
        shell.by("bob", "coins", code=2)
        assert "are secret until it is closed" in shell.err
        shell("close", "--force")
        found = json.loads(shell.by("bob", "coins", "--json"))
        assert (found["worker"], found["fair"]) == (1, True)
        said = shell.by("bob", "coins").splitlines()
        assert said[0] == "your coins are the ones that were fixed before the bids"
        assert said[2:] == [
            f"taken for the bid: {found['seen']}; by the seed {found['expected_seen']}",
            f"added per answer: {found['bonus']}; by the seed {found['expected_bonus']}",
        ]
        assert shell("coins", "--worker", "bob").splitlines() == said, "the requester may look too"

    def test_coins_that_do_not_fit_exit_1(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        on_store.running(1, "--payment", "randomised")
        on_store("close", "--force")
        monkeypatch.setattr(CoinCheck, "fair", False)
        assert "DO NOT FIT" in on_store.by("ada", "coins", code=1)

    def test_no_check_passes_that_checked_nothing(self, on_store: Shell) -> None:
        on_store.running(1)
        on_store("close", "--force")
        on_store.by("ada", "coins", code=2)
        assert "pays by threshold, which tosses no coins" in on_store.err

    def test_whoever_placed_no_bid_has_none(self, on_store: Shell) -> None:
        on_store.auction("--payment", "randomised")
        on_store.invite("dora")
        on_store("close-auction")
        on_store("close")
        on_store.by("dora", "coins", code=2)
        assert "had no bid" in on_store.err


class TestWhatIsBrokenInside:
    """Commands in processes of their own: in this one, pytest would keep from the terminal what is logged."""

    @pytest.mark.parametrize(
        ("damage", "command", "words"),
        [
            ("UPDATE sealed SET ciphertext = x'00' WHERE name = 'bid/1'", "close-auction", "/bid/1' does not open"),
            (
                "DROP TRIGGER ledger_no_update; DELETE FROM snapshots; UPDATE ledger SET body = '{}' WHERE seq = 3",
                "status",
                "event 3 (",
            ),
        ],
        ids=["a sealed bid", "an event"],
    )
    def test_takes_one_line(self, on_store: Shell, damage: str, command: str, words: str) -> None:
        on_store.auction()
        with closing(sqlite3.connect(on_store.where[1].removeprefix("sqlite:///"))) as connection:
            connection.executescript(damage)
        script = "from quorate.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script, "campaign", command, *on_store.where],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr


class TestSendingAgain:
    """What a command that was cut off has done is not done twice."""

    LINES = "".join(f"question {at}\n" for at in range(2_500))

    def count(self, shell: Shell) -> int:
        return int(shell.json("status")["posted"])

    def test_tasks_without_keys(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """The connection breaks after the first batch, then before an answer is heard, then never."""
        on_store.auction()
        file = on_store.write(self.LINES)
        monkeypatch.setattr("quorate.cli.reach.time.sleep", lambda seconds: None)
        send, sent = OnStore.send, {"tasks": 0}

        def breaking(self: OnStore, method: str, path: str, *rest: Any, **more: Any) -> httpx.Response:
            if path.endswith("/tasks"):
                sent["tasks"] += 1
                if 2 <= sent["tasks"] <= 7:
                    raise httpx.ConnectError("cut off")
            response = send(self, method, path, *rest, **more)
            if path.endswith("/tasks") and sent["tasks"] == 9:
                raise httpx.ReadError("done, and cut off before it was said")
            return response

        monkeypatch.setattr(OnStore, "send", breaking)
        on_store("tasks", file, code=2)
        assert "no service answers at" in on_store.err
        assert self.count(on_store) == 1_000
        assert on_store("tasks", file) == "1,500 tasks posted; 1,000 were there already\n"
        assert on_store("tasks", file) == "0 tasks posted; 2,500 were there already\n"
        assert self.count(on_store) == 2_500

    def test_after_a_kill_of_the_service(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        served = Served(f"sqlite:///{tmp_path}/x.db")
        with served:
            shell = Shell(capsys, ["--url", f"http://127.0.0.1:{served.port}"], tmp_path, ["--token", OPERATOR])
            shell.running(1)
            file = shell.write("what is it?\n" * 1_200)
            assert shell("tasks", file) == "1,200 tasks posted\n"
            served.kill()
            shell("tasks", file, code=2)
            assert f"no service answers at http://127.0.0.1:{served.port}" in shell.err
            served.start()
            shell.where = ["--url", f"http://127.0.0.1:{served.port}"]
            assert shell("tasks", file) == "0 tasks posted; 1,200 were there already\n"
            assert self.count(shell) == 1_201

    def test_answers_and_truths_later_than_a_refusal(self, on_store: Shell) -> None:
        """A batch that was refused in part is not held to that refusal when its time has come."""
        on_store.running(1)
        answers = on_store.write("t0,ada,0\nt0,bob,0\nt1,ada,1\n")
        assert on_store("answers", answers, code=1).startswith("2 answers taken")
        assert "there is no task 't1'" in on_store.err
        on_store("tasks", on_store.write("t1,another\n"))
        answers = on_store.write("t0,ada,0\nt0,bob,0\nt1,ada,1\n")
        assert on_store("answers", answers) == "1 answers taken (0 tasks decided by them); 2 were there already\n"
        truths = on_store.write("t0,1\n")
        assert on_store("truths", truths).startswith("1 truths taken")
        assert on_store("truths", truths).endswith("; 1 were there already\n")

    def test_a_contradiction_is_no_repetition(self, on_store: Shell) -> None:
        on_store.running(1)
        on_store("truths", on_store.write("t0,1\n"))
        on_store("truths", on_store.write("t0,0\n"), code=1)
        assert "cannot become 0" in on_store.err

    def test_invitations(self, on_store: Shell) -> None:
        on_store.auction()
        before = on_store.workers["cem"]
        rows = on_store.invite("cem", "dora")
        assert [(row["worker"], row["name"]) for row in rows] == [("2", "cem"), ("3", "dora")]
        assert rows[0]["token"] == before, "the same invitation"
        assert "1 of them had been invited before and are shown the same invitation again" in on_store.err
        assert "quorate campaign issue worker --worker NAME" in on_store.err
        assert len(on_store.json("workers")["items"]) == 4

    def test_many_refusals_are_cut_short_for_people(self, on_store: Shell) -> None:
        on_store.running(1)
        file = on_store.write("".join(f"x{at},ada,0\n" for at in range(30)))
        on_store("answers", file, code=1)
        assert len(on_store.err.splitlines()) == 21
        assert "and 10 more were refused" in on_store.err
        assert len(on_store.json("answers", file, code=1)["refused"]) == 30


class TestDrafting:
    def test_from_a_file_with_options_on_top(self, on_store: Shell) -> None:
        file = on_store.write(
            'title = "from a file"\ntarget = 0.7\nconfidence = 0.9\nhorizon = 50\ncap = "3"\n'
            '[policy]\nname = "assured"\nkappa = "3"\n'
        )
        on_store.ask(
            "new", "-c", "filed", "--settings", file, "--cap", "4", "--answer-hours", "2", "--policy", "assured"
        )
        settings = on_store.json("status")["settings"]
        assert (settings["title"], settings["cap"], settings["answer_within"]) == ("from a file", "4", 7_200_000)
        assert settings["policy"]["kappa"] == "3", "an option names the policy and leaves its parameters"

    def test_people_get_the_token(self, on_store: Shell) -> None:
        said = on_store.ask(*NEW, "-c", "scans").splitlines()
        assert said[0] == "scans is drafted; it is to be opened"
        on_store.requester = ["--token", said[1].rpartition(" ")[2]]
        assert on_store.json("status")["stage"] == "draft"

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["new", "--title", "x"], "a campaign needs --target, --confidence, --horizon, --cap"),
            ([*NEW, "--target", "1.5"], "1.5"),
            ([*NEW, "--target", "nan"], "--target nan is not a number; give one such as 0.9"),
            ([*NEW, "--labels", "one"], "--labels 'one' is not two words; give two with a comma, such as no,yes"),
            ([*NEW, "--policy", "guess"], "guess"),
            ([*NEW, "--cap", "much"], "--cap 'much' is not a decimal number; give a non-negative decimal such as 0.25"),
            ([*NEW, "-c", "no spaces"], "--campaign 'no spaces' is no name; give 1 to 64 of letters, digits, - and _"),
            ([*NEW, "--answer-hours", "nan"], "--answer-hours nan is not above 0 and at most 87,600 hours"),
            ([*NEW, "--answer-hours", "1e308"], "--answer-hours 1e+308 is not above 0 and at most 87,600 hours"),
            ([*NEW, "--truth-hours", "0"], "--truth-hours 0 is not above 0 and at most 87,600 hours"),
            ([*NEW, "--exploring-at-once", "0"], "--exploring-at-once 0 is less than 1; give 1 or more"),
            ([*NEW, "--payment", "pay-as-bid"], "quorate campaign new --accept-untruthful"),
            (["new", "--settings", "no-such.toml"], "no-such.toml"),
        ],
    )
    def test_what_is_wrong_takes_one_line(self, on_store: Shell, given: list[str], said: str) -> None:
        on_store.ask(*given, code=2)
        assert said in on_store.err

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('target = "high"', "the setting target high is not a number"),
            ("horizon = 0.5", "the setting horizon 0.5 is not a whole number"),
            ("horizon = 0", "the setting horizon 0 is less than 1; give 1 or more"),
            ("bids_until = 0", "the setting bids_until 0 is less than 1; give 1 or more"),
            ("price = 3", "the setting price is not known"),
            ("[policy]\npool = -1", "the setting policy.pool -1 is less than 0"),
        ],
    )
    def test_a_wrong_setting_of_a_file_is_named_with_its_value(self, on_store: Shell, line: str, said: str) -> None:
        needed = {"title": '"x"', "target": "0.7", "confidence": "0.9", "horizon": "50", "cap": "3"}
        needed.pop(line.partition(" ")[0], None)
        file = on_store.write("".join(f"{name} = {value}\n" for name, value in needed.items()) + line + "\n")
        on_store.ask("new", "--settings", file, code=2)
        assert said in on_store.err

    @pytest.mark.parametrize("option", [[], ["--policy", "assured"]])
    def test_a_rule_is_a_table(self, on_store: Shell, option: list[str]) -> None:
        needed = 'title = "x"\ntarget = 0.7\nconfidence = 0.9\nhorizon = 50\ncap = "3"\n'
        on_store.ask("new", "--settings", on_store.write(needed + 'policy = "assured"\n'), *option, code=2)
        assert "the setting policy 'assured' is not a table; give its name in one, as policy.name" in on_store.err

    def test_amounts_as_people_write_them(self, on_store: Shell) -> None:
        on_store.ask(*NEW, "--cap", " 1e1 ")
        assert on_store.json("status")["settings"]["cap"] == "10"

    def test_a_settings_file_that_is_none(self, on_store: Shell) -> None:
        on_store.ask("new", "--settings", on_store.write("title: x\n"), code=2)
        assert "neither TOML nor JSON" in on_store.err

    def test_only_the_operator_drafts_at_a_service(self, at_service: Shell) -> None:
        at_service.draft()
        at_service(*NEW, code=2)
        assert "use a token of: operator" in at_service.err


class TestTokens:
    def test_issued_listed_and_revoked(self, shell: Shell) -> None:
        shell.auction()
        auditor = shell.json("issue", "auditor", "--label", "the board")["token"]
        assert shell.ask("status", "--token", auditor) == shell("status")
        assert "the board" in shell("tokens")
        digest = next(row["digest"] for row in shell.json("tokens")["items"] if row["label"] == "the board")
        assert shell("revoke", digest[:12]) == f"revoked: {digest}\n"
        shell.ask("status", "--token", auditor, code=2)
        assert "was revoked; give another with --token" in shell.err
        assert "Authorization" not in shell.err
        assert "revoked" in shell("tokens")
        again = shell("issue", "worker", "--worker", "bob")
        assert again.startswith("the worker's token, shown this once: qr_worker_")

    def test_a_digest_must_name_one(self, on_store: Shell) -> None:
        on_store.auction()
        for digest, said in (("", "4 tokens"), ("zz", "no tokens")):
            on_store("revoke", digest, code=2)
            assert said in on_store.err

    def test_roles_are_checked(self, on_store: Shell) -> None:
        on_store.auction()
        on_store("issue", "king", code=2)
        on_store("issue", "worker", code=2)
        assert "a worker's token names its worker" in on_store.err


class TestHonestNegatives:
    def test_a_promise_that_is_not_kept_for_every_verdict(self, on_store: Shell) -> None:
        file = on_store.write("answer_within = 1\n")
        on_store.draft("--open", "--settings", file)
        on_store.invite(*NAMES)
        for worker in NAMES:
            on_store.by(worker, "bid", "1")
        on_store("close-auction")
        on_store("tasks", on_store.write("t0,nobody will answer this in a millisecond\n"))
        assert "NOT kept for every verdict" in on_store("status", code=1)
        assert on_store.json("status", code=1)["keeping"] == "partly"
        assert "t0,,none," in on_store("verdicts")

    def test_a_promise_that_rests_on_everybody_is_said_with_its_condition(self, on_store: Shell) -> None:
        on_store.running(1)
        on_store("answers", on_store.write("".join(f"t0,{name},clean\n" for name in NAMES)))
        assert "kept so far, if the pool together is good enough: each" in on_store("status")
        assert on_store.json("status")["keeping"] == "assumed"
        on_store("close")
        assert "promise   kept, if the pool together was good enough: each" in on_store("status")

    def test_a_target_out_of_reach_is_a_negative_answer(self, on_store: Shell) -> None:
        """At chance with a target of .99: no jury of these can ever keep it, and the verdicts so far do not."""
        on_store.auction("--target", "0.99")
        on_store("close-auction")
        tasks = range(60)
        on_store("tasks", on_store.write("".join(f"t{at},question,{('clean', 'dirty')[at % 2]}\n" for at in tasks)))
        for start in range(0, 60, 8):
            some = [f"t{at},{name},clean\n" for at in tasks[start : start + 8] for name in NAMES]
            on_store("answers", on_store.write("".join(some)))
        said = on_store("status", code=1)
        assert "promise   OUT OF REACH of this pool" in said
        assert "close this campaign and open another" in said
        assert on_store.json("status", code=1)["keeping"] == "out-of-reach"
        on_store("close", "--force")
        said = on_store("status", code=1)
        assert "so far" not in said
        assert "OUT OF REACH" in said

    def test_nobody_can_be_asked(self, on_store: Shell) -> None:
        on_store.draft()
        assert "nobody of" in on_store("jury", code=1)
        assert on_store.json("jury", code=1) is None

    def test_a_name_that_cannot_be_is_refused_alone(self, on_store: Shell) -> None:
        on_store.auction()
        on_store("workers", "x" * 300, "dora", code=1)
        assert f"quorate: {'x' * 300}: " in on_store.err
        assert [one["name"] for one in on_store.json("workers")["items"]] == [*NAMES, "dora"]

    def test_a_name_enrolled_in_another_way_is_refused(self, at_service: Shell, served: Served) -> None:
        name = at_service.auction()
        client = Client(served.port, at_service.requester[1])
        client.post(f"/campaigns/{name}/workers", {"name": "eve"})
        client.close()
        refused = at_service.json("workers", "eve", "fay", code=1)
        assert [one["code"] for one in refused["refused"]] == ["duplicate-worker"]
        assert [one["name"] for one in refused["items"]] == ["fay"]


class TestWhoAsks:
    @pytest.mark.parametrize("command", ["status", "workers", "verdicts", "statement", "list"])
    def test_a_service_wants_a_token(self, at_service: Shell, command: str) -> None:
        at_service.ask(command, code=2)
        assert TOKEN_VARIABLE in at_service.err
        at_service.ask(command, "--token", "qr_requester_0000", code=2)
        assert "unauthenticated" in at_service.err
        at_service.ask(command, "--token", "é\n", code=2)
        assert "the token given is none" in at_service.err

    def test_token_and_address_from_the_environment(self, at_service: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        at_service.draft()
        monkeypatch.setenv(TOKEN_VARIABLE, at_service.requester[1])
        monkeypatch.setenv(URL_VARIABLE, at_service.where[1])
        expected = at_service("status")
        at_service.where = []
        assert at_service.ask("status") == expected

    def test_the_environment_is_not_for_a_store(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        on_store.draft()
        monkeypatch.setenv(TOKEN_VARIABLE, "qr_requester_of-another-place")
        monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:1")
        assert "draft" in on_store.ask("status")

    def test_a_worker_sees_nothing_of_the_requesters(self, on_store: Shell) -> None:
        on_store.running()
        for command in ("status", "workers", "verdicts", "statement", "tokens", "jury"):
            on_store.by("ada", command, code=2)
            assert "this token's role may not do that" in on_store.err

    def test_the_owner_of_a_store_reads_no_bid_and_places_none(self, on_store: Shell) -> None:
        on_store.auction()
        on_store.ask("bid", "0.25", code=2)
        assert "use a token of: worker" in on_store.err
        assert [one["bid"] for one in on_store.json("workers")["items"]] == [None] * 3

    def test_a_bid_is_read_unseen_and_never_said_back(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        on_store.auction()
        monkeypatch.setattr("sys.stdin", io.StringIO("0.123457\n"))
        assert "0.123457" not in on_store.by("ada", "bid", "-") + on_store.err
        on_store.by("ada", "bid", "1.7777771", code=2)
        assert "1.7777771" not in on_store.err
        on_store("close-auction")
        assert on_store.json("workers")["items"][0]["bid"] == "0.123457"


class TestWhere:
    def test_one_of_several_must_be_named(self, on_store: Shell) -> None:
        on_store.ask(*NEW, "-c", "one")
        on_store.ask(*NEW, "-c", "two")
        on_store.ask("status", code=2)
        assert "there are 2 campaigns here (one, two); name one with --campaign" in on_store.err
        assert on_store.ask("status", "-c", "two").startswith("two: ")
        on_store.ask("status", "-c", "three", code=2)
        assert "there is no campaign 'three'" in on_store.err

    @pytest.mark.parametrize(
        ("where", "said"),
        [
            (["--url", "http://127.0.0.1:1", "--store", "sqlite:///x.db"], "give one of them"),
            (["--url", "ftp://127.0.0.1"], "is no address of a service"),
            (["--url", "http://"], "no service answers"),
            (["--url", "http://127.0.0.1:port"], "is no address"),
            (["--url", "http://127.0.0.1:1"], "no service answers at http://127.0.0.1:1; start `quorate serve`"),
            (["--store", "sqlite:////no/such.db"], "there is no database /no/such.db"),
            (["--store", "quorate.db"], "is not a database's URL"),
            (["--store", "mysql://x/y"], "not supported"),
        ],
    )
    def test_what_is_wrong_takes_one_line(self, on_store: Shell, where: list[str], said: str) -> None:
        on_store.where = [*where, "--token", "qr_requester_x"]
        on_store.ask("status", code=2)
        assert said in on_store.err

    def test_another_kind_of_service(self, on_store: Shell) -> None:
        with http.server.HTTPServer(("127.0.0.1", 0), Other) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                on_store.where = ["--url", f"http://127.0.0.1:{server.server_port}", "--token", "x"]
                on_store.ask("status", code=2)
            finally:
                server.shutdown()
                thread.join()
        assert "is no quorate service (HTTP 200)" in on_store.err

    def test_an_empty_database(self, on_store: Shell) -> None:
        ledger(on_store).close()
        on_store.ask("status", code=2)
        assert "make one with `quorate campaign new`" in on_store.err

    def test_a_file_that_is_no_database(self, on_store: Shell) -> None:
        (on_store.folder / "x.db").write_text("no database, " * 1_000)
        on_store.ask("status", code=2)
        assert "not a database" in on_store.err


class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>hello")

    def log_message(self, *given: Any) -> None:
        """Not on the terminal."""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["leave", "zoe"], "there is no worker 'zoe'"),
        (["leave", "99"], "there is no worker '99'"),
        (["statement", "--worker", "zoe"], "there is no worker 'zoe'"),
        (["confirm", "nothing"], "unknown-payout"),
        (["issue", "foo"], "the role 'foo' is not requester, worker or auditor; give one of these"),
        (["issue", "worker"], "say whose with --worker NAME"),
        (["issue", "auditor", "--worker", "ada"], "--worker 'ada' goes with the role worker, not with auditor"),
        (["payouts", "--worker", "zoe"], "unknown-worker"),
        (["open"], "wrong-stage"),
        (["close-auction"], "wrong-stage"),
        (["bidd", "1"], "bidd"),
        (["tasks"], "FILE"),
        (["tasks", "no-such-file.csv"], "no-such-file.csv"),
        (["workers", "--file", "no-such-file.csv"], "no-such-file.csv"),
    ],
)
def test_refusals_take_one_line(on_store: Shell, given: list[str], said: str) -> None:
    on_store.running()
    on_store.ask(*given, code=2)
    assert said in on_store.err


def test_digits_are_a_number_and_no_name(on_store: Shell) -> None:
    on_store.draft("--open")
    on_store("workers", "ada", "0", code=1)
    assert "a worker cannot be named '0'" in on_store.err
    on_store.invite("bob")
    on_store("leave", "0")
    assert [one["withdrawn"] for one in on_store.json("workers")["items"]] == [True, False]
