"""Figure 3 of the paper: total cost against the task number. The table also has what each single task cost."""

import numpy as np

from quorate.lab.figures import captions
from quorate.lab.figures.bands import Band
from quorate.lab.figures.curves import Curves, Scale, draw_curves
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.race import Race
from quorate.lab.figures.run_table import run_table
from quorate.lab.figures.settings import PAPER_NAMES
from quorate.money import MILLIONTHS

STEM = "figure-3"


def cost_figure(race: Race) -> Product:
    total, single = (
        {name: Band.of(values[:, column, :] / MILLIONTHS) for column, name in enumerate(race.names)}
        for values in (race.cumulative, race.single)
    )
    curves = Curves(
        race.settings.grid, total, "Total cost against task number", "task number t", "true cost of tasks 1 to t"
    )
    paper, ours = (_caption(race, assured=assured) for assured in (False, True))
    pictures = (
        Picture(STEM, draw_curves(curves, PAPER_NAMES, paper, Scale()), paper),
        Picture(f"{STEM}-assured", draw_curves(curves, race.names, ours, Scale("log", "log")), ours),
    )
    table = curves.table("task", {"total_cost": total, "task_cost": single})
    return Product("3", STEM, table, run_table(race), pictures, _findings(race, total, single))


def _caption(race: Race, *, assured: bool) -> str:
    axes = " Both axes are logarithmic." if assured else ""
    return captions.caption(
        captions.setting(race.settings),
        "Total cost is the sum of the asked workers' true costs, the negative of the paper's social welfare; what the "
        f"requester pays them is another matter (`quorate figures payments`).{axes}",
        captions.BANDS,
        captions.choices(assured=assured),
    )


def _findings(race: Race, total: dict[str, Band], single: dict[str, Band]) -> tuple[str, ...]:
    last = race.settings.tasks
    return tuple(
        f"{name}: total cost {total[name].mean[-1]:,.0f} after {last:,} tasks; a task costs half of the first one's "
        f"{single[name].mean[0]:,.0f} {_halved(race, single[name])}"
        for name in race.names
    )


def _halved(race: Race, band: Band) -> str:
    """The first task kept that costs less than half of the first, on average."""
    below = np.flatnonzero(band.mean < band.mean[0] / 2)
    return f"from task {race.settings.grid[below[0]]:,} on" if len(below) else "never"
