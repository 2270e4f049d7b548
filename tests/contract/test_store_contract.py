"""The one suite, on every store; and what both SQL stores add to it: the database itself keeps the ledger as it is."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from quorate.campaign.ledger import TokenRow
from quorate.store import open_store
from quorate.store.postgres import DRIVER
from quorate.testing import StoreContract
from quorate.testing.store import OpenStore
from tests.postgres import server_or_skip


class SqlStoreContract(StoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        raise NotImplementedError

    @pytest.fixture
    def open_store(self, url: str) -> OpenStore:
        return lambda: open_store(url)

    @pytest.fixture
    def raw(self, url: str) -> Any:
        """The database without our code."""
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql":
            parsed = parsed.set(drivername=DRIVER)
        engine: Engine = create_engine(parsed)
        yield engine
        engine.dispose()

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE ledger SET body = '{}'",
            "UPDATE ledger SET hash = 'x' WHERE seq = 2",
            "DELETE FROM ledger",
            "DELETE FROM ledger WHERE seq = 3",
            "INSERT INTO ledger SELECT * FROM ledger WHERE true ON CONFLICT (campaign, seq) DO UPDATE SET body = '{}'",
        ],
    )
    def test_the_database_refuses_to_change_the_ledger(self, store: Any, raw: Engine, statement: str) -> None:
        written = self.write(store, "c1", 3)
        with pytest.raises(DBAPIError, match="append-only"), raw.begin() as connection:
            connection.execute(text(statement))
        assert store.read("c1", 0, 10) == written

    def test_a_token_that_cannot_be_kept_is_not_taken_for_one_that_is_there(self, store: Any) -> None:
        with pytest.raises(IntegrityError, match="label"):
            store.add_token(TokenRow("d1", "c1", "auditor", None, None, 1, None))  # type: ignore[arg-type]
        assert store.token("d1") is None


def reading_statements(store: Any) -> list[str]:
    """The SQL, with its values, of reading notes and of listing the campaigns that are not closed."""
    said: list[str] = []

    def listen(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            for value in parameters:
                statement = statement.replace("?", repr(value), 1)
            said.append(statement)

    event.listen(store._engine, "before_cursor_execute", listen)
    store.read("c1", 0, 10, ["promise noted"])
    store.campaigns(lacking="campaign closed")
    event.remove(store._engine, "before_cursor_execute", listen)
    return said


class TestSqlite(SqlStoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'quorate.db'}"

    @pytest.mark.parametrize("how", ["INSERT OR REPLACE", "REPLACE"])
    def test_the_database_refuses_to_put_an_event_in_anothers_place(self, store: Any, raw: Engine, how: str) -> None:
        """The row that REPLACE removes to make room goes without a DELETE."""
        written = self.write(store, "c1", 3)
        with pytest.raises(DBAPIError, match="append-only"), raw.begin() as connection:
            connection.execute(text(f"{how} INTO ledger SELECT campaign, seq, at, kind, '[]', hash FROM ledger"))
        assert store.read("c1", 0, 10) == written
        self.write(store, "c1", 3)

    def test_every_commit_is_on_the_disk(self, store: Any) -> None:
        with store._reading() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "FULL"

    def test_rare_events_are_found_without_reading_the_others(self, store: Any) -> None:
        self.write(store, "c1", 5)
        statements = reading_statements(store)
        with store._reading() as connection:
            notes, running = [
                repr(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}").all()) for statement in statements
            ]
        assert "ledger_notes" in notes
        assert "ledger_first" in running
        assert "ledger_closed" in running


class TestPostgres(SqlStoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return server_or_skip().create_database()

    def test_every_commit_is_on_the_disk(self, store: Any) -> None:
        with store._reading() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            assert connection.exec_driver_sql("SHOW fsync").scalar() == "on"
