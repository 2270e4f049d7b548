"""A new campaign from the shell: what is wrong is said here, with the value, where the API would not repeat it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from quorate.cli.campaign.where import AsJson, Store, Token, Url, reach, whose
from quorate.cli.console import print_json, say
from quorate.cli.usage import wrong_value

NEEDED = ("title", "target", "confidence", "horizon", "cap")
CAMPAIGN = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Settings by the option that gives them, where that has another name.
OPTIONS = {"answer_within": "--answer-hours", "truth_within": "--truth-hours"}


def new(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Annotated[
        str | None, typer.Option("--campaign", "-c", metavar="NAME", help="Its name; else drawn.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The question, as workers read it.")] = None,
    target: Annotated[float | None, typer.Option(help="Each verdict is right with at least this probability.")] = None,
    confidence: Annotated[float | None, typer.Option(help="All of this holds with this probability.")] = None,
    horizon: Annotated[int | None, typer.Option(help="How many tasks there will be at most.")] = None,
    cap: Annotated[str | None, typer.Option(metavar="AMOUNT", help="The highest price of an answer.")] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="NO,YES", help="The two answers. [default: no,yes]", show_default=False)
    ] = None,
    currency: Annotated[str | None, typer.Option(help="As it shall be shown.")] = None,
    policy: Annotated[str | None, typer.Option(metavar="NAME", help="Whom to ask. Default: assured.")] = None,
    payment: Annotated[
        str | None, typer.Option(metavar="NAME", help="threshold, randomised or pay-as-bid. Default: threshold.")
    ] = None,
    answer_hours: Annotated[float | None, typer.Option(help="Time to answer. Default: 24.")] = None,
    truth_hours: Annotated[float | None, typer.Option(help="When a truth is late. Default: never.")] = None,
    exploring_at_once: Annotated[int | None, typer.Option(help="Tasks explored at once. Default: 8.")] = None,
    accept_untruthful: Annotated[
        bool,
        typer.Option("--accept-untruthful", help="Though under this policy and payment a false price can pay."),
    ] = False,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML or JSON: all settings, named as in the API.")
    ] = None,
    opened: Annotated[bool, typer.Option("--open", help="Open it too: settings are fixed, workers may bid.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draft a campaign. At a service, with the operator's token.

    Prints the requester's token, which is shown this once; with it everything else is done.

    Example: quorate campaign new --store sqlite:///quorate.db -c scans --title "Is the scan clean?" --target 0.9
    --confidence 0.95 --horizon 1000 --cap 2 --labels clean,dirty --open
    """
    from quorate.campaign.settings import from_hours
    from quorate.cli.reach import API, Session
    from quorate.errors import InvalidInput

    if campaign is not None and CAMPAIGN.fullmatch(campaign) is None:
        raise InvalidInput(f"--campaign {campaign!r:.80} is no name; give 1 to 64 of letters, digits, - and _")
    asked = {} if settings is None else _read(settings)
    given = {
        "title": title,
        "target": target,
        "confidence": confidence,
        "horizon": horizon,
        "cap": cap,
        "labels": None if labels is None else _labels(labels),
        "currency": currency,
        "answer_within": None if answer_hours is None else from_hours(answer_hours, "--answer-hours"),
        "truth_within": None if truth_hours is None else from_hours(truth_hours, "--truth-hours"),
        "exploring_at_once": exploring_at_once,
        "accept_untruthful": accept_untruthful or None,
    }
    asked |= {name: value for name, value in given.items() if value is not None}
    for rule, name in (("policy", policy), ("payment", payment)):
        asked[rule] = _rule(rule, asked.get(rule, {}), name)
    asked = _checked(asked, {name for name, value in given.items() if value is not None})
    with reach(url, store, create=True) as way:
        made = Session(way, whose(token, store)).ask(
            "POST", f"{API}/campaigns", json={"campaign": campaign, "settings": asked}
        )
        if opened:
            Session(way, made["token"], made["campaign"]).post("/open")
    if as_json:
        print_json(made)
        return
    say(f"{made['campaign']} is {'open: invite workers, who may bid' if opened else 'drafted; it is to be opened'}")
    say(f"its requester's token, shown this once: {made['token']}")
    say(f"or as a link: {made['link']}")


def _rule(rule: str, given: object, name: str | None) -> dict[str, Any]:
    """A file's table for a policy or payment; an option names it anew and leaves its parameters."""
    from quorate.errors import InvalidInput

    if not isinstance(given, dict):
        raise InvalidInput(f"the setting {rule} {given!r:.80} is not a table; give its name in one, as {rule}.name")
    return given if name is None else {**given, "name": name}


def _labels(text: str) -> list[str]:
    from quorate.errors import InvalidInput

    found = [word.strip() for word in text.split(",")]
    if len(found) != 2:
        raise InvalidInput(f"--labels {text!r:.80} is not two words; give two with a comma, such as no,yes")
    return found


def _checked(asked: dict[str, Any], by_option: set[str]) -> dict[str, Any]:
    """By the API's own description of settings; a name that stands in a file is called as there."""
    from pydantic import ValidationError

    from quorate.errors import InvalidInput
    from quorate.money import from_millionths, to_millionths
    from quorate.web.bodies import SettingsIn

    missing = [name for name in NEEDED if name not in asked]
    if missing:
        raise InvalidInput(f"a campaign needs {', '.join(f'--{name}' for name in missing)}; or give --settings FILE")

    def called(name: str) -> str:
        return OPTIONS.get(name, f"--{name.replace('_', '-')}") if name in by_option else f"the setting {name}"

    try:
        cap = f"{from_millionths(to_millionths(asked['cap'], called('cap'))):f}"
        SettingsIn.model_validate(asked | {"cap": cap})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(wrong_value(called(".".join(map(str, first["loc"]))), dict(first))) from error
    return asked | {"cap": cap}


def _read(file: Path) -> dict[str, Any]:
    from quorate.errors import InvalidInput

    try:
        text = file.read_text("utf-8")
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{file} is neither TOML nor JSON ({error}); docs/campaigns.md shows one") from error
    return dict(found)
