"""Tasks, answers and truths from a file, in the forms that the pages take: CSV or JSON lines, gzipped or not."""

import gzip
import sys
import zlib
from pathlib import Path
from typing import Any

from quorate.errors import InvalidInput
from quorate.web.pages import uploads

STANDARD_INPUT = Path("-")
GZIPPED = b"\x1f\x8b"

Labels = tuple[str, str]


def read_text(file: Path) -> str:
    """The file's text, or with `-` that of standard input."""
    data = sys.stdin.buffer.read() if file == STANDARD_INPUT else file.read_bytes()
    try:
        return (gzip.decompress(data) if data.startswith(GZIPPED) else data).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{file} begins as gzip does and is not ({error}); write it again") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8 text ({error.reason} at byte {error.start}); save it so") from error


def tasks(file: Path, labels: Labels) -> list[dict[str, Any]]:
    """As the API takes them."""
    found = _parsed(file, labels, uploads.tasks)
    return [{"key": task.key, "payload": task.payload, "gold": task.gold} for task in found]


def answers(file: Path, labels: Labels) -> list[dict[str, Any]]:
    found = _parsed(file, labels, uploads.answers)
    return [
        {"task": task, "label": label} | ({} if worker is None else {"worker": worker}) for task, worker, label in found
    ]


def truths(file: Path, labels: Labels) -> list[dict[str, Any]]:
    return [{"task": truth.task, "truth": truth.truth} for truth in _parsed(file, labels, uploads.truths)]


def _parsed(file: Path, labels: Labels, parse: Any) -> list[Any]:
    text = read_text(file)
    try:
        found: list[Any] = parse(text, labels)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    return found
