"""Every figure by its name, and the making of them: what several figures share is computed once."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
from matplotlib import style

from quorate.errors import UnknownName
from quorate.lab.alone import alone
from quorate.lab.execution import Workplace
from quorate.lab.figures.cost import cost_figure
from quorate.lab.figures.crowd import crowd_figure, crowd_studies
from quorate.lab.figures.lies import lies_figure
from quorate.lab.figures.payments import payment_figure, payment_studies
from quorate.lab.figures.product import Product
from quorate.lab.figures.race import Race, run_race
from quorate.lab.figures.regret import regret_figure
from quorate.lab.figures.save import save
from quorate.lab.figures.settings import Settings
from quorate.lab.figures.stopping import stopping_figure
from quorate.lab.figures.studies import study_rows
from quorate.lab.figures.style import STYLE
from quorate.lab.figures.violations import violations_figure
from quorate.lab.parameter import suggestion
from quorate.lab.study import Study

Advance = Callable[[float], None]
Drawing = Callable[[Settings, Sequence[pl.DataFrame]], Product]


@dataclass(frozen=True)
class Studied:
    """A figure of studies: which, and what is made of their rows."""

    studies: Callable[[Settings], tuple[Study, ...]]
    draw: Drawing


RACED: dict[str, Callable[[Race], Product]] = {
    "2": regret_figure,
    "3": cost_figure,
    "violations": violations_figure,
    "bounds": stopping_figure,
}
STUDIED: dict[str, Studied] = {
    "4": Studied(crowd_studies, crowd_figure),
    "payments": Studied(payment_studies, payment_figure),
}
WORKED: dict[str, Callable[[], Product]] = {"lies": lies_figure}
PAPER_FIGURES = ("2", "3", "4")
FIGURES = (*PAPER_FIGURES, *sorted((RACED.keys() | STUDIED.keys() | WORKED.keys()) - set(PAPER_FIGURES)))
# Finished parts of studies wait here until every figure is written, so that a killed run is taken up again.
UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Made:
    """A figure and the files that hold it."""

    product: Product
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Order:
    """Which figures of which setting; `names` in the order of FIGURES, each once."""

    names: tuple[str, ...]
    settings: Settings

    @classmethod
    def of(cls, names: Sequence[str], settings: Settings) -> "Order":
        for name in names:
            if name not in FIGURES:
                raise UnknownName(
                    f"no figure is called {name!r}{suggestion(name, FIGURES)}; there are {', '.join(FIGURES)}"
                )
        return cls(tuple(name for name in FIGURES if name in names), settings)

    @property
    def studied(self) -> tuple[str, ...]:
        """Those whose finished parts survive a kill."""
        return tuple(name for name in self.names if name in STUDIED)

    @cached_property
    def runs(self) -> int:
        """How many runs of a policy it takes."""
        raced = self.settings.samples * len(self.settings.entrants) if RACED.keys() & set(self.names) else 0
        return raced + sum(study.rows for name in self.studied for study in STUDIED[name].studies(self.settings))


def make_figures(order: Order, out: Path, place: Workplace, advance: Advance) -> Iterator[Made]:
    """Compute, draw and save, figure by figure; `advance` is told how many runs have come in."""
    with alone(out):
        yield from _make(order, out, place, advance)


def _make(order: Order, out: Path, place: Workplace, advance: Advance) -> Iterator[Made]:
    unfinished = out / UNFINISHED
    race = run_race(order.settings, place, advance) if RACED.keys() & set(order.names) else None
    for name in order.names:
        # Not around the yield: the caller's own pictures keep their style.
        with style.context(STYLE):
            if name in STUDIED:
                studied = STUDIED[name]
                rows = [study_rows(study, unfinished, place, advance) for study in studied.studies(order.settings)]
                product = studied.draw(order.settings, rows)
            elif name in WORKED:
                product = WORKED[name]()
            else:
                assert race is not None
                product = RACED[name](race)
            files = tuple(save(product, out))
        yield Made(product, files)
    if unfinished.exists():
        shutil.rmtree(unfinished)
