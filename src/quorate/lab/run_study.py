"""Run a study into its directory: what is finished stays, what is not runs, and the end is the same either way."""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from itertools import islice

from quorate.errors import QuorateError
from quorate.lab.cell import CellResult, run_cell
from quorate.lab.execution import Workplace
from quorate.lab.results import ResultDirectory
from quorate.lab.study import Cell
from quorate.lab.versions import versions

# Ctrl-C may reach another thread than this one, which then sees it only when its wait ends.
BLINK = 0.2


def run_study(
    directory: ResultDirectory,
    cells: Iterable[Cell],
    place: Workplace,
    advance: Callable[[float], None] = lambda samples: None,
) -> None:
    """Run the cells and keep each as it finishes. `advance` is told how many samples have come in.

    Which machine finishes first changes nothing: a cell's rows depend on the cell alone, and the final file is ordered.
    """
    waiting = iter(cells)
    running: dict[Future[CellResult], Cell] = {}
    try:
        while True:
            for cell in islice(waiting, place.slots - len(running)):
                running[place.executor.submit(run_cell, cell, versions())] = cell
            if not running:
                return
            finished, _ = wait(running, timeout=BLINK, return_when=FIRST_COMPLETED)
            for future in finished:
                cell = running.pop(future)
                directory.keep(cell, future.result())
                advance(cell.samples)
    except BrokenExecutor as error:
        raise QuorateError(
            "a worker process ended by itself, perhaps for want of memory; finished cells are kept: "
            "run the same command again, with fewer --processes"
        ) from error
