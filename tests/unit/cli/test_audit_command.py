"""`quorate audit`: the contract on cases, searches that find and that do not, and one line for bad input."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quorate.cli import console
from quorate.cli.main import run
from quorate.mechanism.audit import report

EXAMPLES = Path(__file__).parents[3] / "examples"
COUNTS = {
    "loser-raises.json": {10: 48, 11: 200},
    "winner-lowers.json": {16: 300, 15: 201},
    "profitable-lie.json": {10: 189, 12: 83, 13: 83, 14: 83, 15: 187, 16: 187, 20: 187},
}


@pytest.mark.parametrize("name", list(COUNTS))
def test_the_explicit_cases_give_the_counts_stated(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--case", str(EXAMPLES / name), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    given = json.loads((EXAMPLES / name).read_text())
    assert [result["bid"] for result in told["results"]] == given["grid"]
    counts = {result["bid"]: result["tasks"][given["vary"]] for result in told["results"]}
    assert {bid: counts[bid] for bid in COUNTS[name]} == COUNTS[name]
    assert told["monotone"] is False
    assert set(told["results"][0]) == {"bid", "tasks", "stop", "jury"}


def test_a_replayed_case_counts_its_bids_for_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[tuple[str, float]] = []
    steps: list[float] = []

    @contextmanager
    def watch(stage: str, total: float) -> Iterator[Callable[[float], None]]:
        stages.append((stage, total))
        yield steps.append

    monkeypatch.setattr(console, "progress", watch)
    for name in ("loser-raises.json", "profitable-lie-paid.json"):
        steps.clear()
        run(["audit", "--case", str(EXAMPLES / name)])
        assert stages[-1] == ("Replaying bids", sum(steps))
    assert len(stages) == 2


def test_the_same_case_with_exact_selection_is_monotone(capsys: pytest.CaptureFixture[str]) -> None:
    for policy in (["--policy", "ccb-s", "--selector", "exact"], ["--policy", "assured"]):
        for name in COUNTS:
            assert run(["audit", "--case", str(EXAMPLES / name), "--json", *policy]) == 0
            assert json.loads(capsys.readouterr().out)["monotone"] is True


def test_a_case_is_told_to_people_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--case", str(EXAMPLES / "loser-raises.json")]) == 1
    said = capsys.readouterr().out
    assert "raising its bid from 10 to 11 gets worker 1 200 tasks instead of 48" in said


def test_the_lie_that_pays_28_percent_is_shown_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "--case", str(EXAMPLES / "profitable-lie-paid.json")]
    assert run([*command, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["worker"], told["cost"], told["lie"]) == (0, 10, 15)
    assert round(100 * told["gain_share"]) == 28
    assert told["truthful"] is False
    assert run(command) == 1
    said = capsys.readouterr().out
    assert "claimed: NOT truthful: 'ccb-s' with a bossy selector" in said
    assert "28.0% of what the truth earns, on average by bidding 15" in said
    assert run([*command, "--selector", "exact"]) == 0
    assert "No bid of the grid beats the truth.\n" in capsys.readouterr().out


def test_a_case_that_no_lie_breaks_still_says_what_its_pairing_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.loads((EXAMPLES / "loser-raises.json").read_text())
    path = tmp_path / "cap.json"
    path.write_text(json.dumps({**given, "grid": [10, 20], "payment": "pay-as-bid", "cost": 20, "selector": "exact"}))
    assert run(["audit", "--case", str(path)]) == 0
    said = capsys.readouterr().out
    assert "claimed: NOT truthful: pay-as-bid is not truthful" in said
    assert "No bid of the grid beats the truth in this case; with others it may." in said
    assert run(["audit", "--case", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["truthful"] is False


def test_options_replace_what_a_case_says(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "--case", str(EXAMPLES / "profitable-lie-paid.json"), "--json"]
    assert run([*command, "--payment", "pay-as-bid", "--error", "margin"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["payment"], told["lie"]) == ("pay-as-bid", 20)


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        (["--instances", "5"], "--instances"),
        (["--first", "0"], "--first"),
        (["--seed", "1"], "--seed"),
        (["--slack"], "--slack"),
        (["--pool"], "--pool"),
        (["--no-elimination"], "--elimination"),
        (["--stopping", "head-count"], "--stopping"),
        (["--out", "found"], "--out"),
        (["--resume"], "--resume"),
        (["--threads", "2"], "--threads"),
        (["--payment", "nonsense"], "no payment is called 'nonsense'"),
        (["--payment", "threshold"], "go together"),
        (["--error", "nonsense"], "'nonsense'"),
    ],
)
def test_what_a_case_does_not_take_is_refused(
    arguments: list[str], mentions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", "--case", str(EXAMPLES / "loser-raises.json"), *arguments]) == 2
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)
    assert mentions in said.err


def test_a_lie_under_mode_r_is_found_written_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "COIN_DRAWS", 500)
    monkeypatch.setattr(report, "BID_DRAWS", 1_000)
    search = ["audit", "--policy", "ccb-s", "--payment", "randomised", "--instances", "1500", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["worst_unit"] == "millionths"
    assert told["coins"]["paid_below_bid"] == 0
    best = told["coins"]["best_lie"]
    assert best["low"] <= best["gain"] <= best["high"]
    # The worlds' cap is 20 millionths, their horizon 150 tasks.
    assert all(0 <= best[name] <= 20e-6 for name in ("cost", "lie"))
    assert 0 < best["gain"] <= 150 * 20e-6
    for found in told["found"]:
        assert found["confirmed"]
        assert found["gain"] > 0
        assert Path(found["case"]).name.startswith("ccb-s-greedy-randomised-seed1-")
        assert run(["audit", "--case", found["case"], "--json"]) == 1
        again = json.loads(capsys.readouterr().out)
        assert {key: again[key] for key in ("worker", "cost", "lie", "gain")} == {
            key: found[key] for key in ("worker", "cost", "lie", "gain")
        }
    assert run([*search, "--resume", "--threads", "1"]) == 1
    said = capsys.readouterr().out
    assert "standard errors (4.20 allowed: what 3 is for one world); 0 bids paid below themselves" in said
    assert "gains" in said
    assert "on average by bidding" in said


def test_another_questions_progress_survives(tmp_path: Path) -> None:
    log = tmp_path / "chunks.jsonl"
    search = ["audit", "--instances", "10", "--out", str(tmp_path), "--policy"]
    run([*search, "assured"])
    first = log.read_text()
    run([*search, "ccb-s"])
    assert log.read_text().startswith(first)
    run([*search, "assured"])
    assert sorted(set(log.read_text().splitlines())) == sorted(log.read_text().splitlines())
    assert len(log.read_text().splitlines()) == 2


def test_a_search_finds_shrinks_writes_and_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search = ["audit", "--policy", "ccb-s", "--selector", "greedy", "--instances", "3000", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["violations"] > 0
    assert told["instances"] == 3000
    assert told["worst_unit"] == "tasks"
    for found in told["found"]:
        assert found["confirmed"]
        assert Path(found["case"]).name.startswith("ccb-s-greedy-seed1-")
        assert run(["audit", "--case", found["case"], "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["monotone"] is False
    assert run([*search, "--resume"]) == 1
    assert f"in {told['violations']} worlds raising a bid got its worker more tasks" in capsys.readouterr().out


def test_searches_that_differ_in_an_option_keep_their_cases_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both find lies in the same worlds."""
    search = ["audit", "--policy", "assured", "--payment", "pay-as-bid", "--instances", "50", "--out", str(tmp_path)]
    worlds, cases = [], set()
    for option in ([], ["--pool"]):
        assert run([*search, *option, "--json"]) == 1
        found = json.loads(capsys.readouterr().out)["found"]
        worlds.append({one["world"] for one in found})
        cases |= {one["case"] for one in found}
    assert worlds[0] & worlds[1]
    assert len(cases) == len(list(tmp_path.glob("*.json"))) == len(worlds[0]) + len(worlds[1])


def test_a_search_that_finds_nothing_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--policy", "assured", "--pool", "--slack"], ["--policy", "assured", "--payment", "threshold"]):
        assert run(["audit", *options, "--instances", "500", "--out", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["violations"] == 0


@pytest.mark.parametrize(
    ("options", "code", "variant"),
    [
        (["--stopping", "head-count"], 0, "assured, head-count, everybody"),
        (["--stopping", "head-count", "--payment", "randomised"], 0, "assured, head-count, everybody"),
        (["--stopping", "price-gap", "--payment", "threshold"], 1, "assured, price-gap, elimination, everybody"),
    ],
)
def test_every_rule_of_stopping_is_audited_with_every_payment(
    options: list[str],
    code: int,
    variant: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "COIN_DRAWS", 500)
    monkeypatch.setattr(report, "BID_DRAWS", 1_000)
    search = ["audit", "--policy", "assured", *options, "--instances", "300", "--out", str(tmp_path), "--json"]
    assert run(search) == code
    assert json.loads(capsys.readouterr().out)["variant"].startswith(variant)


def test_a_violation_under_linear_is_found_written_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search = ["audit", "--policy", "ccb-s", "--error", "linear", "--instances", "6000", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    for found in json.loads(capsys.readouterr().out)["found"]:
        assert found["confirmed"]
        assert json.loads(Path(found["case"]).read_text())["epsilon"] == 0.4
        assert run(["audit", "--case", found["case"], "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["monotone"] is False


def test_a_search_in_which_exploration_never_ends_has_tested_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search = ["audit", "--policy", "ccb-s", "--selector", "exact", "--instances", "1", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 2
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)
    assert "in none of 1 worlds did exploration end at any bid, so nothing was tested" in said.err


def test_what_is_not_truthful_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--policy", "assured", "--payment", "pay-as-bid", "--instances", "100", "--out", str(tmp_path)]
    assert run(["audit", *options]) == 1
    said = capsys.readouterr().out
    assert "claimed: NOT truthful: pay-as-bid" in said
    assert run(["audit", *options, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["truthful"] is False


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        ([], "--policy"),
        (
            ["--policy", "epsilon-greedy"],
            "no small worlds exist for 'epsilon-greedy'; there are ccb-s, ccb-se, ccb-ns, assured, assured-joint",
        ),
        (["--policy", "ccb-s", "--selector", "best"], "with the selector 'best'; there are exact, greedy"),
        (["--policy", "ccb-s", "--payment", "vcg"], "'vcg'; there are randomised, threshold, pay-as-bid"),
        (["--policy", "assured", "--payment", "threshold without min"], "there are randomised, threshold, pay-as-bid"),
        (["--policy", "assured", "--error", "majority"], "not additive"),
        (["--policy", "ccb-s", "--pool"], "has no pool"),
        (["--policy", "assured-joint", "--slack"], "slack"),
        (["--policy", "ccb-s", "--instances", "0"], "--instances"),
        (["--policy", "assured-joint", "--selector", "qqq"], "--selector: 'qqq' means nothing to 'assured-joint'"),
        (["--policy", "assured-joint", "--error", "zzz"], "--error: 'zzz' means nothing to 'assured-joint'"),
        (["--policy", "ccb-s", "--stopping", "price-gap"], "--stopping: 'price-gap' means nothing to 'ccb-s'"),
        (["--policy", "assured", "--stopping", "soon"], "no stopping rule is called 'soon'"),
        (["--policy", "assured", "--no-elimination", "--payment", "threshold"], "head counts eliminate nobody"),
        (["--policy", "assured", "--no-elimination", "--stopping", "head-count"], "head counts eliminate nobody"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(
    arguments: list[str], mentions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", *arguments, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert mentions in said.err


def test_a_case_that_is_not_there_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--case", "no-such-case.json"]) == 2
    assert capsys.readouterr().err == "quorate: no-such-case.json: No such file or directory; check the path\n"


def test_a_bad_case_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.json"
    path.write_text('{"bids": [1]}')
    assert run(["audit", "--case", str(path)]) == 2
    said = capsys.readouterr()
    assert said.err == f"quorate: {path}: the key 'cap' is missing; a case needs bids, cap, realization, vary, grid\n"
