"""Tasks, answers, truths and verdicts from the shell."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.campaign.amounts import amount
from quorate.cli.campaign.where import AsJson, Name, Store, Token, Url, session
from quorate.cli.console import NEGATIVE, print_json, say

if TYPE_CHECKING:
    from quorate.cli.reach import Session

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV or JSON lines, gzipped or not; - reads standard input.")
]


def tasks(
    file: File,
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    as_json: AsJson = False,
) -> None:
    """Post tasks from a file. Columns key, question and, where it is known, gold; or one question a line.

    Sent again, nothing is posted twice: a file counts by its content, a task by its key. Exit 1 if one was refused.

    Example: quorate campaign tasks tasks.csv
    """
    from quorate.cli.campaign import files
    from quorate.cli.campaign.batches import send, tell

    with session(url, token, store, campaign) as here:
        status = here.get("")
        items = files.tasks(file, tuple(status["settings"]["labels"]))
        sent = send(here, "tasks", items, known=status["posted"], keyed=True)
    tell(sent, "tasks posted", as_json)


def answers(
    file: File,
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    as_json: AsJson = False,
) -> None:
    """Bring answers from a file. Columns task, worker, label; with a worker's own token task and label.

    Labels are 0 and 1 or the campaign's words. Exit 1 if an answer was refused: one that was not asked for, or late.

    Example: quorate campaign answers answers.csv
    """
    from quorate.cli.campaign import files
    from quorate.cli.campaign.batches import send, tell

    with session(url, token, store, campaign) as here:
        sent = send(here, "answers", files.answers(file, _labels(here)))
    decided = sum(1 for item in sent.taken if item["decided"])
    tell(sent, f"answers taken ({decided:,} tasks decided by them)", as_json, decided=decided)


def truths(
    file: File,
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    as_json: AsJson = False,
) -> None:
    """Tell what was right, from a file. Columns task and truth; rows with no truth yet are passed over.

    Exit 1 if a truth was refused: it contradicts an earlier one, or there is no such task.

    Example: quorate campaign verdicts --awaited > awaited.csv, filled in, then: quorate campaign truths awaited.csv
    """
    from quorate.cli.campaign import files
    from quorate.cli.campaign.batches import send, tell

    with session(url, token, store, campaign) as here:
        sent = send(here, "truths", files.truths(file, _labels(here)))
    right = sum(1 for item in sent.taken if item["right"])
    wrong = sum(1 for item in sent.taken if item["right"] is False)
    done = f"truths taken ({right:,} verdicts were right, {wrong:,} wrong)"
    tell(sent, done, as_json, right=right, wrong=wrong)


def _labels(here: "Session") -> tuple[str, str]:
    no, yes = here.get("/terms")["labels"]
    return no, yes


def verdicts(
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    awaited: Annotated[
        bool, typer.Option("--awaited", help="Only what waits for its truth, with a column to fill in.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the verdicts, as CSV. Columns key, verdict, basis, truth, answers, asked; a row for every task.

    Example: quorate campaign verdicts > verdicts.csv
    """
    with session(url, token, store, campaign) as here:
        labels = _labels(here)
        found = [task for task in here.every("/tasks") if not awaited or task["awaited"]]
    if as_json:
        print_json({"items": found})
        return
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(
        ("key", "truth", "question") if awaited else ("key", "verdict", "basis", "truth", "answers", "asked")
    )
    for task in found:
        said = ["" if task[name] is None else labels[task[name]] for name in ("verdict", "truth")]
        if awaited:
            table.writerow((task["key"], "", _question(task["payload"])))
        else:
            counts = (len(task["answers"]), len(task["workers"]))
            table.writerow((task["key"], said[0], task["basis"] or task["state"], said[1], *counts))


def _question(payload: Any) -> str:
    return payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)


def jury(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """Say whom the next task goes to. What they cost, and why they and no cheaper ones. Exit 1 if it is nobody.

    Of a closed campaign: whom the last one went to.

    Example: quorate campaign jury
    """
    with session(url, token, store, campaign) as here:
        found = here.get("/jury")
        if as_json:
            print_json(found)
        elif found is None:
            say(f"nobody of {here.name} can be asked: see `quorate campaign status`")
        else:
            _show_jury(here, found)
    if found is None:
        raise typer.Exit(NEGATIVE)


def _show_jury(here: "Session", found: dict[str, Any]) -> None:
    from quorate.campaign.views import Stage

    names = {one["worker"]: one["name"] for one in here.every("/workers")}
    members = ", ".join(names[number] for number in found["workers"])
    # Of a closed campaign no task is the next.
    last = "The last jury was " if here.get("")["stage"] == Stage.CLOSED else ""
    say(f"{last}{members}: {amount(found['price'])} a task")
    for reason in found["why"]:
        say(f"  {reason}")
