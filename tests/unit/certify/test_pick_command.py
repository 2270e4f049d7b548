"""`quorate pick`: what it prints, and its exit codes."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate.cli.main import run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """LABELS and TRUTH of four workers, right on about .95, .9, .8 and .6."""
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 1000)
    right = random.random((1000, 4)) < np.array([0.95, 0.9, 0.8, 0.6])
    names = ["ann", "bob", "cy", "dee"]
    tasks = [f"t{i}" for i in range(1000)]
    wide = pl.DataFrame({"task": tasks, **{n: np.where(right[:, i], truth, 1 - truth) for i, n in enumerate(names)}})
    wide.unpivot(index="task", variable_name="worker", value_name="label").write_csv(tmp_path / "labels.csv")
    pl.DataFrame({"task": tasks, "truth": truth}).write_csv(tmp_path / "truth.csv")
    pl.DataFrame({"worker": names, "price": [9, 4, 2, 1]}).write_csv(tmp_path / "prices.csv")
    return [str(tmp_path / name) for name in ("labels.csv", "truth.csv", "prices.csv")]


def pick_with(arguments: list[str]) -> int:
    return run(["pick", *arguments])


def test_a_jury_exits_0(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    labels, truth, prices = files
    assert pick_with([labels, truth, "--prices", prices, "--target", "0.8", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["feasible"] is True
    assert value["jury"] == ["bob"]
    assert value["price"] == 4.0
    assert value["certified_accuracy"] >= 0.8
    assert value["best_single"]["worker"] == "ann"
    assert value["considered"] == 4 + 4


def test_for_people_it_names_the_jury_its_price_and_the_assumption(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    labels, truth, prices = files
    assert pick_with([labels, truth, "--prices", prices, "--target", "0.8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Ask bob: the cheapest certified choice, 4 per task.\nWith confidence 95%, this worker alone")
    assert "Nothing is assumed about how workers' errors hang together" in out
    assert "(best single: ann)" in out
    assert "independent votes" in out


def test_a_refusal_exits_1_and_names_the_best(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert pick_with([*files[:2], "--target", "0.97"]) == 1
    out = capsys.readouterr().out
    assert "No jury can be certified at 97%. The most that can be certified is 9" in out
    assert "more gold tasks" in out
    assert pick_with([*files[:2], "--target", "0.97", "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["feasible"] is False
    assert value["best_certifiable"]["certified_accuracy"] > 0.9
    assert value["more_gold_tasks"] > 0


def test_the_report_is_written(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pick_with([*files[:2], "--target", "0.8", "--report", str(tmp_path / "report.html")]) == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert f"The report is in {tmp_path / 'report.html'}." in capsys.readouterr().out


def test_independence_is_named_where_it_is_assumed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert pick_with([*files[:2], "--target", "0.8", "--assume", "independent", "--vote", "weighted"]) == 0
    out = capsys.readouterr().out
    assert "workers err independently of each other, and as often where one answer is true as where the other is" in out


@pytest.mark.parametrize("vote", ["majority", "weighted"])
def test_names_cannot_steer_the_terminal(vote: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 900)
    names = [f"\x1b[3{i}mworker\n{i}\x9b2J" for i in range(5)]
    right = random.random((900, 5)) < 0.8
    answers = {name: np.where(right[:, i], truth, 1 - truth) for i, name in enumerate(names)}
    pl.DataFrame({"task": np.arange(900), **answers}).write_csv(tmp_path / "labels.csv")
    pl.DataFrame({"task": np.arange(900), "truth": truth}).write_csv(tmp_path / "truth.csv")
    files = [str(tmp_path / "labels.csv"), str(tmp_path / "truth.csv")]
    assert pick_with([*files, "--target", "0.85", "--vote", vote]) in (0, 1)
    assert pick_with([files[1], files[0]]) == 2
    captured = capsys.readouterr()
    printed = captured.out + captured.err
    assert "\\x1b[33mworker\\n3\\x9b2J" in printed
    assert not {"\x1b", "\x9b"} & set(printed)
    assert "worker\n" not in printed


BAD = {
    "a missing file": (["gone.csv", "TRUTH"], "LABELS gone.csv: cannot be read"),
    "a target that is no accuracy": (["LABELS", "TRUTH", "--target", "1.5"], "target is 1.5"),
    "an unknown assumption": (["LABELS", "TRUTH", "--assume", "hope"], "'hope' is not one of 'nothing', 'independent'"),
    "a price column that is not there": (
        ["LABELS", "TRUTH", "--prices", "PRICES", "--price-column", "usd"],
        "its columns are worker, price; it needs worker and usd",
    ),
    "truth where labels should be": (["TRUTH", "TRUTH"], "it has a column truth, which would pass for a worker"),
    "labels as prices": (["LABELS", "TRUTH", "--prices", "LABELS"], "its columns are task, worker, label"),
    "a report that cannot be written": (
        ["LABELS", "TRUTH", "--report", "/no/such/place/x.html"],
        "x.html cannot be written (No such file",
    ),
    "a report that is no page": (["LABELS", "TRUTH", "--report", "LABELS"], "labels.csv is not named .html or .htm"),
    "a jury of nobody": (["LABELS", "TRUTH", "--max-size", "0"], "--max-size"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_exits_2(case: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments, message = BAD[case]
    places = dict(zip(("LABELS", "TRUTH", "PRICES"), files, strict=True))
    assert pick_with([places.get(argument, argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("role", ["LABELS", "TRUTH", "--prices"])
def test_a_report_never_overwrites_what_it_is_made_of(
    role: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(dict(zip(("LABELS", "TRUTH", "--prices"), files, strict=True))[role])
    content = source.read_bytes()
    (tmp_path / "report.html").symlink_to(source)
    report = ["--prices", files[2], "--report", str(tmp_path / "report.html")]
    assert pick_with([*files[:2], *report]) == 2
    assert f"report.html is {role} {source}, which it would overwrite; give another path" in capsys.readouterr().err
    assert source.read_bytes() == content


def test_a_full_disk_is_named(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full.html").symlink_to("/dev/full")
    assert pick_with([*files[:2], "--report", str(tmp_path / "full.html")]) == 2
    error = capsys.readouterr().err
    assert "full.html cannot be written (No space left on device); make room there, or give another path" in error


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert pick_with(["--help"]) == 0
    assert "Example: quorate pick labels.csv truth.csv" in capsys.readouterr().out
