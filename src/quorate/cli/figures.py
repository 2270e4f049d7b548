"""`quorate figures`: the paper's figures and what they leave out, with captions and data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from quorate.lab.figures.make import Made, Order


def figures(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where pictures and data go.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[2 3 4 ...]",
            help="2 (average regret), 3 (total cost), 4 (number of workers); also bounds, lies, payments, violations, "
            "or all. Default: 2 3 4.",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Worlds drawn; every policy sees the same.")] = 1000,
    workers: Annotated[int, typer.Option(min=2, help="Workers, six in eleven of them dear and no good.")] = 1100,
    tasks: Annotated[int, typer.Option(min=2, help="Tasks of a run.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Draws worlds, answers, ties and coins.")] = 1,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Worker processes. Default: one per core. It changes no number.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Draw the paper's figures (section 6.3) at full size, and what they leave out.

    DIR gets, for each figure, PNG and SVG, the caption as text, and the data as Parquet and CSV: what is drawn, and
    one row per run.

    Example: quorate figures 2 3 --out out/figures --samples 100
    """
    from quorate.cli.console import INTERRUPTED, complain, print_json, progress
    from quorate.lab.execution import workplace
    from quorate.lab.figures.make import FIGURES, PAPER_FIGURES, Order, make_figures
    from quorate.lab.figures.settings import Settings

    wanted = FIGURES if "all" in (names or ()) else tuple(names or PAPER_FIGURES)
    order = Order.of(wanted, Settings(samples, workers, tasks, seed))
    try:
        with workplace(processes) as place, progress("Runs", order.runs, show=not as_json) as advance:
            made = list(make_figures(order, out, place, advance))
    except KeyboardInterrupt:
        complain(f"quorate: stopped; {_kept(order, out)}")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(_outcome(order, made))
    else:
        _show(made)


def _kept(order: "Order", out: Path) -> str:
    """What a second run finds of an interrupted one."""
    if not order.studied:
        return "nothing is kept of an unfinished run of these figures: the same command starts anew"
    said = f"what is finished of {', '.join(order.studied)} is kept in {out}: run the same command again to go on"
    anew = [name for name in order.names if name not in order.studied]
    return f"{said} ({', '.join(anew)} start anew)" if anew else said


def _outcome(order: "Order", made: "list[Made]") -> dict[str, Any]:
    settings = order.settings
    return {
        "samples": settings.samples,
        "workers": settings.workers,
        "tasks": settings.tasks,
        "seed": settings.seed,
        "figures": [
            {
                "figure": figure.product.name,
                "files": [str(path) for path in figure.files],
                "captions": {picture.stem: picture.caption for picture in figure.product.pictures},
                "findings": list(figure.product.findings),
            }
            for figure in made
        ],
    }


def _show(made: "list[Made]") -> None:
    from quorate.cli.console import say

    for figure in made:
        pictures = ", ".join(str(path) for path in figure.files if path.suffix == ".png")
        say(f"{figure.product.name}: {pictures} (beside each: SVG, caption, data)")
        for finding in figure.product.findings:
            say(f"  {finding}")
