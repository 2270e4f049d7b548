"""A study's directory: the manifest, finished cells while it runs, one Parquet file when it is done.

    manifest.json     versions, seed, the whole study and its digest; before any cell, never changed
    cells/*.json      one finished cell each; gone when the study is done
    results.parquet   every row, in the study's order; it exists only when the study is done
    times.csv         how long each cell took, appended as they finish; the one file that differs from run to run

Every file but the last is written beside its place and moved there, so a kill leaves whole files or none. Manifest and
results are on the disk before anything relies on them; a power cut may take the last cells, which then run again.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from quorate.errors import InvalidInput
from quorate.lab.cell import CellResult, Row
from quorate.lab.study import Cell, Study
from quorate.lab.table import fits, frame, schema
from quorate.lab.versions import versions

MANIFEST, CELLS, RESULTS, TIMES = "manifest.json", "cells", "results.parquet", "times.csv"
# Rows are turned into columns so many at a time.
BATCH = 10_000


class ResultDirectory:
    """One study's results. Opening it refuses a directory of another study, or of other versions."""

    def __init__(self, path: Path, study: Study) -> None:
        self.path = path
        self.study = study
        self._schema = schema(study)
        self._open()

    @property
    def results(self) -> Path:
        return self.path / RESULTS

    @property
    def done(self) -> bool:
        return self.results.exists()

    def unfinished(self) -> list[Cell]:
        """The cells that are still to run: those without a readable file."""
        if self.done:
            return []
        return [cell for cell in self.study.cells() if self._read(cell) is None]

    def keep(self, cell: Cell, result: CellResult) -> None:
        """A finished cell, from now on safe from a kill."""
        # JSON keeps every bit of integers and floats, and takes a tenth of the time of so small a Parquet file.
        text = json.dumps(result.rows, default=int)
        _write(self._file(cell), lambda path: path.write_text(text, encoding="utf-8"))
        with (self.path / TIMES).open("a", encoding="utf-8") as times:
            times.write(f"{cell.point},{cell.first},{cell.last},{result.seconds:.6f}\n")

    def finish(self) -> Path:
        """Every cell in one file, in the study's order; then the cells go."""
        if not self.done:
            whole = pl.concat(self._frames(), rechunk=True)
            _write(self.results, whole.write_parquet, lasting=True)
        cells = self.path / CELLS
        if cells.exists():
            for file in cells.iterdir():
                file.unlink()
            cells.rmdir()
        return self.results

    def rows(self) -> pl.DataFrame:
        """The results of a study that is done."""
        try:
            return pl.read_parquet(self.results)
        except PolarsError as error:
            raise InvalidInput(
                f"{self.results} is damaged ({_first_line(error)}); remove it and run the same command again, which "
                "computes it anew"
            ) from error

    def _open(self) -> None:
        described = {
            "digest": self.study.digest,
            "versions": versions(),
            "money": "whole millionths of the unit",
            "points": self.study.points,
            "rows": self.study.rows,
            "study": self.study.description(),
        }
        manifest = self.path / MANIFEST
        if manifest.exists():
            self._compare(_read_manifest(manifest), described)
        elif self.done:
            raise InvalidInput(f"{self.path} holds results of an unknown study (no {MANIFEST}); give another --out")
        else:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / TIMES).write_text("point,first,last,seconds\n", encoding="utf-8")
            text = json.dumps(described, indent=2) + "\n"
            _write(manifest, lambda path: path.write_text(text, encoding="utf-8"), lasting=True)
        if not self.done:
            (self.path / CELLS).mkdir(exist_ok=True)

    def _compare(self, begun: dict[str, Any], wanted: dict[str, Any]) -> None:
        if begun["digest"] != wanted["digest"]:
            changed = ", ".join(key for key, value in wanted["study"].items() if begun["study"].get(key) != value)
            raise InvalidInput(f"{self.path} holds another study (its {changed} differ); give another --out")
        other = {name: text for name, text in begun["versions"].items() if wanted["versions"].get(name) != text}
        if other and not self.done:
            said = ", ".join(f"{name} {text}" for name, text in other.items())
            raise InvalidInput(f"{self.path} was begun with {said}, not with what runs now; give another --out")

    def _file(self, cell: Cell) -> Path:
        return self.path / CELLS / f"{cell.key}.json"

    def _read(self, cell: Cell) -> list[Row] | None:
        """A finished cell's rows; None where there is none, or where its file is damaged."""
        try:
            rows = json.loads(self._file(cell).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return rows if fits(rows, self._schema, range(cell.first, cell.last)) else None

    def _frames(self) -> Iterator[pl.DataFrame]:
        """The rows in the study's order, some thousands at a time."""
        gathered: list[Row] = []
        for cell in self.study.cells():
            rows = self._read(cell)
            if rows is None:
                raise InvalidInput(f"{self._file(cell)} is missing or damaged; run the same command again")
            gathered += rows
            if len(gathered) >= BATCH:
                yield frame(gathered, self._schema)
                gathered = []
        if gathered:
            yield frame(gathered, self._schema)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if {"digest", "versions", "study"} <= found.keys() and isinstance(found["versions"] | found["study"], dict):
            return found
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{path} is not a study's manifest ({error}); give another --out") from error
    raise InvalidInput(f"{path} is not a study's manifest; give another --out")


def _write(path: Path, write: Callable[[Path], object], *, lasting: bool = False) -> None:
    """Beside its place first, then moved: whoever looks sees all of it or nothing. `lasting`: after a power cut too."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    write(beside)
    if lasting:
        _flush(beside)
    os.replace(beside, path)
    if lasting:
        _flush(path.parent)


def _flush(path: Path) -> None:
    """A file's content, or a folder's names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
