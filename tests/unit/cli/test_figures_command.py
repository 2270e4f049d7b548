"""`quorate figures`: the same numbers on one process and on two, JSON, and one line for what is wrong."""

import json
from pathlib import Path

import pytest

from quorate.cli.main import run

TINY = ["--samples", "3", "--workers", "66", "--tasks", "60"]


def test_two_processes_draw_what_one_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for count in ("1", "2"):
        assert run(["figures", "2", "4", *TINY, "--processes", count, "--out", str(tmp_path / count), "--json"]) == 0
    capsys.readouterr()
    first, second = (sorted((tmp_path / count).iterdir()) for count in ("1", "2"))
    assert [path.name for path in first] == [path.name for path in second]
    assert len(first) == 20
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_json_names_files_captions_and_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["figures", "violations", *TINY, "--processes", "1", "--out", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["samples"], said["workers"], said["tasks"], said["seed"]) == (3, 66, 60, 1)
    (figure,) = said["figures"]
    assert figure["figure"] == "violations"
    assert all(Path(path).exists() for path in figure["files"])
    assert "μ = 0.1" in figure["captions"]["violations"]
    assert len(figure["findings"]) == 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["5"], "no figure is called '5'"),
        (["2", "--samples", "0"], "--samples"),
        (["2", "--workers", "many"], "--workers"),
        (["2", "--tasks", "1"], "--tasks"),
        (["2", "--processes", "0"], "--processes"),
        (["2", "--samples", "1", "--workers", "22", "--tasks", "10", "--processes", "1"], "do not reach accuracy"),
    ],
)
def test_what_is_wrong_takes_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(["figures", *arguments, "--out", str(tmp_path)]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_a_directory_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["figures", "2"]) == 2
    assert "--out" in capsys.readouterr().err
