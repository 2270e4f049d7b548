"""By keyboard alone; and pages that follow what happens elsewhere, without being loaded again."""

from datetime import datetime, timedelta, timezone

import pytest
from playwright.sync_api import expect

from quorate.campaign.settings import PaymentRule, PolicyRule
from tests.browser import played
from tests.browser.conftest import Visitors
from tests.browser.people import Person
from tests.browser.site import OPERATOR, Site

FOCUSED = "() => { const e = document.activeElement; return (e.labels?.[0] ?? e).innerText.trim().split('\\n')[0]; }"
MOST_STEPS = 60


def tab_to(one: Person, words: str) -> list[str]:
    """Press the tabulator until the element with these words has the focus; all that had it on the way."""
    passed: list[str] = []
    while not passed or passed[-1] != words:
        assert len(passed) < MOST_STEPS, passed
        one.page.keyboard.press("Tab")
        passed.append(one.page.evaluate(FOCUSED))
    return passed


def test_a_draft_by_keyboard_alone(person: Visitors, site: Site) -> None:
    operator = person()
    operator.enter(f"{site.address}/enter#{OPERATOR}")
    page = operator.page
    assert tab_to(operator, "New campaign")[0] == "To the content"
    with page.expect_navigation():
        page.keyboard.press("Enter")
    order = tab_to(operator, "Title")
    page.keyboard.type("By keyboard")
    order += tab_to(operator, "Draft the campaign")
    fields = [
        "Title",
        "First answer",
        "Second answer",
        "Tasks in all",
        "Highest bid for one answer",
        "Draft the campaign",
    ]
    assert [words for words in order if words in fields] == fields
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert operator.heading() == "Your campaign is drafted"
    assert page.get_by_label("Your link").input_value().startswith(site.address)


def test_the_skip_link_leads_past_the_header(person: Visitors, site: Site) -> None:
    one = person()
    page = one.enter(played.bidding(site).requester)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="To the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.querySelector('main').contains(document.activeElement)")
    assert inside


def test_the_focus_is_seen(person: Visitors, site: Site) -> None:
    one = person()
    page = one.enter(played.bidding(site).requester)
    for _ in range(12):
        page.keyboard.press("Tab")
        style, width = page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]; })()"
        )
        assert (style, width) == ("solid", "3px")


def test_answers_by_four_keys(person: Visitors, site: Site) -> None:
    run = played.exploring(site, tasks=4)
    worker = person()
    page = worker.enter(run.workers[0])
    for key in ("1", "0", "ArrowRight", "ArrowLeft"):
        with page.expect_navigation():
            page.keyboard.press(key)
    assert worker.heading() == "All done for now"
    given = [site.service.task(run.name, task).answers[0] for task in range(4)]
    assert given == [1, 0, 1, 0]


def test_the_dashboard_follows_without_being_loaded_again(person: Visitors, site: Site) -> None:
    run = played.exploring(site, tasks=2)
    one = person()
    page = one.enter(run.requester)
    expect(page.locator("#pulse")).to_have_text("live")
    page.evaluate("window.stayed = true")
    expect(page.locator("[data-part=tiles]")).to_contain_text("0 of 600")
    run.answer_all()
    expect(page.locator("[data-part=tiles]")).to_contain_text("2 of 600")
    expect(page.locator("[data-part=next]")).to_contain_text("say what was right in 2 tasks")
    run.explore()
    expect(page.locator("[aria-current=step]")).to_have_text("Working")
    expect(page.locator("[data-part=jury]")).to_contain_text("why no cheaper one")
    run.close()
    expect(page.locator("[aria-current=step]")).to_have_text("Closed")
    expect(page.locator("[data-part=plan]")).to_contain_text("planned for all of them")
    expect(page.locator("#pulse")).to_have_text("closed")
    expect(page.locator("[data-part=workers]")).to_contain_text("took part")
    expect(page.locator("[data-part=workers]")).not_to_contain_text("stands by")
    expect(page.locator("[data-part=tiles]")).to_contain_text("A task cost on average")
    assert page.evaluate("window.stayed") is True


def test_the_dashboard_leaves_what_is_under_somebodys_hands(person: Visitors, site: Site) -> None:
    run = played.bidding(site)
    one = person()
    page = one.enter(run.requester)
    expect(page.locator("#pulse")).to_have_text("live")
    page.get_by_text("Close the bidding", exact=True).click()
    button = page.get_by_role("button", name="Close the bidding for good")
    button.focus()
    site.service.enrol(run.name, "Ivo")
    expect(page.locator("[data-part=news]")).to_contain_text("Ivo was invited")
    expect(button).to_be_focused()
    expect(page.locator("[data-part=next]")).to_contain_text("8 of 8")
    button.blur()
    expect(page.locator("[data-part=next]")).to_contain_text("8 of 9")


def test_a_worker_is_shown_the_next_task_by_itself(person: Visitors, site: Site) -> None:
    run = played.bidding(site)
    worker = person()
    page = worker.enter(run.workers[0])
    page.get_by_label("New price").fill("0.5")
    expect(page.locator("h1")).to_have_text("Your bid is sealed")
    run.close_auction()
    expect(page.locator("h1")).to_have_text("No task for you right now")
    run.post(1)
    expect(page.locator("h1")).to_have_text("Is there a ship in picture 0?")


def test_a_plan_without_a_certified_jury_says_so_first(person: Visitors, site: Site) -> None:
    run = played.opened(site, target=0.99, horizon=50).enrol().close_auction()
    one = person()
    one.enter(run.requester)
    one.settle()
    expect(one.page.locator("[data-part=plan] .warned")).to_contain_text("In none of 6 simulated campaigns")


def test_a_worker_outside_the_jury_is_told_that_others_are_asked(person: Visitors, site: Site) -> None:
    run = played.exploiting(site).post(1)
    asked = set(site.service.task(run.name, site.service.status(run.name).posted - 1).workers)
    pool = {worker.worker for worker in site.service.workers(run.name) if worker.in_pool}
    by, outside = person(), person()
    by.enter(run.workers[min(pool - asked)])
    assert by.heading() == "The campaign asks others now"
    assert "only if one of them drops out" in by.read()
    assert "You have earned" in by.read()
    for worker in pool - {min(pool - asked)}:
        site.service.withdraw(run.name, worker)
    by.page.reload()
    assert by.heading() == "Nobody is asked at the moment"
    outside.enter(run.workers[-1])
    assert outside.heading() == "You are not asked in this campaign"


@pytest.mark.parametrize("payment", ["threshold", "randomised", "pay-as-bid"])
def test_a_worker_reads_where_the_true_price_need_not_be_the_best_bid(
    person: Visitors, site: Site, payment: str
) -> None:
    rules = {"policy": PolicyRule("ccb-ns"), "payment": PaymentRule(payment), "accept_untruthful": True}
    worker = person()
    worker.enter(played.bidding(site, **rules).workers[0])
    shown = worker.read()
    assert "Your true price need not be the best bid" in shown
    assert "nobody has proved that your true price is your best bid" in shown
    assert "cannot raise your pay" not in shown
    assert "makes your true price" not in shown


def test_times_are_the_readers_own_and_utc_without_script(person: Visitors, site: Site) -> None:
    run = played.exploring(site, tasks=1)
    script, none = person(timezone_id="Asia/Kolkata"), person(java_script_enabled=False)
    script.enter(run.requester)
    none.go("/enter").get_by_label("Link or token").fill(run.requester)
    none.press("Come in")
    first = none.page.locator("[data-part=news] time").first
    at = datetime.fromisoformat(first.get_attribute("datetime") or "")
    assert first.inner_text() == f"{at:%d %b %H:%M} UTC"
    shown = script.page.locator("[data-part=news] time").first
    kolkata = timezone(timedelta(hours=5, minutes=30))
    expect(shown).to_have_text(f"{at.astimezone(kolkata):%d %b %H:%M}")
    run.post(1)
    expect(script.page.locator("[data-part=news]")).to_contain_text("Task t1 was posted")
    assert not any("UTC" in text for text in script.page.locator("[data-part=news] time").all_inner_texts())
    script.go(f"/c/{run.name}/ledger")
    expect(script.page.locator("time").first).to_contain_text("GMT+5:30")


def test_the_points_of_a_column_of_amounts_stand_below_each_other(person: Visitors, site: Site) -> None:
    run = played.exploiting(site)
    requester = person()
    requester.enter(run.requester)
    for path, column in (("/pay", "Earned (EUR)"), ("/workers", "Bid (EUR)"), ("/workers", "Earned (EUR)")):
        page = requester.go(f"/c/{run.name}{path}")
        assert page.get_by_role("columnheader", name=column).count() == 1
        amounts = page.locator(f"td[data-of='{column}']").all_inner_texts()
        assert len(amounts) > 2
        assert len({len(amount.partition(".")[2]) for amount in amounts}) == 1, amounts
