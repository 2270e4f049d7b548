"""A database keeps to the secret that it was first used with, also one that is older than this rule."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.campaign.one_secret import check_secret, holds_seals
from quorate.campaign.service import CampaignService
from quorate.campaign.vault import Vault
from quorate.errors import InvalidInput
from quorate.store import SqlStore, open_store
from tests.campaigns import small

RIGHT = Vault(bytes(32), os.urandom)
WRONG = Vault(bytes(range(32)), os.urandom)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    made = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    yield made
    made.close()


def of_an_older_version(store: SqlStore, *, opened: bool, hooked: bool = False) -> None:
    """Drafted, perhaps opened, which seals the coins' seed, by a version that kept no mark."""
    service = CampaignService(store, RIGHT)
    service.draft(small(), campaign="c1")
    if opened:
        service.open("c1")
    if hooked:
        service.add_hook("c1", "https://example.org/hook", ["campaign"], b"secret")
    service.close()
    with store._writing([]) as connection:
        connection.exec_driver_sql("DELETE FROM sealed WHERE campaign = ''")


def test_nothing_is_sealed_in_a_new_database_until_a_vault_comes_to_it(store: SqlStore) -> None:
    assert not holds_seals(store)
    check_secret(store, RIGHT)
    assert holds_seals(store)
    check_secret(store, RIGHT)
    with pytest.raises(InvalidInput, match=r"does not open what is sealed .* need the one .* give that one"):
        check_secret(store, WRONG)


@pytest.mark.parametrize(("opened", "hooked"), [(True, False), (False, True)], ids=["coins", "hook"])
def test_what_an_older_version_sealed_shows_its_secret(store: SqlStore, opened: bool, hooked: bool) -> None:
    of_an_older_version(store, opened=opened, hooked=hooked)
    assert holds_seals(store)
    with pytest.raises(InvalidInput, match="does not open"):
        check_secret(store, WRONG)
    check_secret(store, RIGHT)
    with pytest.raises(InvalidInput, match="does not open"):
        check_secret(store, WRONG)


def test_one_damaged_seal_of_an_older_version_locks_nobody_out(store: SqlStore) -> None:
    of_an_older_version(store, opened=True, hooked=True)
    with store._writing([]) as connection:
        connection.exec_driver_sql("UPDATE sealed SET ciphertext = x'00'")
    check_secret(store, RIGHT)


def test_where_an_older_version_sealed_nothing_any_secret_is_the_first(store: SqlStore) -> None:
    of_an_older_version(store, opened=False)
    assert not holds_seals(store)
    check_secret(store, WRONG)
