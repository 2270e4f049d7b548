"""The theorems' bounds where they are finite: worlds of four workers, all of whose juries are tried.

The worlds are those of docs/bounds.md.
"""

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from quorate.engine import run
from quorate.lab.figures.plot import short, thousands
from quorate.lab.figures.style import LOOKS
from quorate.lab.world.base import units
from quorate.model.bounds import Bounds, separation
from quorate.model.error import Linear
from quorate.model.problem import Problem
from quorate.model.realization import Field
from quorate.policy import paper_policy
from quorate.select.base import SELECTORS

SEEDS = (5, 10, 31, 33, 38)
WORKERS = 4
# Valid from quality .8 up, wherever an interval of the theorem's width may end.
MODEL = Linear(epsilon=0.3)
LOWEST_QUALITY = 0.85
PROBLEM = Problem(target=0.6, confidence=0.9, horizon=1500, cap=units(20))
# Each policy's bound, by its label in the paper's source.
BOUNDS = {"ccb-s": "thm:bad_rounds", "ccb-ns": "thm:bad_rounds_ns"}


def small_worlds() -> pl.DataFrame:
    """One row per world and policy: how long it explored, beside the theorem's bound."""
    return pl.concat(_world(seed) for seed in SEEDS)


def _world(seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    qualities = random.uniform(LOWEST_QUALITY, 1.0, WORKERS).round(2)
    prices = random.integers(5, 15, WORKERS) * units(1)
    bounds = Bounds.of(MODEL, qualities, PROBLEM.alpha, PROBLEM.mu)
    explored = []
    for name in BOUNDS:
        policy = paper_policy(name, PROBLEM, model=MODEL, selector=SELECTORS["exact"])
        explored.append(run(policy, Field.of(seed, qualities), prices).explored)
    return pl.DataFrame(
        {
            "world": [f"{WORKERS} workers, seed {seed}"] * len(BOUNDS),
            "policy": list(BOUNDS),
            "delta": separation(MODEL, qualities, PROBLEM.alpha),
            "rounds_mean": [float(rounds) for rounds in explored],
            "theorem_bound": [bounds.bad_rounds, bounds.bad_rounds_ns],
        }
    )


def draw_small_worlds(axes: Axes, table: pl.DataFrame) -> None:
    """Dots are rounds explored, bars the bounds; each policy in its colour, its dot a little off the other's."""
    axes.set_xscale("log")
    worlds = table["world"].unique(maintain_order=True).to_list()
    for row in table.iter_rows(named=True):
        place = worlds.index(row["world"]) + (-0.14 if row["policy"] == "ccb-s" else 0.14)
        colour = LOOKS[row["policy"]].colour
        axes.plot(row["rounds_mean"], place, marker="o", markersize=5, color=colour)
        axes.plot(row["theorem_bound"], place, marker="|", markersize=10, markeredgewidth=2, color=colour)
        axes.annotate(
            short(round(row["theorem_bound"])),
            (row["theorem_bound"], place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            size=7.5,
            color=colour,
        )
    deltas = table.unique("world", maintain_order=True)["delta"]
    axes.set_yticks(range(len(worlds)), [f"Δ = {delta:.3f}" for delta in deltas])
    axes.set_ylim(len(worlds) - 0.5, -0.5)
    axes.set_xlim(100, 10**5)
    axes.grid(axis="y", visible=False)
    thousands(axes, up=False)
    axes.set_title("Four workers: rounds of exploration (dots), and the bounds by Δ (bars)")
    axes.set_xlabel("rounds (logarithmic)")
    for height, name in zip((0.9, 0.65), BOUNDS, strict=True):
        axes.annotate(
            f"{LOOKS[name].label}\n{BOUNDS[name]}",
            (1.01, height),
            xycoords="axes fraction",
            va="center",
            size=7.5,
            color=LOOKS[name].colour,
        )
