"""Where cells run must not matter, and a worker process that dies must be said."""

import os
from concurrent.futures import BrokenExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from quorate.errors import InvalidInput, QuorateError
from quorate.lab import execution
from quorate.lab import run_study as module
from quorate.lab.cell import sample_row
from quorate.lab.execution import workplace
from quorate.lab.policies import POLICY_KINDS
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study import Promise, Study
from quorate.lab.study_file import parse_study
from quorate.lab.world import Paper

TEXT = """
samples = 6
chunk = 2
payments = ["randomised", "pay-as-bid"]
[problem]
horizon = 60
[[world]]
kind = ["spammers", "common-factor"]
workers = 15
[[policy]]
name = ["ccb-ns", "epsilon-greedy"]
"""


def _die(*_: object) -> None:
    os._exit(3)


def test_one_process_and_two_give_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for processes in (1, 2):
        directory = ResultDirectory(tmp_path / str(processes), parse_study(TEXT))
        samples: list[float] = []
        with workplace(processes) as place:
            run_study(directory, directory.unfinished(), place, samples.append)
        assert sum(samples) == directory.study.rows
        found.append(directory.finish().read_bytes())
    assert found[0] == found[1]


def test_a_worker_process_that_dies_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run_cell", _die)
    directory = ResultDirectory(tmp_path, parse_study(TEXT))
    with workplace(2) as place, pytest.raises(QuorateError, match="a worker process ended by itself") as refusal:
        run_study(directory, directory.unfinished(), place)
    assert isinstance(refusal.value.__cause__, BrokenExecutor)


def test_no_processes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="--processes 0 runs nothing; give 1 or more"), workplace(0):
        pass


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "tcp://", "tcp://:8786", "http://h:1", "tcp://h:99999", "h:x", "tcp://[::1"]
)
def test_a_malformed_address_is_refused_before_dask_looks_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "import_module", lambda name: SimpleNamespace(Client=pytest.fail))
    with (
        pytest.raises(InvalidInput, match=r"^--dask .*: that is no scheduler's address; give tcp://HOST:PORT, such as"),
        workplace(dask=address),
    ):
        pass


def test_processes_are_no_matter_of_a_cluster() -> None:
    with (
        pytest.raises(InvalidInput, match="--processes 2 goes with no --dask: a cluster has workers of its own"),
        workplace(2, "tcp://127.0.0.1:8786"),
    ):
        pass


@pytest.mark.parametrize("name", ["assured", "ccb-s"])
def test_a_hundred_thousand_workers(name: str) -> None:
    study = Study((Paper(100_000),), (Promise(horizon=100, slack=0.05),), (POLICY_KINDS[name](),), samples=1)
    row = sample_row(next(study.cells()), 0)
    assert 1 <= row["exploration_tasks"] <= 100
    assert row["jury_size"] <= 60 if name == "assured" else row["jury_size"] == 100_000
    assert row["exact_cost_per_task"] <= row["greedy_cost_per_task"]
