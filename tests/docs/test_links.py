"""Every relative link and picture of the documentation leads to a file, and every anchor to a heading."""

import re
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import BLOCK, PAGES, ROOT

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:")


def anchor(heading: str) -> str:
    """As code hosts make it: lower case, no punctuation, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    prose = BLOCK.sub("", page.read_text())
    found = []
    for link in LINK.findall(prose):
        if link.startswith(ELSEWHERE):
            continue
        path, _, name = link.partition("#")
        target = page.parent / path if path else page
        headings = {anchor(text) for text in HEADING.findall(target.read_text())} if name and target.exists() else set()
        if not target.exists() or (name and name not in headings):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One page\n[a](#one-page) [b](#two) [c](gone.md) [d](page.md#one-page)\n")
    assert broken(page) == ["#two", "gone.md"]
