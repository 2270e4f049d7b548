"""Every figure end to end at a tiny size: files, columns, captions, findings."""

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate.errors import UnknownName
from quorate.lab.execution import workplace
from quorate.lab.figures.crowd import crowd_sizes
from quorate.lab.figures.make import FIGURES, UNFINISHED, Made, Order, make_figures
from quorate.lab.figures.payments import payment_figure
from quorate.lab.figures.settings import Settings

TINY = Settings(samples=3, workers=66, tasks=60)
STEMS = {"2": "figure-2", "3": "figure-3", "4": "figure-4"}
OPEN_QUESTIONS = (
    "μ = 0.1",
    "Ties in GA's order go to the lower index",
    "its S₀ is empty where the first worker alone is enough",
    "goes on at f = α",
    "first check, at t = 2, uses the bounds after one answer",
    "MINIMAL",
    "clipped to [1/2, 1]",
    "everybody is asked",
    "k is the last place",
    "ε-greedy",
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(scope="module")
def made(out: Path) -> dict[str, Made]:
    order = Order.of([name for name in FIGURES if name != "lies"], TINY)
    counted: list[float] = []
    with workplace(1) as place:
        found = {figure.product.name: figure for figure in make_figures(order, out, place, counted.append)}
    assert sum(counted) == order.runs
    return found


def test_every_figure_has_its_files(made: dict[str, Made], out: Path) -> None:
    for name, figure in made.items():
        stem = STEMS.get(name, name)
        wanted = {
            f"{stem}{end}" for end in (".png", ".svg", ".txt", ".csv", ".parquet", "-samples.csv", "-samples.parquet")
        }
        if name in STEMS:
            wanted |= {f"{stem}-assured{end}" for end in (".png", ".svg", ".txt")}
        assert {path.name for path in figure.files} == wanted
        assert all(path.stat().st_size > 0 for path in figure.files)
    assert not (out / UNFINISHED).exists()


def test_captions_say_what_the_paper_leaves_open(made: dict[str, Made], out: Path) -> None:
    for name in STEMS:
        for picture in made[name].product.pictures:
            assert all(choice in picture.caption for choice in OPEN_QUESTIONS)
            assert "3 samples (seed 1)" in picture.caption
            assert "middle 80%" in picture.caption
            assert (out / f"{picture.stem}.txt").read_text() == picture.caption + "\n"
            assert ("pool of the 60 lowest bids" in picture.caption) == picture.stem.endswith("assured")
    for picture in made["2"].product.pictures:
        assert "linear in t" in picture.caption
    for name in ("violations", "bounds", "payments"):
        (picture,) = made[name].product.pictures
        assert all(choice in picture.caption for choice in OPEN_QUESTIONS)
    assert "price-gap (under mode D head-count) stopping" in made["payments"].product.pictures[0].caption


def test_figure_2_has_both_readings_of_average_regret(made: dict[str, Made], out: Path) -> None:
    table = pl.read_csv(out / "figure-2.csv")
    assert table.equals(pl.read_parquet(out / "figure-2.parquet"))
    samples = made["2"].product.samples
    assert table["regret_mean"].to_numpy() == pytest.approx(
        table["average_regret_mean"].to_numpy() * table["task"].to_numpy()
    )
    for name in table["policy"].unique():
        runs = samples.filter(pl.col("policy") == name)
        expected = (runs["total_cost"] - TINY.tasks * runs["optimum_per_task"]).mean() / 1e6
        last = table.filter((pl.col("policy") == name) & (pl.col("task") == TINY.tasks))
        assert last["regret_mean"].item() == pytest.approx(expected)


def test_figure_3_ends_at_the_total_cost(made: dict[str, Made]) -> None:
    product = made["3"].product
    for name in product.table["policy"].unique():
        mean = product.samples.filter(pl.col("policy") == name)["total_cost"].mean() / 1e6
        last = product.table.filter((pl.col("policy") == name) & (pl.col("task") == TINY.tasks))
        assert last["total_cost_mean"].item() == pytest.approx(mean)


def test_figure_4_at_full_size_is_figure_3(made: dict[str, Made]) -> None:
    crowd, race = made["4"].product.samples, made["3"].product.samples
    for name in ("ccb-ns", "epsilon-greedy", "assured"):
        largest = crowd.filter((pl.col("policy") == name) & (pl.col("world.workers") == TINY.workers))
        assert largest["total_cost"].to_list() == race.filter(pl.col("policy") == name)["total_cost"].to_list()


def test_the_crowds_of_figure_4_are_the_papers() -> None:
    assert crowd_sizes(Settings()) == [110 * step for step in range(1, 11)]


def test_payments_are_never_below_the_cost_of_the_work_paid_for(made: dict[str, Made]) -> None:
    table, samples = made["payments"].product.table, made["payments"].product.samples
    assert (samples["paid"] >= samples["cost"]).all()
    half = [
        samples[place : place + TINY.samples].with_columns(
            (pl.col("total_cost") // 2).alias(f"payment.{samples['payment'][place]}.cost")
        )
        for place in range(0, samples.height, TINY.samples)
    ]
    again = payment_figure(TINY, half).table
    assert again["true_cost_mean"].to_numpy() == pytest.approx(table["true_cost_mean"].to_numpy() / 2)
    as_bid = table.filter(pl.col("payment") == "pay-as-bid")
    assert np.allclose(as_bid["paid_mean"], as_bid["true_cost_mean"])
    assert table.filter(pl.col("truthful"))["policy"].to_list() == ["ccb-s", "assured", "assured"]
    ours = table.filter(pl.col("payment") == "threshold")
    assert ours["paid_mean"].item() >= ours["true_cost_mean"].item()


def test_a_bound_beyond_the_last_task_is_not_reachable(made: dict[str, Made]) -> None:
    """At 60 tasks both bounds are; at 2,000 of 1,100 workers the printed one is not."""
    table, findings = made["bounds"].product.table, made["bounds"].product.findings
    race = table.filter(pl.col("world") == "paper")
    assert race["printed_bound"].min() > TINY.tasks  # type: ignore[operator]
    assert race["samples_above_printed_bound"].null_count() == race.height
    assert [line for line in findings if "the printed bound" in line] == [
        f"{name}: 60 rounds of exploration on average, 60 to 60; the printed bound is not reachable in so few tasks"
        for name in ("ccb-ns", "ccb-s", "ccb-se")
    ]


def test_the_small_worlds_are_those_of_the_page_on_bounds(made: dict[str, Made]) -> None:
    page = (Path(__file__).parents[4] / "docs" / "bounds.md").read_text()
    small = made["bounds"].product.table.filter(pl.col("world") != "paper")
    ccb_s, ccb_ns = (small.filter(pl.col("policy") == name) for name in ("ccb-s", "ccb-ns"))
    for one, other in zip(ccb_s.iter_rows(named=True), ccb_ns.iter_rows(named=True), strict=True):
        assert (
            f"{round(one['theorem_bound']):,} | {round(one['rounds_mean']):,} | {round(other['theorem_bound']):,} "
            f"| {round(other['rounds_mean']):,} |" in page
        )
    assert ccb_s.height == 5


def test_no_name_lies_on_another_in_the_picture_of_bounds(made: dict[str, Made]) -> None:
    (picture,) = made["bounds"].product.pictures
    for axes in picture.figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts]
        assert len(boxes) >= 8
        assert not [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]


def test_figure_4_has_a_tick_at_every_crowd(made: dict[str, Made]) -> None:
    for picture in made["4"].product.pictures:
        assert picture.figure.axes[0].get_xticks().tolist() == crowd_sizes(TINY)


def test_violations_are_counted_per_sample(made: dict[str, Made]) -> None:
    product = made["violations"].product
    for row in product.table.iter_rows(named=True):
        runs = product.samples.filter(pl.col("policy") == row["policy"])[f"{row['constraint']}_violations"]
        assert row["samples_with_any"] == (runs > 0).sum()
        assert row["share_of_tasks"] == pytest.approx(runs.sum() / (TINY.samples * TINY.tasks))


def test_names_are_known_and_put_in_order() -> None:
    assert Order.of(["3", "2", "3"], TINY).names == ("2", "3")
    assert Order.of(FIGURES, TINY).studied == ("4", "payments")
    with pytest.raises(UnknownName, match=r"no figure is called 'payment'.*payments"):
        Order.of(["payment"], TINY)
