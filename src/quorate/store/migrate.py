"""Bring a database to the current schema, once, whoever comes first."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from quorate.errors import InvalidInput
from quorate.store.schema import HEAD_REVISION

MIGRATIONS = Path(__file__).parent / "migrations"
# Any number, the same in every process: who holds it migrates, others wait.
LOCK = 7_308_324_465


def migrate(engine: Engine) -> None:
    """To the newest revision. Several processes may start at once on one database."""
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        found = revision(connection)
        if found == HEAD_REVISION:
            return
        _upgrade(connection, found)


def revision(connection: Connection) -> str | None:
    """What the database says it is; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _upgrade(connection: Connection, found: str | None) -> None:
    # Alembic takes a third of a second to import, and is needed once in a database's life.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise InvalidInput(
            f"the database is at revision {found!r}, which this version of quorate does not know; "
            f"it was written by a newer one: use that, or restore a backup"
        )
    command.upgrade(config, "head")
