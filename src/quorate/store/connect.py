"""From a URL to a store, to be written or only read, and to the vault with the secret that belongs to it."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, inspect, make_url
from sqlalchemy.exc import ArgumentError

from quorate.campaign.one_secret import holds_seals
from quorate.campaign.refusal import Unavailable
from quorate.campaign.vault import SECRET_BYTES, Vault
from quorate.errors import InvalidInput
from quorate.store.migrate import migrate as bring_up_to_date
from quorate.store.postgres import open_postgres
from quorate.store.private import create_private, reserve_private
from quorate.store.schema import ledger
from quorate.store.sql import SqlStore
from quorate.store.sqlite import file_of, log_of, open_sqlite, read_sqlite

SECRET_VARIABLE = "QUORATE_SECRET"
SECRET_SUFFIX = ".secret"
FRESH_SECRET = f"{SECRET_BYTES} random bytes (openssl rand -hex 32)"


def open_store(url: str, *, migrate: bool = True) -> SqlStore:
    """`sqlite:///path/to/file.db` or `postgresql://user@host/database`; the schema is created or brought up to date."""
    file = _database_file(url)
    if file is not None and not file.parent.is_dir():
        raise InvalidInput(f"there is no folder {file.parent} for the database {file.name}; make it first")
    if file is None:
        store, engine = open_postgres(url)
    else:
        # SQLite takes an empty file for a new database, and gives the files that it lays beside it the same mode.
        reserve_private(file)
        store, engine = open_sqlite(url)
    if migrate:
        _before_use(store, lambda: bring_up_to_date(engine))
    return store


@contextmanager
def reading(url: str) -> Iterator[SqlStore]:
    """What is there already, to be read: nothing is created, migrated or changed, not even beside a SQLite file."""
    file = _database_file(url)
    if file is not None and not file.is_file():
        raise InvalidInput(f"there is no database {file}; check its path")
    alone = file is not None and not log_of(file).exists()
    before = file.stat() if file is not None else None
    store, engine = open_postgres(url) if file is None else read_sqlite(file, alone=alone)
    _before_use(store, lambda: _check_ledger(engine, str(file or engine.url.render_as_string())))
    try:
        yield store
    finally:
        store.close()
    if file is not None and before is not None and alone and _changed(before, file.stat()):
        raise Unavailable(f"{file} was written to while it was read, so what was read is not sure; try again")


def _changed(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size)


def _database_file(url: str) -> Path | None:
    """Of SQLite; None for PostgreSQL. Raises InvalidInput for anything else."""
    try:
        backend = make_url(url).get_backend_name()
    except ArgumentError as error:
        raise InvalidInput(
            f"{url!r:.200} is not a database's URL; try sqlite:///quorate.db or postgresql://user@host/database"
        ) from error
    if backend == "postgresql":
        return None
    if backend != "sqlite":
        raise InvalidInput(f"a database of kind {backend!r} is not supported; use sqlite:///... or postgresql://...")
    file = file_of(url)
    if file is None:
        raise InvalidInput("a ledger in memory would be lost at the end; name a file: sqlite:///quorate.db")
    return file


def _before_use(store: SqlStore, prepare: Callable[[], None]) -> None:
    """Done with the engine itself; the store is closed if it fails."""
    try:
        with store.translating():
            prepare()
    except BaseException:
        store.close()
        raise


def _check_ledger(engine: Engine, name: str) -> None:
    if not inspect(engine).has_table(ledger.name):
        raise InvalidInput(f"{name} is not a quorate database: it has no table {ledger.name!r}; check its name")


def open_vault(url: str, secret: bytes | None = None) -> Vault:
    """The vault for a store: its secret is given, or in QUORATE_SECRET, or for SQLite in a file beside the database.

    That file is made where there is none and nothing is sealed yet.
    """
    if secret is None:
        secret = _secret_of_environment() or _secret_beside(url)
    return Vault(secret, secrets.token_bytes)


def _secret_of_environment() -> bytes | None:
    text = os.environ.get(SECRET_VARIABLE)
    return _bytes_of(text, SECRET_VARIABLE, f"set it to {FRESH_SECRET}") if text else None


def _secret_beside(url: str) -> bytes:
    database = file_of(url) if make_url(url).get_backend_name() == "sqlite" else None
    if database is None:
        raise InvalidInput(
            f"sealed bids need a secret that every process of this service shares; "
            f"set {SECRET_VARIABLE} to {FRESH_SECRET}"
        )
    file = database.with_name(database.name + SECRET_SUFFIX)
    if not file.exists() and _is_sealed(url, database):
        raise InvalidInput(
            f"there is no {file}, and {database} holds what is sealed under it: another one would not open that; "
            f"put it back, or set {SECRET_VARIABLE} to the secret that was used"
        )
    create_private(file, secrets.token_hex(SECRET_BYTES))
    return _bytes_of(file.read_text("utf-8", "replace"), str(file), "put it back from its backup")


def _bytes_of(text: str, where: str, remedy: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        # The value is a secret, so the message does not show it and the cause is not chained.
        raise InvalidInput(f"{where} is not hexadecimal; {remedy}") from None


def _is_sealed(url: str, database: Path) -> bool:
    if not database.is_file() or database.stat().st_size == 0:
        return False
    with reading(url) as store:
        return holds_seals(store)
