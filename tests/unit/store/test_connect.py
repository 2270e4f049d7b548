"""From a URL to a store and its vault: what is refused, and where the secret comes from."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.campaign.refusal import Unavailable
from quorate.campaign.service import CampaignService
from quorate.errors import InvalidInput
from quorate.store import open_store, open_vault, reading
from tests.postgres import server_or_skip


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("no url", "not a database's URL"),
        ("mysql://localhost/x", "not supported"),
        ("sqlite://", "would be lost"),
        ("sqlite:///:memory:", "would be lost"),
        ("sqlite:////no/such/folder/x.db", "no folder"),
    ],
)
def test_what_is_no_database_is_refused(url: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        open_store(url)


def test_a_password_is_never_shown() -> None:
    store = open_store("postgresql://ada:hunter2@localhost:1/x", migrate=False)
    assert "hunter2" not in repr(store)
    with pytest.raises(Unavailable) as caught:
        store.head("c1")
    assert "hunter2" not in str(caught.value)
    assert "reached" in str(caught.value)
    store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("not a database at all, but long enough to look like one" * 100)
    with pytest.raises(Unavailable, match="not a database"):
        open_store(f"sqlite:///{tmp_path / 'x.db'}")


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.usefixtures("usual_umask")
def test_a_new_sqlite_database_is_its_owners_alone(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    assert modes(tmp_path) == {"x.db": 0o600, "x.db-wal": 0o600, "x.db-shm": 0o600}
    store.close()


@pytest.mark.usefixtures("usual_umask")
def test_the_mode_of_a_database_that_is_there_is_its_owners_choice(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch(mode=0o640)
    open_store(f"sqlite:///{tmp_path / 'x.db'}").close()
    assert modes(tmp_path) == {"x.db": 0o640}


def test_the_secret_of_a_sqlite_database_lies_beside_it_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUORATE_SECRET", raising=False)
    url = f"sqlite:///{tmp_path / 'x.db'}"
    sealed = open_vault(url).seal(b"seven", "x")
    assert open_vault(url).open(sealed, "x") == b"seven", "the second time it is read"
    secret = tmp_path / "x.db.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["x.db.secret"], "no draft is left"


def test_a_lost_secret_is_not_replaced_where_something_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUORATE_SECRET", raising=False)
    url, secret, elsewhere = f"sqlite:///{tmp_path / 'x.db'}", tmp_path / "x.db.secret", tmp_path / "elsewhere"
    store = open_store(url)
    CampaignService(store, open_vault(url)).close()
    secret.rename(elsewhere)
    for still_open in (True, False):
        with pytest.raises(InvalidInput, match=r"there is no \S*x.db.secret, .*; put it back, or set QUORATE_SECRET"):
            open_vault(url)
        assert not secret.exists()
        if still_open:
            store.close()
    elsewhere.rename(secret)
    store = open_store(url)
    CampaignService(store, open_vault(url)).close()
    store.close()


@pytest.mark.parametrize("kept", ["my secret words", "é" * 64])
def test_a_damaged_secret_is_refused_without_being_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    monkeypatch.delenv("QUORATE_SECRET", raising=False)
    (tmp_path / "x.db.secret").write_text(kept, "utf-8")
    with pytest.raises(InvalidInput, match=r"x\.db\.secret is not hexadecimal; put it back from its backup") as caught:
        open_vault(f"sqlite:///{tmp_path / 'x.db'}")
    assert kept not in str(caught.value)


def test_a_file_in_which_nothing_is_yet_gets_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUORATE_SECRET", raising=False)
    (tmp_path / "x.db").touch()
    open_vault(f"sqlite:///{tmp_path / 'x.db'}")
    assert (tmp_path / "x.db.secret").exists()


def test_the_environments_secret_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUORATE_SECRET", "ab" * 32)
    sealed = open_vault(f"sqlite:///{tmp_path / 'x.db'}").seal(b"seven", "x")
    assert open_vault("postgresql://somewhere/x").open(sealed, "x") == b"seven"
    assert not (tmp_path / "x.db.secret").exists()


def test_a_bad_secret_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUORATE_SECRET", "my secret words")
    with pytest.raises(InvalidInput) as caught:
        open_vault("postgresql://somewhere/x")
    assert "my secret words" not in str(caught.value)
    monkeypatch.delenv("QUORATE_SECRET")
    with pytest.raises(InvalidInput, match="QUORATE_SECRET"):
        open_vault("postgresql://somewhere/x")


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_what_is_only_read_must_be_a_ledger_already(tmp_path: Path, backend: str) -> None:
    file = tmp_path / "x.db"
    file.touch()
    url = f"sqlite:///{file}" if backend == "sqlite" else server_or_skip().create_database()
    for _ in range(2):
        with pytest.raises(InvalidInput, match="is not a quorate database"), reading(url):
            pass
    open_store(url).close()
    with reading(url) as store:
        assert store.campaigns() == []
    with pytest.raises(Unavailable, match="closed"):
        store.campaigns()
