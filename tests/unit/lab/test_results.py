"""A study's directory: whole files or none, and never two studies in one."""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from quorate.errors import InvalidInput, QuorateError
from quorate.lab import results
from quorate.lab.alone import alone
from quorate.lab.cell import run_cell
from quorate.lab.execution import workplace
from quorate.lab.parameter import rules
from quorate.lab.policies import POLICY_KINDS
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study import Study
from quorate.lab.study_file import parse_study
from quorate.lab.versions import versions
from quorate.lab.world import WORLDS

STUDY = parse_study(
    """
    samples = 5
    chunk = 2
    payments = ["pay-as-bid"]
    [problem]
    horizon = 30
    [[world]]
    kind = ["paper", "stars"]
    workers = 12
    [[policy]]
    name = ["ccb-s", "epsilon-greedy"]
    """
)


def _run(path: Path, study: Study = STUDY) -> ResultDirectory:
    directory = ResultDirectory(path, study)
    with workplace(1) as place:
        run_study(directory, directory.unfinished(), place)
    directory.finish()
    return directory


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> ResultDirectory:
    return _run(tmp_path_factory.mktemp("whole"))


def test_the_end_is_one_file_a_manifest_and_the_times(whole: ResultDirectory) -> None:
    assert sorted(file.name for file in whole.path.iterdir()) == ["manifest.json", "results.parquet", "times.csv"]
    rows = pl.read_parquet(whole.results)
    assert rows.height == STUDY.rows == 20
    assert rows["sample"].to_list() == list(range(5)) * 4
    assert rows["policy"].to_list() == (["ccb-s"] * 5 + ["epsilon-greedy"] * 5) * 2
    assert rows.filter(pl.col("world") == "paper")["world.stars"].null_count() == 10
    manifest = json.loads((whole.path / "manifest.json").read_text())
    assert manifest["digest"] == STUDY.digest
    assert manifest["versions"] == versions()
    assert manifest["study"] == STUDY.description()
    times = (whole.path / "times.csv").read_text().splitlines()
    assert len(times) == 1 + sum(1 for _ in STUDY.cells())


def test_seeds_are_shared_by_policies_and_by_worlds(whole: ResultDirectory) -> None:
    rows = pl.read_parquet(whole.results)
    for name in ("world_seed", "realization_seed"):
        assert rows.group_by("sample").agg(pl.col(name).n_unique())[name].to_list() == [1] * 5
        assert rows[name].n_unique() == 5


@pytest.mark.parametrize("strange", ['{"a": 1}', "[1, 2]", "null", '[{"sample": 1}]', '[{"samples": 2}]'])
def test_damaged_and_half_written_cells_are_run_again(whole: ResultDirectory, tmp_path: Path, strange: str) -> None:
    directory = ResultDirectory(tmp_path, STUDY)
    cells = list(STUDY.cells())
    for cell in cells[:4]:
        directory.keep(cell, run_cell(cell, versions()))
    kept = sorted((tmp_path / "cells").iterdir())
    kept[0].write_bytes(kept[0].read_bytes()[:100])
    kept[1].write_bytes(kept[2].read_bytes())  # whole, but another cell's
    kept[3].write_text(strange)
    (tmp_path / "cells" / f".{cells[5].key}.json.1").write_bytes(b"[{")
    assert [cell.key for cell in directory.unfinished()] == [cell.key for cell in (cells[0], cells[1], *cells[3:])]
    with pytest.raises(InvalidInput, match="missing or damaged; run the same command again"):
        directory.finish()
    assert not directory.done
    again = _run(tmp_path)
    assert again.results.read_bytes() == whole.results.read_bytes()


def test_a_finished_study_stays_as_it_is(whole: ResultDirectory) -> None:
    before = whole.results.stat().st_mtime_ns
    again = _run(whole.path)
    assert again.done
    assert again.results.stat().st_mtime_ns == before


def test_a_kill_between_the_end_and_the_tidying_loses_nothing(whole: ResultDirectory) -> None:
    cells = whole.path / "cells"
    cells.mkdir()
    (cells / "000000-00000000.json").write_bytes(b"left over")
    _run(whole.path)
    assert not cells.exists()


def test_another_study_is_refused_and_its_differences_named(whole: ResultDirectory) -> None:
    other = parse_study('samples = 6\n[[world]]\nkind = "paper"\n[[policy]]\nname = "ccb-s"\n')
    with pytest.raises(InvalidInput, match=r"holds another study \(its samples, .* differ\); give another --out$"):
        ResultDirectory(whole.path, other)


def test_other_versions_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ResultDirectory(tmp_path, STUDY)
    monkeypatch.setattr(results, "versions", lambda: {**versions(), "numpy": "9.9"})
    with pytest.raises(InvalidInput, match=r"was begun with numpy .*, not with what runs now; give another --out"):
        ResultDirectory(tmp_path, STUDY)


def test_a_worker_process_of_other_versions_is_refused() -> None:
    with pytest.raises(QuorateError, match=r"a worker process runs numpy .* \(not 9.9\)"):
        run_cell(next(STUDY.cells()), {**versions(), "numpy": "9.9"})


def test_damaged_results_are_one_line(whole: ResultDirectory, tmp_path: Path) -> None:
    directory = ResultDirectory(tmp_path, STUDY)
    directory.results.write_bytes(whole.results.read_bytes()[:-40])
    with pytest.raises(InvalidInput, match=r"results.parquet is damaged \(.*\); remove it and run the same") as refusal:
        directory.rows()
    assert "\n" not in str(refusal.value)


def test_manifest_and_results_reach_the_disk_before_they_are_moved_to_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of a file's writing: its content to the disk, the move, its name to the disk; then cells may go."""
    happened: list[str] = []

    def fsync(descriptor: int) -> None:
        happened.append("flush " + Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

    def replace(source: Path, target: Path) -> None:
        happened.append(f"move {target.name}")
        os.rename(source, target)

    monkeypatch.setattr(results.os, "fsync", fsync)
    monkeypatch.setattr(results.os, "replace", replace)
    out = tmp_path / "out"
    _run(out)
    lasting = [line for line in happened if not line.startswith("move 0")]
    beside = f".{os.getpid()}"
    assert lasting == [
        f"flush .manifest.json{beside}",
        "move manifest.json",
        "flush out",
        f"flush .results.parquet{beside}",
        "move results.parquet",
        "flush out",
    ]


def test_a_directory_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    with (
        alone(out),
        pytest.raises(InvalidInput, match=r"^--out .*out: another run is writing there; wait until it has ended, or"),
        alone(out),
    ):
        pass
    with alone(out):
        assert list(out.iterdir()) == []


@pytest.mark.parametrize("text", ["{", "[]", '{"digest": ""}', '{"digest": "", "versions": 1, "study": []}'])
def test_a_strange_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"is not a study's manifest.*; give another --out"):
        ResultDirectory(tmp_path, STUDY)


def test_results_without_a_manifest_are_refused(tmp_path: Path) -> None:
    (tmp_path / "results.parquet").write_bytes(b"")
    with pytest.raises(InvalidInput, match=r"holds results of an unknown study"):
        ResultDirectory(tmp_path, STUDY)


def test_no_two_kinds_disagree_on_what_a_parameter_is() -> None:
    for kinds in (WORLDS.values(), POLICY_KINDS.values()):
        seen: dict[str, object] = {}
        for kind in kinds:
            for name, rule in rules(kind).items():
                assert seen.setdefault(name, rule.kind) == rule.kind
