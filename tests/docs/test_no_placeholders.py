"""No page still waits for a number: what stands for one until it is measured does not stay."""

import re
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import PAGES, ROOT

# A line in capitals, a table's row of dots, and the comment that `python -m benchmarks.audit --markdown` fills.
PLACEHOLDER = re.compile(r"^(?:[A-Z]+(?:_[A-Z]+)+|\|(?:\s*\.\.\.\s*\|)+|<!-- audit:.*-->)[ \t]*$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_nothing_is_left_to_fill_in(page: Path) -> None:
    assert PLACEHOLDER.findall(page.read_text()) == []


@pytest.mark.parametrize("line", ["PAID_TABLE", "| ... |", "| ... | ... |", "<!-- audit: monotone -->"])
def test_a_placeholder_is_noticed(line: str) -> None:
    assert PLACEHOLDER.findall(f"before\n{line}\nafter\n") == [line]
    assert PLACEHOLDER.findall(f"so `{line}` is\n| a ... | b |\n") == []
