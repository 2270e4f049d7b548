"""What a campaign is predicted to cost: on the draft, while bids come in, and before the bidding is closed for good."""

from collections.abc import Iterator

import pytest

from quorate.campaign.tokens import Role
from quorate.web.pages import mount
from quorate.web.pages.draft_form import DEFAULTS
from quorate.web.pages.expected import COOKIE
from quorate.web.pages.session import cookie_name
from tests.web.pages import Visitor, requester
from tests.web_api import OPERATOR, Api

FEW = ("0.6", "0.7", "0.8", "0.9")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("predictions"), pages=mount) as made:
        yield made


def test_too_few_bidders_are_told_before_the_bidding_closes_for_good(site: Api) -> None:
    run = site.draft(target=0.9, confidence=0.95, horizon=500, cap="2").open().enrol(FEW)
    there, home = requester(run), f"/c/{run.name}"
    assert f'data-load="{home}/closing"' in there.get(home)
    said = there.get(f"{home}/closing")
    assert "With 4 workers, no jury was found in any of 6 simulated campaigns" in said
    assert "Invite more before you close." in said
    run.enrol(("0.5",) * 56)
    assert "With 60 workers, each of 6 simulated campaigns found a jury" in there.get(f"{home}/closing")


def test_the_prediction_before_closing_looks_at_no_bid(site: Api) -> None:
    said = []
    for bids in (FEW, ("0.1", "1.9", "0.2", "0.3")):
        run = site.draft(target=0.9, confidence=0.95, horizon=500, cap="2").open().enrol(bids)
        said.append([requester(run).get(f"/c/{run.name}/{part}") for part in ("closing", "plan")])
    assert said[0] == said[1]


def test_nothing_is_said_of_closing_before_there_is_a_bid(site: Api) -> None:
    run = site.draft().open()
    assert "simulated" not in requester(run).get(f"/c/{run.name}/closing")


def test_what_the_form_predicted_stays_on_the_draft_and_while_bids_come_in(site: Api) -> None:
    operator = Visitor(site, None, OPERATOR)
    expected = {"title": "kept", "horizon": "500", "expect_workers": "40", "expect_price_high": "0.9"}
    sent = {**DEFAULTS, **operator.form("/new", "/new"), **expected}
    drafted = operator.send("/new", sent)
    campaign = drafted.headers["location"].split("/")[2]
    there = Visitor(site, Role.REQUESTER, drafted.cookies[cookie_name(Role.REQUESTER)])
    there.remember(COOKIE, drafted.cookies[COOKIE])
    for _ in ("draft", "auction"):
        assert f'data-load="/c/{campaign}/plan"' in there.get(f"/c/{campaign}")
        assert "40 workers; prices are uniform from 0.5 to 0.9" in there.get(f"/c/{campaign}/plan")
        if site.service.status(campaign).stage == "draft":
            site.service.open(campaign)


@pytest.mark.parametrize("cookie", ["", "nonsense", "1_2", "0_0_0_0.1_0.2", "9_1_2_nan_inf", "-5_-1_-1_0.5_0.6"])
def test_a_cookie_that_says_nothing_sensible_breaks_no_page(site: Api, cookie: str) -> None:
    run = site.draft()
    there = requester(run)
    there.remember(COOKIE, cookie)
    assert "Predicted cost" in there.get(f"/c/{run.name}/plan")


@pytest.mark.parametrize(("payment", "coins"), [("randomised", True), ("threshold", False)])
def test_spend_against_plan_says_what_it_was_simulated_with(site: Api, payment: str, coins: bool) -> None:
    run = site.running(payment={"name": payment})
    said = requester(run).get(f"/c/{run.name}/plan")
    assert "planned for all of them, the median of 6 simulated campaigns" in said
    assert ("simulated with the bids made, other coins, and shares" in said) == coins
    assert ("With these bids, other coins and this promise" in said) == coins
