"""`quorate simulate`: run a study, on processes or on a Dask cluster, into a directory that survives a kill."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl

    from quorate.lab.results import ResultDirectory
    from quorate.lab.world import Record

# A summary of more lines than this helps nobody.
SHOWN = 40
HEADINGS = {
    "total_cost": "cost",
    "exploration_tasks": "explores",
    "cost_per_task_then": "then a task",
    "tasks_below_promise": "below promise",
    "wrong_share": "wrong then",
}
# Columns of the summary: what the work costs that a payment pays for. Each follows its payment's column.
WORK = "work_"
# And whether asking one's cost is a best bid: in the table a mark on what is paid.
PAID, TRUTHFUL, MARK = "paid_", "truthful_", "*"


def simulate(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="What to run; see docs/studies.md.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go; the same DIR resumes.")],
    processes: Annotated[
        int | None, typer.Option(min=1, help="Worker processes on this machine. Default: one per core.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run the cells on this Dask cluster instead. To start one: `dask scheduler --port 8786`, and on each "
            "machine that has quorate[dask] `dask worker tcp://HOST:8786`; then --dask tcp://HOST:8786.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the seed in the file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Run a study: worlds by policies by parameters, each on many samples.

    DIR gets results.parquet (one row per sample, the same whatever the number of processes), manifest.json and
    times.csv. Killed, it resumes: run the same command again.

    Example: quorate simulate examples/paper.toml --out out/paper
    """
    from quorate.cli.console import INTERRUPTED, complain, print_json, progress
    from quorate.lab.alone import alone
    from quorate.lab.execution import workplace
    from quorate.lab.results import ResultDirectory
    from quorate.lab.run_study import run_study
    from quorate.lab.study_file import read_study

    described = read_study(study, seed=seed, read_record=_read_record)
    try:
        with alone(out):
            directory = ResultDirectory(out, described)
            waiting = directory.unfinished()
            samples = sum(cell.samples for cell in waiting)
            if waiting:
                with workplace(processes, dask) as place, progress("Samples", samples, show=not as_json) as advance:
                    run_study(directory, waiting, place, advance)
            directory.finish()
            rows = directory.rows()
    except KeyboardInterrupt:
        complain(f"quorate: stopped; finished cells are kept in {out}: run the same command again to go on from there")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(_outcome(directory, rows, samples))
    else:
        _show(directory, rows, samples)


def _outcome(directory: "ResultDirectory", rows: "pl.DataFrame", computed: int) -> dict[str, Any]:
    from quorate.lab.summary import summarise

    return {
        "results": str(directory.results),
        "digest": directory.study.digest,
        "points": directory.study.points,
        "rows": rows.height,
        "computed": computed,
        "resumed": rows.height - computed,
        "summary": summarise(rows).to_dicts(),
    }


def _show(directory: "ResultDirectory", rows: "pl.DataFrame", computed: int) -> None:
    from quorate.cli.console import print_table, say
    from quorate.lab.summary import summarise

    summary = summarise(rows)
    hidden = {"samples", *_silent(summary), *(name for name in summary.columns if name.startswith(TRUTHFUL))}
    columns = [name for name in summary.columns if name not in hidden]
    headings = [(_heading(name), "right" if summary[name].dtype.is_numeric() else "left") for name in columns]
    lines = [[_cell(row[name]) + _mark(row, name) for name in columns] for row in summary.head(SHOWN).to_dicts()]
    print_table(f"Means over {directory.study.samples} samples", headings, lines)
    if summary.height > SHOWN:
        say(f"... and {summary.height - SHOWN} more")
    before = f", {rows.height - computed:,} of them from before" if computed < rows.height else ""
    say(f"{rows.height:,} rows{before}: {directory.results}")
    if any(cell.endswith(MARK) for line in lines for cell in line):
        say(f"{MARK} NOT truthful: some worker gains by a bid that is not its cost (docs/payments.md)")


def _silent(summary: "pl.DataFrame") -> set[str]:
    """The columns that would tell nothing: empty ones, a promise that does not vary, work that is the run's own."""
    silent = {name for name in summary.columns if summary[name].count() == 0}
    if summary["promise"].n_unique() == 1:
        silent.add("promise")
    works = (name for name in summary.columns if name.startswith(WORK))
    return silent | {name for name in works if (summary[name] == summary["total_cost"]).all()}


def _mark(row: dict[str, Any], column: str) -> str:
    """A mark on what is paid under a pairing that is not truthful."""
    paid = column.startswith(PAID) and row[column] is not None
    return MARK if paid and not row[TRUTHFUL + column.removeprefix(PAID)] else ""


def _heading(column: str) -> str:
    return "for work of" if column.startswith(WORK) else HEADINGS.get(column, column.replace("_", " "))


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _read_record(labels: Path, truth: Path, prices: Path | None, price_column: str) -> "Record":
    """The record behind label files: the tasks that every worker answered. Without prices every answer costs 1.

    Prices are rounded to the nearest millionth.
    """
    import numpy as np

    from quorate.certify.labels import read_gold
    from quorate.certify.prices import read_prices
    from quorate.errors import InvalidInput
    from quorate.lab.recorded import to_nearest_millionths
    from quorate.lab.world import Record

    gold = read_gold(labels, truth)
    bits = np.arange(gold.tasks)
    answered, right = (
        (words[:, bits // 64] >> (bits % 64).astype(np.uint64)) & np.uint64(1) == 1
        for words in (gold.answered, gold.right)
    )
    complete = answered.all(axis=0)
    if not complete.any():
        worst = gold.workers[int(gold.answers.argmin())]
        raise InvalidInput(
            f"LABELS {labels}: no task was answered by every worker, so none can be drawn again; leave out workers "
            f"with few answers ({worst!r} has the fewest, {gold.answers.min()} of {gold.tasks})"
        )
    asked = read_prices(prices, gold, None if prices is None else price_column)
    return Record(gold.workers, right[:, complete], to_nearest_millionths(asked, gold.workers))
