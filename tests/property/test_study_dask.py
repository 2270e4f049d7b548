"""The same cells on a real Dask cluster: two worker processes on the loopback interface."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.errors import InvalidInput
from quorate.lab import execution
from quorate.lab.execution import workplace
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study_file import parse_study

distributed = pytest.importorskip("distributed", reason="distributed is not installed: `make setup` installs it")

TEXT = """
samples = 8
chunk = 2
[problem]
horizon = 60
[[world]]
kind = ["stars", "common-factor"]
workers = 15
[[policy]]
name = ["ccb-s", "ccb-ns"]
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same_bytes_as_this_process(address: str, tmp_path: Path) -> None:
    found = []
    for place_of in ({"processes": 1}, {"dask": address}):
        directory = ResultDirectory(tmp_path / next(iter(place_of)), parse_study(TEXT))
        with workplace(**place_of) as place:  # type: ignore[arg-type]
            run_study(directory, directory.unfinished(), place)
        found.append(directory.finish().read_bytes())
    assert found[0] == found[1]


def test_calls_run_on_the_clusters_workers(address: str) -> None:
    with workplace(dask=address) as place:
        assert place.slots == 4
        seen = {place.executor.submit(os.getpid).result() for _ in range(20)}
    assert os.getpid() not in seen
    assert 1 <= len(seen) <= 2


def test_no_cluster_is_one_line_that_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "PATIENCE", "0.5s")
    with (
        pytest.raises(InvalidInput, match=r"no cluster answers there .*; start one with `dask scheduler"),
        workplace(dask="tcp://127.0.0.1:1"),
    ):
        pass
