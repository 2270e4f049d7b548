"""What pages say and do, without a browser."""

from collections.abc import Iterator

import pytest

from quorate.campaign.service import wall_clock
from quorate.web.pages import mount
from tests.web.pages import requester
from tests.web_api import Api


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("pages"), pages=mount) as made:
        yield made


def test_a_campaign_whose_time_for_bids_ran_out_offers_its_end(site: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    until = wall_clock() + 60_000
    run = site.draft(bids_until=until).open().tasks(2)
    home = f"/c/{run.name}"
    assert "Next: invite workers" in requester(run).get(home)
    for module in ("campaign", "frame"):
        monkeypatch.setattr(f"quorate.web.pages.{module}.wall_clock", lambda: until + 1)
    assert "Next: close this campaign, and open another" in requester(run).get(home)
    closed = requester(run).send(f"{home}/close", requester(run).form(home, f"{home}/close"))
    assert closed.headers["location"] == f"{home}?done=closed"
    assert run.get("")["stage"] == "closed"
