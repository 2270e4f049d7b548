"""Many things in few requests: what is cut off can be sent again, and doubles nothing."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from quorate.campaign.refusal import Code
from quorate.cli.console import NEGATIVE, complain, print_json, progress, say

if TYPE_CHECKING:
    from quorate.cli.reach import Session

MOST_THINGS = 1_000
MOST_BYTES = 2_000_000
REFUSED_SHOWN = 20
# The ledger holds it already: not what was hoped for in a new file, and all that is hoped for in one sent again.
THERE = frozenset({Code.DUPLICATE_TASK, Code.SECOND_ANSWER, Code.SECOND_TRUTH})

Item = dict[str, Any]


@dataclass
class Sent:
    """What became of the things of a file. `there` were in the ledger before."""

    taken: list[Item] = field(default_factory=list)
    there: int = 0
    refused: list[Item] = field(default_factory=list)

    def add(self, results: list[Item], known: int) -> None:
        """`known`: tasks with a number below it were posted before."""
        for result in results:
            if result["type"] != "ItemRefused":
                old = result["type"] == "Posted" and result["task"] < known
                self.there += old
                self.taken += [] if old else [result]
            elif result["code"] in THERE:
                self.there += 1
            else:
                self.refused.append({"code": result["code"], "message": result["message"]})


def send(here: "Session", kind: str, items: list[Item], *, known: int = 0, keyed: bool = False) -> Sent:
    """All of them, in order. `keyed`: the same batch counts once, however often it is sent, by its content.

    Answers and truths need no such key: the ledger itself takes the first only, and says so of the others.
    """
    sent = Sent()
    with progress(f"Sending {kind}", len(items)) as advance:
        for batch in _batches(items):
            key = _key(here.name, kind, batch) if keyed else None
            sent.add(here.post(f"/{kind}", {kind: batch}, key)["items"], known)
            advance(len(batch))
    return sent


def _batches(items: list[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        weight = len(json.dumps(item))
        if batch and (len(batch) == MOST_THINGS or size + weight > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += weight
    yield batch


def _key(name: str, kind: str, batch: list[Item]) -> str:
    return f"{kind}-{hashlib.sha256(json.dumps([name, batch], sort_keys=True).encode()).hexdigest()}"


def tell(sent: Sent, done: str, as_json: bool, **more: int) -> None:
    """What became of them; exit 1 if something was refused."""
    if as_json:
        print_json({"items": sent.taken, "there_already": sent.there, "refused": sent.refused, **more})
    else:
        there = f"; {sent.there:,} were there already" if sent.there else ""
        say(f"{len(sent.taken):,} {done}{there}")
        for one in sent.refused[:REFUSED_SHOWN]:
            complain(f"quorate: refused: {one['message']}")
        if len(sent.refused) > REFUSED_SHOWN:
            complain(f"quorate: and {len(sent.refused) - REFUSED_SHOWN:,} more were refused (--json lists them)")
    if sent.refused:
        raise typer.Exit(NEGATIVE)
