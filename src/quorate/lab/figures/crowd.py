"""Figure 4 of the paper: total cost against the number of workers, dear and other ones in the same proportions."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from quorate.lab.figures import captions
from quorate.lab.figures.bands import Band
from quorate.lab.figures.curves import Curves, Scale, draw_curves
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.settings import ASSURED, Settings
from quorate.lab.figures.studies import study_of
from quorate.lab.study import Study
from quorate.lab.world import Paper
from quorate.money import MILLIONTHS

STEM = "figure-4"
PAPER_NAMES = ("ccb-ns", "epsilon-greedy")
SIZES = 10
# A log axis shows assured's cost beside the paper's.
LOG = Scale("linear", "log")


def crowd_sizes(settings: Settings) -> list[int]:
    """Ten sizes, evenly spaced up to the whole: 110 to 1100 in the paper."""
    return sorted({max(2, round(settings.workers * step / SIZES)) for step in range(1, SIZES + 1)})


def crowd_studies(settings: Settings) -> tuple[Study, ...]:
    worlds = [Paper(workers=size) for size in crowd_sizes(settings)]
    paper = [settings.entrant(name).kind for name in PAPER_NAMES]
    return study_of(settings, worlds, paper), study_of(settings, worlds, [settings.entrant(ASSURED).kind])


def crowd_figure(settings: Settings, studies: Sequence[pl.DataFrame]) -> Product:
    samples = pl.concat(studies, how="diagonal")
    names = (*PAPER_NAMES, ASSURED)
    sizes = np.array(crowd_sizes(settings))
    total, exploring = (
        {name: _band(samples, name, column, settings.samples) for name in names}
        for column in ("total_cost", "exploration_cost")
    )
    curves = Curves(sizes, total, "Total cost against number of workers", "workers", "true cost of all tasks")
    impossible = _impossible(samples)
    paper, ours = (_caption(settings, impossible, assured=assured) for assured in (False, True))
    pictures = (
        Picture(STEM, draw_curves(curves, PAPER_NAMES, paper, Scale(), markers=True), paper),
        Picture(f"{STEM}-assured", draw_curves(curves, names, ours, LOG, markers=True), ours),
    )
    table = curves.table("workers", {"total_cost": total, "exploration_cost": exploring})
    return Product("4", STEM, table, samples, pictures, _findings(sizes, total))


def _band(samples: pl.DataFrame, name: str, column: str, count: int) -> Band:
    """Along the sizes, which is the order of a study's rows."""
    runs = samples.filter(pl.col("policy") == name)[column].to_numpy()
    return Band.of(runs.reshape(-1, count).T / MILLIONTHS)


def _impossible(samples: pl.DataFrame) -> int:
    """Worlds in which all workers together miss the target under the paper's bound, so that they are all asked."""
    of_paper = samples.filter(pl.col("policy") == PAPER_NAMES[0])
    return int(of_paper["greedy_cost_per_task"].null_count())


def _caption(settings: Settings, impossible: int, *, assured: bool) -> str:
    sizes = crowd_sizes(settings)
    axis = " The vertical axis is logarithmic." if assured else ""
    short = (
        f" In {impossible:,} worlds all workers together miss the target under the paper's bound, and are all asked."
        if impossible
        else ""
    )
    return captions.caption(
        captions.setting(settings, workers=f"{sizes[0]:,} to {sizes[-1]:,} workers"),
        f"Total cost is the sum of the asked workers' true costs over all tasks.{axis}{short}",
        captions.BANDS,
        captions.choices(assured=assured),
    )


def _findings(sizes: np.ndarray[tuple[int], np.dtype[np.int64]], total: dict[str, Band]) -> tuple[str, ...]:
    first, second = (total[name].mean for name in PAPER_NAMES)
    cheaper = sizes[first < second]
    return (
        *(
            f"{name}: {band.mean[0]:,.0f} with {sizes[0]:,} workers, {band.mean[-1]:,.0f} with {sizes[-1]:,}"
            for name, band in total.items()
        ),
        f"{PAPER_NAMES[0]} is cheaper than {PAPER_NAMES[1]} on average with {_listed(cheaper)} workers",
    )


def _listed(sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    return ", ".join(f"{size:,}" for size in sizes) or "no number of"
