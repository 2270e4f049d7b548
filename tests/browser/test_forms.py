"""Forms: a wrong one gets one clear sentence and keeps what was typed; all work without script; signing out."""

import re
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import played
from tests.browser.conftest import Visitors
from tests.browser.people import PHONE, Person
from tests.browser.site import OPERATOR, Site

STAMPS = "all => all.map((time) => time.dateTime)"


def wrong(one: Person, button: str) -> str:
    """Send the form; what is said of it, which must be one thing."""
    one.expect(422)
    one.press(button)
    said = one.page.get_by_role("alert")
    assert said.count() == 1
    return said.inner_text()


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("Target", "1.5", "“Target” 1.5 is not above 1/2 and below 1"),
        ("Target", "95", "“Target”: 95 is a percentage; write 0.95"),
        ("Hours to answer a task", "0", "“Hours to answer a task” 0 is not above 0"),
        ("Confidence", "very", "“Confidence” is not a number; give one such as 0.95"),
        ("Tasks in all", "10k", "“Tasks in all” is not a whole number; give one such as 10000"),
        ("Highest bid for one answer", "-1", "is negative"),
        ("First answer", "yes", "are not two different words"),
    ],
)
def test_a_wrong_draft_keeps_what_was_typed(person: Visitors, site: Site, field: str, typed: str, said: str) -> None:
    operator = person(java_script_enabled=False)
    enter_by_hand(operator, OPERATOR)
    page = operator.go("/new")
    page.get_by_label("Title").fill("A title that was typed")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.get_by_label(field).first.fill(typed)
    assert said in wrong(operator, "Draft the campaign")
    assert page.get_by_label("Title").input_value() == "A title that was typed"
    assert page.get_by_label(field).first.input_value() == typed
    assert site.service.campaigns() == []


def test_wrong_tasks_and_truths_keep_what_was_typed(person: Visitors, site: Site, tmp_path: Path) -> None:
    run = played.exploring(site)
    requester = person()
    requester.enter(run.requester)
    page = requester.go(f"/c/{run.name}/tasks")
    lines = 'b1, Is it, perhaps, a ship?\nb2, "Is it?"'
    page.get_by_label("Questions, one a line").fill(lines)
    assert "line 1 has 4 columns" in wrong(requester, "Post tasks")
    assert page.get_by_label("Questions, one a line").input_value() == lines
    page.get_by_label("Right answers, one a line").fill("t0, boat")
    assert "neither 0 nor 1, nor “no ship” nor “ship”" in wrong(requester, "Give truths")
    assert page.get_by_label("Right answers, one a line").input_value() == "t0, boat"
    picture = tmp_path / "ship.png"
    picture.write_bytes(b"\x89PNG\r\n\xff\xfe")
    page.get_by_label("Right answers, one a line").fill("")
    page.get_by_label("or a file").first.set_input_files(picture)
    assert "not UTF-8 text" in wrong(requester, "Post tasks")
    assert site.service.status(run.name).posted == 4
    page.get_by_label("Questions, one a line").fill("t0, once more\nb3, a new one")
    requester.press("Post tasks")
    assert "1 taken: b3. Not taken: 1; it stands in the form below." in requester.read()
    assert "warned" in (page.get_by_role("status").first.get_attribute("class") or "")
    assert page.get_by_label("Questions, one a line").input_value() == "key,question\nt0,once more\n"


def test_a_file_of_awaited_truths_is_filled_in_and_taken_back(person: Visitors, site: Site, tmp_path: Path) -> None:
    run = played.exploring(site).answer_all()
    requester = person()
    requester.enter(run.requester)
    page = requester.go(f"/c/{run.name}/tasks")
    with page.expect_download() as download:
        page.get_by_role("link", name="All that are awaited").click()
    given = Path(download.value.path()).read_text("utf-8").splitlines()
    assert given[0] == "key,truth,question"
    filled = [given[0], *(line.replace(",,", ",ship,", 1) for line in given[1:3]), *given[3:]]
    file = tmp_path / "awaited.csv"
    file.write_text("\n".join(filled), "utf-8")
    page.get_by_label("or a file").last.set_input_files(file)
    requester.press("Give truths")
    assert "2 taken." in requester.read()
    assert site.service.status(run.name).truths == 2


def enter_by_hand(one: Person, token: str) -> None:
    """Without script a link's token is pasted."""
    one.go("/enter").get_by_label("Link or token").fill(token)
    one.press("Come in")


def test_everything_works_without_script(person: Visitors, site: Site) -> None:
    operator = person(java_script_enabled=False)
    enter_by_hand(operator, OPERATOR)
    page = operator.go("/new")
    page.get_by_label("Title").fill("No script")
    operator.press("Predict its cost")
    assert "in all; 6 simulated campaigns paid" in operator.read()
    assert page.get_by_label("Title").input_value() == "No script"
    operator.press("Draft the campaign")
    page.get_by_role("link", name="To the campaign").click()
    operator.press("Open the campaign")
    page.get_by_role("link", name="Invite workers").click()
    page.get_by_label("Names, one a line").fill("Ada")
    operator.press("Make their links")
    worker = person(java_script_enabled=False)
    enter_by_hand(worker, page.get_by_label("Ada").input_value())
    worker.page.get_by_role("link", name="I have kept it, go on").click()
    worker.page.get_by_label("Price for one answer").fill("0.75")
    worker.press("Seal the bid")
    page.get_by_role("link", name="Overview").click()
    assert operator.button("Close the bidding for good").count() == 0
    page.get_by_text("Close the bidding", exact=True).click()
    operator.press("Close the bidding for good")
    page.get_by_role("link", name="Simulate this campaign").click()
    assert operator.heading() == "Spend against plan"
    assert "planned for all of them" in operator.read()
    page.get_by_role("link", name="Tasks", exact=True).click()
    page.get_by_label("Questions, one a line").fill("Is it so?")
    operator.press("Post tasks")
    worker.page.reload()
    worker.press("yes")
    assert worker.heading() == "All done for now"
    operator.go(page.url)
    page.get_by_role("button", name=re.compile("^yes is right")).click()
    assert "Taken: the campaign learns from it." in operator.read()


def test_a_link_followed_where_the_entrance_is_open_comes_in(person: Visitors, site: Site) -> None:
    run = played.opened(site)
    one = person()
    one.go("/enter")
    one.enter(run.requester)
    assert one.heading() == played.SETTINGS.title
    assert "#" not in one.page.url


def test_what_to_expect_is_simulated_when_the_bidding_is_about_to_be_closed(person: Visitors, site: Site) -> None:
    run = played.bidding(site, target=0.9, confidence=0.95)
    requester = person()
    page = requester.enter(run.requester)
    requester.settle()
    assert "What the work is worth to its workers" in requester.read() or "No simulated campaign" in requester.read()
    assert page.get_by_text("Invite more before you close").count() == 0
    page.get_by_text("Close the bidding", exact=True).click()
    expect(page.get_by_text("Invite more before you close")).to_be_visible()


def test_signing_out_ends_it(person: Visitors, site: Site) -> None:
    run = played.bidding(site)
    one = person()
    page = one.enter(run.requester)
    inside = page.url
    one.press("Sign out")
    assert "You are signed out here." in one.read()
    assert one.context.cookies() == []
    one.expect(401)
    one.go(inside)
    assert one.heading() == "Come in"


def test_a_form_of_another_site_is_refused(person: Visitors, site: Site) -> None:
    """Without the mark that only this page knows, and with it but sent from elsewhere."""
    run = played.bidding(site)
    one = person()
    page = one.enter(run.requester)
    mark = page.locator("input[name=form_mark]").first.get_attribute("value") or ""
    address = f"{page.url}/close-auction"
    for form, headers in (({}, {}), ({"form_mark": mark}, {"Sec-Fetch-Site": "cross-site"})):
        answer = one.context.request.post(address, form=form, headers=headers)
        assert answer.status == 403
    assert site.service.status(run.name).stage == "auction"
    assert one.context.request.post(address, form={"form_mark": mark}).status == 200
    assert site.service.status(run.name).stage == "running"


def test_what_is_typed_is_shown_as_text(person: Visitors, site: Site) -> None:
    """Titles, names and questions are no HTML, wherever they stand."""
    run = played.opened(site, title="<img src=x onerror=alert(1)>")
    run.enrol(names=("<b>Ada</b>", *played.NAMES[1:])).close_auction().post(1)
    site.service.post_tasks(run.name, [played.commands.TaskSpec("<i>k</i>", "<script>alert(2)</script>")])
    requester = person()
    requester.enter(run.requester)
    for path in ("", "/workers", "/tasks", "/ledger"):
        page = requester.go(f"/c/{run.name}{path}")
        assert page.locator("main img, main b:text('Ada'), main i, main script").count() == 0
    worker = person()
    worker.enter(run.workers[0])
    assert "<img src=x" in worker.page.content().replace("&lt;", "<")
    assert worker.page.locator("main img").count() == 0


def test_on_a_phone_the_cost_is_seen_before_the_draft_is_sent(person: Visitors, site: Site) -> None:
    operator = person(viewport=PHONE)
    operator.enter(f"{site.address}/enter#{OPERATOR}")
    page = operator.go("/new")
    expect(page.locator("#plan")).to_contain_text("Then for all other tasks")
    top = {name: page.locator(name).bounding_box()["y"] for name in ("#payment", "#plan", "button.main")}
    assert top["#payment"] < top["#plan"] < top["button.main"]
    chosen = "e => { const c = document.createElement('canvas').getContext('2d'); c.font = getComputedStyle(e).font;"
    chosen += "return Math.max(...[...e.options].map((o) => c.measureText(o.text).width)) - e.clientWidth; }"
    for field in ("#payment", "#policy"):
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        assert page.locator(field).evaluate(chosen) < -40
    page.get_by_role("link", name="Campaigns").click()
    assert operator.heading() == "Campaigns"


def test_campaigns_are_listed_with_the_newest_first(person: Visitors, site: Site) -> None:
    """Their names are random: by name, six would stand in this order once in 720 times."""
    for at in range(6):
        site.service.draft(replace(played.SETTINGS, title=f"Campaign {at}"))
        time.sleep(0.002)
    operator = person()
    page = operator.enter(f"{site.address}/enter#{OPERATOR}")
    titles = [text.split("\n")[0] for text in page.locator("tbody th").all_inner_texts()]
    assert titles[:6] == [f"Campaign {at}" for at in range(5, -1, -1)]
    assert page.get_by_role("columnheader", name="Created").count() == 1
    times = [datetime.fromisoformat(stamp) for stamp in page.locator("tbody time").evaluate_all(STAMPS)]
    assert times == sorted(times, reverse=True)


def test_many_workers_stand_on_several_pages(person: Visitors, site: Site) -> None:
    run = played.opened(site)
    for at in range(30):
        site.service.enrol(run.name, f"worker {at}")
    requester = person()
    requester.enter(run.requester)
    page = requester.go(f"/c/{run.name}/workers")
    assert page.locator("tbody tr").count() == 25
    assert "1 to 25 of 30" in requester.read()
    page.get_by_role("link", name="Next", exact=True).click()
    assert page.locator("tbody th").all_inner_texts() == [f"worker {at}" for at in range(25, 30)]
    assert "26 to 30 of 30" in requester.read()


@pytest.mark.parametrize("script", [True, False])
def test_two_clicks_are_one(person: Visitors, site: Site, script: bool) -> None:
    operator = person(java_script_enabled=script)
    enter_by_hand(operator, OPERATOR)
    before = len(site.service.campaigns())
    page = operator.go("/new")
    page.get_by_label("Title").fill("Two clicks")
    twice(operator, "Draft the campaign")
    assert operator.heading() == "Your campaign is drafted"
    assert len(site.service.campaigns()) == before + 1
    run = played.exploring(site).answer_all()
    requester = person(java_script_enabled=script)
    enter_by_hand(requester, run.requester.rsplit("#", 1)[-1])
    page = requester.go(f"/c/{run.name}/tasks")
    posted = site.service.status(run.name).posted
    page.get_by_label("Questions, one a line").fill("Is it a ship?\nIs it a boat?")
    twice(requester, "Post tasks")
    assert f"2 taken: {posted} to {posted + 1}." in requester.read()
    page.reload()
    assert site.service.status(run.name).posted == posted + 2
    twice(requester, "ship is right for t0")
    assert "Taken: the campaign learns from it." in requester.read()


def twice(one: Person, button: str) -> None:
    """A double click; the browser sends the form again and shows the second answer."""
    with one.page.expect_navigation(wait_until="load"):
        one.button(button).dblclick()
    one.page.wait_for_load_state("networkidle")
