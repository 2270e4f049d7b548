"""A study's summary: what varies names the lines, and money is in units."""

import polars as pl

from quorate.lab.cell import sample_row
from quorate.lab.study_file import parse_study
from quorate.lab.summary import summarise
from quorate.lab.table import frame, schema

TWO_CAPS_OF_WORLDS = """
samples = 1
[problem]
horizon = 20
{cap}
[[world]]
kind = "paper"
workers = 80
[[world]]
kind = "beta"
workers = 5
highest_price = 12.5
[[policy]]
name = "ccb-s"
"""


def summary(cap: str) -> pl.DataFrame:
    study = parse_study(TWO_CAPS_OF_WORLDS.format(cap=cap))
    rows = [sample_row(cell, sample) for cell in study.cells() for sample in range(cell.first, cell.last)]
    return summarise(frame(rows, schema(study)))


def test_a_cap_that_comes_from_the_worlds_is_no_part_of_the_promise() -> None:
    assert summary("")["promise"].unique().to_list() == [""]


def test_a_cap_that_the_study_varies_is_told_in_units() -> None:
    assert summary("cap = [30, 40.5]")["promise"].to_list() == ["cap=30.0", "cap=40.5"] * 2
