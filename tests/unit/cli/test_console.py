"""What every command shares."""

import re
from collections.abc import Callable

import pytest

from quorate.cli.console import complain, print_table, say

COLUMNS = [("rule", "left"), ("right", "right"), ("right after exploring", "right"), ("exploring tasks", "right")]
ROW = ["assured-joint, threshold", "0.958 (0.949 to 0.967)", "0.961 (0.950 to 0.970)", "1,345"]
# Turns a terminal red, rings, begins another line, and is half of a character.
HOSTILE = "a\x1b[31mb\a\nc\u2028d\ud800"
WRITTEN_OUT = r"a\x1b[31mb\x07\nc\u2028d\ud800"


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\s─]+", text))


@pytest.fixture(params=[52, 60, 80])
def on_terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """To be called when output is captured: it goes to a terminal of so many columns then."""

    def begin() -> int:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", str(request.param))
        return int(request.param)

    return begin


def unstyled(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_a_narrow_table_breaks_between_words(
    capsys: pytest.CaptureFixture[str], on_terminal: Callable[[], int]
) -> None:
    room = on_terminal()
    print_table("", COLUMNS, [ROW])
    said = unstyled(capsys.readouterr().out)
    assert max(map(len, said.splitlines())) <= room
    assert words(said) == words(" ".join([*(heading for heading, _ in COLUMNS), *ROW]))


def test_a_narrow_table_leaves_out_what_may_go(
    capsys: pytest.CaptureFixture[str], on_terminal: Callable[[], int]
) -> None:
    """Numbers are as broad as the terminal has room for three of them."""
    room = on_terminal()
    digits = (room - 1) // 3 - 3
    columns = [("asked", "right"), ("paid", "right"), ("saved", "right"), ("added", "right")]
    print_table("", columns, [[digit * digits for digit in "1234"]], first_to_go=("added", "asked"))
    said = unstyled(capsys.readouterr().out)
    assert words(said) == {"asked", "paid", "saved", "1" * digits, "2" * digits, "3" * digits}, "one was enough"


def test_a_pipe_gets_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", COLUMNS, [ROW], first_to_go=("right",))
    assert "0.958 (0.949 to 0.967)" in capsys.readouterr().out


def test_a_terminal_gets_lines_broken_between_words(
    capsys: pytest.CaptureFixture[str], on_terminal: Callable[[], int]
) -> None:
    room = on_terminal()
    link = f"http://127.0.0.1:8080/enter#{'a-b' * 30}"
    text = f"Kept:     every vote was as sure as promised, and more than that, as can be seen at {link}"
    say(text)
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert [line for line in lines if len(line) > room] == [f"{'':10}{link}"]
    assert all(line.startswith(" " * 10) for line in lines[1:])


def test_a_pipe_gets_lines_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 50 + ".")
    say("\nafter an empty line")
    say()
    assert capsys.readouterr().out == "word " * 50 + ".\n\nafter an empty line\n\n"


def test_what_would_control_the_terminal_is_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"worker {HOSTILE}")
    assert capsys.readouterr().out == f"worker {WRITTEN_OUT}\n"
    complain("worker a\x1b[31mb")
    assert capsys.readouterr().err == "worker a\\x1b[31mb\n"


def test_so_it_is_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """And markup of the library that draws it means nothing."""
    print_table(f"Of {HOSTILE}", [("[b]name", "left")], [[HOSTILE], ["[/red] :smile:"]], caption=HOSTILE)
    said = capsys.readouterr().out
    assert said.count(WRITTEN_OUT) == 3
    assert "[b]name" in said
    assert "[/red] :smile:" in said
    assert "\x1b" not in said


def test_letters_of_all_writings_stay(capsys: pytest.CaptureFixture[str]) -> None:
    say("Zoë\u00a0Ωmega 张伟 🙂")
    assert capsys.readouterr().out == "Zoë\u00a0Ωmega 张伟 🙂\n"
