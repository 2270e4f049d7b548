"""A study killed at random moments and resumed gives the same Parquet, byte for byte, as an uninterrupted one.

The moments are random numbers of finished cells (fixed seed) and wherever the processes then happen to be.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quorate.lab.execution import workplace
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study_file import parse_study

TEXT = """
samples = 500
chunk = 1
payments = ["pay-as-bid"]
[problem]
horizon = 30
[[world]]
kind = "paper"
workers = 11
[[policy]]
name = ["ccb-s", "epsilon-greedy"]
"""
COMMAND = "import typer; from quorate.cli.simulate import simulate; typer.run(simulate)"
# A first run may compile for a minute on a busy machine.
LONG = 300.0


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    directory = ResultDirectory(tmp_path_factory.mktemp("uninterrupted"), parse_study(TEXT))
    with workplace(1) as place:
        run_study(directory, directory.unfinished(), place)
    return directory.finish().read_bytes()


def _start(folder: Path) -> subprocess.Popen[str]:
    (folder / "study.toml").write_text(TEXT)
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(folder / "study.toml"), "--out", str(folder / "out"), "--processes", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _cells(folder: Path) -> dict[str, int]:
    """Finished cells and when each was written."""
    cells = folder / "out" / "cells"
    try:
        return {file.name: file.stat().st_mtime_ns for file in cells.glob("*.json") if file.name[0] != "."}
    except FileNotFoundError:
        return {}


def _wait(ready: Callable[[], bool], what: str) -> None:
    for _ in range(int(LONG / 0.005)):
        if ready():
            return
        time.sleep(0.005)
    pytest.fail(f"{what} did not happen within {LONG:g} s")


def test_killed_three_times_and_resumed(tmp_path: Path, uninterrupted: bytes) -> None:
    moments = sorted(random.Random(5).sample(range(1, 80), 3))
    interrupted = 0
    before: dict[str, int] = {}
    for moment in moments:
        process = _start(tmp_path)
        _wait(lambda at=moment, run=process: len(_cells(tmp_path)) >= at or run.poll() is not None, f"{moment} cells")  # type: ignore[misc]
        process.kill()
        # Its worker processes hold the same pipe, so this returns once they too are gone: no orphans.
        process.communicate(timeout=LONG)
        interrupted += process.returncode == -signal.SIGKILL
        cells = _cells(tmp_path)
        assert before.items() <= cells.items(), "a finished cell was lost or run again"
        before = cells
    assert interrupted == len(moments), "the study ended before it could be killed; give it more cells"
    last = _start(tmp_path)
    out, err = last.communicate(timeout=LONG)
    assert last.returncode == 0, err
    assert "of them from before" in out
    assert (tmp_path / "out" / "results.parquet").read_bytes() == uninterrupted
    assert sorted(os.listdir(tmp_path / "out")) == ["manifest.json", "results.parquet", "times.csv"]


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path, uninterrupted: bytes) -> None:
    process = _start(tmp_path)
    _wait(lambda: len(_cells(tmp_path)) >= 3 or process.poll() is not None, "3 cells")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LONG)
    assert process.returncode == 130, err
    assert err.count("\n") == 1
    assert "finished cells are kept" in err
    assert "run the same command again" in err
    again = _start(tmp_path)
    _, err = again.communicate(timeout=LONG)
    assert again.returncode == 0, err
    assert (tmp_path / "out" / "results.parquet").read_bytes() == uninterrupted
