"""One campaign from its draft to its end, as its people live it: every step through a page, in a browser of their own.

What only repeats (answers to the tasks that teach) is sent through the service.
"""

import csv
import io
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.people import Person
from tests.browser.played import NAMES, Played
from tests.browser.site import OPERATOR, Site

HORIZON = 40
BIDS = ("0.213171", "0.430719", "0.615239", "0.671313")
PEOPLE = NAMES[: len(BIDS)]
# Tasks whose right answer is known: enough of them that the jury is chosen while they are answered.
GOLD = 30


def test_a_campaign_from_draft_to_close(person: Visitors, site: Site, tmp_path: Path) -> None:
    requester = person()
    name = draft(requester)
    opened(requester)
    workers = invite(requester, person)
    for worker, price in zip(workers, BIDS, strict=True):
        bid(worker, price)
    close_the_bidding(requester)
    post_by_hand(requester)
    answer_by_click_and_key(workers)
    give_truths(requester)
    explore(requester, Played(site, name, "", ""), tmp_path)
    the_jury_and_why(requester)
    payouts(requester)
    close(requester)
    verify_coins(workers[0])
    audit(requester, person)
    downloads(requester)


def draft(requester: Person) -> str:
    """The plan stands beside the form, and follows it. Returns the campaign's name."""
    page = requester.enter(f"{requester.address}/enter#{OPERATOR}")
    assert requester.heading() == "Campaigns"
    page.get_by_role("link", name="New campaign").click()
    plan = page.locator("#plan")
    expect(plan).to_contain_text("in all")
    first = plan.locator(".big").inner_text()
    page.get_by_label("Tasks in all").fill("20000")
    expect(plan.locator(".big")).not_to_have_text(first)
    more = plan.locator(".big").inner_text()
    assert number(more) > number(first)
    page.get_by_label("Workers who will bid").fill("a few")
    expect(plan).to_contain_text("“Workers who will bid” is not a whole number")
    requester.picture("new-with-plan")
    page.get_by_label("Workers who will bid").fill("4")
    page.get_by_label("Title").fill("Is there a ship?")
    page.get_by_label("First answer").fill("no ship")
    page.get_by_label("Second answer").fill("ship")
    page.get_by_label("Tasks in all").fill(str(HORIZON))
    page.get_by_label("Target").fill("0.7")
    page.get_by_label("Confidence").fill("0.8")
    page.get_by_label("Currency").fill("EUR")
    page.get_by_label("Payment").select_option("randomised")
    requester.press("Draft the campaign")
    assert requester.heading() == "Your campaign is drafted"
    assert "/enter#qr_" in page.get_by_label("Your link").input_value()
    page.get_by_role("link", name="To the campaign").click()
    return page.url.rsplit("/", 1)[-1]


def number(shown: str) -> float:
    return float(re.sub(r"[^0-9.]", "", shown))


def opened(requester: Person) -> None:
    assert "Next: open the campaign" in requester.read()
    requester.press("Open the campaign")
    assert "Next: invite workers" in requester.read()


def invite(requester: Person, person: Visitors) -> list[Person]:
    """Every worker follows a link of their own."""
    page = requester.page
    page.get_by_role("link", name="Workers", exact=True).click()
    page.get_by_label("Names, one a line").fill("\n".join((*PEOPLE, PEOPLE[0])))
    requester.press("Make their links")
    links = [page.get_by_label(name, exact=True).input_value() for name in PEOPLE]
    assert len(set(links)) == len(PEOPLE)
    workers = [person() for _ in links]
    for worker, link in zip(workers, links, strict=True):
        worker.enter(link)
        assert worker.heading() == "Keep this link"
        worker.page.get_by_role("link", name="I have kept it, go on").click()
        assert worker.heading() == "What is your price?"
    return workers


def bid(worker: Person, price: str) -> None:
    assert "Why your true price is the best bid" in worker.read()
    worker.page.get_by_label("Price for one answer").fill(price)
    worker.press("Seal the bid")
    assert worker.heading() == "Your bid is sealed"
    assert price in worker.read()


def close_the_bidding(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Overview").click()
    expect(page.locator("#live")).to_contain_text("4 of 4 invited workers have placed a sealed bid")
    page.get_by_text("Close the bidding", exact=True).click()
    assert "4 of 4 invited workers have bid. After this nobody can join" in requester.read()
    requester.press("Close the bidding for good")
    assert "Exploring: everybody in the pool is asked" in requester.read()


def post_by_hand(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Tasks", exact=True).click()
    page.get_by_label("Questions, one a line").fill('a1, Is there a ship in picture 1?\na2, "Here, a ship?"')
    requester.press("Post tasks")
    assert "2 taken: a1 to a2." in requester.read()
    assert "Here, a ship?" in requester.read()


def answer_by_click_and_key(workers: list[Person]) -> None:
    """The first task by a click, the second by a key: 1 says ship, 0 says no ship."""
    for worker in workers:
        expect(worker.page.locator("h1")).to_have_text("Is there a ship in picture 1?")
        with worker.page.expect_navigation():
            worker.page.get_by_role("button", name="ship").last.click()
        expect(worker.page.locator("h1")).to_have_text("Here, a ship?")
        assert "Saved." in worker.read()
        worker.page.keyboard.press("0")
        expect(worker.page.locator("h1")).to_have_text("All done for now")


def give_truths(requester: Person) -> None:
    """One by its button, one as a line; the verdict is not shown where it could lead."""
    page = requester.page
    page.goto(page.url)
    assert "What was right?" in requester.read()
    requester.press("ship is right for a1")
    assert "Taken: the campaign learns from it." in requester.read()
    page.get_by_label("Right answers, one a line").fill("a2, no ship")
    requester.press("Give truths")
    assert "1 taken." in requester.read()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="a2"))
    assert "no ship" in row.inner_text()
    assert "as the verdict" in row.inner_text()


def explore(requester: Person, played: Played, folder: Path) -> None:
    """Tasks from a file, with their right answers; everybody answers them rightly."""
    file = folder / "tasks.jsonl"
    lines = (
        f'{{"key": "g{at}", "question": "Is there a ship in picture g{at}?", "gold": "ship"}}' for at in range(GOLD)
    )
    file.write_text("\n".join(lines), "utf-8")
    requester.page.get_by_label("or a file, CSV or JSON lines").first.set_input_files(file)
    requester.press("Post tasks")
    assert f"{GOLD} taken: g0 to g{GOLD - 1}." in requester.read()
    played.answer_all(wrongly=False)


def the_jury_and_why(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Overview").click()
    expect(page.locator("[aria-current=step]")).to_have_text("Working")
    shown = requester.read()
    assert "The promise is being kept" in shown
    assert "The first ones were everybody's in the pool" in shown
    assert "The jury, and why no cheaper one" in shown
    assert "No cheaper jury of the 4 workers left can be certified" in shown
    assert "32 of 40" in shown.replace("\n", " ")
    expect(page.locator("[data-part=plan]")).to_contain_text("planned for all of them")
    assert page.locator("[data-part=workers] .range").count() == len(PEOPLE)
    requester.picture("exploiting")


def payouts(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Pay", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile("^Order ")).click()
    assert "Payouts are ordered." in requester.read()
    first = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=PEOPLE[0]))
    first.get_by_label("Your reference").fill("transfer 17")
    with page.expect_navigation():
        first.get_by_role("button", name="Mark as paid").click()
    assert "transfer 17" in first.inner_text()
    assert "paid" in first.inner_text()
    assert first.get_by_role("button").count() == 0


def close(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Overview").click()
    page.get_by_text("Close the campaign", exact=True).click()
    requester.press("Close the campaign for good")
    assert "The promise was kept" in requester.read()
    assert "the coins are revealed" in requester.read()


def verify_coins(worker: Person) -> None:
    """Idle since its last answer, the worker's page has found out by itself."""
    expect(worker.page.locator("h1")).to_have_text("The campaign is closed")
    worker.page.get_by_role("link", name="See your pay").click()
    assert "Your coins are the ones that were fixed before the bids" in worker.read()
    assert "final" in worker.read()
    worker.page.get_by_text("Compute it yourself").click()
    recipe = worker.page.locator("pre").inner_text().splitlines()
    found: dict[str, object] = {}
    exec(recipe[0], found)
    assert eval(recipe[1], found) is True
    seen, _ = eval(recipe[2], found)
    row = worker.page.locator("dl.facts > div").filter(has_text="What the campaign saw as your bid")
    assert row.inner_text().split("\n")[-1].startswith(f"{seen / 1e6:.6f}".rstrip("0"))


def audit(requester: Person, person: Visitors) -> None:
    page = requester.page
    page.get_by_role("link", name="Workers", exact=True).click()
    page.get_by_label("Name", exact=True).fill("auditor")
    requester.press("Make the link")
    auditor = person()
    auditor.enter(page.get_by_label("auditor", exact=True).input_value())
    assert auditor.heading() == "Ledger"
    auditor.press("Check and replay")
    shown = auditor.read()
    assert "Intact, and everything follows" in shown
    assert "the revealed seed fits its hash, and gives every bonus" in shown
    with auditor.page.expect_download() as download:
        auditor.page.get_by_role("link", name="Export").click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert f"{len(lines):,} events" in shown


def downloads(requester: Person) -> None:
    page = requester.page
    page.get_by_role("link", name="Overview").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Verdicts (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert len(rows) == GOLD + 2
    assert [row["verdict"] for row in rows[:2]] == ["ship", "no ship"]
    page.get_by_role("link", name="Pay", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("CSV")).click()
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert {line["while"] for line in lines} == {"exploring", "working"}
