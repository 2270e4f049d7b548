"""What is cited is there: pages of the documentation, notes that CONTRIBUTING explains, and what the paper numbers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import PAGES, ROOT

SOURCES = sorted((ROOT / "src").rglob("*.py"))
# All but this one, which says what is wrong.
PROGRAMS = [
    path
    for room in ("src", "tests", "benchmarks")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path != Path(__file__)
]
NOTES = re.compile(r"\b(MATHS|DESIGN|STYLE)\b")
PAGE = re.compile(r"docs/[\w-]+\.md")
# It says what the name of the notes means.
EXPLAINS = ROOT / "CONTRIBUTING.md"
# Notes that no page stands for, and a place that only one machine has.
NOWHERE = re.compile(r"\bDESIGN\b|/tmp/")
# By the paper's counters: equations run through it; theorems, with corollaries, and examples count by section.
NUMBERED = {"problem": {"3", "9"}, "equation": {"1", "3", "4", "9"}, "theorem": {"5.1", "5.2"}, "corollary": {"5.3"}}
NUMBERED |= {"example": {"3.1", "3.2"}}
CITED = re.compile(r"\b(problem|equation|theorem|corollary|example)s? \(?(\d+(?:\.\d+)?)\b", re.IGNORECASE)
# An algorithm's lines have labels in the paper's source, and no numbers.
LINE = re.compile(r"Algorithm \d, lines? \d+")


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


def wrong_of_the_paper(text: str) -> list[str]:
    """What a text cites of the paper and the paper does not number so."""
    found = [cited for cited in CITED.finditer(text) if cited[2] not in NUMBERED[cited[1].lower()]]
    return [cited[0] for cited in found] + LINE.findall(text)


@pytest.mark.parametrize("page", [page for page in PAGES if page != EXPLAINS], ids=lambda page: page.name)
def test_pages_do_not_cite_the_notes(page: Path) -> None:
    assert NOTES.findall(page.read_text()) == []


def test_messages_cite_pages_that_are_there() -> None:
    found = {path.relative_to(ROOT): wrong(text) for path in SOURCES for text in said(path.read_text()) if wrong(text)}
    assert found == {}


def test_programs_lead_to_nothing_outside_the_repository() -> None:
    found = {path.relative_to(ROOT): NOWHERE.findall(path.read_text()) for path in PROGRAMS}
    assert {path: places for path, places in found.items() if places} == {}


def test_the_paper_is_cited_by_its_own_numbers() -> None:
    found = {path.relative_to(ROOT): wrong_of_the_paper(path.read_text()) for path in (*PROGRAMS, *PAGES)}
    assert {path: places for path, places in found.items() if places} == {}


def test_a_wrong_reference_is_noticed() -> None:
    assert list(said('"""MATHS 6"""\nx = "see MATHS 6"\n')) == ["see MATHS 6"]
    assert wrong("(MATHS 6; docs/no-such-page.md; docs/proofs.md)") == ["MATHS", "docs/no-such-page.md"]
    assert NOWHERE.findall("(DESIGN, `policy`) sqlite:////tmp/x.db") == ["DESIGN", "/tmp/"]
    assert wrong_of_the_paper("problem (3), Examples 3.1 and 3.2, Corollary 5.3, Algorithm 1, `update`") == []
    assert wrong_of_the_paper("problem (2); Example 1") == ["problem (2", "Example 1"]
    assert wrong_of_the_paper("Algorithm 1, lines 7 to 20") == ["Algorithm 1, lines 7"]
