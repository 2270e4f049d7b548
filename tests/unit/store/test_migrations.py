"""All migrations in order lead to the schema as it is, on both databases; older databases open and go on."""

import gzip
import shutil
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, make_url, text
from sqlalchemy.exc import IntegrityError

from quorate.campaign.replay import replay
from quorate.campaign.service import CampaignService, read_all
from quorate.errors import InvalidInput
from quorate.store import open_store, open_vault
from quorate.store.migrate import MIGRATIONS
from quorate.store.postgres import DRIVER
from quorate.store.schema import HEAD_REVISION, metadata
from tests.postgres import server_or_skip

ASSETS = Path(__file__).parent / "assets"
RELEASED = ["0001", "0002"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'x.db'}" if request.param == "sqlite" else server_or_skip().create_database()


def driver_url(url: str) -> str:
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername=DRIVER)
    return parsed.render_as_string(hide_password=False)


def test_migrations_lead_to_the_schema(url: str) -> None:
    open_store(url).close()
    engine = create_engine(driver_url(url))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD_REVISION
        wanted = {index.name for table in metadata.tables.values() for index in table.indexes}
        found = {index["name"] for table in metadata.tables for index in inspect(connection).get_indexes(table)}
        assert wanted <= found
    engine.dispose()


def test_the_schemas_own_sql_is_that_of_the_migrations(tmp_path: Path) -> None:
    """Character for character: names, types, defaults, WITHOUT ROWID, the conditions of partial indexes."""

    def shape(path: Path) -> list[tuple[str, str]]:
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index')"))
            found = [(name, " ".join(sql.split())) for name, sql in rows if sql and name != "alembic_version"]
        engine.dispose()
        return sorted(found)

    open_store(f"sqlite:///{tmp_path / 'migrated.db'}").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'created.db'}")
    metadata.create_all(engine)
    engine.dispose()
    assert shape(tmp_path / "migrated.db") == shape(tmp_path / "created.db")


def test_the_head_is_the_last_migration_and_history_has_one_line() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [HEAD_REVISION]
    assert len(script.get_bases()) == 1
    assert sorted(one.revision for one in script.walk_revisions()) == RELEASED, "each has a database under assets"


def test_several_processes_may_open_an_empty_database_at_once(url: str) -> None:
    errors: list[Exception] = []
    barrier = threading.Barrier(4)

    def run() -> None:
        barrier.wait()
        try:
            open_store(url).close()
        except Exception as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_database_of_a_newer_version_is_refused(url: str) -> None:
    open_store(url).close()
    engine = create_engine(driver_url(url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(InvalidInput, match="written by a newer one"):
        open_store(url)


@pytest.mark.parametrize("revision", RELEASED)
def test_a_database_of_every_released_schema_opens_and_goes_on(
    revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUORATE_SECRET", raising=False)
    for suffix in ("", ".secret"):
        with (
            gzip.open(ASSETS / f"schema-{revision}.db{suffix}.gz") as packed,
            (tmp_path / f"x.db{suffix}").open("wb") as file,
        ):
            shutil.copyfileobj(packed, file)
    url = f"sqlite:///{tmp_path / 'x.db'}"
    store = open_store(url)
    with pytest.raises(InvalidInput, match="secret"):
        CampaignService(store, open_vault(url, bytes(32)))
    service = CampaignService(store, open_vault(url))
    try:
        service.tick()
        finished, running = service.campaigns()
        assert service.verify(finished).seq == store.head(finished).seq
        assert replay(finished, read_all(store, finished), service.state(finished).coin_seed).coins == "verified"
        bid = service.own_bid(running, "w1")
        assert bid is not None
        assert bid.amount == 5_000_000, "what was sealed then opens now"
        before = store.head(running).seq
        service.close_auction(running)
        assert store.head(running).seq > before
        with pytest.raises(IntegrityError, match="append-only"), store._writing([]) as connection:
            connection.exec_driver_sql("REPLACE INTO ledger SELECT campaign, seq, at, kind, '', hash FROM ledger")
    finally:
        service.close()
        store.close()
