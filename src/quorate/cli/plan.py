"""`quorate plan`: what a campaign will cost before it starts."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from quorate.lab.comparison import Comparison
    from quorate.lab.plan import Forecast, Plan
    from quorate.lab.spread import Spread


def plan(
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many could be asked. Not needed with --prices.")
    ] = None,
    target: Annotated[float, typer.Option(help="Accuracy promised for every verdict.")] = 0.9,
    confidence: Annotated[float, typer.Option(help="The promise holds with this probability.")] = 0.95,
    horizon: Annotated[int, typer.Option(min=1, help="Tasks to be answered.")] = 10_000,
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Known prices: CSV or Parquet with columns worker, price.")
    ] = None,
    price_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which column of FILE is the price. Default: price, or cost.")
    ] = None,
    price_range: Annotated[
        tuple[str, str], typer.Option(metavar="LOW HIGH", help="Prices are uniform on this range, if not known.")
    ] = ("0.5", "1.5"),
    quality_range: Annotated[
        tuple[float, float], typer.Option(metavar="LOW HIGH", help="Qualities are uniform on this range.")
    ] = (0.6, 0.95),
    cap: Annotated[str | None, typer.Option(help="Highest price allowed. Default: the highest there is.")] = None,
    pool: Annotated[
        int | None, typer.Option(min=1, help="How many lowest bidders explore. Default: 60, for assured-joint 15.")
    ] = None,
    policy: Annotated[str, typer.Option(help="assured, or assured-joint, which assumes no independence.")] = "assured",
    payment: Annotated[
        list[str] | None,
        typer.Option(
            help="randomised, threshold or pay-as-bid; may be repeated. Default: all under which truth pays best."
        ),
    ] = None,
    correlation: Annotated[
        float, typer.Option(help="Of the errors of equally good workers in the simulation; 0: independent.")
    ] = 0.0,
    samples: Annotated[int, typer.Option(min=1, help="Simulated campaigns.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="Draws the simulated campaigns.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Say what a campaign will cost before it starts: exploring, working, paying, with ranges, from simulation.

    Exits 1 if no simulated campaign could certify a jury.

    Example: quorate plan --workers 200 --target 0.9 --confidence 0.95 --price-range 10 20 --quality-range 0.6 0.95
    """
    from quorate.certify.prices import read_price_list
    from quorate.cli.console import NEGATIVE, print_json, progress
    from quorate.errors import InvalidInput
    from quorate.lab.plan import PlanRequest, make_plan
    from quorate.money import to_millionths

    known = read_price_list(prices, price_column)
    if known is None and workers is None:
        raise InvalidInput("how many workers could be asked? give --workers N, or --prices FILE with one row each")
    low, high = (to_millionths(amount, "--price-range") for amount in price_range)
    _check_order("--price-range", low, high, price_range)
    _check_order("--quality-range", *quality_range, quality_range)
    request = PlanRequest(
        workers=workers if workers is not None else len(known) if known is not None else 0,
        target=target,
        confidence=confidence,
        horizon=horizon,
        prices=known,
        price_range=(low, high),
        quality_range=quality_range,
        cap=None if cap is None else to_millionths(cap, "--cap"),
        policy=policy,
        pool=pool,
        payments=tuple(payment or ()),
        samples=samples,
        seed=seed,
        correlation=correlation,
    )
    with progress("Campaigns", samples * len(request.paying()), show=not as_json) as advance:
        made = make_plan(request, advance)
    if as_json:
        print_json(_document(made))
    else:
        _show(made)
    if not made.possible:
        raise typer.Exit(NEGATIVE)


def _check_order(option: str, low: float, high: float, given: tuple[object, object]) -> None:
    from quorate.errors import InvalidInput

    if low > high:
        raise InvalidInput(f"{option} {given[0]} {given[1]} is not in order; give the lower end first")


def _document(made: "Plan") -> dict[str, Any]:
    """Money in units; spreads as low (10%), median and high (90%) over the simulated campaigns."""
    request = made.request
    return {
        "possible": made.possible,
        "workers": request.workers,
        "target": request.target,
        "confidence": request.confidence,
        "horizon": request.horizon,
        "policy": request.policy,
        "pool": min(request.exploring, request.workers),
        "samples": request.samples,
        "seed": request.seed,
        "correlation": request.correlation,
        "forecasts": [
            {key: value for key, value in asdict(forecast).items() if key != "campaigns"} for forecast in made.forecasts
        ],
        "cheaper": made.cheaper,
        "compared": None if made.compared is None else asdict(made.compared),
        "without_learning": None if made.without_learning is None else asdict(made.without_learning),
        "assumptions": list(made.assumptions),
    }


def _show(made: "Plan") -> None:
    from quorate.cli.console import print_table, promised, say

    request = made.request
    say(
        f"Promise: {promised(request.target, request.confidence)}, for {request.horizon:,} tasks. "
        f"Policy: {request.policy}."
    )
    rows: list[tuple[str, list[str]]] = [
        ("campaigns that certify a jury", [f"{f.certified} of {request.samples}" for f in made.forecasts]),
        ("exploration tasks", [_spread(f.exploration_tasks, 0) for f in made.forecasts]),
        ("paid for exploration", [_spread(f.exploration_paid) for f in made.forecasts]),
        ("paid per task after that", [_after(f) for f in made.forecasts]),
        ("paid in all", [_spread(f.paid) for f in made.forecasts]),
        ("  on average", [f"{f.mean_paid:,.0f}" for f in made.forecasts]),
        ("what the work costs its workers", [_spread(f.true_cost) for f in made.forecasts]),
        (
            "cheapest with everything known",
            ["-" if f.cheapest is None else _spread(f.cheapest) for f in made.forecasts],
        ),
        ("truth is a best bid", ["yes" if f.truthful else "NO" for f in made.forecasts]),
    ]
    print_table(
        f"Median (10% to 90%) of {request.samples} simulated campaigns",
        [("", "left"), *((forecast.payment, "right") for forecast in made.forecasts)],
        [[name, *cells] for name, cells in rows],
    )
    if made.compared is not None:
        say(_compared(made.compared))
    for line in (_baseline(made), "Assumed:", *(f"- {line}" for line in made.assumptions)):
        say(line)
    if not made.possible:
        say("No simulated campaign could certify a jury in time: lower the target, or look for better or more workers.")


def _compared(found: "Comparison") -> str:
    """Of the payments under which truth is a best bid; the interval is Student's, over the simulated campaigns."""
    more = f"{found.mean:,.0f} more on average (95%: {found.low:,.0f} to {found.high:,.0f})"
    if found.cheaper is None:
        return f"No clear difference: {found.second} pays {more} than {found.first}, which is within chance."
    return f"Cheaper here, both with truth a best bid: {found.cheaper}; {found.second} pays {more}."


def _baseline(made: "Plan") -> str:
    low = made.request.quality_range[0]
    found = made.without_learning
    if found is None:
        return (
            f"Without learning: not possible; if all were as bad as {low:g}, everybody together would miss the target."
        )
    return (
        f"Without learning: the {found.jury} cheapest on every task cost {_spread(found.total_as_asked)} as asked, "
        f"{_spread(found.total_truthful)} at the next price up, under which truth is a best bid; "
        f"right only if nobody is worse than {low:g} and errors are independent."
    )


def _after(forecast: "Forecast") -> str:
    return "-" if forecast.paid_per_task_then is None else _spread(forecast.paid_per_task_then, 2)


def _spread(values: "Spread", decimals: int | None = None) -> str:
    digits = decimals if decimals is not None else 0 if values.median >= 100 else 2
    return f"{values.median:,.{digits}f} ({values.low:,.{digits}f} to {values.high:,.{digits}f})"
