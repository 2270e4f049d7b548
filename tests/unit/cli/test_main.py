"""Exit codes and one-line errors, as docs/cli.md promises."""

import subprocess
import sys
from pathlib import Path

import pytest

from quorate import __version__
from quorate.cli.main import command_names, run


def only_line(text: str) -> str:
    """The one line of an error; more than one line is a failure."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    return lines[0]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"quorate {__version__}\n"


@pytest.mark.parametrize("name", command_names())
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*name.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert "Example: quorate " in said
    assert "--json" in said


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        (["nonsense"], ["nonsense", "`quorate --help`"]),
        (["demo", "--workers", "3"], ["--workers 3 is less than 11; give 11 or more", "`quorate demo --help`"]),
        (["plan", "--horizon", "0"], ["--horizon 0 is less than 1; give 1 or more"]),
        (["plan", "--seed", "-1"], ["--seed -1 is less than 0; give 0 or more"]),
        (["plan", "--workers", "x"], ["--workers x is not a whole number; give one such as 3"]),
        (["plan", "--quality-range", "a", "b"], ["--quality-range a is not a number; give one such as 0.9"]),
        (["pick", "a", "b", "--max-size", "0"], ["--max-size 0 is less than 1; give 1 or more"]),
        (["pick", "a", "b", "--assume", "maybe"], ["--assume: 'maybe' is not one of 'nothing', 'independent'"]),
        (["demo", "--port", "70000"], ["--port 70000 is more than 65535; give 65535 or less"]),
        (["serve", "--rate", "inf"], ["a rate of inf requests a second is not above 0 and at most 1,000,000"]),
        (["serve", "--host", "8.8.8.8"], ["cannot listen at 8.8.8.8 port 8080", "check --host: an address of this"]),
        (["serve", "--host", "a..b"], ["cannot listen at a..b port 8080", "check --host: an address of this machine"]),
        (
            ["serve", "--host", "8.8.8.8", "--public-url", "foo"],
            ["--public-url 'foo' is no address", "such as https://quorate.example"],
        ),
        (["serve", "--host", "8.8.8.8", "--public-url", "https://"], ["--public-url 'https://' is no address"]),
        (["serve", "--host", "8.8.8.8", "--public-url", "https://[x"], ["--public-url 'https://[x' is no address"]),
        (["campaign", "issue"], ["ROLE", "`quorate campaign issue --help`"]),
        (["campaign", "nonsense"], ["nonsense", "`quorate campaign --help`"]),
        (["campaign", "--"], ["Missing command", "`quorate campaign --help`"]),
        (["demo", "--wrokers", "30"], ["--wrokers", "`quorate demo --help`"]),
        (["pick", "no-such-file.csv", "nor-this.csv"], ["no-such-file.csv"]),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(
    arguments: list[str], mentions: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    line = only_line(captured.err)
    assert line.startswith("quorate: ")
    assert captured.out == ""
    for part in mentions:
        assert part in line


def test_an_interrupt_is_one_line_and_exit_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("quorate.cli.main.app", interrupted)
    assert run(["demo"]) == 130
    assert only_line(capsys.readouterr().err) == "quorate: stopped by Ctrl-C"


@pytest.mark.parametrize("group", [[], ["campaign"], ["ledger"]])
def test_naming_no_command_shows_the_help_as_it_is(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(group) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert run([*group, "--help"]) == 0
    assert said.err == capsys.readouterr().out
    assert len(said.err.splitlines()) > 10


@pytest.mark.parametrize("group", [[], ["campaign"], ["ledger"]])
def test_no_summary_of_a_command_is_cut(
    group: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*group, "--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2].splitlines()[1:]
    assert listed
    assert [line for line in listed if not line.endswith(".")] == []
    assert [line for line in listed if line.endswith("...")] == []


OUT = [
    ["simulate", "study.toml"],
    ["figures", "bounds"],
    ["audit", "--policy", "ccb-s", "--instances", "1"],
]


@pytest.mark.parametrize("command", OUT, ids=lambda command: command[0])
@pytest.mark.parametrize("under", ["", "/deeper"])
def test_a_file_where_a_folder_is_needed_takes_one_line(
    command: list[str], under: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text((Path(__file__).parents[3] / "examples" / "paper.toml").read_text())
    Path("file").touch()
    assert run([*command, "--out", f"file{under}"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    line = only_line(captured.err)
    assert f"file{under}" in line
    assert "where a folder is needed: give another path" in line


def test_an_unreadable_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pick", str(tmp_path), str(tmp_path)]) == 2
    assert str(tmp_path) in only_line(capsys.readouterr().err)


@pytest.mark.parametrize("module", ["quorate", "quorate.cli.main"])
def test_heavy_libraries_wait_until_they_are_needed(module: str) -> None:
    """`quorate --help` answers in under .3 s (measured by benchmarks/bench_import.py) only if these stay unloaded."""
    heavy = ("numpy", "numba", "scipy", "polars", "matplotlib", "rich", "fastapi", "sqlalchemy", "distributed")
    script = f"import {module}, sys; print([name for name in {heavy!r} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.strip() == "[]"
