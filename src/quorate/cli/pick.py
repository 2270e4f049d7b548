"""`quorate pick`: the cheapest jury that labelled data can certify, today, without a campaign."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.certify.terms import Assume, Vote

if TYPE_CHECKING:
    from quorate.certify.picking import Certified, Pick
    from quorate.certify.search import Search


def pick(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="Answers: columns task, worker, label; or one column "
            "task and one per worker. CSV or Parquet, gzipped or not.",
        ),
    ],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="Gold: columns task, truth.")],
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Price per answer, to the billionth: columns worker, price. Without it every answer costs 1.",
        ),
    ] = None,
    price_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which column of FILE is the price. Default: price, or else cost."),
    ] = None,
    target: Annotated[float, typer.Option(help="The accuracy to certify, between 0.5 and 1.")] = 0.9,
    confidence: Annotated[float, typer.Option(help="How surely, between 0 and 1.")] = 0.95,
    assume: Annotated[
        Assume,
        typer.Option(
            help="nothing: the jury's own verdicts are tested. independent: each worker "
            "is, and errors are taken to be independent, and as frequent on either answer."
        ),
    ] = Assume.NOTHING,
    max_size: Annotated[
        int, typer.Option(min=1, help="The most members a jury may have; odd, unless votes are weighted.")
    ] = 5,
    vote: Annotated[
        Vote,
        typer.Option(
            help="weighted: juries that vote by weights too, learned on a part of the gold and "
            "certified on the rest (with --assume independent: log-odds)."
        ),
    ] = Vote.MAJORITY,
    min_answers: Annotated[int, typer.Option(min=1, help="Leave out workers with fewer answers on gold tasks.")] = 1,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a report, one self-contained page.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Draws the keys that break exact ties, and the tasks that teach weights.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Find the cheapest jury that is certified to be right often enough, or say that none is.

    A gold-labelled matrix of answers goes in; out comes whom to ask, what it costs per task, and the accuracy
    that holds with the given confidence, whatever the workers' errors have to do with each other.

    Exits 0 with a jury, 1 if none can be certified, 2 on bad input.

    Example: quorate pick labels.csv truth.csv --prices prices.csv --target 0.9 --report report.html
    """
    from quorate.certify import make_search, read_gold
    from quorate.cli.console import NEGATIVE, print_json

    _check_report(report, {"LABELS": labels, "TRUTH": truth, "--prices": prices})
    search = make_search(
        read_gold(labels, truth, min_answers=min_answers),
        prices,
        confidence=confidence,
        assume=assume,
        max_size=max_size,
        vote=vote,
        price_column=price_column,
        seed=seed,
    )
    found = _answer(search, target, report, watched=not as_json)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found, report)
    if not found.feasible:
        raise typer.Exit(NEGATIVE)


def _check_report(report: Path | None, inputs: dict[str, Path | None]) -> None:
    """Before anything is computed: a page is written over what is there, so it must not be one of the inputs."""
    from quorate.errors import InvalidInput

    if report is None:
        return
    if report.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--report {report} is not named .html or .htm, and a page is written there; rename it")
    for role, given in inputs.items():
        if given is not None and given.resolve() == report.resolve():
            raise InvalidInput(f"--report {report} is {role} {given}, which it would overwrite; give another path")


def _answer(search: "Search", target: float, report: Path | None, *, watched: bool) -> "Pick":
    """The answer, and its report where one is wanted, which goes through the juries once more."""
    from quorate.certify import answer, write_report
    from quorate.cli.console import progress

    passes = 3 if report is None else 4
    with progress("Juries", passes * search.considered, show=watched) as advance:
        found = answer(search, target, advance)
        if report is not None:
            write_report(found, report, advance)
    return found


def _show(found: "Pick", report: Path | None) -> None:
    """The answer for people."""
    from quorate.certify import words
    from quorate.cli.console import print_table, say

    say(words.headline(found))
    shown = found.chosen or found.best
    if shown is not None:
        say(words.promise(found))
        print_table("", [("worker", "left"), ("price", "right"), ("right", "right"), ("of", "right"),
                         ("accuracy", "right")], _rows(found, shown))  # fmt: skip
        say(words.how_it_votes(shown))
    lines = (words.warning(found), words.more_gold(found), words.assumption(found), words.missing(found))
    for line in (*lines, words.votes_left(found), _extent(found)):
        if line:
            say(f"\n{line}")
    if report is not None:
        say(f"\nThe report is in {report}.")


def _rows(found: "Pick", shown: "Certified") -> list[list[str]]:
    """One row per member, and the best single worker for comparison."""
    from quorate.certify import words
    from quorate.certify.prices import show_price
    from quorate.wording import printable

    search, gold = found.search, found.search.gold
    single = found.best_single.jury
    rows = []
    for name in dict.fromkeys((*shown.jury, *single)):
        i = gold.workers.index(name)
        right, answers = int(gold.rights[i]), int(gold.answers[i])
        label = printable(name) if name in shown.jury else f"(best single: {printable(name)})"
        rows.append(
            [label, show_price(int(search.prices[i])), f"{right:,}", f"{answers:,}", words.percent(right / answers)]
        )
    return rows


def _extent(found: "Pick") -> str:
    """The size of the question."""
    from quorate.wording import counted

    search, gold = found.search, found.search.gold
    parts = [counted(len(gold), "worker"), counted(gold.tasks, "gold task")]
    if gold.dropped_tasks:
        parts.append(f"{counted(gold.dropped_tasks, 'task')} dropped (without truth, or without answers)")
    if gold.left_out:
        parts.append(f"{counted(len(gold.left_out), 'worker')} left out for too few answers on gold tasks")
    largest = max(group.size for group in search.groups)
    parts.append(f"{counted(search.considered, 'jury', 'juries')} of up to {largest}")
    return f"{', '.join(parts)}."
