"""SQLite: the default. One file, readers beside one writer, every commit on the disk before it is acknowledged."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry

from quorate.store.sql import SqlStore

# How long a transaction waits for another process's to end.
BUSY_MILLISECONDS = 5_000
# Pages in the write-ahead log before it is written back: fewer pauses than the default of 1,000.
CHECKPOINT_PAGES = 4_000
READERS = 16


def open_sqlite(url: str) -> tuple[SqlStore, Engine]:
    """The store, and its engine for migrating."""
    engine = create_engine(make_url(url), pool_size=READERS, max_overflow=0, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    # A writer takes the lock at once: one that read first could not wait for it any more.
    writer = engine.execution_options(quorate_writes=True)
    return SqlStore(engine, url, engine, writer, _diagnose), writer


def read_sqlite(file: Path, *, alone: bool) -> tuple[SqlStore, Engine]:
    """To be read only. `alone`: nobody has it open (there is no `log_of`), and it is read as if it could not change.

    SQLite would else lay files of its own beside it, and could not read it where it may not do that.
    """
    how = {"uri": "true", "mode": "ro"} | ({"immutable": "1"} if alone else {})
    url = URL.create("sqlite", database=f"file:{quote(str(file.resolve()))}", query=how)
    engine = create_engine(url, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _wait_when_busy)
    return SqlStore(engine, f"sqlite:///{file}", engine, engine, _diagnose), engine


def log_of(file: Path) -> Path:
    """The write-ahead log: beside the file while somebody has it open, and after a crash with its last events."""
    return file.with_name(file.name + "-wal")


def file_of(url: str) -> Path | None:
    """The database's file; None in memory."""
    name = make_url(url).database
    return None if not name or name == ":memory:" else Path(name)


def _prepare(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
    # The driver's own transactions begin late and would not be ours.
    connection.isolation_level = None
    _wait_when_busy(connection, entry)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")


def _wait_when_busy(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("quorate_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _diagnose(error: DBAPIError) -> tuple[str, bool] | None:
    if isinstance(error, IntegrityError):
        return None
    said = str(error.orig)
    if "locked" in said or "busy" in said:
        return (
            f"the database stayed locked by another process for {BUSY_MILLISECONDS / 1000:g} s; nothing was written: "
            f"end what holds it, or try again",
            True,
        )
    if "full" in said:
        return "the disk (or the database's size limit) is full; nothing was written: make room and try again", False
    for sign in ("disk I/O", "readonly", "unable to open", "malformed", "not a database"):
        if sign in said:
            return (
                f"the database cannot be used ({said}); nothing was written: check the file, its folder and disk",
                False,
            )
    return None
