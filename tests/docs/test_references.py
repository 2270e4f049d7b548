"""What users read refers to pages of the documentation only; comments and docstrings may cite the design notes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import PAGES, ROOT

SOURCES = sorted((ROOT / "src").rglob("*.py"))
NOTES = re.compile(r"\b(MATHS|DESIGN|STYLE)\b")
PAGE = re.compile(r"docs/[\w-]+\.md")
# It says what the name of the notes means.
EXPLAINS = ROOT / "CONTRIBUTING.md"


def said(source: str) -> Iterator[str]:
    """Every string of a module that is no docstring."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def wrong(text: str) -> list[str]:
    """What in a text leads nowhere."""
    return NOTES.findall(text) + [page for page in PAGE.findall(text) if not (ROOT / page).is_file()]


@pytest.mark.parametrize("page", [page for page in PAGES if page != EXPLAINS], ids=lambda page: page.name)
def test_pages_do_not_cite_the_notes(page: Path) -> None:
    assert NOTES.findall(page.read_text()) == []


def test_messages_cite_pages_that_are_there() -> None:
    found = {path.relative_to(ROOT): wrong(text) for path in SOURCES for text in said(path.read_text()) if wrong(text)}
    assert found == {}


def test_a_wrong_reference_is_noticed() -> None:
    assert list(said('"""MATHS 6"""\nx = "see MATHS 6"\n')) == ["see MATHS 6"]
    assert wrong("(MATHS 6; docs/no-such-page.md; docs/proofs.md)") == ["MATHS", "docs/no-such-page.md"]
