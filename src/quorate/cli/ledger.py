"""`quorate ledger`: what an auditor does with a campaign's ledger, live in a database or exported to a file."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import Advance, complain, print_json, progress, say

if TYPE_CHECKING:
    from quorate.campaign.ledger import Record

app = typer.Typer(
    name="ledger",
    help="Check, export and replay a campaign's ledger: every decision and payment follows from it alone.",
    rich_markup_mode=None,
)

Source = Annotated[
    str,
    typer.Argument(
        help="A database (sqlite:///quorate.db, a path to a SQLite file, postgresql://user@host/name) or an exported "
        "file (.jsonl).",
        show_default=False,
    ),
]
Campaign = Annotated[str | None, typer.Option("--campaign", "-c", help="Which one; all of them if not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.command()
def verify(source: Source, campaign: Campaign = None, as_json: AsJson = False) -> None:
    """Check the hash chain. No event was changed, removed, added or moved.

    Compare the last hash with one you kept (an export, a webhook, a colleague's): the chain cannot tell that its end
    was cut off. Exit 1 if it is broken.

    Example: quorate ledger verify quorate.db
    """
    from quorate.campaign.refusal import Tampered
    from quorate.cli.ledger_source import open_source

    found, broken = [], False
    with open_source(source, campaign) as ledgers:
        for name in ledgers.names:
            events, last = 0, ""
            try:
                with progress(f"verify {name}", ledgers.count(name)) as advance:
                    for record in _counted(ledgers.records(name), advance):
                        events, last = record.seq, record.hash
            except Tampered as tampered:
                broken = True
                found.append({"campaign": name, "intact": False, "events": events, "problem": str(tampered)})
            else:
                found.append({"campaign": name, "intact": True, "events": events, "hash": last})
    _report(found, as_json, "intact")
    if broken:
        raise typer.Exit(1)


@app.command()
def export(
    source: Source,
    campaign: Campaign = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; standard output if none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --out: say in JSON what was written.")] = False,
) -> None:
    """Write every event as a line of JSON, with its hash. Bids only once the auction is closed.

    The file can be verified and replayed without the database; its name must end in .jsonl for that.

    Example: quorate ledger export quorate.db --out ledger.jsonl
    """
    from quorate.campaign.service import export_line
    from quorate.cli.ledger_source import open_source

    with open_source(source, campaign) as ledgers:
        lines = (export_line(name, record) for name in ledgers.names for record in ledgers.records(name))
        if out is None:
            # Not for people: a terminal gets these lines whole, too.
            sys.stdout.writelines(f"{line}\n" for line in lines)
            return
        with out.open("w", encoding="ascii") as file:
            count = 0
            for line in lines:
                file.write(line + "\n")
                count += 1
    if as_json:
        print_json({"out": str(out), "events": count})
    else:
        complain(f"wrote {count} events to {out}")


@app.command()
def replay(source: Source, campaign: Campaign = None, as_json: AsJson = False) -> None:
    """Decide everything again, and compare. From what people did: pools, juries, prices, verdicts, payouts.

    Exit 1 where the ledger does not follow from its own causes.

    Example: quorate ledger replay ledger.jsonl
    """
    from dataclasses import asdict

    from quorate.campaign.refusal import Tampered
    from quorate.campaign.replay import replay as decide_again
    from quorate.cli.ledger_source import open_source

    found, broken = [], False
    with open_source(source, campaign) as ledgers:
        for name in ledgers.names:
            try:
                with progress(f"replay {name}", ledgers.count(name)) as advance:
                    done = decide_again(name, _counted(ledgers.records(name), advance), ledgers.coin_seed(name))
            except Tampered as tampered:
                broken = True
                found.append({"campaign": name, "follows": False, "problem": str(tampered)})
            else:
                found.append({"follows": True, **asdict(done)})
    _report(found, as_json, "follows")
    if broken:
        raise typer.Exit(1)


def _counted(records: "Iterator[Record]", advance: Advance) -> "Iterator[Record]":
    for record in records:
        yield record
        advance(1.0)


def _report(found: list[dict[str, Any]], as_json: bool, word: str) -> None:
    from quorate.money import show

    if as_json:
        print_json({"campaigns": found})
        return
    for one in found:
        if not one[word]:
            say(f"{one['campaign']}: BROKEN: {one['problem']}")
        elif word == "intact":
            say(f"{one['campaign']}: intact, {one['events']} events, last hash {one['hash']}")
        else:
            say(
                f"{one['campaign']}: everything follows: {one['events']} events from {one['causes']} causes, "
                f"{one['verdicts']} verdicts, {show(one['earned'])} earned, coins {one['coins']}"
            )
