"""`quorate campaign`: a whole campaign from the shell, on a store and at a real service, and what it says of it."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from quorate.campaign.views import CoinCheck
from quorate.cli.main import run
from quorate.cli.reach_store import OnStore
from tests.served import OPERATOR, Client, Served
from tests.unit.cli.shell import NAMES, Shell


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
