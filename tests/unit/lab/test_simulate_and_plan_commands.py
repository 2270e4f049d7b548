"""The commands: JSON for machines, words for people, exit codes, one line for an error."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from quorate.cli.plan import plan
from quorate.cli.simulate import simulate
from quorate.errors import InvalidInput
from quorate.lab.alone import alone

STUDY = """
samples = 3
payments = ["randomised", "threshold", "pay-as-bid"]
[problem]
target = 0.85
horizon = 120
[[world]]
kind = "stars"
stars = [2, 4]
workers = 12
[[world]]
kind = "common-factor"
workers = 12
lowest_quality = 0.9
[[policy]]
name = "ccb-s"
[[policy]]
name = "assured"
pool = 10
stopping = "head-count"
"""
app = typer.Typer()
app.command()(simulate)
app.command()(plan)


def _invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def test_a_study_for_machines_then_for_people(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    command = ("simulate", tmp_path / "study.toml", "--out", tmp_path / "out", "--processes", 1)
    found = json.loads(_invoke(*command, "--json").stdout)
    assert (found["points"], found["rows"], found["computed"], found["resumed"]) == (6, 18, 18, 0)
    assert [line["world"] for line in found["summary"]] == ["stars stars=2"] * 2 + ["stars stars=4"] * 2 + [
        "common-factor"
    ] * 2
    assert [line["policy"] for line in found["summary"]] == ["ccb-s", "assured"] * 3
    rows = pl.read_parquet(found["results"])
    first = rows.filter((pl.col("world.stars") == 2) & (pl.col("policy") == "ccb-s"))
    assert found["summary"][0]["total_cost"] == pytest.approx(first["total_cost"].mean() / 1e6)  # type: ignore[operator]
    assert found["summary"][0]["wrong_share"] is None
    assert found["summary"][5]["tasks_below_promise"] is None
    assert 0.0 <= found["summary"][5]["wrong_share"] <= 1.0
    assert found["summary"][0]["paid_threshold"] >= found["summary"][0]["paid_pay-as-bid"]
    assert found["summary"][1]["paid_threshold"] > found["summary"][1]["paid_pay-as-bid"]
    again = _invoke(*command)
    assert again.exit_code == 0
    assert "18 rows, 18 of them from before" in again.stdout
    assert "stars stars=4" in again.stdout
    assert found["summary"][0]["work_randomised"] == pytest.approx(first["payment.randomised.cost"].mean() / 1e6)  # type: ignore[operator]
    assert again.stdout.count("for work of") == 1, "only mode R's work is not the plain run's"
    assert [found["summary"][0][f"truthful_{name}"] for name in ("randomised", "threshold", "pay-as-bid")] == [
        False
    ] * 3
    assert [found["summary"][1][f"truthful_{name}"] for name in ("randomised", "threshold", "pay-as-bid")] == [
        True,
        True,
        False,
    ]
    ours = next(line for line in again.stdout.splitlines() if "stars=2" in line and "assured" in line)
    assert ours.count("*") == 1, "pay-as-bid alone"
    assert "* NOT truthful: some worker gains by a bid that is not its cost" in again.stdout
    assert "truthful randomised" not in again.stdout
    assert json.loads(_invoke(*command, "--json").stdout)["computed"] == 0


def test_the_seed_option_is_another_study(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    command = ("simulate", tmp_path / "study.toml", "--out", tmp_path / "out", "--processes", 1, "--json")
    one = json.loads(_invoke(*command, "--seed", 5).stdout)
    assert pl.read_parquet(one["results"])["seed"].unique().to_list() == [5]
    with pytest.raises(InvalidInput, match="holds another study"):
        _invoke(*command, "--seed", 6)


def test_a_recorded_world_from_files(tmp_path: Path) -> None:
    draws = np.random.Generator(np.random.Philox(key=1))
    right = draws.random((60, 4)) < (0.9, 0.85, 0.8, 0.95)
    answers = [
        f"t{task},w{worker},{int(right[task, worker])}"
        for task in range(60)
        for worker in range(4)
        if (task, worker) != (7, 2)
    ]
    (tmp_path / "labels.csv").write_text("task,worker,label\n" + "\n".join(answers) + "\n")
    (tmp_path / "truth.csv").write_text("task,truth\n" + "\n".join(f"t{task},1" for task in range(60)) + "\n")
    (tmp_path / "costs.csv").write_text("worker,cost\nw0,0.00177\nw1,0.2\nw2,3\nw3,4\n")
    (tmp_path / "study.toml").write_text(
        'samples = 2\n[problem]\nhorizon = 50\ntarget = 0.8\n[[world]]\nkind = "recorded"\nlabels = "labels.csv"\n'
        'truth = "truth.csv"\nprices = "costs.csv"\nprice_column = "cost"\nerrors = ["as-recorded", "independent"]\n'
        '[[policy]]\nname = "assured-joint"\nmax_size = 3\n'
    )
    out = tmp_path / "out"
    found = json.loads(_invoke("simulate", tmp_path / "study.toml", "--out", out, "--processes", 1, "--json").stdout)
    assert [line["world"] for line in found["summary"]] == [
        "recorded errors=as-recorded",
        "recorded errors=independent",
    ]
    assert pl.read_parquet(found["results"])["cap"].unique().to_list() == [4_000_000]


def test_no_common_task_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("task,worker,label\nt0,a,1\nt1,b,1\n")
    (tmp_path / "truth.csv").write_text("task,truth\nt0,1\nt1,1\n")
    (tmp_path / "study.toml").write_text(
        '[[world]]\nkind = "recorded"\nlabels = "labels.csv"\ntruth = "truth.csv"\n[[policy]]\nname = "ccb-s"\n'
    )
    with pytest.raises(InvalidInput, match="no task was answered by every worker"):
        _invoke("simulate", tmp_path / "study.toml", "--out", tmp_path / "out")


PLAN = ("plan", "--horizon", 200, "--samples", 2, "--quality-range", 0.75, 0.95, "--target", 0.85, "--pool", 10)


def test_a_plan_for_machines_and_for_people() -> None:
    found = json.loads(_invoke(*PLAN, "--workers", 15, "--json").stdout)
    assert found["possible"]
    assert [forecast["payment"] for forecast in found["forecasts"]] == ["randomised", "threshold"]
    assert found["cheaper"] in ("randomised", "threshold", None)
    assert {found["compared"]["first"], found["compared"]["second"]} == {"randomised", "threshold"}
    assert found["correlation"] == 0.0
    assert set(found["forecasts"][0]["paid"]) == {"low", "median", "high"}
    said = _invoke(*PLAN, "--workers", 15)
    assert said.exit_code == 0
    for part in ("paid in all", "more on average (95%", "Without learning", "Assumed:", "independent"):
        assert part in said.stdout


def test_a_plan_from_known_prices(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("worker,price\na,1\nb,2\nc,3\n")
    found = json.loads(_invoke(*PLAN, "--prices", file, "--payment", "pay-as-bid", "--json").stdout)
    assert found["workers"] == 3
    assert found["cheaper"] is None
    assert "no price above 3 is allowed" in found["assumptions"][0]


@pytest.mark.parametrize(("name", "option"), [("cost", ()), ("usd", ("--price-column", "usd"))])
def test_a_plan_reads_prices_as_the_other_commands_do(tmp_path: Path, name: str, option: tuple[str, ...]) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(f"worker, {name}\na, 1\nb, 2.5\n\n")
    found = json.loads(_invoke(*PLAN, "--prices", file, *option, "--payment", "pay-as-bid", "--json").stdout)
    assert found["workers"] == 2
    assert "no price above 2.5 is allowed" in found["assumptions"][0]


def test_an_impossible_plan_is_an_honest_negative() -> None:
    said = _invoke("plan", "--workers", 3, "--quality-range", 0.5, 0.55, "--horizon", 40, "--samples", 2)
    assert said.exit_code == 1
    assert "No simulated campaign could certify a jury" in said.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("worker,fee\na,1\n", r"PRICES .*: its columns are worker, fee; it needs worker and price .*--price-column"),
        ("worker,price\na,1\na,2\n", r"data row 2: worker 'a' has a second price \(first in data row 1\); keep one"),
        ("worker,price\na,-1\n", "data row 1: the price of worker 'a' '-1' is negative"),
        ("worker,price\n,1\n", "data row 1: the worker is empty; every price needs one"),
        ("worker,price\na,\n", "data row 1: worker 'a' has no price; give one, or remove the row"),
        ("worker,price\na,0.0000001\n", "data row 1: the price of worker 'a' '0.0000001' is finer than a millionth"),
        ("worker,price\n", "it has no rows; give one per worker"),
    ],
)
def test_wrong_prices_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        _invoke("plan", "--prices", file)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--horizon", 10**9, "a horizon of 1,000,000,000 tasks is not possible; give 1 to 10,000,000"),
        ("--seed", 10**23, "seed 100000000000000000000000 is not a whole number in .0, 2.64."),
        ("--cap", 0, r"--cap 0 is below the highest price there may be, 1\.5; give at least that$"),
    ],
)
def test_a_plan_out_of_range_is_one_line(option: str, value: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        _invoke("plan", "--workers", 5, option, value)


@pytest.mark.parametrize("option", ["--price-range", "--quality-range"])
def test_a_range_that_is_turned_is_named_as_it_was_given(option: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{option} 0\.9 0\.6 is not in order; give the lower end first$"):
        _invoke("plan", "--workers", 5, option, 0.9, 0.6)


def test_a_second_run_into_the_same_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    with alone(tmp_path / "out"), pytest.raises(InvalidInput, match="another run is writing there"):
        _invoke("simulate", tmp_path / "study.toml", "--out", tmp_path / "out", "--processes", 1)


def test_a_plan_without_workers_is_refused() -> None:
    with pytest.raises(InvalidInput, match="give --workers N, or --prices FILE"):
        _invoke("plan")
    with pytest.raises(InvalidInput, match="'usd' is to be the column of prices, and no prices are given"):
        _invoke("plan", "--workers", 3, "--price-column", "usd")
