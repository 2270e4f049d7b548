"""Before bidding closes, no page, part or download shows a bid to anybody but its owner."""

from tests import written
from tests.browser import played
from tests.browser.conftest import Visitors
from tests.browser.people import Person
from tests.browser.site import OPERATOR, Site

OVERSEEN = (
    "",
    "/live",
    "/workers",
    "/tasks",
    "/pay",
    "/plan",
    "/closing",
    "/ledger",
    "/verdicts.csv",
    "/awaited.csv",
    "/pay.csv",
    "/export",
)
AUDITED = ("", "/export")
OWN = ("", "/pay")


def bodies(reader: Person, link: str, paths: tuple[str, ...]) -> str:
    """Everything that the server sends to this reader, as it is sent."""
    base = reader.enter(link).url
    answers = [reader.context.request.get(base.rstrip("/") + path) for path in paths]
    assert [answer.status for answer in answers] == [200] * len(paths)
    return "\n".join(f"{answer.headers}\n{answer.text()}" for answer in answers)


def all_but_the_first(person: Visitors, site: Site, run: played.Played) -> str:
    """What everybody sees who is not the first worker: requester, auditor, operator and another worker."""
    seen = [
        bodies(person(), run.requester, OVERSEEN),
        bodies(person(), run.auditor, AUDITED),
        bodies(person(), run.workers[1], OWN),
        bodies(person(), f"{site.address}/enter#{OPERATOR}", ("", "/new")),
    ]
    return "\n".join(seen)


def test_nobody_sees_anothers_bid_before_bidding_closes(person: Visitors, site: Site) -> None:
    run = played.bidding(site).post(2)
    before = all_but_the_first(person, site, run)
    own = bodies(person(), run.workers[0], OWN)
    run.close_auction()
    after = all_but_the_first(person, site, run)
    bid = played.BIDS[0]
    assert not written.holds(before, bid)
    assert written.in_units(bid) in own
    assert written.found(own, played.BIDS[1:]) == []
    # The same search finds it once bidding is closed: it would have found it before.
    assert written.in_units(bid) in after
    assert written.holds_number(after, bid)


def test_a_wrong_bid_stays_in_its_field_and_goes_nowhere_else(person: Visitors, site: Site) -> None:
    run = played.bidding(site)
    worker = person()
    worker.enter(run.workers[0])
    worker.page.get_by_label("New price for one answer").fill("3.718281")
    worker.expect(422)
    worker.press("Change the bid")
    assert "from 0 to 2, the highest price allowed" in worker.page.get_by_role("alert").inner_text()
    assert worker.page.get_by_label("New price for one answer").input_value() == "3.718281"
    assert "0.213171" in worker.read()
    assert not written.holds(all_but_the_first(person, site, run), 3_718_281)


def test_a_link_made_anew_opens_no_bid_that_was_placed_with_another(person: Visitors, site: Site) -> None:
    run = played.opened(site)
    requester, first, second = person(), person(), person()
    page = requester.enter(run.requester)
    first.enter(invitation(requester, run))
    first.page.get_by_role("link", name="I have kept it, go on").click()
    first.page.get_by_label("Price for one answer").fill("0.271828")
    first.press("Seal the bid")
    placed = site.service.state(run.name).workers[0].commitment
    page.get_by_text("More for Ada").click()
    requester.press("New link for Ada")
    assert "it opens once" in requester.read()
    second.enter(page.get_by_label("Ada", exact=True).input_value())
    second.page.get_by_role("link", name="I have kept it, go on").click()
    assert "Your bid was placed with another link" in second.read()
    assert "0.271828" not in second.page.content()
    assert site.service.state(run.name).workers[0].commitment == placed, "it stands"
    second.page.get_by_label("New price for one answer").fill("0.314159")
    second.press("Change the bid")
    assert "0.314159" in second.read()
    first.page.reload()
    assert "Your bid was placed with another link" in first.read()
    assert "0.314159" not in first.page.content()


def invitation(requester: Person, run: played.Played) -> str:
    """Ada's; the requester is back on the page of its workers."""
    page = requester.go(f"/c/{run.name}/workers")
    page.get_by_label("Names, one a line").fill("Ada")
    requester.press("Make their links")
    link = page.get_by_label("Ada", exact=True).input_value()
    requester.go(f"/c/{run.name}/workers")
    return link


def test_a_worker_comes_back_by_its_own_link_and_not_by_its_invitation(person: Visitors, site: Site) -> None:
    run = played.opened(site)
    requester, worker = person(), person()
    requester.enter(run.requester)
    invited = invitation(requester, run)
    page = worker.enter(invited)
    own = page.get_by_label("Your own link").input_value()
    assert own != invited
    page.get_by_role("link", name="I have kept it, go on").click()
    assert own.partition("#")[2] not in page.content()
    page.get_by_label("Price for one answer").fill("0.271828")
    worker.press("Seal the bid")
    worker.enter(invited)
    assert worker.heading() == "Your bid is sealed", "this browser has the worker's own token"
    page.get_by_role("link", name="Sign out").click()
    assert page.get_by_label("Your own link").input_value() == own
    assert "Without the link above you cannot come back" in worker.read()
    worker.press("Sign out of this browser")
    assert worker.context.cookies() == []
    worker.expect(401)
    worker.enter(invited)
    assert worker.heading() == "This link was used already"
    assert "ask the requester for a new link" in worker.read()
    page.get_by_label("Link or token").fill(own)
    worker.press("Come in")
    assert "0.271828" in worker.read()
    assert invited.partition("#")[2] not in requester.page.content(), "it was shown once"


def test_an_invitation_that_was_used_by_somebody_else_says_so(person: Visitors, site: Site) -> None:
    run = played.opened(site)
    requester, first, second = person(), person(), person()
    requester.enter(run.requester)
    link = invitation(requester, run)
    first.enter(link)
    second.expect(401)
    second.enter(link)
    assert second.heading() == "This link was used already"
    assert "somebody else came in as you" in second.read()
    assert second.context.cookies() == []


def test_who_has_left_still_gets_a_new_link_to_its_pay(person: Visitors, site: Site) -> None:
    run = played.exploring(site).answer_all()
    site.service.withdraw(run.name, played.NAMES[0])
    requester, worker = person(), person()
    requester.enter(run.requester)
    page = requester.go(f"/c/{run.name}/workers")
    page.get_by_text("More for Ada").click()
    assert requester.button("Remove for good: Ada").count() == 0
    requester.press("New link for Ada")
    worker.enter(page.get_by_label("Ada", exact=True).input_value())
    worker.page.get_by_role("link", name="Your pay").click()
    assert "0.213171" in worker.read()
