"""What the paper says in a sentence: whether any jury broke the constraint, of the error model or of the vote."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from quorate.lab.figures import captions
from quorate.lab.figures.bands import share_interval
from quorate.lab.figures.plot import blank
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.race import Race
from quorate.lab.figures.run_table import run_table
from quorate.lab.figures.settings import CONFIDENCE
from quorate.lab.figures.style import FAINT, LOOKS

STEM = "violations"
KINDS = {"model": "error model", "vote": "exact error of the vote"}
HEIGHT = 3.4
LEFT, RIGHT = 0.95, 1.95
# Two markers to a policy, so far above and below its line.
APART = 0.14


def violations_figure(race: Race) -> Product:
    table = _table(race)
    caption = _caption(race)
    picture = Picture(STEM, _draw(table, race.names, caption), caption)
    return Product("violations", STEM, table, run_table(race), (picture,), _findings(table))


def _table(race: Race) -> pl.DataFrame:
    """Per policy and kind: samples in which any task broke it, their share with its interval, the share of tasks."""
    rows = []
    samples, tasks = race.settings.samples, race.settings.tasks
    for column, name in enumerate(race.names):
        for kind, counts in (("model", race.model_violations), ("vote", race.vote_violations)):
            broken = counts[:, column]
            hits = int((broken > 0).sum())
            low, high = share_interval(hits, samples)
            rows.append(
                {
                    "policy": name,
                    "constraint": kind,
                    "samples": samples,
                    "samples_with_any": hits,
                    "share": hits / samples,
                    "share_ci95_low": low,
                    "share_ci95_high": high,
                    "share_of_tasks": int(broken.sum()) / (samples * tasks),
                    "most_tasks_in_a_sample": int(broken.max()),
                }
            )
    return pl.DataFrame(rows)


def _draw(table: pl.DataFrame, names: tuple[str, ...], caption: str) -> Figure:
    figure, axes = blank(caption, height=HEIGHT, left=LEFT, right=RIGHT)
    for row in table.iter_rows(named=True):
        _draw_share(axes, row, names.index(row["policy"]))
    axes.axvline(1.0 - CONFIDENCE, color=FAINT, linewidth=1.0, zorder=1)
    axes.annotate(
        "μ, the chance allowed",
        (1.0 - CONFIDENCE, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(3, -2),
        textcoords="offset points",
        size=7.5,
        color=FAINT,
        va="top",
    )
    axes.set_yticks(range(len(names)), [LOOKS[name].label for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=-0.004)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    axes.grid(axis="y", visible=False)
    axes.set_title("Share of samples in which any task's jury broke the constraint")
    axes.set_xlabel("share of samples, with 95% confidence interval")
    axes.legend(
        handles=[
            axes.plot([], [], color=FAINT, marker="o", markerfacecolor=face, linestyle="-", label=label)[0]
            for label, face in ((KINDS["model"], FAINT), (KINDS["vote"], "white"))
        ],
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    return figure


def _draw_share(axes: Axes, row: dict[str, float], place: int) -> None:
    look = LOOKS[str(row["policy"])]
    model = str(row["constraint"]) == "model"
    height = place + (-APART if model else APART)
    axes.plot((row["share_ci95_low"], row["share_ci95_high"]), (height, height), color=look.colour, linewidth=1.4)
    axes.plot(
        row["share"],
        height,
        marker="o",
        color=look.colour,
        markerfacecolor=look.colour if model else "white",
        clip_on=False,
    )


def _caption(race: Race) -> str:
    return captions.caption(
        captions.setting(race.settings),
        "Filled: the jury breaks the constraint of the error model that its policy uses, at the true qualities "
        "(the paper's Σ(2q−1) ≥ 6 ln(1/α); for assured the log-odds bound). Hollow: the exact error of the vote "
        "taken, plain majority or weighted, exceeds α at the true qualities. A sample counts if any of its tasks "
        "does; intervals are Clopper and Pearson's.",
        captions.choices(assured=True),
    )


def _findings(table: pl.DataFrame) -> tuple[str, ...]:
    return tuple(
        f"{row['policy']}: {row['samples_with_any']:,} of {row['samples']:,} samples break the "
        f"{KINDS[row['constraint']]}, in {row['share_of_tasks']:.3%} of all tasks"
        for row in table.iter_rows(named=True)
    )
