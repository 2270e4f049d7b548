"""How long each policy explored, beside what the paper's bounds allow (sections 4.2, 5.3, 6.3; model/bounds.py)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quorate.lab.figures import captions
from quorate.lab.figures.bands import HIGH, LOW
from quorate.lab.figures.plot import blank, short, thousands
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.race import Race
from quorate.lab.figures.run_table import run_table
from quorate.lab.figures.settings import CONFIDENCE, SLACK, Settings
from quorate.lab.figures.small_worlds import draw_small_worlds, small_worlds
from quorate.lab.figures.style import FAINT, INK, LOOKS
from quorate.model.bounds import Bounds
from quorate.model.error import Linear
from quorate.model.problem import complement

STEM = "bounds"
# Inches: both panels, and of them the second with the gap above it.
HEIGHT = 6.3
SECOND, GAP = 2.75, 0.95
LEFT, ABOVE = 0.95, 0.75
# Numbers stay readable where they meet a line.
PLATE = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
# To these the bound with slack applies; epsilon-greedy has none, assured stops by a rule of its own.
BOUNDED = ("ccb-ns", "ccb-s", "ccb-se")


def stopping_figure(race: Race) -> Product:
    printed, corrected = slack_bounds(race.settings)
    table, small = _table(race, printed, corrected), small_worlds()
    caption = _caption(race, printed, corrected)
    picture = Picture(STEM, _draw(table, small, race.settings, (printed, corrected), caption), caption)
    findings = _findings(table, small, race.settings, (printed, corrected))
    whole = pl.concat([table.insert_column(0, pl.lit("paper").alias("world")), small], how="diagonal")
    return Product("bounds", STEM, whole, run_table(race), (picture,), findings)


def slack_bounds(settings: Settings) -> tuple[float, float]:
    """Rounds that may go to another jury than the best: as section 6.3 prints it, and with its constant corrected.

    Delta counts as 0: among 2^n juries some has an error as near to alpha as you like, so only the slack bounds
    anything.
    """
    bounds = Bounds(settings.workers, complement(CONFIDENCE), 0.0)
    reach = Linear().smoothness_inverse(SLACK, settings.workers)
    return bounds.printed_bad_rounds_with_slack(reach), bounds.bad_rounds_with_slack(reach)


def _table(race: Race, printed: float, corrected: float) -> pl.DataFrame:
    rows = []
    for column, name in enumerate(race.names):
        rounds = race.explored[:, column]
        bounded = name in BOUNDED
        rows.append(
            {
                "policy": name,
                "rounds_least": int(rounds.min()),
                "rounds_p10": float(np.percentile(rounds, LOW)),
                "rounds_mean": float(rounds.mean()),
                "rounds_p90": float(np.percentile(rounds, HIGH)),
                "rounds_most": int(rounds.max()),
                "never_stopped": int((rounds == race.settings.tasks).sum()),
                "printed_bound": printed if bounded else None,
                "samples_above_printed_bound": _above(rounds, printed, race.settings.tasks) if bounded else None,
                "corrected_bound": corrected if bounded else None,
                "samples_above_corrected_bound": _above(rounds, corrected, race.settings.tasks) if bounded else None,
            }
        )
    return pl.DataFrame(rows)


def _above(rounds: NDArray[np.int64], bound: float, tasks: int) -> int | None:
    """Samples that explored for longer; None where no run of so many tasks could."""
    return int((rounds > bound).sum()) if tasks > bound else None


def _draw(
    table: pl.DataFrame, small: pl.DataFrame, settings: Settings, bounds: tuple[float, float], caption: str
) -> Figure:
    figure, axes = blank(caption, height=HEIGHT, left=LEFT, above=ABOVE)
    whole = axes.get_position()
    tall = figure.get_figheight()
    axes.set_position((whole.x0, whole.y0 + SECOND / tall, whole.width, whole.height - SECOND / tall))
    draw_small_worlds(figure.add_axes((whole.x0, whole.y0, whole.width, (SECOND - GAP) / tall)), small)
    _draw_race(axes, table, settings, bounds)
    return figure


def _draw_race(axes: Axes, table: pl.DataFrame, settings: Settings, bounds: tuple[float, float]) -> None:
    axes.set_xscale("log")
    for place, row in enumerate(table.iter_rows(named=True)):
        colour = LOOKS[row["policy"]].colour
        axes.plot((row["rounds_least"], row["rounds_most"]), (place, place), color=colour, linewidth=1.2)
        axes.plot(
            (row["rounds_p10"], row["rounds_p90"]),
            (place, place),
            color=colour,
            linewidth=7,
            alpha=0.35,
            solid_capstyle="butt",
        )
        axes.plot(row["rounds_mean"], place, marker="o", color=colour)
        axes.annotate(
            short(round(row["rounds_mean"])),
            (row["rounds_mean"], place),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            size=8,
            color=colour,
            bbox=PLATE,
        )
    for bound, words in zip(bounds, ("as printed", "corrected"), strict=True):
        axes.axvline(bound, color=INK, linewidth=1.0, linestyle="--", zorder=1)
        _write(axes, bound, f"{words}\n{short(round(bound))}", 1.0, INK)
    axes.axvline(settings.tasks, color=FAINT, linewidth=1.0, linestyle=":", zorder=1)
    _write(axes, settings.tasks, "all tasks", 0.0, FAINT)
    axes.set_yticks(range(table.height), [LOOKS[name].label for name in table["policy"]])
    axes.set_ylim(table.height - 0.5, -0.75)
    axes.set_xlim(10 ** math.floor(math.log10(min(table["rounds_least"].to_list()))), 2 * max(*bounds, settings.tasks))
    axes.grid(axis="y", visible=False)
    thousands(axes, up=False)
    axes.set_title("Rounds of exploration, and the bound with slack", pad=26)
    axes.set_xlabel("rounds (logarithmic)")


def _write(axes: Axes, place: float, words: str, height: float, colour: str) -> None:
    """The name of a vertical line, just above the axes' bottom (0) or top (1)."""
    axes.annotate(
        words,
        (place, height),
        xycoords=("data", "axes fraction"),
        xytext=(0 if height else 4, 2),
        textcoords="offset points",
        ha="center" if height else "left",
        va="bottom",
        size=7.5,
        color=colour,
    )


def _caption(race: Race, printed: float, corrected: float) -> str:
    return captions.caption(
        captions.setting(race.settings),
        "Dots are means over the samples, broad lines hold the middle 80% of them, thin ones all of them. Section "
        "6.3 allows CCB rules ln(2n/μ) / (16 h⁻¹(ξ)²) rounds with another jury than the best; the constant must be "
        f"2 in place of 1/16. With h(δ) = 6δ/e for Σ(2q−1) that is {printed:,.0f} and {corrected:,.0f} rounds. The "
        "bounds by Δ (sections 4.2 and 5.3) are infinite here: among 2ⁿ juries some errs as near to α as you like. "
        "For CCB-NS the one by Δ counts n times as many rounds, while the one by ξ makes no difference. No bound of "
        "the paper speaks of ε-greedy or assured.",
        "Below, five worlds of four workers in which they are finite, one run each: Σ(2q−1) with ε = 0.3, target 0.6, "
        "exact selection, no slack, 1,500 tasks, qualities from 0.85 up. There MINIMAL asks everybody, so CCB-NS "
        "explores just as long as CCB-S.",
        captions.choices(assured=True),
    )


def _findings(
    table: pl.DataFrame, small: pl.DataFrame, settings: Settings, bounds: tuple[float, float]
) -> tuple[str, ...]:
    printed, corrected = bounds
    unreachable = settings.tasks <= printed
    return (
        f"bound with slack: {printed:,.0f} rounds as printed, {corrected:,.0f} corrected; by Delta: none, for Delta "
        "is 0",
        *(
            f"{row['policy']}: {row['rounds_mean']:,.0f} rounds of exploration on average, {row['rounds_least']:,} to "
            f"{row['rounds_most']:,}{_compared(row, unreachable=unreachable)}"
            for row in table.iter_rows(named=True)
        ),
        *(
            f"four workers, {name}: bounds by Delta {_times(rows, min):.0f} to {_times(rows, max):.0f} times the "
            "rounds explored"
            for (name,), rows in small.group_by("policy", maintain_order=True)
        ),
    )


def _compared(row: dict[str, Any], *, unreachable: bool) -> str:
    if row["printed_bound"] is None:
        return ""
    if unreachable:
        return "; the printed bound is not reachable in so few tasks"
    return f"; {row['samples_above_printed_bound']:,} samples above the printed bound"


def _times(rows: pl.DataFrame, extreme: Callable[[list[float]], float]) -> float:
    return extreme((rows["theorem_bound"] / rows["rounds_mean"]).to_list())
