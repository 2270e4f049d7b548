"""What is owed and what was paid, from the shell."""

from decimal import Decimal
from typing import Annotated, Any

import typer

from quorate.campaign.oneself import ONESELF
from quorate.cli.campaign.amounts import amount
from quorate.cli.campaign.people import number_of
from quorate.cli.campaign.where import AsJson, Name, Store, Token, Url, session
from quorate.cli.console import NEGATIVE, print_json, print_table, say
from quorate.errors import InvalidInput


def statement(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    worker: Annotated[
        str | None, typer.Option(metavar="WORKER", help="Of one: a name or number; `me` with a worker's token.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what everybody has earned. Line by line, and so what is spent; final once the campaign is closed.

    Example: quorate campaign statement --json
    """
    from quorate.mechanism.in_words import in_words

    with session(url, token, store, campaign) as here:
        whose = "" if worker is None else f"/workers/{number_of(here, worker)}"
        found = here.get(f"{whose}/statement")
        payment = here.get("/terms")["payment"]
    if as_json:
        print_json(found)
        return
    whole = worker is None
    _show(here.name, found["workers"] if whole else [found], found["truthful"])
    final = "final" if found["final"] else "so far"
    asked = f", {amount(found['as_bid'])} at the prices asked" if whole else ""
    say(f"{final}: {amount(found['earned'])} earned{asked}; {amount(found['confirmed'])} confirmed as paid")
    if whole:
        told = in_words(payment, found["truthful"])
        say(f"{told.says}. {told.why}")


def _show(name: str, workers: list[dict[str, Any]], truthful: bool) -> None:
    columns = ("name", "phase", "answers", "bid", "added", "price", "total")
    rows = [
        [worker["name"], line["phase"], f"{line['answers']:,}", *_amounts(line)]
        for worker in workers
        for line in worker["lines"]
    ]
    print_table(
        f"Statement of {name}",
        [(column, "left" if column in ("name", "phase") else "right") for column in columns],
        rows,
        caption="Price of an answer: the bid, and what is added"
        + (" so that truth is the best bid." if truthful else ". Here asking more than one's true price can pay."),
    )


def _amounts(line: dict[str, Any]) -> list[str]:
    """The bid, what is added to it, the price that this gives, and the total."""
    added = Decimal(line["bonus"]) + Decimal(line["threshold"])
    return [amount(line["bid"]), f"{added:,f}", amount(line["price"]), amount(line["total"])]


def payouts(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    worker: Annotated[str | None, typer.Option(metavar="NAME", help="Of one; of all if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Order what is not ordered yet. One payout for each worker who earned something, with a name of its own.

    Example: quorate campaign payouts
    """
    with session(url, token, store, campaign) as here:
        found = here.post("/payouts", {"worker": worker})
        names = {} if as_json else {one["worker"]: one["name"] for one in here.every("/workers")}
    if as_json:
        print_json(found)
        return
    for one in found["payouts"]:
        say(f"{one['payout']}: {amount(one['amount'])} to {names[one['worker']]}")
    if not found["payouts"]:
        say("nothing is to be ordered")


def confirm(
    payout: Annotated[str, typer.Argument(metavar="PAYOUT", help="Its name, as ordered.")],
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    reference: Annotated[str, typer.Option(help="The payment provider's own.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say that a payout was paid.

    Example: quorate campaign confirm scans.0.1 --reference TX-4711
    """
    from quorate.cli.reach import quote

    with session(url, token, store, campaign) as here:
        found = here.post(f"/payouts/{quote(payout)}/confirm", {"reference": reference})
    if as_json:
        print_json(found)
        return
    say(f"{payout} is confirmed")


def coins(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    worker: Annotated[
        str, typer.Option(metavar="WORKER", help="Whose: a name or number; `me` with a worker's token.")
    ] = ONESELF,
    as_json: AsJson = False,
) -> None:
    """Toss a worker's coins again. Once they are revealed, at the close; the ledger has what it is checked against.

    Exit 1 if they do not give what was promised; 2 where there are none to check.

    Example: quorate campaign coins --token qr_worker_...
    """
    with session(url, token, store, campaign) as here:
        found = here.get(f"/workers/{number_of(here, worker)}/coins")
        if found is None:
            raise InvalidInput(_no_coins(here.get("/terms")))
    if as_json:
        print_json(found)
    else:
        _show_coins(found)
    if not found["fair"]:
        raise typer.Exit(NEGATIVE)


def _no_coins(terms: dict[str, Any]) -> str:
    """Nothing that could pass for a check that came out well."""
    if terms["payment"] != "randomised":
        return f"{terms['campaign']} pays by {terms['payment']}, which tosses no coins; see its statement"
    if terms["stage"] != "closed":
        return f"the coins of {terms['campaign']} are secret until it is closed; check them then"
    return f"no coins were tossed in {terms['campaign']} for this worker, who had no bid when the auction closed"


def _show_coins(found: dict[str, Any]) -> None:
    fixed = "your coins are the ones that were fixed before the bids"
    say(fixed if found["fair"] else "your coins DO NOT FIT: show this to the auditor")
    same = "is" if found["commitment_matches"] else "is NOT"
    say(f"the hash of the seed and salt revealed {same} the one published before the first bid")
    seen, expected_seen, bonus, expected_bonus = (
        amount(found[name]) for name in ("seen", "expected_seen", "bonus", "expected_bonus")
    )
    say(f"taken for the bid: {seen}; by the seed {expected_seen}")
    say(f"added per answer: {bonus}; by the seed {expected_bonus}")
