"""Workers from the shell: invited, bidding, asked, leaving."""

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.campaign.oneself import ONESELF
from quorate.cli.campaign.amounts import amount
from quorate.cli.campaign.where import AsJson, Name, Store, Token, Url, session
from quorate.cli.console import NEGATIVE, complain, print_json, print_table, progress, say

if TYPE_CHECKING:
    from quorate.cli.reach import Session


def workers(
    invited: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Whom to invite; nobody: list who is there.")
    ] = None,
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="Names to invite, one per line; - reads them here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Invite workers, or list them. Each gets an invitation, a token and a link with it, as CSV.

    Inviting somebody again shows the same invitation again; for a new link, once it was used or lost: `quorate campaign
    issue worker --worker NAME`. Exit 1 if somebody was refused.

    Example: quorate campaign workers ada bob "Dr. Cem" > links.csv
    """
    names = [*(invited or []), *(_names(file) if file is not None else [])]
    with session(url, token, store, campaign) as here:
        if names:
            refused = _invite(here, list(dict.fromkeys(names)), as_json)
        else:
            refused = 0
            _list(here, as_json)
    if refused:
        raise typer.Exit(NEGATIVE)


def _names(file: Path) -> list[str]:
    from quorate.cli.campaign.files import read_text
    from quorate.errors import InvalidInput

    found = [line.strip() for line in read_text(file).splitlines() if line.strip()]
    if not found:
        raise InvalidInput(f"there is no name in {file}; give one per line")
    return found


def _invite(here: "Session", names: list[str], as_json: bool) -> int:
    """One request each, said as it is done: a token that was made must not be lost with what comes after it."""
    import csv

    from quorate.campaign.refusal import Code
    from quorate.cli.reach import ApiProblem

    before = here.get("")["workers"]
    made, refused, again = [], [], 0
    table = csv.writer(sys.stdout, lineterminator="\n")
    with progress("Inviting", len(names)) as advance:
        for at, name in enumerate(names):
            try:
                one = here.post("/workers", {"name": name}, _key(here, name))
            except ApiProblem as problem:
                if problem.code not in (Code.DUPLICATE_WORKER, Code.INVALID, "invalid-request"):
                    raise
                refused.append({"name": name, "code": problem.code, "message": str(problem)})
            else:
                again += one["worker"] < before
                made.append(one)
                if not as_json:
                    if at == len(refused):
                        table.writerow(("worker", "name", "token", "link"))
                    table.writerow((one["worker"], one["name"], one["token"], one["link"]))
                    sys.stdout.flush()
            advance(1)
    if as_json:
        print_json({"items": made, "refused": refused, "invited_before": again})
        return len(refused)
    for one in refused:
        complain(f"quorate: {one['name']}: {one['message']}")
    if again:
        complain(
            f"{again} of them had been invited before and are shown the same invitation again; for a new link, once it "
            "was used or lost: `quorate campaign issue worker --worker NAME`"
        )
    return len(refused)


def _key(here: "Session", name: str) -> str:
    """The same for the same name, so that a command that was cut off can be repeated."""
    return f"invite-{hashlib.sha256(f'{here.name}/{name}'.encode()).hexdigest()}"


def _list(here: "Session", as_json: bool) -> None:
    found = list(here.every("/workers"))
    if as_json:
        print_json({"items": found})
        return
    stage = here.get("")["stage"]
    columns = ("worker", "name", "part", "bid", "quality", "answered", "missed", "open", "earned")
    print_table(
        f"Workers of {here.name}",
        [(name, "left" if name in ("name", "part") else "right") for name in columns],
        [_row(one, stage) for one in found],
        first_to_go=("open", "missed", "answered"),
    )


def _row(one: dict[str, Any], stage: str) -> list[str]:
    quality = "" if one["lower"] is None else f"{one['lower']:.2f}-{one['upper']:.2f}"
    bid = amount(one["bid"]) if one["bid"] else "sealed" if one["has_bid"] else ""
    counts = [f"{one[name]:,}" for name in ("answered", "missed", "open_leases")]
    return [str(one["worker"]), one["name"], _part(one, stage), bid, quality, *counts, amount(one["earned"])]


def _part(one: dict[str, Any], stage: str) -> str:
    """What a worker does in the campaign, in the words of its page."""
    from quorate.campaign.views import Stage

    if one["withdrawn"]:
        return "left"
    if not one["in_pool"]:
        if stage in (Stage.DRAFT, Stage.AUCTION):
            return "bid sealed" if one["has_bid"] else "no bid yet"
        return "not in the pool" if one["has_bid"] else "did not bid"
    if stage == Stage.CLOSED:
        return "took part"
    if one["in_jury"]:
        return "asked now"
    return "set aside" if one["eliminated"] else "stands by"


def number_of(here: "Session", text: str) -> str:
    """The number of a worker given by name, or else by number; `me` is whoever's token it is."""
    from quorate.errors import InvalidInput

    if text == ONESELF:
        return ONESELF
    numbers = {one["name"]: one["worker"] for one in here.every("/workers")}
    if text in numbers:
        return str(numbers[text])
    if text.isascii() and text.isdigit() and int(text) < len(numbers):
        return text
    raise InvalidInput(f"there is no worker {text!r:.80} in {here.name}; `quorate campaign workers` lists them")


def bid(
    amount: Annotated[
        str, typer.Argument(metavar="AMOUNT", help="The price asked per answer, such as 0.25; - reads it, unseen.")
    ],
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    as_json: AsJson = False,
) -> None:
    """Place one's sealed bid, or change it. Until the auction closes, with the worker's own token.

    Example: quorate campaign bid 0.25 --token qr_worker_...
    """
    # A shell remembers what is typed on its line.
    given = sys.stdin.readline().strip() if amount == "-" else amount
    with session(url, token, store, campaign) as here:
        found = here.put(f"/workers/{ONESELF}/bid", {"bid": given})
    if as_json:
        print_json(found)
        return
    say(f"the bid is sealed; what is published of it: {found['commitment']}")


def assignments(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """List what one is asked now. With prices and deadlines, for the worker's own token.

    Example: quorate campaign assignments --token qr_worker_...
    """
    from quorate.campaign.wording import utc
    from quorate.cli.reach import LARGEST_PAGE

    with session(url, token, store, campaign) as here:
        found = here.get(f"/workers/{ONESELF}/assignments", limit=LARGEST_PAGE)
    if as_json:
        print_json(found)
        return
    for one in found["items"]:
        until = f"{utc(one['deadline']):%Y-%m-%d %H:%M} UTC"
        say(f"{one['key']}: {one['payload']} ({' or '.join(one['labels'])}; {amount(one['price'])}, until {until})")
    if not found["items"]:
        say("nothing is asked now")


def leave(
    worker: Annotated[str, typer.Argument(metavar="WORKER", help="A name or number; `me` with a worker's token.")],
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    reason: Annotated[str, typer.Option(help="For the ledger.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take a worker out for good. What it has earned stays earned.

    Example: quorate campaign leave bob --reason "does not answer any more"
    """
    with session(url, token, store, campaign) as here:
        found = here.post(f"/workers/{number_of(here, worker)}/withdraw", {"reason": reason})
    if as_json:
        print_json(found)
        return
    earned = amount(found["earned"])
    say(f"{worker} has left; {found['leases_ended']:,} open tasks go on without it, {earned} stay earned")
