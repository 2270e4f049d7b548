"""What every command shares: progress on a terminal, JSON for machines, one line for an error.

Exit codes (docs/cli.md): 0 done, 1 an honest negative answer, 2 wrong usage or bad input.
"""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from quorate.wording import printable

DONE = 0
NEGATIVE = 1
BAD_INPUT = 2
# As a shell says of a program that Ctrl-C ended.
INTERRUPTED = 130

# What stands before a line's words: spaces, a dash, or a label and the spaces that set it apart.
LABEL = re.compile(r" *(?:- |\S+ {2,})?")

# Called with how much more of the work is done.
Advance = Callable[[float], None]


def print_json(value: Any) -> None:
    """One JSON document on standard output, readable and stable."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def say(text: str = "") -> None:
    """A line on standard output, which a terminal gets broken between words; newlines before it are empty lines."""
    line = text.lstrip("\n")
    shown = _wrapped(printable(line), shutil.get_terminal_size().columns) if sys.stdout.isatty() else printable(line)
    sys.stdout.write(text[: len(text) - len(line)] + shown + "\n")


def complain(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(printable(" ".join(text.split())) + "\n")


def _wrapped(line: str, width: int) -> str:
    """Further lines begin where the first one's words do. Links and tokens are one word each, and stay whole."""
    found = LABEL.match(line)
    indent = " " * (found.end() if found else 0)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


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


def print_table(
    title: str,
    columns: list[tuple[str, str]],
    rows: list[list[str]],
    caption: str | None = None,
    first_to_go: Sequence[str] = (),
) -> None:
    """A table for people: columns are (heading, "left" or "right").

    `first_to_go`: headings of columns that are left out, one after another, where a terminal has no room for all words.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    # In a pipe a table must not be cut to 80 columns. What looks like the library's markup is what people wrote.
    wide = Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False)
    texts = [
        [printable(text) for text in (heading, *(row[at] for row in rows))] for at, (heading, _) in enumerate(columns)
    ]
    kept = _kept(texts, wide.width, first_to_go)
    table = Table(
        title=printable(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        caption=None if caption is None else printable(caption),
        caption_justify="left",
    )
    for at, width in zip(kept, _widths([texts[at] for at in kept], _room(wide.width, len(kept))), strict=True):
        side: Literal["left", "right"] = "right" if columns[at][1] == "right" else "left"
        table.add_column(texts[at][0], justify=side, overflow="fold", width=width)
    for row in range(1, len(rows) + 1):
        table.add_row(*(texts[at][row] for at in kept))
    wide.print(table, soft_wrap=False)


def _room(width: int, columns: int) -> int:
    """For the texts of so many columns, beside what stands between them."""
    return width - 1 - 3 * columns


def _kept(texts: list[list[str]], width: int, first_to_go: Sequence[str]) -> list[int]:
    """The columns for whose words there is room; those that nobody would leave out, whether there is or not."""
    kept = list(range(len(texts)))
    for heading in first_to_go:
        if sum(_longest_word(texts[at]) for at in kept) <= _room(width, len(kept)):
            break
        kept = [at for at in kept if texts[at][0] != heading]
    return kept


def _longest_word(texts: list[str]) -> int:
    return max((len(word) for text in texts for word in text.split()), default=0)


def _widths(texts: list[list[str]], room: int) -> list[int]:
    """Of each column's texts: all of them if there is room, else no less than the longest word if there is for that."""
    wanted = [max(map(len, column)) for column in texts]
    words = [_longest_word(column) for column in texts]
    while sum(wanted) > room and wanted != words:
        widest = max(range(len(texts)), key=lambda at: (wanted[at] > words[at], wanted[at]))
        wanted[widest] -= 1
    return wanted
