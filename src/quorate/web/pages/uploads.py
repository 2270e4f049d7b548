"""Tasks, answers and truths as people have them: pasted lines or a file, CSV or JSON lines."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from starlette.datastructures import FormData, UploadFile

from quorate.campaign import commands
from quorate.campaign.codec import is_whole
from quorate.campaign.labels import readings
from quorate.errors import InvalidInput
from quorate.web.pages.session import text

Row = dict[str, Any]
TASK = ("key", "question", "gold")
ANSWER = ("task", "worker", "label")
TRUTH = ("key", "truth")
# As the API and label files call the same fields.
ALSO = {"task": "key", "payload": "question"}
# A field left empty.
NOTHING = (None, "")
# How tables that were made elsewhere call their columns: a first line of such words is no task.
USUAL = re.compile(
    "answer|category|class|gold|id|identifier|index|item|key|label|name|no|number|payload|prompt|question|row|task|text|"
    "title|truth|url|worker"
)
COLUMN_NAME = re.compile(r"[a-z]+([ _-][a-z]+){0,2}")


async def given(form: FormData) -> str:
    """The pasted text, or else the file's."""
    pasted = text(form, "lines")
    upload = form.get("file")
    if pasted or not isinstance(upload, UploadFile):
        return pasted
    try:
        return (await upload.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("the file is not UTF-8 text; save it as CSV with UTF-8 and send it again") from error


def tasks(lines: str, labels: tuple[str, str]) -> list[commands.TaskSpec]:
    """`key, question` or `key, question, gold`; a line with no comma is a question without a key."""
    found = []
    for number, row in _rows(lines, TASK, ()):
        gold = _label(row["gold"], labels, number, TASK) if row.get("gold") not in NOTHING else None
        found.append(commands.TaskSpec(_key(row), row.get("question"), gold))
    if not found:
        raise InvalidInput("there is no task in it; paste one per line, or choose a file")
    return found


def answers(lines: str, labels: tuple[str, str]) -> list[tuple[str, commands.WorkerRef | None, int]]:
    """`task, worker, label`, or `task, label` where all are one worker's own."""
    found = []
    for number, row in _rows(lines, ANSWER, ()):
        key = _key(row)
        worker, word = (row.get("worker"), row["label"]) if "label" in row else (None, row.get("worker"))
        if key is None or word in NOTHING:
            raise InvalidInput(f"line {number} lacks its task or its label; give both, as in `t1, ada, {labels[1]}`")
        found.append((key, None if worker in NOTHING else worker, _label(word, labels, number, ANSWER)))
    if not found:
        raise InvalidInput("there is no answer in it; give one `task, worker, label` per line")
    return found


def truths(lines: str, labels: tuple[str, str]) -> list[commands.Truth]:
    """`key, truth`: the truth as 0, 1 or in the campaign's words. A row whose truth is not filled in is passed over."""
    found = []
    for number, row in _rows(lines, TRUTH, ("question",)):
        key = _key(row)
        if key is None or "truth" not in row:
            raise InvalidInput(f"line {number} lacks its key or its truth; give both, as in `t1, {labels[1]}`")
        if row["truth"] not in NOTHING:
            found.append(commands.Truth(key, _label(row["truth"], labels, number, TRUTH)))
    if not found:
        raise InvalidInput("there is no truth in it; paste one `key, truth` per line, or choose a file")
    return found


def again(refused: Sequence[commands.TaskSpec | commands.Truth], labels: tuple[str, str]) -> str:
    """As lines that are read as the same things again: CSV, or JSON lines where its cells cannot say them."""
    if not refused:
        return ""
    rows = [_named(one, labels) for one in refused]
    made = io.StringIO()
    writer = csv.DictWriter(made, max(rows, key=len), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if is_whole(rows) and _read_as(made.getvalue(), refused, labels):
        return made.getvalue()
    return "".join(json.dumps(row, ensure_ascii=not is_whole(row)) + "\n" for row in rows)


def _read_as(lines: str, wanted: Sequence[commands.TaskSpec | commands.Truth], labels: tuple[str, str]) -> bool:
    read = truths if isinstance(wanted[0], commands.Truth) else tasks
    try:
        return read(lines, labels) == list(wanted)
    except InvalidInput:
        return False


def _named(one: commands.TaskSpec | commands.Truth, labels: tuple[str, str]) -> Row:
    """By the names of its fields, in their order; a gold that is not known is left out."""
    if isinstance(one, commands.Truth):
        return {"key": one.task, "truth": labels[one.truth]}
    found = {"key": one.key, "question": one.payload}
    return found if one.gold is None else {**found, "gold": labels[one.gold]}


def _rows(lines: str, fields: tuple[str, ...], more: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    """Line numbers, and what stands there by the names of its fields; `more` may be there and mean nothing."""
    read = _json_rows if lines.lstrip().startswith("{") else _csv_rows
    return read(lines, fields, more)


def _json_rows(lines: str, fields: tuple[str, ...], more: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    # Not splitlines: texts may hold the other characters that it takes for ends of lines.
    for number, line in enumerate(io.StringIO(lines, newline=None), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"line {number} is not JSON; give one object a line, all on one line") from error
        named: Row = {str(ALSO.get(name, name)): row[name] for name in row} if isinstance(row, dict) else {"": row}
        if not set(named) <= {*_names(fields), *more}:
            raise InvalidInput(f"line {number} is not an object with the fields {', '.join(fields)} and no others")
        yield number, named


def _csv_rows(lines: str, fields: tuple[str, ...], more: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    """Under the first line, if it names fields; else in the order of `fields`."""
    columns, known = _names(fields), {*_names(fields), *more}
    for at, (number, cells) in enumerate(_cells(lines)):
        names = _names(cell.lower() for cell in cells)
        if at == 0 and set(names) <= known and (len(set(names)) > 1 or names == ("question",)):
            columns = names
        elif at == 0 and _names_columns(names):
            raise InvalidInput(
                f"line {number} names columns that are not known here: {', '.join(cells)}; columns must be "
                f"{', '.join(fields)} (if it names none, put a line of these names above it)"
            )
        elif len(cells) == 1 and "question" in fields:
            yield number, {"question": _payload(cells[0])}
        elif len(cells) > len(columns):
            raise InvalidInput(
                f"line {number} has {len(cells)} columns; give {', '.join(columns)} (quote what holds commas)"
            )
        else:
            row: Row = dict(zip(columns, cells, strict=False))
            yield number, row if "question" not in row else {**row, "question": _payload(row["question"])}


def _names(fields: Iterable[str]) -> tuple[str, ...]:
    """What fields are called here, whatever people call them."""
    return tuple(ALSO.get(field, field) for field in fields)


def _names_columns(names: tuple[str, ...]) -> bool:
    """Whether a line of several cells is a header, by whatever names: a few bare words each, and the first usual."""
    bare = len(names) > 1 and all(COLUMN_NAME.fullmatch(name) for name in names)
    return bare and any(USUAL.fullmatch(word) for word in re.split("[ _-]", names[0]))


def _cells(lines: str) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not empty, with their numbers."""
    try:
        for number, row in enumerate(csv.reader(io.StringIO(lines), skipinitialspace=True), 1):
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield number, cells
    except csv.Error as error:
        raise InvalidInput(f"the lines are not CSV ({error}); check the quotes") from error


def _key(row: Row) -> str | None:
    return None if row.get("key") in NOTHING else str(row["key"])


def _label(word: Any, labels: tuple[str, str], number: int, fields: tuple[str, ...]) -> int:
    found = readings(word, labels)
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidInput(
            f"line {number}: its answer may stand for both answers of this campaign, “{labels[0]}” and “{labels[1]}”; "
            f"give it by its button on a page"
        )
    raise InvalidInput(
        f"line {number}: {word!r:.40} is neither 0 nor 1, nor “{labels[0]}” nor “{labels[1]}”; columns must be "
        f"{', '.join(fields)} (quote what holds commas)"
    )


def _payload(question: str) -> Any:
    """JSON objects stay objects; everything else is text."""
    if not question.startswith("{"):
        return question
    try:
        return json.loads(question)
    except ValueError:
        return question
