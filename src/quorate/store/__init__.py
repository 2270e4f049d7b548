"""The ledger on disk: SQLAlchemy Core on SQLite (default) or PostgreSQL, migrated by Alembic (docs/ledger.md)."""

from quorate.store.connect import open_store, open_vault, reading
from quorate.store.sql import SqlStore

__all__ = ["SqlStore", "open_store", "open_vault", "reading"]
