"""What pages say and do, without a browser."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from quorate.campaign.service import wall_clock
from quorate.campaign.tokens import Role
from quorate.web.pages import mount
from quorate.web.pages.draft_form import DEFAULTS
from quorate.web.pages.session import cookie_name
from tests.web.pages import Visitor, requester
from tests.web_api import OPERATOR, Api

LINK = re.compile(r"/enter#qr_worker_[0-9a-f]+")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("pages"), pages=mount) as made:
        yield made


def test_a_campaign_whose_time_for_bids_ran_out_offers_its_end(site: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    until = wall_clock() + 60_000
    run = site.draft(bids_until=until).open().tasks(2)
    home = f"/c/{run.name}"
    assert "Next: invite workers" in requester(run).get(home)
    monkeypatch.setattr("quorate.web.pages.frame.wall_clock", lambda: until + 1)
    assert "Next: close this campaign, and open another" in requester(run).get(home)
    closed = requester(run).send(f"{home}/close", requester(run).form(home, f"{home}/close"))
    assert closed.headers["location"] == f"{home}?done=closed"
    assert run.get("")["stage"] == "closed"


def test_tasks_sent_twice_are_posted_once_and_said_on_the_next_page(site: Api) -> None:
    run = site.auction()
    there, tasks = requester(run), f"/c/{run.name}/tasks"
    sent = {**there.form(tasks, tasks), "lines": "Is it a ship?\nIs it a boat?\n"}
    first, second = (there.send(tasks, sent) for _ in "12")
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    assert run.get("")["posted"] == 2
    assert "2 taken: 0 to 1." in there.get(first.headers["location"])
    again = {**there.form(tasks, tasks), "lines": sent["lines"]}
    assert "2 taken: 2 to 3." in there.get(there.send(tasks, again).headers["location"]), "another wish"


def test_what_was_refused_stays_in_the_form_and_sending_it_twice_takes_nothing_twice(site: Api) -> None:
    run = site.auction().tasks(1)
    there, tasks = requester(run), f"/c/{run.name}/tasks"
    sent = {**there.form(tasks, tasks), "lines": "t0, there already\nb, a new one\n"}
    for _ in "12":
        response = there.send(tasks, sent)
        assert response.status_code == 200
        assert "1 taken: b. Not taken: 1; it stands in the form below." in response.text
        assert "t0,there already" in response.text
    assert run.get("")["posted"] == 2


def test_a_form_sent_again_with_something_else_in_it_is_no_error_of_a_program(site: Api) -> None:
    run = site.auction()
    there, tasks = requester(run), f"/c/{run.name}/tasks"
    hidden = there.form(tasks, tasks)
    assert there.send(tasks, {**hidden, "lines": "a, one\n"}).status_code == 303
    response = there.send(tasks, {**hidden, "lines": "b, another\n"})
    assert response.status_code == 422
    assert "was sent before, with something else in it" in response.text
    assert "b, another" in response.text
    assert "idempotency" not in response.text


def test_truths_sent_twice_are_taken_once(site: Api) -> None:
    run = site.running()
    there, tasks = requester(run), f"/c/{run.name}/tasks"
    sent = {**there.form(tasks, f"/c/{run.name}/truths"), "lines": "t0, yes\nt1, no\n"}
    for _ in "12":
        response = there.send(f"/c/{run.name}/truths", sent)
        assert "2 taken." in there.get(response.headers["location"])


def test_a_second_click_on_a_truth_is_harmless_and_another_truth_is_not_taken(site: Api) -> None:
    run = site.running()
    run.post("/answers", {"answers": [{"task": "t0", "worker": at, "label": 1} for at in range(4)]})
    there, truth = requester(run), f"/c/{run.name}/truth"
    sent = there.form(f"/c/{run.name}/tasks", truth)
    for _ in "12":
        response = there.send(truth, {**sent, "label": "1"})
        assert (response.status_code, response.headers["location"]) == (303, f"/c/{run.name}/tasks?done=truth")
    assert there.send(truth, {**sent, "label": "0"}).status_code == 409
    assert run.get("/tasks/t0")["truth"] == 1


def test_a_second_click_on_paid_is_harmless_and_another_reference_is_not_taken(site: Api) -> None:
    run = site.running()
    run.post("/answers", {"answers": [{"task": "t0", "worker": 0, "label": 1}]})
    run.post("/payouts")
    there, confirm = requester(run), f"/c/{run.name}/confirm"
    sent = {**there.form(f"/c/{run.name}/pay", confirm), "reference": "transfer 17"}
    for _ in "12":
        response = there.send(confirm, sent)
        assert (response.status_code, response.headers["location"]) == (303, f"/c/{run.name}/pay?done=confirmed")
    assert there.send(confirm, {**sent, "reference": "transfer 18"}).status_code == 409


def test_a_draft_sent_twice_is_one_campaign_with_one_link(site: Api) -> None:
    operator = Visitor(site, None, OPERATOR)
    sent = {**DEFAULTS, **operator.form("/new", "/new"), "title": "once"}
    before = len(site.service.campaigns())
    first, second = (operator.send("/new", sent) for _ in "12")
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    assert len(site.service.campaigns()) == before + 1
    campaign = first.headers["location"].split("/")[2]
    tokens = {response.cookies[cookie_name(Role.REQUESTER)] for response in (first, second)}
    (token,) = tokens
    made = Visitor(site, Role.REQUESTER, token)
    assert f"/enter#{token}" in made.get(f"/c/{campaign}/drafted")
    site.service.open(campaign)
    made.get(f"/c/{campaign}/drafted", 303)
    changed = operator.send("/new", {**sent, "title": "twice"})
    assert changed.status_code == 422
    assert "was sent before, with something else in it" in changed.text
    another = {**DEFAULTS, **operator.form("/new", "/new"), "title": "once"}
    assert operator.send("/new", another).headers["location"] != first.headers["location"]


def test_workers_invited_twice_have_one_link_each_and_it_is_shown_again(site: Api) -> None:
    run = site.draft().open()
    there, invite = requester(run), f"/c/{run.name}/invite"
    sent = {**there.form(f"/c/{run.name}/workers", invite), "names": "ada\nbob\n"}
    first, second = (there.send(invite, sent) for _ in "12")
    assert LINK.findall(first.text) == LINK.findall(second.text)
    assert len(LINK.findall(first.text)) == 2
    assert run.get("")["workers"] == 2
    other = there.send(invite, {**there.form(f"/c/{run.name}/workers", invite), "names": "ada\n"})
    assert "is enrolled already" in other.text


@pytest.mark.parametrize("typed", ["0,55", "0.55", "0,550000"])
def test_a_bid_may_have_a_decimal_comma(site: Api, typed: str) -> None:
    run = site.draft(currency="EUR").open()
    there, home = Visitor(site, Role.WORKER, run.invited("ada")), f"/w/{run.name}"
    assert there.send(f"{home}/bid", {**there.form(home, f"{home}/bid"), "bid": typed}).status_code == 303
    assert "You bid <b>0.55 EUR</b>" in there.get(f"{home}?done=bid")


@pytest.mark.parametrize("typed", ["1,234.5", "1,2,3", "half"])
def test_a_bid_that_is_no_price_stays_in_its_field(site: Api, typed: str) -> None:
    run = site.draft().open()
    there, home = Visitor(site, Role.WORKER, run.invited("ada")), f"/w/{run.name}"
    response = there.send(f"{home}/bid", {**there.form(home, f"{home}/bid"), "bid": typed})
    assert response.status_code == 422
    assert f'value="{typed}"' in response.text


def test_the_requesters_form_takes_decimal_commas(site: Api) -> None:
    operator = Visitor(site, None, OPERATOR)
    given = {"title": "commas", "target": "0,9", "cap": "1,25", "truth_hours": "1,5", "expect_price_high": "1,2"}
    sent = {**DEFAULTS, **operator.form("/new", "/new"), **given}
    campaign = operator.send("/new", sent).headers["location"].split("/")[2]
    settings = site.service.status(campaign).settings
    assert (settings.target, settings.cap, settings.truth_within) == (0.9, 1_250_000, 5_400_000)
    assert "simulated campaigns" in operator.send("/new/predicted", {**sent, **operator.form("/new", "/new")}).text


def test_what_may_be_paid_above_the_highest_bid_is_said(site: Api) -> None:
    """A bid near 0 that is lifted gets the cap times one in so many, less what it bid."""
    said = "One worker in 8 is paid more by lot: at most 16.00 EUR an answer."
    lottery = site.draft(cap="2", currency="EUR", payment={"name": "randomised"})
    assert said in requester(lottery).get(f"/c/{lottery.name}")
    another = site.draft(cap="2", currency="EUR", payment={"name": "randomised", "one_in": 3})
    assert "One worker in 3 is paid more by lot: at most 6.00 EUR" in requester(another).get(f"/c/{another.name}")
    assert "with their usual parameters" in requester(another).get(f"/c/{another.name}/plan")
    without = site.draft(cap="2", currency="EUR")
    assert "is paid more" not in requester(without).get(f"/c/{without.name}")
    operator = Visitor(site, None, OPERATOR)
    assert "With Randomised, one worker in 8 is paid more: at most 8 times this." in operator.get("/new")
    asked = "&".join(f"{name}={value}" for name, value in {**DEFAULTS, "payment": "randomised"}.items())
    assert "One worker in 8 is paid more by lot: at most 16.00 an answer." in operator.get(f"/new/plan?{asked}")


def test_a_workers_pay_adds_up_as_it_is_shown(site: Api) -> None:
    """The bid has six decimals and the price, the next bid, none: what lies between has six as well."""
    run = site.draft(cap="20", policy={"name": "assured", "pool": 2}).open().enrol(("10.314478", "9", "20"))
    run.close_auction().tasks(1)
    run.post("/answers", {"answers": [{"task": "t0", "worker": at, "label": 1} for at in range(2)]})
    shown = Visitor(site, Role.WORKER, run.workers[0]).get(f"/w/{run.name}/pay")
    cells = re.findall(r'data-of="(?:Your bid|Added|Price)">([0-9.]+)<', shown)
    assert cells == ["10.314478", "9.685522", "20.000000"]


def test_who_lost_a_tie_is_not_told_that_others_asked_less(site: Api) -> None:
    run = site.draft(policy={"name": "assured", "pool": 1}).open().enrol(("3", "3")).close_auction()
    assert "too dear" not in (shown := requester(run).get(f"/c/{run.name}/workers"))
    assert "not in the pool" in shown
    desks = [Visitor(site, Role.WORKER, worker).get(f"/w/{run.name}") for worker in run.workers]
    assert sum("The places went to lower prices, or by lot among equal ones." in desk for desk in desks) == 1


def test_no_bid_is_awaited_any_more_once_bidding_is_closed(site: Api) -> None:
    run = site.auction()
    run.invited("late")
    shown = requester(run).get(f"/c/{run.name}/workers")
    assert '<span class="chip warn">no bid yet</span>' in shown
    run.close_auction()
    for page in ("", "/workers"):
        shown = requester(run).get(f"/c/{run.name}{page}")
        assert "no bid yet" not in shown
        assert '<span class="chip">did not bid</span>' in shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"payment": {"name": "threshold"}}, "Asking more can only lose the work."),
        ({"payment": {"name": "randomised"}}, "Asking more gains nothing on average over the coins"),
        (
            {"payment": {"name": "pay-as-bid"}, "accept_untruthful": True},
            "whoever asks more than its true price",
        ),
    ],
)
def test_why_nobody_gains_by_asking_more_is_said_to_a_manager(site: Api, changes: dict[str, Any], said: str) -> None:
    run = site.running(**changes)
    shown = requester(run).get(f"/c/{run.name}/pay")
    assert said in shown
    assert "docs/proofs.md" not in shown
    assert "head count" not in shown


def test_all_payouts_are_marked_as_paid_at_once_but_none_that_the_page_did_not_show(site: Api) -> None:
    run = site.running()
    run.post("/answers", {"answers": [{"task": "t0", "worker": at, "label": 1} for at in range(3)]})
    run.post("/payouts")
    there, pay, confirm = requester(run), f"/c/{run.name}/pay", f"/c/{run.name}/confirm-all"
    assert "Mark 3 payouts as paid" in there.get(pay)
    sent = {**there.form(pay, confirm), "reference": "batch 5"}
    run.post("/answers", {"answers": [{"task": "t1", "worker": 3, "label": 1}]})
    run.post("/payouts")
    for _ in "12":
        assert there.send(confirm, sent).headers["location"] == f"{pay}?done=all-confirmed"
    payouts = [payout for worker in site.service.statement(run.name).workers for payout in worker.payouts]
    assert [(payout.worker, payout.confirmed) for payout in payouts] == [(0, True), (1, True), (2, True), (3, False)]
    assert {payout.reference for payout in payouts if payout.confirmed} == {"batch 5"}


def test_pay_is_rounded_at_a_glance_and_said_exactly_once(site: Api) -> None:
    run = site.running(payment={"name": "pay-as-bid"}, accept_untruthful=True)
    run.post("/answers", {"answers": [{"task": "t0", "worker": 0, "label": 1}]})
    shown = requester(run).get(f"/c/{run.name}/pay")
    assert shown.count("3.137511") == 1
    assert "<dt>Earned, exactly</dt><dd>3.137511</dd>" in shown
    assert "1 × 3.14" in shown


@pytest.mark.parametrize(
    ("payload", "heading", "below"),
    [
        ("Is there a ship?", "Is there a ship?", []),
        ("https://example.org/a/very/long/photo-17.jpg?size=big", "a campaign under test", ["photo-17.jpg"]),
        ("IMG_2041.jpeg", "a campaign under test", ["IMG_2041.jpeg"]),
        ({"question": "Is it sharp?", "image": "/scans/3.png"}, "Is it sharp?", ["image", "/scans/3.png"]),
        ("Yes/no? Read https://example.org first", "Yes/no? Read", []),
        (None, "Task t0", []),
    ],
)
def test_a_worker_reads_words_as_the_heading_and_links_below_it(
    site: Api, payload: Any, heading: str, below: list[str]
) -> None:
    run = site.auction().close_auction()
    run.post("/tasks", {"tasks": [{"key": "t0", "payload": payload}]})
    shown = Visitor(site, Role.WORKER, run.workers[0]).get(f"/w/{run.name}")
    found = re.search(r'<h1 id="question">(.*?)</h1>(.*?)<form', shown, re.DOTALL)
    assert found is not None
    assert heading in found[1]
    assert [word in found[2] and word not in found[1] for word in below] == [True] * len(below)


def test_a_draft_is_corrected_with_the_form_and_keeps_what_the_form_has_no_field_for(site: Api) -> None:
    run = site.draft(cap="2", at_once=77, payment={"name": "randomised", "one_in": 5}, answer_within=1_234_567)
    there, home, form = requester(run), f"/c/{run.name}", f"/c/{run.name}/settings"
    assert f'href="{form}"' in there.get(home)
    before, shown = site.service.status(run.name).settings, there.get(form)
    values = dict(re.findall(r'<input id="([a-z_]+)" name="\1" value="([^"]*)"', shown))
    same = {**values, "policy": "assured", "payment": "randomised", **there.form(form, form)}
    assert there.send(form, same).headers["location"] == f"{home}?done=changed"
    assert site.service.status(run.name).settings == before
    assert there.send(form, {**same, "title": "Better", "cap": "3,5"}).status_code == 303
    after = site.service.status(run.name).settings
    assert after == replace(before, title="Better", cap=3_500_000)
    wrong = there.send(form, {**same, "title": "Still typed", "target": "95"})
    assert wrong.status_code == 422
    assert 'value="Still typed"' in wrong.text
    assert "prices are uniform" in there.get(f"{form}/plan?expect_workers=9")
    assert there.send(f"{form}/predicted", same).status_code == 200
    run.open()
    assert there.send(form, same).status_code == 409
    there.get(form, 303)
    assert "Change the settings" not in there.get(home)


def test_a_draft_that_the_form_cannot_show_is_not_offered_to_it(site: Api) -> None:
    run = site.draft(payment={"name": "pay-as-bid"}, accept_untruthful=True)
    requester(run).get(f"/c/{run.name}/settings", 303)
    assert "Change the settings" not in requester(run).get(f"/c/{run.name}")


def test_where_the_time_for_bids_ran_out_nobody_is_invited_and_nobody_bids(
    site: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = wall_clock() + 60_000
    run = site.draft(bids_until=until).open()
    worker = Visitor(site, Role.WORKER, run.invited("ada"))
    assert "What is your price?" in worker.get(f"/w/{run.name}")
    for module in ("worker", "frame"):
        monkeypatch.setattr(f"quorate.web.pages.{module}.wall_clock", lambda: until + 1)
    desk = worker.get(f"/w/{run.name}")
    assert "This campaign is over" in desk
    assert 'name="bid"' not in desk
    workers = requester(run).get(f"/c/{run.name}/workers")
    assert "this campaign can only be closed" in workers
    assert 'name="names"' not in workers
    assert "no bid yet" not in workers


def test_a_second_click_on_what_cannot_be_undone_is_done(site: Api) -> None:
    run = site.draft()
    there, home = requester(run), f"/c/{run.name}"
    opening = there.form(home, f"{home}/open")
    assert [clicked(there, f"{home}/open", opening) for _ in "12"] == [f"{home}?done=opened"] * 2
    run.enrol()
    closing = there.form(home, f"{home}/close-auction")
    assert [clicked(there, f"{home}/close-auction", closing) for _ in "12"] == [f"{home}?done=auction"] * 2
    assert there.send(f"{home}/open", opening).status_code == 409, "another stage"
    worker, desk = Visitor(site, Role.WORKER, run.workers[0]), f"/w/{run.name}"
    leaving = worker.form(desk, f"{desk}/withdraw")
    assert [clicked(worker, f"{desk}/withdraw", leaving) for _ in "12"] == [f"{desk}/pay?done=withdrawn"] * 2
    removal = {**there.form(f"{home}/workers", f"{home}/withdraw"), "worker": "1"}
    assert [clicked(there, f"{home}/withdraw", removal) for _ in "12"] == [f"{home}/workers?done=withdrawn"] * 2
    ending = there.form(home, f"{home}/close")
    assert [clicked(there, f"{home}/close", ending) for _ in "12"] == [f"{home}?done=closed"] * 2


def clicked(there: Visitor, action: str, fields: dict[str, str]) -> str:
    response = there.send(action, fields)
    assert response.status_code == 303, response.text
    return response.headers["location"]
