"""Several services on one database: what was done through one is there for the next wish through any other."""

import os
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from quorate.campaign import commands, results
from quorate.campaign.refusal import Refused
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService
from quorate.campaign.vault import Vault
from quorate.errors import InvalidInput
from quorate.store import open_store
from tests.campaigns import UNIT, small
from tests.postgres import server_or_skip

CAMPAIGN = "c1"
WORKERS = 3
TASKS = 5


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'x.db'}" if request.param == "sqlite" else server_or_skip().create_database()


@pytest.fixture
def replicas(url: str) -> Iterator[list[CampaignService]]:
    """Two services that both know the campaign as a draft, and nothing newer."""
    stores = [open_store(url) for _ in range(2)]
    services = [CampaignService(store, Vault(bytes(32), os.urandom)) for store in stores]
    services[0].draft(small(exploring_at_once=TASKS), campaign=CAMPAIGN)
    for service in services:
        service.state(CAMPAIGN)
    yield services
    for service, store in zip(services, stores, strict=True):
        service.close()
        store.close()


@pytest.fixture
def turns(replicas: list[CampaignService]) -> Callable[[], CampaignService]:
    """Each time another service than the last."""
    order = cycle(replicas)
    return lambda: next(order)


def wish(service: CampaignService, command: commands.Command, key: str | None = None) -> Any:
    """Submitted as the web does, which does not look at the state first."""
    return service.submit(CAMPAIGN, command, key=key).result()


def running(turns: Callable[[], CampaignService]) -> None:
    turns().open(CAMPAIGN)
    for number in range(WORKERS):
        assert wish(turns(), commands.EnrolWorker(f"w{number}")) == results.Enrolled(number)
        turns().bid(CAMPAIGN, number, Bid((number + 1) * UNIT))
    turns().close_auction(CAMPAIGN)


def all_taken(batch: Any) -> bool:
    return not any(isinstance(item, results.ItemRefused) for item in batch.items)


def test_a_campaign_through_services_in_turn(turns: Callable[[], CampaignService]) -> None:
    running(turns)
    assert all_taken(wish(turns(), commands.PostTasks(tuple(commands.TaskSpec(f"t{at}") for at in range(TASKS)))))
    for worker in range(WORKERS):
        given = tuple(commands.Answer(f"t{at}", worker, 1) for at in range(TASKS))
        assert all_taken(wish(turns(), commands.GiveAnswers(given)))
    assert all_taken(wish(turns(), commands.RevealTruths(tuple(commands.Truth(f"t{at}", 1) for at in range(TASKS)))))
    ordered = wish(turns(), commands.OrderPayouts()).payouts
    assert len(ordered) == WORKERS
    assert wish(turns(), commands.ConfirmPayout(ordered[0].payout, "bank")) == results.Done()
    turns().close_campaign(CAMPAIGN)
    assert turns().statement(CAMPAIGN).final


def test_nothing_to_order_is_not_kept_under_a_key_where_there_is_something(
    replicas: list[CampaignService], turns: Callable[[], CampaignService]
) -> None:
    running(turns)
    first, second = replicas
    wish(first, commands.PostTasks((commands.TaskSpec("t0"),)))
    second.state(CAMPAIGN)
    wish(first, commands.GiveAnswers((commands.Answer("t0", 0, 1),)))
    found = wish(second, commands.OrderPayouts(), key="pay")
    assert [payout.worker for payout in found.payouts] == [0]
    assert wish(first, commands.OrderPayouts(), key="pay") == found


def test_a_rule_that_is_broken_stays_broken(replicas: list[CampaignService]) -> None:
    first, second = replicas
    first.open(CAMPAIGN)
    wish(first, commands.EnrolWorker("ada"))
    with pytest.raises(Refused, match="enrolled already"):
        wish(second, commands.EnrolWorker("ada"))


def test_a_read_sees_what_was_acknowledged_elsewhere(replicas: list[CampaignService]) -> None:
    first, second = replicas
    first.open(CAMPAIGN)
    for number in range(3):
        first.enrol(CAMPAIGN, f"w{number}")
        assert len(second.workers(CAMPAIGN)) == number + 1
        assert second.status(CAMPAIGN).seq == first.status(CAMPAIGN).seq


def test_another_secret_is_refused_from_the_first_day(url: str) -> None:
    """Before there is a campaign: what the first service seals later would not open at the second."""
    stores = [open_store(url) for _ in range(2)]
    first = CampaignService(stores[0], Vault(bytes(32), os.urandom))
    with pytest.raises(InvalidInput, match="secret"):
        CampaignService(stores[1], Vault(bytes(range(32)), os.urandom))
    CampaignService(stores[1], Vault(bytes(32), os.urandom)).close()
    first.close()
    for store in stores:
        store.close()
