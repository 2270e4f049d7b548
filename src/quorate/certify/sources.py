"""From a file or a frame to a table of text columns: CSV or Parquet (gzipped or not), polars, pandas, NumPy."""

import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from quorate.errors import InvalidInput
from quorate.wording import printable

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "str | os.PathLike[str] | pl.DataFrame | pd.DataFrame"

# What no column of a file is called, nor a worker whose answers are one.
ROW = "\0row"
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_QUOTED = re.compile(rb'"[^"]*"')
_REPEATED = re.compile(r"(.*)_duplicated_\d+")


@dataclass(frozen=True, eq=False)
class Table:
    """Text columns and the name by which messages call them ("LABELS labels.csv")."""

    name: str
    frame: pl.DataFrame

    def numbered(self) -> pl.DataFrame:
        """With the data rows' numbers, from 0, in a column ROW."""
        return self.frame.with_row_index(ROW)

    def wrong(self, row: int | None, text: str) -> InvalidInput:
        """An error at a data row (from 1, the header not counted) of this table."""
        place = self.name if row is None else f"{self.name}, data row {row + 1}"
        return InvalidInput(f"{place}: {text}")


def read_table(source: Frame, role: str) -> Table:
    """The table behind a path or a frame; `role` is LABELS, TRUTH or PRICES."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        table = Table(f"{role} {path}", _read_file(path, f"{role} {path}"))
    elif isinstance(source, pl.DataFrame):
        table = Table(role, source)
    elif type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        table = Table(role, _from_pandas(source))
    else:
        raise InvalidInput(
            f"{role} is a {type(source).__name__}; give a path to a .csv or .parquet file, or a polars or pandas frame"
        )
    for column in table.frame.columns:
        repeated = _REPEATED.fullmatch(column)
        if repeated and repeated[1] in table.frame.columns:
            raise table.wrong(None, _twice(repeated[1]))
    return Table(table.name, _as_text(table))


def _read_file(path: Path, name: str) -> pl.DataFrame:
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    zipped = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[:-1] if zipped else suffixes)[-1:]
    if kind not in ([".csv"], [".parquet"]):
        raise InvalidInput(f"{name}: the name must end in .csv, .csv.gz, .parquet or .parquet.gz; convert or rename it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name}: cannot be read ({error.strerror}); check the path") from error
    if zipped:
        content = _unzip(content, name)
    elif content.startswith(_GZIP):
        raise InvalidInput(f"{name}: is gzip inside, which its name does not say; rename it to {path.name}.gz")
    return _parse_parquet(content, name) if kind == [".parquet"] else _parse_csv(content, name)


def _unzip(content: bytes, name: str) -> bytes:
    if not content.startswith(_GZIP):
        raise InvalidInput(f"{name}: is not gzip, though its name says so; drop .gz from the name, or compress it")
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{name}: its gzip is damaged or cut short ({error}); fetch it again") from error


def _parse_parquet(content: bytes, name: str) -> pl.DataFrame:
    if not content.startswith(_PARQUET):
        raise InvalidInput(f"{name}: is not Parquet, though its name says so; rename it to .csv if it is text")
    try:
        return pl.read_parquet(BytesIO(content))
    except PolarsError as error:
        raise InvalidInput(f"{name}: its Parquet is damaged ({_first_line(error)}); write it again") from error


def _parse_csv(content: bytes, name: str) -> pl.DataFrame:
    if content.startswith(_PARQUET):
        raise InvalidInput(f"{name}: is Parquet inside, though its name says CSV; rename it to .parquet")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name}: is not text in UTF-8 (byte {error.start}); save it as CSV in UTF-8") from error
    if "\0" in text:
        raise InvalidInput(f"{name}: holds binary data, though its name says CSV; give the CSV file itself")
    try:
        frame = pl.read_csv(BytesIO(content), infer_schema=False)
    except PolarsError as error:
        raise InvalidInput(
            f"{name}: is not well-formed CSV ({_first_line(error)}); give a header and rows with as many fields,"
            " separated by commas"
        ) from error
    _check_whole(content, frame.width, name)
    return _tidy(frame, name)


def _tidy(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """As it was meant: spaces around a field are not part of it, and a line with nothing in any field is none."""
    header = [column.strip() for column in frame.columns]
    again = next((column for column, times in Counter(header).items() if times > 1), None)
    if again is not None:
        raise InvalidInput(f"{name}: {_twice(again)}")
    frame.columns = header
    fields = frame.with_columns(pl.all().str.strip_chars())
    return fields.filter(pl.any_horizontal(pl.all().fill_null("") != ""))


def _twice(column: str) -> str:
    return f"column {column!r} appears twice in the header; rename or remove one"


def _check_whole(content: bytes, fields: int, name: str) -> None:
    """Refuse a row with fewer fields than the header, which would pass for one whose last answers are missing: a file
    cut short ends so. (Of rows with more fields the parser complains, so counting commas is enough.)
    """
    bare = _QUOTED.sub(b"x", content) if b'"' in content else content
    if bare.count(b",") == (fields - 1) * (bare.count(b"\n") + (not bare.endswith(b"\n"))):
        return
    row = 0
    for line in bare.splitlines()[1:]:
        if line.strip() and line.count(b",") < fields - 1:
            raise InvalidInput(
                f"{name}, data row {row + 1}: it has {line.count(b',') + 1} of the header's {fields} fields; if the"
                " file was cut short fetch it again, and write a missing answer as an empty field"
            )
        row += bool(line.strip())


def _first_line(error: Exception) -> str:
    return printable(str(error).strip().partition("\n")[0])


def listed(columns: Sequence[str]) -> str:
    """The columns of a table, for a message."""
    return ", ".join(map(printable, columns)) or "none"


def _from_pandas(frame: Any) -> pl.DataFrame:
    """Column by column through NumPy, so that pyarrow is not needed. An index with a name is a column: `pivot` and
    `set_index` put tasks there.
    """
    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        raise InvalidInput(f"a pandas frame has columns {columns}; each must appear once")
    index = [name for name in frame.index.names if name is not None and str(name) not in columns]
    return pl.DataFrame(
        [
            *(_series(str(name), frame.index.get_level_values(name)) for name in index),
            *(_series(name, frame.iloc[:, i]) for i, name in enumerate(columns)),
        ]
    )


def _series(name: str, column: Any) -> pl.Series:
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return pl.Series(name, values, nan_to_null=True)
    missing = np.asarray(column.isna())
    return text_series(name, [None if gone else value for value, gone in zip(values.tolist(), missing, strict=True)])


def text_series(name: str, values: Sequence[object]) -> pl.Series:
    """Python values as text; None and NaN are nothing."""
    gone = (value is None or (isinstance(value, float) and value != value) for value in values)
    return pl.Series(
        name, [None if no else str(value) for value, no in zip(values, gone, strict=True)], dtype=pl.String
    )


def _as_text(table: Table) -> pl.DataFrame:
    """Every column as text, NaN and empty cells as nothing."""
    columns = {}
    for series in table.frame:
        if series.dtype.is_float():
            series = series.fill_nan(None)
        unfit = table.wrong(None, f"column {series.name!r} holds {series.dtype}; give text or numbers")
        if series.dtype.is_nested():
            raise unfit
        try:
            text = series.cast(pl.String)
        except PolarsError as error:
            raise unfit from error
        columns[series.name] = text.set(text == "", None)
    return pl.DataFrame(columns)


def canonical(value: str) -> str:
    """One spelling per label: 1.0 is 1, and true and false are 1 and 0, since libraries write the same answer
    differently.
    """
    text = value.strip()
    whole = _WHOLE.fullmatch(text)
    if whole:
        return whole[1]
    return {"true": "1", "false": "0"}.get(text.lower(), text)


def labels_from_array(labels: Any, workers: Sequence[str] | None) -> pl.DataFrame:
    """A wide frame from an array [tasks, workers]; NaN, None and masked entries are missing answers."""
    array = np.ma.asanyarray(labels)
    if array.ndim != 2:
        raise InvalidInput(f"LABELS has {array.ndim} dimension(s); give an array [tasks, workers]")
    names = [str(i) for i in range(array.shape[1])] if workers is None else [str(name) for name in workers]
    if len(names) != array.shape[1]:
        raise InvalidInput(f"{len(names)} worker names for {array.shape[1]} columns of LABELS; give one per column")
    again = next((name for name, times in Counter(names).items() if times > 1), None)
    if again is not None:
        raise InvalidInput(f"two workers are named {again!r}; give each its own name")
    columns = [pl.Series("task", [str(i) for i in range(array.shape[0])], dtype=pl.String)]
    for i, name in enumerate(names):
        column = array[:, i]
        if isinstance(column, np.ma.MaskedArray) and column.mask is not np.ma.nomask:
            columns.append(text_series(name, column.tolist()))
        elif column.dtype.kind in "biuf":
            columns.append(pl.Series(name, np.asarray(column), nan_to_null=True))
        else:
            columns.append(text_series(name, column.tolist()))
    return pl.DataFrame(columns)


def truth_from_values(truth: Sequence[object]) -> pl.DataFrame:
    """A frame task, truth from one truth per row of an array of labels."""
    values = np.asarray(truth).tolist()
    return pl.DataFrame(
        [pl.Series("task", [str(i) for i in range(len(values))], dtype=pl.String), text_series("truth", values)]
    )


def is_pandas_series(values: object) -> bool:
    """Without importing pandas, which need not be there."""
    pandas = type(values).__module__.partition(".")[0] == "pandas"
    return pandas and hasattr(values, "index") and not hasattr(values, "columns")


def prices_frame(prices: Mapping[str, object]) -> pl.DataFrame:
    """A frame worker, price from a mapping."""
    return pl.DataFrame(
        [text_series("worker", [str(name) for name in prices]), text_series("price", list(prices.values()))]
    )
