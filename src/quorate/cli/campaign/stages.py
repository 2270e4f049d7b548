"""A campaign from its opening to its close, from the shell, and whether its promise is kept."""

from typing import Annotated, Any

import typer

from quorate.cli.campaign.amounts import amount
from quorate.cli.campaign.where import AsJson, Name, Store, Token, Url, session
from quorate.cli.console import NEGATIVE, print_json, promised, say

# Nothing that is known speaks against the promise; the other words say that something is amiss.
WELL = frozenset({"kept", "assumed", "not-yet", "none"})
# Verdicts by what they rest on (docs/campaigns.md, "What a verdict rests on").
RESTING = {
    "certified": "by certified juries",
    "everybody": "by the whole pool",
    "estimated": "by juries chosen on estimates",
    "short": "with answers missing",
    "none": "tasks that nobody answered",
}
KEEPING = {
    "not-yet": "no verdict yet",
    "kept": "kept so far",
    "assumed": "kept so far, if the pool together is good enough",
    "partly": "NOT kept for every verdict",
    "stalled": "no certified jury is left; tasks wait",
    "out-of-reach": "OUT OF REACH of this pool",
    "none": "this policy promises nothing",
}
# Of a closed campaign, whose state changes no more.
KEEPING_AT_THE_END = KEEPING | {
    "not-yet": "it ended without a verdict",
    "kept": "kept",
    "assumed": "kept, if the pool together was good enough",
    "none": "this policy promised nothing",
}


def names(url: Url = None, token: Token = None, store: Store = None, as_json: AsJson = False) -> None:
    """List the campaigns. All for the operator or on a database; its own for any other token.

    Example: quorate campaign list --store sqlite:///quorate.db
    """
    from quorate.cli.reach import API

    with session(url, token, store) as here:
        found = here.ask("GET", f"{API}/campaigns")
    if as_json:
        print_json(found)
        return
    for name in found["campaigns"]:
        say(name)


def open_campaign(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """Fix the settings; workers may bid. The commitment to the coins is published, before there is any bid.

    Example: quorate campaign open
    """
    with session(url, token, store, campaign) as here:
        found = here.post("/open")
    if as_json:
        print_json(found)
        return
    say(f"{here.name} is open: workers may bid; the hash of its coins is {found['coin_commitment']}")


def close_auction(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """Open the bids and draw the pool. The coins are tossed, and tasks that wait get their juries.

    Example: quorate campaign close-auction
    """
    with session(url, token, store, campaign) as here:
        found = here.post("/auction/close")
    if as_json:
        print_json(found)
        return
    outside = f"; {len(found['outside'])} with a bid stay outside" if found["outside"] else ""
    say(f"the auction of {here.name} is closed: {len(found['pool'])} workers take part{outside}")


def close(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    force: Annotated[bool, typer.Option("--force", help="Though tasks are in flight: they stay undecided.")] = False,
    as_json: AsJson = False,
) -> None:
    """End the campaign. What is unpaid is ordered, the coins are revealed, the statements become final.

    Example: quorate campaign close
    """
    with session(url, token, store, campaign) as here:
        found = here.post("/close", {"force": force})
    if as_json:
        print_json(found)
        return
    left = f"; {found['undecided']:,} tasks stay undecided" if found["undecided"] else ""
    say(f"{here.name} is closed: {amount(found['earned'])} earned{left}")


def status(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """Say whether the promise is kept. And what is in flight, and what was spent.

    Exit 1 where the promise is not kept for every verdict, no certified jury is left, or none of this pool can be.

    Example: quorate campaign status --url http://127.0.0.1:8080
    """
    with session(url, token, store, campaign) as here:
        found = here.get("")
    if as_json:
        print_json(found)
    else:
        _show(found)
    if found["keeping"] not in WELL:
        raise typer.Exit(NEGATIVE)


def _show(found: dict[str, Any]) -> None:
    settings, spend = found["settings"], found["spend"]
    phase = {"explore": ", exploring", "exploit": ", working with its jury"}.get(found["phase"] or "", "")
    checked = found["verdicts_right"] + found["verdicts_wrong"]
    covered = ", ".join(f"{count:,} {RESTING[basis]}" for basis, count in found["verdicts"].items() if count)
    say(f"{found['campaign']}: {settings['title']}")
    say(f"stage     {found['stage']}{phase}")
    keeping = (KEEPING_AT_THE_END if found["stage"] == "closed" else KEEPING)[found["keeping"]]
    say(f"promise   {keeping}: {promised(settings['target'], settings['confidence'])}")
    for reason in found["why"]:
        say(f"          {reason}")
    say(f"workers   {found['workers']:,} invited, {found['bids']:,} with a bid, {found['left']:,} taking part")
    say(
        f"tasks     {found['posted']:,} of {settings['horizon']:,} posted, {found['waiting']:,} waiting, "
        f"{found['in_flight']:,} in flight, {found['decided']:,} decided"
    )
    if covered:
        say(f"verdicts  {covered}")
    if checked:
        say(f"truths    {found['truths']:,} known; {found['verdicts_right']:,} of {checked:,} verdicts were right")
    if found["truths_awaited"] or found["truths_overdue"]:
        late = f"; {found['truths_overdue']:,} more were not there in time" if found["truths_overdue"] else ""
        say(f"awaited   {found['truths_awaited']:,} truths{late}")
    earned, exploring, working, unordered = (
        amount(spend[name]) for name in ("earned", "exploring", "exploiting", "unordered")
    )
    say(
        f"spent     {earned} {settings['currency']}".rstrip()
        + f": {exploring} exploring, {working} working; {unordered} not ordered yet"
    )


def notes(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """Say what happened to the promise. What late truths, missing answers and leaving workers did to it, in order.

    Example: quorate campaign notes
    """
    with session(url, token, store, campaign) as here:
        found = list(here.every("/notes"))
    if as_json:
        print_json({"items": found})
        return
    for note in found:
        say(f"{note['seq']}: {note['text']}")
    if not found:
        say("nothing happened to the promise")
