"""Long lists on the pages: found by kind and by key, in parts."""

import re
from collections.abc import Iterator

import pytest

from quorate.web.pages import mount
from quorate.web.pages.turning import IN_TIME, Part
from tests.web.pages import requester
from tests.web_api import Api, Run

KEY = re.compile(r'<th scope="row">(t[0-9]+)</th>')
TABLE = "<h2>120 tasks</h2>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("lists"), pages=mount) as made:
        yield made


@pytest.fixture(scope="module")
def many(site: Api) -> Run:
    """120 tasks: everybody has answered the first four, and of two of them the truth is known."""
    run = site.auction().close_auction().tasks(120)
    answers = [{"task": f"t{at}", "worker": worker, "label": 1} for at in range(4) for worker in range(4)]
    run.post("/answers", {"answers": answers})
    run.post("/truths", {"truths": [{"task": "t0", "truth": 1}, {"task": "t1", "truth": 0}]})
    return run


def keys(run: Run, asked: str) -> list[str]:
    return KEY.findall(requester(run).get(f"/c/{run.name}/tasks{asked}").partition(TABLE)[2])


def test_tasks_stand_in_parts_with_a_way_to_the_latest(many: Run) -> None:
    shown = requester(many).get(f"/c/{many.name}/tasks?after=50")
    assert "51 to 100 of 120" in shown
    assert f'<a class="button" href="/c/{many.name}/tasks?after=100#list">Latest</a>' in shown
    assert keys(many, "?after=100") == [f"t{at}" for at in range(100, 120)]


def test_tasks_are_found_by_kind(many: Run) -> None:
    assert keys(many, "?kind=awaited") == ["t2", "t3"]
    assert keys(many, "?kind=wrong") == ["t1"]
    assert keys(many, "?kind=uncertified") == ["t0", "t1", "t2", "t3"]
    assert len(keys(many, "?kind=nothing-of-ours")) == 50


def test_tasks_are_found_by_a_part_of_their_key(many: Run) -> None:
    assert keys(many, "?key=T11") == ["t11", *(f"t{at}" for at in range(110, 120))]
    assert keys(many, "?kind=wrong&key=t0") == []
    assert "None whose key holds “no<such>”" in requester(many).get(f"/c/{many.name}/tasks?key=no%3Csuch%3E")


def test_what_was_asked_for_stays_from_part_to_part(many: Run) -> None:
    shown = requester(many).get(f"/c/{many.name}/tasks?key=t&kind=all")
    assert f"/c/{many.name}/tasks?kind=all&key=t&after=50" in shown


def test_workers_begin_with_those_who_are_asked(site: Api) -> None:
    run = site.draft(policy={"name": "assured", "pool": 2}).open().enrol(("9", "8", "1", "2")).close_auction()
    names = re.findall(r'<th scope="row">(w\d)</th>', requester(run).get(f"/c/{run.name}/workers"))
    assert names == ["w2", "w3", "w0", "w1"]


def test_a_part_says_where_it_is_and_leads_on() -> None:
    assert Part(0, 50, 50).turns == []
    assert Part(0, 50, 51, IN_TIME).turns == [("Later", 50), ("Latest", 50)]
    assert Part(100, 50, 120).turns == [("First", 0), ("Previous", 50)]
    assert (Part(100, 50, 120).first, Part(100, 50, 120).last) == (101, 120)
    assert Part(0, 50, 0).turns == []
    assert list(Part(2, 2, 5).of(range(5))) == [2, 3]
