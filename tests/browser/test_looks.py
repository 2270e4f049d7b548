"""What holds for every page: in light and dark, on a desk and on a phone, for eyes and for a screen reader."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.browser.conftest import Visitors
from tests.browser.people import DESK, PHONE
from tests.browser.site import Site
from tests.browser.tour import stops

MEASURE = (Path(__file__).parent / "measure.js").read_text("utf-8")
# WCAG 2.2, 1.4.3, for text of every size.
CONTRAST = 4.5


LOOKS = (("light", "light", DESK), ("dark", "dark", DESK), ("phone", "light", PHONE))
# Hidden parts are opened: what stands in them is held to the same.
OPENED = "(open) => document.querySelectorAll('details').forEach((one) => { one.open = open; })"


def test_every_page_in_light_in_dark_and_on_a_phone(person: Visitors, site: Site) -> None:
    wrong = {}
    for stop in stops(site):
        one = person(viewport=DESK)
        stop.visit(one)
        for name, scheme, viewport in LOOKS:
            one.page.emulate_media(color_scheme=scheme)
            one.page.set_viewport_size(viewport)
            one.picture(f"{stop.name}-{name}")
            one.page.evaluate(OPENED, True)
            wrong[stop.name, name] = judged(one.page.evaluate(MEASURE))
            one.page.evaluate(OPENED, False)
        one.leave()
    assert {name: said for name, said in wrong.items() if said} == {}
    assert len(wrong) > len(LOOKS)


def judged(found: dict[str, Any]) -> list[str]:
    """Everything that is wrong with a page, in words."""
    wrong = [f"too pale ({text['ratio']:.2f}): {text['said']}" for text in found["texts"] if text["ratio"] < CONTRAST]
    wrong += [f"no label: {field}" for field in found["unlabelled"]]
    wrong += [f"no name: {action}" for action in found["unnamed"]]
    wrong += [f"too small to hit: {action}" for action in found["small"]]
    wrong += [f"from elsewhere: {address}" for address in found["foreign"]]
    headings = found["headings"]
    if headings.count(1) != 1 or headings[0] != 1:
        wrong.append(f"not one first heading at the top: {headings}")
    wrong += [
        f"a heading of level {after} after one of {before}"
        for before, after in pairwise(headings)
        if after > before + 1
    ]
    if found["wide"] > 0:
        wrong.append(f"scrolls sideways by {found['wide']} pixels")
    if found["landmarks"] != [1, 1] or found["language"] != "en" or not found["title"]:
        wrong.append(f"no header and main, language or title: {found['landmarks']}, {found['title']!r}")
    if len(set(found["ids"])) != len(found["ids"]):
        wrong.append(f"ids that are given twice: {sorted(found['ids'])}")
    if found["unheaded"]:
        wrong.append(f"{found['unheaded']} columns without a heading")
    if not found["texts"]:
        wrong.append("nothing is shown")
    return wrong


BAD = """<html><head></head><body><h2>Second</h2><p style="color: #999">pale</p><input><button></button>
<details><summary style="height: 21px">small</summary></details>
<p style="width: 3000px">wide</p><p id="a">a</p><p id="a">b</p>
<table><thead><tr><th></th></tr></thead></table></body></html>"""


def test_the_measure_finds_what_is_wrong(person: Visitors) -> None:
    one = person(viewport=PHONE)
    one.page.set_content(BAD)
    found = judged(one.page.evaluate(MEASURE))
    beginnings = ["too pale", "no label", "no name", "too small", "not one first", "scrolls", "no header", "ids"]
    beginnings.append("1 columns")
    assert [begin for begin in beginnings if not any(said.startswith(begin) for said in found)] == []
