"""The numbers that docs/counterexamples.md asks a reader to follow by hand, computed again from its formulas."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "counterexamples.md").read_text()
MU = 0.1
TABLE = re.compile(r"\| after task (\d+): worker \|.*?\n\|[- |]+\|\n((?:\|.*\n)+)")
SECTIONS = {
    "loser-raises.json": "## A loser raises",
    "winner-lowers.json": "## A winner lowers",
    "profitable-lie.json": "## A lie that pays",
}


class Entry(NamedTuple):
    """One line of a table."""

    task: int
    worker: int
    price: int
    right: str
    high: str
    low: str
    ratio: str


def entries(example: str) -> list[Entry]:
    section = PAGE.split(SECTIONS[example])[1].split("\n## ")[0]
    found = []
    for task, lines in TABLE.findall(section):
        for line in lines.strip().splitlines():
            first, *numbers = (cell.strip() for cell in line.strip("|").split("|"))
            worker, price = re.fullmatch(r"(\d+), price (\d+)", first).groups()  # type: ignore[union-attr]
            found.append(Entry(int(task), int(worker), int(price), *numbers))
    return found


@pytest.mark.parametrize("example", list(SECTIONS))
def test_every_number_of_the_tables(example: str) -> None:
    given = json.loads((ROOT / "examples" / example).read_text())
    lines = entries(example)
    assert len(lines) >= 4
    for entry in lines:
        right = sum(given["realization"][entry.worker][: entry.task])
        radius = math.sqrt(math.log(2 * len(given["bids"]) / MU) / (2 * entry.task))
        share = float(Fraction(right, entry.task))
        high = 2 * min(1.0, max(0.5, share + radius)) - 1
        low = 2 * min(1.0, max(0.5, share - radius)) - 1
        recomputed = (str(right), f"{high:.3f}", f"{low:.3f}", f"{entry.price / high:.2f}")
        assert (entry.right, entry.high, entry.low, entry.ratio) == recomputed
        assert entry.price in [*given["bids"], *given["grid"]]


@pytest.mark.parametrize("example", list(SECTIONS))
def test_the_page_states_the_example_as_it_is(example: str) -> None:
    given = json.loads((ROOT / "examples" / example).read_text())
    section = PAGE.split(SECTIONS[example])[1].split("\n## ")[0]
    stated = [str(bid) if at != given["vary"] else "b" for at, bid in enumerate(given["bids"])]
    assert f"Bids ({', '.join(stated)})" in section
    assert f"M = {str(given['requirement']).lstrip('0')}" in section
    assert f"T = {given['horizon']}" in section
    assert f"examples/{example}" in section
    assert (given["mu"], given["policy"], given["selector"]) == (MU, "ccb-s", "greedy")
