"""What every command shares: progress on a terminal, JSON for machines, one line for an error.

Exit codes (docs/cli.md): 0 done, 1 an honest negative answer, 2 wrong usage or bad input.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

DONE = 0
NEGATIVE = 1
BAD_INPUT = 2

# Called with how much more of the work is done.
Advance = Callable[[float], None]


def print_json(value: Any) -> None:
    """One JSON document on standard output, readable and stable."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def say(text: str = "") -> None:
    """Plain text on standard output."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(" ".join(text.split()) + "\n")


def promised(target: float, confidence: float) -> str:
    """A promise in the words of the dashboard."""
    return (
        f"each verdict is right with probability at least {100 * target:g}%, and all of this holds with probability "
        f"{100 * confidence:g}%"
    )


@contextmanager
def progress(description: str, total: float, *, show: bool = True) -> Iterator[Advance]:
    """A bar with time left on a terminal's standard error; silence in a pipe."""
    if not (show and sys.stderr.isatty()):
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work = bar.add_task(description, total=total)
        yield lambda amount: bar.advance(work, amount)


def print_table(title: str, columns: list[tuple[str, str]], rows: list[list[str]], caption: str | None = None) -> None:
    """A table for people: columns are (heading, "left" or "right")."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, caption=caption, caption_justify="left")
    # In a pipe a table must not be cut to 80 columns.
    wide = Console() if sys.stdout.isatty() else Console(width=160)
    texts = [[heading, *(row[at] for row in rows)] for at, (heading, _) in enumerate(columns)]
    for (heading, justify), width in zip(columns, _widths(texts, wide.width - 1 - 3 * len(columns)), strict=True):
        side: Literal["left", "right"] = "right" if justify == "right" else "left"
        table.add_column(heading, justify=side, overflow="fold", width=width)
    for row in rows:
        table.add_row(*row)
    wide.print(table, soft_wrap=False)


def _widths(texts: list[list[str]], room: int) -> list[int]:
    """Of each column's texts: all of them if there is room, else no less than the longest word if there is for that."""
    wanted = [max(map(len, column)) for column in texts]
    words = [max((len(word) for text in column for word in text.split()), default=0) for column in texts]
    while sum(wanted) > room and wanted != words:
        widest = max(range(len(texts)), key=lambda at: (wanted[at] > words[at], wanted[at]))
        wanted[widest] -= 1
    return wanted
