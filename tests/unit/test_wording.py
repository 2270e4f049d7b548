"""Numbers and names in sentences."""

import pytest

from quorate.wording import counted, printable


def test_one_is_one_and_others_are_many() -> None:
    assert [counted(n, "jury", "juries") for n in (0, 1, 2000)] == ["0 juries", "1 jury", "2,000 juries"]
    assert counted(2, "answer") == "2 answers"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Zo\u00eb \u738b, gpt-4", "Zo\u00eb \u738b, gpt-4"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202edettes", "\\u202edettes"),
    ],
)
def test_a_name_cannot_steer_the_terminal(name: str, shown: str) -> None:
    assert printable(name) == shown
