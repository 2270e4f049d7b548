"""PostgreSQL by psycopg 3: for several service processes on one ledger."""

import psycopg
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from quorate.store.sql import SqlStore

DRIVER = "postgresql+psycopg"
CONNECTIONS = 16
CONNECT_SECONDS = 5
# Waiting for a transaction of another process that does not end.
LOCK_MILLISECONDS = 5_000
DISK_FULL = "53100"
LOCK_NOT_AVAILABLE = "55P03"
# Shutting down, starting up, too many connections, failing to serialise, deadlock: over in a moment.
PASSING = frozenset({"57P01", "57P02", "57P03", "53300", "40001", "40P01", LOCK_NOT_AVAILABLE})


def open_postgres(url: str) -> tuple[SqlStore, Engine]:
    """The store, and its engine for migrating."""
    engine = create_engine(
        make_url(url).set(drivername=DRIVER),
        pool_size=CONNECTIONS,
        max_overflow=0,
        # A connection that died with a restarted server is replaced before it is used.
        pool_pre_ping=True,
        connect_args={"connect_timeout": CONNECT_SECONDS},
    )
    event.listen(engine, "connect", _prepare)
    reader = engine.execution_options(isolation_level="AUTOCOMMIT")
    return SqlStore(engine, url, reader, engine, _diagnose), engine


def _prepare(connection: psycopg.Connection[tuple[object, ...]], entry: ConnectionPoolEntry) -> None:
    with connection.cursor() as cursor:
        # Whatever the server's default: an acknowledged commit is on the disk.
        cursor.execute("SET synchronous_commit = on")
        cursor.execute(f"SET lock_timeout = {LOCK_MILLISECONDS}")
    connection.commit()


def _diagnose(error: DBAPIError) -> tuple[str, bool] | None:
    if isinstance(error, IntegrityError):
        return None
    state = getattr(error.orig, "sqlstate", None)
    if state == DISK_FULL:
        return "the database server's disk is full; nothing was written: make room and try again", False
    if state in PASSING or error.connection_invalidated:
        return f"the database server is not ready ({_first_line(error)}); try again in a moment", True
    if isinstance(error, OperationalError | InterfaceError):
        return f"the database server cannot be reached or used ({_first_line(error)}); check that it runs", True
    return None


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__
