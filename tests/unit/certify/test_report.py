"""The report: one self-contained page that says everything, and takes nothing from the data as markup."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from quorate.certify import Pick, pick, report_html, write_report
from quorate.certify.charts import Quality, Spot, frontier_chart, quality_chart, shade_key
from quorate.certify.svg import CHARACTER

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Tags(HTMLParser):
    """Every tag closed in order, none that loads or runs anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def made(workers: int = 6, tasks: int = 300, names: list[str] | None = None, **options: object) -> Pick:
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, tasks)
    right = random.random((tasks, workers)) < np.linspace(0.95, 0.6, workers)
    labels = np.where(right, truth[:, None], 1 - truth[:, None]).astype(float)
    labels[0, 0] = np.nan
    prices = dict(zip(names or map(str, range(workers)), range(200, 200 - workers, -1), strict=True))
    return pick(labels, truth, prices, workers=names, **options)  # type: ignore[arg-type]


CASES = {
    "a jury": {"target": 0.8},
    "a refusal": {"target": 0.99},
    "independent": {"target": 0.8, "assume": "independent"},
    "weighted": {"target": 0.8, "vote": "weighted"},
    "independent and weighted": {"target": 0.99, "assume": "independent", "vote": "weighted"},
    "one worker": {"target": 0.8, "workers": 1},
    "many workers": {"target": 0.8, "workers": 40, "max_size": 3},
    "next to no gold": {"target": 0.8, "tasks": 3},
}


@pytest.mark.parametrize("case", CASES)
def test_the_page_is_well_formed_and_self_contained(case: str, tmp_path: Path) -> None:
    found = made(**CASES[case])  # type: ignore[arg-type]
    write_report(found, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe", "object", "embed", "use", "image"}
    assert not {name for name in tags.attributes if name.startswith("on") or name in ("src", "href")}
    assert not re.search(r"url\(|@import|https?:|nan|inf\b", page.replace("information", ""))
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        ET.fromstring(drawing)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "width=device-width" in page


def test_it_says_what_a_manager_needs() -> None:
    page = report_html(made(target=0.8))
    for part in (
        "What this promise rests on",
        "What money buys",
        "How good each worker is",
        "Do their errors hang together?",
        "What more gold would buy",
        "How it was computed",
        "Nothing is assumed about how workers&#x27; errors hang together",
        "Of the answers 1 are missing",
        "independent votes",
    ):
        assert part in page, part


def test_a_refusal_names_the_best_and_what_gold_would_do() -> None:
    found = made(target=0.99)
    page = report_html(found)
    assert "No jury can be certified at 99%. The most that can be certified is" in page
    assert "not certified at 99%" in page


def test_a_promise_that_the_data_contradict_is_marked() -> None:
    random = np.random.default_rng(2)
    chance = np.where(random.random(600) < 0.3, 0.5, 0.97)
    right = (random.random((7, 600)) < chance).T
    found = pick(right.astype(int), np.ones(600), target=0.9, assume="independent")
    page = report_html(found)
    assert found.feasible
    assert "if errors were independent: they are not" in page
    assert "The data contradict independence" in page


def test_names_from_the_data_are_text() -> None:
    evil = ["<script>alert(1)</script>", 'a"onload="x', "<b>&", "d'", "\u202eright to left", "plain"]
    page = report_html(made(names=evil, target=0.6))
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.seen
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "&lt;b&gt;&amp;" in page


def copies_with_few_common_tasks(workers: int, common: int) -> Pick:
    """Two copies of each other that meet on so many tasks only; the others answer everything."""
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 300)
    right = random.random((300, workers)) < 0.7
    right[:, 1] = right[:, 0]
    labels = np.where(right, truth[:, None], 1 - truth[:, None]).astype(float)
    labels[150 + common :, 0] = labels[:150, 1] = np.nan
    return pick(labels, truth, target=0.6, max_size=1)


@pytest.mark.parametrize("workers", [4, 30])
def test_pairs_with_few_common_tasks_are_struck_through_and_not_denied(workers: int) -> None:
    page = report_html(copies_with_few_common_tasks(workers, common=12))
    assert "on 20 or more common tasks). Of 1 pair with fewer nothing is said." in page
    assert "Struck through: fewer than 20 common tasks, too few to tell." in page
    maps = re.findall(r"<svg [^>]*chart map.*?</svg>", page)
    for drawing in maps:
        if workers == 4:
            assert drawing.count("<line") == drawing.count('class="few" fill-opacity') == 2
            assert "<title>1 and 0: 12 common tasks, too few to tell</title>" in drawing
        else:
            struck = re.findall(r'<path d="([^"]*)" class="few"', drawing)
            assert len(struck) == 1
            assert struck[0].count("l") == 2


def test_pairs_with_enough_common_tasks_are_named_and_none_is_struck_through() -> None:
    page = report_html(copies_with_few_common_tasks(4, common=20))
    assert "1 pair is nearly one worker (correlation of errors of 0.8 or more on 20 or more common tasks)" in page
    assert "Struck through" not in page
    assert 'class="few"' not in page


@pytest.mark.parametrize("workers", [19, 40])
def test_every_row_of_the_map_has_a_number_in_the_picture_or_a_name_and_a_list_says_whose(workers: int) -> None:
    names = [f"GPT-4/Metrics_Reference_{i}@ba" for i in range(workers)]
    page = report_html(made(workers=workers, tasks=60, names=names, target=0.6, max_size=1))
    listed = re.findall(r"<li>(.*?)</li>", page)
    assert sorted(listed) == sorted(names)
    maps = re.findall(r"<svg [^>]*chart map.*?</svg>", page)
    assert len(maps) == (2 if workers <= 24 else 1)
    for drawing in maps:
        if workers <= 24:
            assert all(re.search(rf"{i + 1}</text>", drawing) for i in range(workers))
        else:
            hints = re.findall(r'class="row"><title>(.*?)</title>', drawing)
            assert hints == [f"row {i + 1}: {name}" for i, name in enumerate(listed)]


def test_a_phone_shows_each_workers_whole_name_and_numbers() -> None:
    names = [f"GPT-4/Metrics_Reference_{i}@ba" for i in range(6)]
    page = report_html(made(names=names, target=0.8))
    narrow = re.findall(r'<div class="narrow">(<svg [^>]*Accuracy of each worker.*?</svg>)', page)[0]
    for name in names:
        assert f">{name}</text>" in narrow
    assert len(re.findall(r">\d+\.\d% of \d+</text>", narrow)) == 6


@pytest.mark.parametrize("lowest", [0.3, 0.6, 0.9])
def test_no_label_of_an_axis_of_shares_is_cut_off(lowest: float) -> None:
    worker = Quality("a", lowest, 0.95, 1.0, 300, chosen=False)
    for drawing in re.findall(r"<svg.*?</svg>", quality_chart([worker])):
        width = float(re.findall(r'viewBox="0 0 (\d+)', drawing)[0])
        labels = re.findall(r'<text x="([\d.]+)" y="[\d.]+" class="tick" text-anchor="middle">([\d.]+%)<', drawing)
        assert len(labels) >= 2
        for x, label in labels:
            half = len(label) * CHARACTER / 2
            assert half <= float(x) <= width - half, label


def test_the_targets_label_keeps_away_from_the_chosen_jury() -> None:
    cheap = frontier_chart([Spot(1.0, 0.82, "a", 1), Spot(9.0, 0.9, "b", 1)], [], Spot(1.0, 0.82, "a", 1), 0.8)
    dear = frontier_chart([Spot(1.0, 0.7, "a", 1), Spot(9.0, 0.82, "b", 1)], [], Spot(9.0, 0.82, "b", 1), 0.8)
    assert 'class="targetlabel" text-anchor="end"' in cheap
    assert 'class="targetlabel" text-anchor="start"' in dear


def test_no_colour_of_the_key_touches_the_next_and_the_palest_has_an_edge() -> None:
    key = shade_key()
    left = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', key)]
    assert all(right - here >= 37 for here, right in pairwise(left))
    assert key.count('class="swatch ') == len(left) == 8


def test_a_page_of_many_workers_stays_small() -> None:
    assert len(report_html(made(workers=120, tasks=100, target=0.6, max_size=1))) < 1_000_000
