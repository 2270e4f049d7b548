"""Figure 2 of the paper: average regret against the task number.

Average means per task: R(t) / t with R(t) the sum of the costs so far less t times the price of GA's jury on the true
qualities at 1 - alpha (paper, equation (4) in section 3.2, and section 6.3). That curves are means over
samples is said of figure 3 too, and only figure 2 is called average; a cumulative regret would be figure 3 less a
straight line. The table has both.
"""

import numpy as np

from quorate.lab.figures import captions
from quorate.lab.figures.bands import Band
from quorate.lab.figures.curves import Curves, Line, Scale, draw_curves
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.race import Race
from quorate.lab.figures.run_table import run_table
from quorate.lab.figures.settings import PAPER_NAMES
from quorate.lab.figures.style import FAINT
from quorate.money import MILLIONTHS

STEM = "figure-2"
# The second picture's axis is linear up to so many units: the regret of `assured` falls through zero.
STRAIGHT = 100.0
# What of the tasks lies before the last ones, whose cost is told.
LATE = 0.95


def regret_figure(race: Race) -> Product:
    grid = race.settings.grid
    cumulative, average = {}, {}
    for column, name in enumerate(race.names):
        regret = (race.cumulative[:, column, :] - race.optimum[:, None] * grid) / MILLIONTHS
        cumulative[name] = Band.of(regret)
        average[name] = Band.of(regret / grid)
    curves = Curves(
        grid, average, "Average regret against task number", "task number t", "regret up to task t, divided by t"
    )
    slack = float((race.slack_optimum - race.optimum).mean()) / MILLIONTHS
    level = Line(slack, "price of ξ", FAINT)
    optimum = Line(0.0, "optimum", FAINT)
    paper, ours = (_caption(race, slack, assured=assured) for assured in (False, True))
    pictures = (
        Picture(STEM, draw_curves(curves, PAPER_NAMES, paper, Scale(), [level]), paper),
        Picture(
            f"{STEM}-assured",
            draw_curves(curves, race.names, ours, Scale("log", "symlog", STRAIGHT), [level, optimum]),
            ours,
        ),
    )
    table = curves.table("task", {"average_regret": average, "regret": cumulative})
    return Product("2", STEM, table, run_table(race), pictures, _findings(race, average, slack))


def _caption(race: Race, slack: float, *, assured: bool) -> str:
    axis = (
        f" The vertical axis is logarithmic beyond ±{STRAIGHT:g} and linear between. Below 0 a policy is cheaper "
        "than the paper's optimum with qualities known: assured keeps the same promise by a tighter bound."
        if assured
        else ""
    )
    return captions.caption(
        captions.setting(race.settings),
        "Average regret is R(t)/t, where R(t) is the true cost of tasks 1 to t less t times the price of GA's jury "
        "on the true qualities at 1−α. For the CCB rules it does not fall to 0: the last jury is chosen for 1−α+ξ, "
        f"so regret has a part linear in t. With qualities known that jury would cost {slack:.1f} more per task "
        f"(grey line); chosen on optimistic qualities it costs somewhat less.{axis}",
        captions.BANDS,
        captions.choices(assured=assured),
    )


def _findings(race: Race, average: dict[str, Band], slack: float) -> tuple[str, ...]:
    grid, tasks = race.settings.grid, race.settings.tasks
    # A task alone says little: epsilon-greedy explores one in a hundred of its last ones.
    before = int(np.searchsorted(grid, LATE * tasks, side="right")) - 1
    late = int(tasks - grid[before])
    spent = (race.cumulative[:, :, -1] - race.cumulative[:, :, before]) / max(1, late)
    excess = (spent - race.optimum[:, None]).mean(axis=0) / MILLIONTHS
    return (
        *(
            f"{name}: average regret {band.mean[-1]:,.1f} per task after {tasks:,} tasks"
            + (f"; the last {late:,} cost {more:+,.1f} each against the optimum" if late else "")
            for (name, band), more in zip(average.items(), excess, strict=True)
        ),
        f"with qualities known, the slack would cost {slack:,.1f} per task",
    )
