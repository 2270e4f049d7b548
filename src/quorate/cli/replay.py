"""`quorate replay`: a policy over a recorded matrix as if live, beside what people use today."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from quorate.lab.replays import Replays, Row
    from quorate.lab.spread import Spread

# Quarters of the stream at which the table for people shows the running cost.
QUARTERS = (1, 2, 3, 4)


def replay(
    labels: Annotated[Path, typer.Argument(help="Answers: columns task, worker, label; or wide.")],
    truth: Annotated[Path, typer.Argument(help="Gold: columns task, truth.")],
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Columns worker, price. Without it every answer costs 1.")
    ] = None,
    price_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which column of FILE is the price. Default: price, or cost.")
    ] = None,
    policy: Annotated[str, typer.Option(help="Whom to ask: assured, assured-joint, ccb-s, ...")] = "assured",
    payment: Annotated[str, typer.Option(help="What to pay: threshold, randomised, pay-as-bid.")] = "threshold",
    assume: Annotated[
        str | None,
        typer.Option(
            help="nothing: `assured` certifies whole juries (assured-joint). independent: it computes them from their "
            "members, which is the default."
        ),
    ] = None,
    target: Annotated[float, typer.Option(help="Accuracy promised for every verdict.")] = 0.9,
    confidence: Annotated[float, typer.Option(help="The promise holds with this probability.")] = 0.95,
    slack: Annotated[float, typer.Option(help="The paper's xi, for the paper's policies.")] = 0.0,
    cap: Annotated[
        str | None,
        typer.Option(help="Highest bid allowed, fixed before bidding. Default: the highest price of FILE."),
    ] = None,
    pool: Annotated[
        int | None,
        typer.Option(min=1, help="How many lowest bidders take part. Default: 60, for assured-joint 15."),
    ] = None,
    max_size: Annotated[
        int | None, typer.Option(min=1, help="The largest jury of assured-joint; odd. Default: 5.")
    ] = None,
    orders: Annotated[int, typer.Option(min=1, help="Random orders of the tasks; their spread is shown.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Draws the orders, the ties and the coins.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Replay a recorded matrix as a live stream, and compare with what people use today.

    Exits 1 if the promise was not kept: if the target was reached in a smaller share of the orders than --confidence,
    less one standard error. A task on which nobody who was asked has a recorded answer counts as not right.

    Example: quorate replay labels.csv truth.csv --prices prices.csv --policy assured --payment threshold --target 0.9
    """
    from quorate.cli.console import NEGATIVE, print_json, progress
    from quorate.lab.recorded import replay_labels

    with progress("Orders", orders, show=not as_json) as advance:
        found = replay_labels(
            labels,
            truth,
            prices,
            policy=policy,
            payment=payment,
            assume=assume,
            target=target,
            confidence=confidence,
            slack=slack,
            cap=cap,
            pool=pool,
            max_size=max_size,
            orders=orders,
            price_column=price_column,
            seed=seed,
            progress=advance,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)
    if not found.kept:
        raise typer.Exit(NEGATIVE)


def _show(found: "Replays") -> None:
    from quorate.cli.console import print_table, say

    print_table(
        f"{found.tasks:,} tasks, {found.workers} workers, target {found.target:g}: median (10% to 90%) of "
        f"{found.orders} orders",
        [
            ("rule", "left"),
            ("right", "right"),
            ("no verdict", "right"),
            ("orders at target", "right"),
            ("right after exploring", "right"),
            ("exploring tasks", "right"),
            ("cost of the work", "right"),
            ("paid", "right"),
        ],
        [
            [
                row.name,
                _share(row.accuracy),
                f"{row.undecided.median:,.0f}",
                f"{row.kept:.0%}",
                "" if row.accuracy_after is None else _share(row.accuracy_after),
                f"{row.explored.median:,.0f}",
                _amount(row.spent),
                "" if row.paid is None else _amount(row.paid),
            ]
            for row in found.rows
        ],
    )
    _show_running(found)
    for line in (*_promise(found), f"{found.pairing.label}: {found.pairing.why}", _cap(found)):
        say(line)
    if found.rounded_by:
        say(f"Prices are rounded to millionths of the unit, which changes one of them by {found.rounded_by:.2%}.")
    if found.rows[0].short.median:
        say(_missing(found.rows[0]))
    if not any("Dawid-Skene" in row.name for row in found.rows):
        say("Dawid-Skene is left out: it needs crowd-kit, which `make baselines` installs.")


def _show_running(found: "Replays") -> None:
    """What the work had cost at each quarter of the stream."""
    from quorate.cli.console import print_table

    shown = sorted({min(found.tasks, -(-found.tasks * quarter // QUARTERS[-1])) for quarter in QUARTERS})
    print_table(
        "Cost of the work after so many tasks",
        [("rule", "left"), *((f"{at:,}", "right") for at in shown)],
        [[row.name, *(_amount(_running_at(row, at)) for at in shown)] for row in found.rows],
    )


def _running_at(row: "Row", task: int) -> "Spread":
    """The cost at the first place from this task on where it was noted."""
    return next(cost for at, cost in row.running if at >= task)


def _promise(found: "Replays") -> list[str]:
    """Whether the promise was kept, and what stood in its way."""
    first = found.rows[0]
    reached, asked = round(first.kept * found.orders), math.ceil(found.least_share * found.orders - 1e-9)
    lines = [
        f"The promise was {'kept' if found.kept else 'NOT kept'}: at least {found.target:g} of the tasks got a right"
        f" verdict in {reached} of {found.orders} orders; at confidence {found.confidence:g} it takes {asked}."
    ]
    if first.unfinished:
        lines.append(
            f"In {first.unfinished} of {found.orders} orders exploration never ended: {found.tasks:,} tasks did not"
            f" show which jury of the {found.pool} who took part is good enough. {_remedy(found)}"
        )
    return lines


def _cap(found: "Replays") -> str:
    """The cap, and what is meant by truthful where it was read off the prices."""
    from quorate.money import show

    told = f"The cap, the highest bid allowed, is {show(found.cap)}"
    if found.cap > found.highest_price:
        return f"{told}; the highest price is {show(found.highest_price)}."
    told += ", as much as the dearest worker asks"
    if not found.pairing.truthful:
        return f"{told}."
    return (
        f"{told}: truthful for a cap of {show(found.cap)} fixed beforehand. Had it been read off the bids, the dearest"
        " worker's own bid would move what it is paid: say with --cap what you would allow."
    )


def _missing(policy: "Row") -> str:
    """What became of tasks on which an answer that was asked for is not recorded."""
    told = (
        f"On {policy.short.median:,.0f} tasks somebody who was asked has no recorded answer: the verdict rests on those"
        " who have one."
    )
    if policy.undecided.median:
        told += f" On {policy.undecided.median:,.0f} of them nobody has: no verdict, which counts as not right."
    return told


def _remedy(found: "Replays") -> str:
    if not found.pairing.policy.startswith("assured"):
        return "Try a lower --target, or --policy assured."
    if found.pool < found.workers:
        return f"Try another --pool (there are {found.workers:,} workers), a lower --target, or more tasks."
    return "Try a smaller --pool, a lower --target, or more tasks."


def _share(values: "Spread") -> str:
    return f"{values.median:.3f} ({values.low:.3f} to {values.high:.3f})"


def _amount(values: "Spread") -> str:
    return f"{values.median:,.0f}" if values.median >= 1000 else f"{values.median:,.4g}"
