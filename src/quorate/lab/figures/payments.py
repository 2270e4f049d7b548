"""What the paper does not show: what the requester pays, beside what the work costs (paper, section 5; MATHS 6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quorate.lab.figures import captions
from quorate.lab.figures.bands import Band
from quorate.lab.figures.plot import MARGIN, WIDTH, blank, short, thousands
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.settings import Settings
from quorate.lab.figures.studies import study_of
from quorate.lab.figures.style import FAINT, LOOKS
from quorate.lab.policies import AssuredPolicy, CCBNSPolicy, CCBSEPolicy, CCBSPolicy, EpsilonGreedyPolicy, PolicyKind
from quorate.lab.study import Study
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import MILLIONTHS
from quorate.policy import Stopping

STEM = "payments"
AS_BID, RANDOMISED, THRESHOLD = "pay-as-bid", "randomised", "threshold"
HEIGHT = 4.2
LEFT, RIGHT = 2.55, 1.1
# From the figure's left edge, in widths of the axes.
EDGE = (MARGIN - LEFT) / (WIDTH - LEFT - RIGHT)


@dataclass(frozen=True)
class Mechanism:
    """A policy and how it is paid. `words` says both, and whether asking one's true price is proved best."""

    policy: PolicyKind
    payment: str
    words: str


MECHANISMS = (
    Mechanism(EpsilonGreedyPolicy(), AS_BID, "ε-greedy, paid as bid\n(costs public)"),
    Mechanism(CCBNSPolicy(), AS_BID, "CCB-NS, paid as bid\n(costs public)"),
    Mechanism(CCBSPolicy(), RANDOMISED, "CCB-S with GA, mode R\n(claimed truthful, is not)"),
    Mechanism(CCBSPolicy(selector="exact"), RANDOMISED, "CCB-S with exact selection, mode R\n(truthful)"),
    Mechanism(CCBSEPolicy(), RANDOMISED, "CCB-SE, mode R\n(claimed truthful, is not)"),
    Mechanism(AssuredPolicy(), RANDOMISED, "assured, price gap, mode R\n(truthful)"),
    Mechanism(AssuredPolicy(stopping=Stopping.HEAD_COUNT.value), THRESHOLD, "assured, head count, mode D\n(truthful)"),
)


def payment_studies(settings: Settings) -> tuple[Study, ...]:
    """One for each mechanism."""
    return tuple(
        study_of(settings, [settings.world], [mechanism.policy], [mechanism.payment]) for mechanism in MECHANISMS
    )


def payment_figure(settings: Settings, studies: Sequence[pl.DataFrame]) -> Product:
    runs = [
        rows.with_columns(
            pl.lit(mechanism.payment).alias("payment"),
            pl.col(f"payment.{mechanism.payment}").alias("paid"),
            pl.col(f"payment.{mechanism.payment}.cost").alias("cost"),
            pl.col(f"payment.{mechanism.payment}.truthful").alias("truthful"),
        )
        for mechanism, rows in zip(MECHANISMS, studies, strict=True)
    ]
    table = pl.concat(_row(mechanism, rows) for mechanism, rows in zip(MECHANISMS, runs, strict=True))
    caption = _caption(settings)
    picture = Picture(STEM, _draw(table, caption), caption)
    return Product("payments", STEM, table, pl.concat(runs, how="diagonal"), (picture,), _findings(table))


def _row(mechanism: Mechanism, rows: pl.DataFrame) -> pl.DataFrame:
    cost, paid = (Band.of(rows[column].to_numpy()[:, None] / MILLIONTHS) for column in ("cost", "paid"))
    return pl.DataFrame(
        {
            "policy": [mechanism.policy.name],
            "selector": [getattr(mechanism.policy, "selector", "exact")],
            "payment": [mechanism.payment],
            "truthful": [bool(rows["truthful"][0])],
            "words": [mechanism.words.replace("\n", " ")],
            **cost.columns("true_cost"),
            **paid.columns("paid"),
        }
    )


def _draw(table: pl.DataFrame, caption: str) -> Figure:
    figure, axes = blank(caption, height=HEIGHT, left=LEFT, right=RIGHT)
    axes.set_xscale("log")
    for place, (mechanism, row) in enumerate(zip(MECHANISMS, table.iter_rows(named=True), strict=True)):
        _draw_mechanism(axes, place, LOOKS[mechanism.policy.name].colour, row)
    axes.set_yticks(range(len(MECHANISMS)), [mechanism.words for mechanism in MECHANISMS], size=8)
    axes.set_ylim(len(MECHANISMS) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    thousands(axes, up=False)
    axes.set_title("What the work costs, and what the requester pays for it", x=EDGE)
    axes.set_xlabel("all tasks of a run (logarithmic)")
    axes.legend(
        handles=[
            axes.plot(
                [], [], marker="|", markersize=11, markeredgewidth=2, color=FAINT, linestyle="", label="true cost"
            )[0],
            axes.plot([], [], marker="o", color=FAINT, linestyle="-", label="paid, and the middle 80%")[0],
        ],
        loc="upper left",
        bbox_to_anchor=(EDGE, 0.0),
        borderaxespad=0.0,
    )
    return figure


def _draw_mechanism(axes: Axes, place: int, colour: str, row: dict[str, float]) -> None:
    axes.plot(
        (row["paid_p10"], row["paid_p90"]),
        (place, place),
        color=colour,
        linewidth=5,
        alpha=0.3,
        zorder=2,
        solid_capstyle="butt",
    )
    axes.plot((row["true_cost_mean"], row["paid_mean"]), (place, place), color=colour, linewidth=1.2, zorder=3)
    axes.plot(row["true_cost_mean"], place, marker="|", markersize=13, markeredgewidth=2.2, color=colour, zorder=4)
    axes.plot(row["paid_mean"], place, marker="o", markersize=6, color=colour, zorder=5)
    axes.annotate(
        f"pays {short(row['paid_mean'])}",
        (1.01, place),
        xycoords=("axes fraction", "data"),
        va="center",
        size=8,
        color=colour,
        weight="bold",
    )


def _caption(settings: Settings) -> str:
    return captions.caption(
        captions.setting(settings),
        "True cost (bar): what the paid work costs those who do it. Paid (dot): what they get for it. Every mechanism "
        "is shown at truthful bids; only where it is truthful is there a reason to expect them. Mode R is the paper's "
        f"transformation (Babaioff, Kleinberg and Slivkins) with one bid in {DEFAULT_ONE_IN} resampled, for a cap of "
        "20, and its work is what the resampled bids lead to; mode D pays a pool worker the first bid outside the "
        "pool for each exploration task, and a member of the last jury at most what the jury without it would cost "
        "more. The dot is the mean, the broad line holds the middle 80% of the samples.",
        captions.choices(assured=True, stopping="price-gap (under mode D head-count)"),
    )


def _findings(table: pl.DataFrame) -> tuple[str, ...]:
    return tuple(
        f"{row['words']}: true cost {row['true_cost_mean']:,.0f}, paid {row['paid_mean']:,.0f}, of which "
        f"{1 - row['true_cost_mean'] / row['paid_mean']:.1%} above cost"
        for row in table.iter_rows(named=True)
    )
