"""What every command shares."""

import re

import pytest

from quorate.cli.console import print_table

COLUMNS = [("rule", "left"), ("right", "right"), ("right after exploring", "right"), ("exploring tasks", "right")]
ROW = ["assured-joint, threshold", "0.958 (0.949 to 0.967)", "0.961 (0.950 to 0.970)", "1,345"]


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\s─]+", text))


@pytest.mark.parametrize("room", [52, 60, 80])
def test_a_narrow_table_breaks_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(room))
    print_table("", COLUMNS, [ROW])
    said = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert max(map(len, said.splitlines())) <= room
    assert words(said) == words(" ".join([*(heading for heading, _ in COLUMNS), *ROW]))
