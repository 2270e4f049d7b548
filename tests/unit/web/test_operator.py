"""The operator's token: made once, kept as a digest, and said clearly where that file is damaged."""

from pathlib import Path

import pytest

from quorate.campaign.tokens import digest
from quorate.errors import InvalidInput
from quorate.store.private import create_private
from quorate.web.serving import OPERATOR_VARIABLE, operator_of


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OPERATOR_VARIABLE, raising=False)


def test_the_first_start_makes_a_token_and_the_next_one_knows_its_digest(tmp_path: Path) -> None:
    first = operator_of(tmp_path / "q.db")
    again = operator_of(tmp_path / "q.db")
    assert first.made_now
    assert first.token is not None
    assert first.digest == digest(first.token) == again.digest
    assert (again.token, again.made_now) == (None, False)


@pytest.mark.parametrize("damaged", ["", "\n", "qr_operator_the-token-itself", "é" * 64])
def test_a_damaged_file_does_not_lock_the_operator_out_for_ever(tmp_path: Path, damaged: str) -> None:
    file = tmp_path / "q.db.operator"
    file.write_text(damaged, "utf-8")
    with pytest.raises(InvalidInput, match=r"q\.db\.operator does not hold .* remove it, and the next start"):
        operator_of(tmp_path / "q.db")
    file.unlink()
    assert operator_of(tmp_path / "q.db").made_now


def test_a_private_file_is_written_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    assert create_private(file, "mine")
    assert not create_private(file, "another's")
    assert file.read_text() == "mine\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["secret"], "no draft is left"
