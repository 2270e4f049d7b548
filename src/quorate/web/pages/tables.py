"""Downloads: CSV in pieces, so that a long one neither waits nor fills the memory."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from starlette.responses import StreamingResponse

from quorate.web.pages.encoding import writable

ROWS_A_PIECE = 500


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> StreamingResponse:
    return download(f"{name}.csv", "text/csv; charset=utf-8", _pieces(header, rows))


def download(name: str, media_type: str, pieces: Iterable[str]) -> StreamingResponse:
    """`name` is made of what a campaign's name may hold."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(map(writable, pieces), media_type=media_type, headers=disposition)


def _pieces(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield _text([header])
    left = iter(rows)
    while piece := list(islice(left, ROWS_A_PIECE)):
        yield _text(piece)


def _text(rows: Iterable[Sequence[Any]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()
