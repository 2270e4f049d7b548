"""Figures that need no more than one row per run are studies (quorate.lab.study): what is finished survives a kill."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from quorate.lab.execution import Workplace
from quorate.lab.figures.settings import Settings
from quorate.lab.policies import PolicyKind
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study import Study
from quorate.lab.world import WorldKind

CHUNK = 25


def study_of(
    settings: Settings, worlds: Sequence[WorldKind], policies: Sequence[PolicyKind], payments: Sequence[str] = ()
) -> Study:
    """These policies share one promise: that of the first."""
    promise = settings.promise(policies[0].name)
    return Study(
        tuple(worlds),
        (promise,),
        tuple(policies),
        tuple(payments),
        samples=settings.samples,
        seed=settings.seed,
        chunk=CHUNK,
    )


def study_rows(study: Study, unfinished: Path, place: Workplace, advance: Callable[[float], None]) -> pl.DataFrame:
    """The study's rows. Until the caller removes `unfinished`, a second call takes what the first one finished."""
    directory = ResultDirectory(unfinished / study.digest[:16], study)
    waiting = [] if directory.done else directory.unfinished()
    advance(study.rows - sum(cell.samples for cell in waiting))
    run_study(directory, waiting, place, advance)
    directory.finish()
    return directory.rows()
