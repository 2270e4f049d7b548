"""The facade as web and shell use it, on the embedded store: a whole campaign, and who sees what of it."""

import asyncio
import dataclasses
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quorate.campaign import commands, results
from quorate.campaign.refusal import Code, Refused, Unavailable
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService, export_line
from quorate.campaign.settings import Settings
from quorate.campaign.tokens import Role, Tokens, digest
from quorate.campaign.views import Keeping, Stage
from quorate.errors import InvalidInput
from quorate.mechanism.coins import commitment, own_coins
from quorate.store import SqlStore, open_store, open_vault
from tests.campaigns import RANDOMISED, UNIT, small

BIDS = (3.141593, 5.926535, 8.979323, 13.846264)


class World:
    """A service on a fresh database, with a clock set by hand."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'x.db'}"
        self.now = 1_000
        self.store: SqlStore = open_store(self.url)
        self.service = CampaignService(self.store, open_vault(self.url, bytes(32)), clock=lambda: self.now)

    def auction(self, **changes: Any) -> str:
        settings = small(**changes)
        campaign = self.service.draft(settings)
        self.service.open(campaign)
        for number, bid in enumerate(BIDS):
            self.service.enrol(campaign, f"w{number}")
            self.service.bid(campaign, number, Bid.parse(str(bid)))
        return campaign

    def running(self, **changes: Any) -> str:
        campaign = self.auction(**changes)
        self.service.close_auction(campaign)
        return campaign


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.service.close()
    made.store.close()


def test_a_whole_campaign(world: World) -> None:
    service = world.service
    campaign = world.running(payment=RANDOMISED)
    service.post_tasks(campaign, [commands.TaskSpec(f"q{at}", {"text": f"question {at}"}) for at in range(3)])
    for at in range(3):
        for worker in range(4):
            lease = service.assignments(campaign, worker)[0]
            assert lease.key == f"q{at}"
            assert lease.payload == {"text": f"question {at}"}
            taken = service.answer(campaign, worker, lease.task, 1)
            assert taken.price == lease.price
        assert service.task(campaign, f"q{at}").verdict == 1
        service.reveal_truths(campaign, [commands.Truth(f"q{at}", 1)])
    status = service.status(campaign)
    assert (status.decided, status.rounds, status.verdicts_right) == (3, 3, 3)
    assert status.keeping is Keeping.ASSUMED
    assert status.phase == "explore"
    closed = service.close_campaign(campaign)
    assert service.status(campaign).stage is Stage.CLOSED
    statement = service.statement(campaign)
    assert statement.final
    assert statement.earned == closed.earned == sum(worker.earned for worker in statement.workers)
    for worker in range(4):
        check = service.check_coins(campaign, worker)
        assert check is not None
        assert check.fair
        mine = service.worker_statement(campaign, worker)
        service.confirm_payout(campaign, mine.payouts[0].payout, "bank")
        assert service.worker_statement(campaign, worker).confirmed == mine.earned
    assert service.verify(campaign).seq == service.status(campaign).seq


def test_a_campaign_has_one_name(world: World) -> None:
    world.service.draft(small(), campaign="mine")
    with pytest.raises(Refused) as caught:
        world.service.draft(small(), campaign="mine")
    assert caught.value.code is Code.WRONG_STAGE
    for name in ("a b", "x" * 65, "é", "a/b"):
        with pytest.raises(Refused) as caught:
            world.service.draft(small(), campaign=name)
        assert caught.value.code is Code.INVALID
    world.service.redraft("mine", small(title="another"))
    assert world.service.status("mine").settings.title == "another"


def test_the_same_key_does_a_thing_once(world: World) -> None:
    service = world.service
    assert service.draft(small(), campaign="mine", key="a") == service.draft(small(), campaign="mine", key="a")
    first = service.open("mine", key="b")
    assert service.open("mine", key="b") == first
    assert service.enrol("mine", "ada", key="c") == service.enrol("mine", "ada", key="c")
    placed = service.bid("mine", 0, Bid(5), key="d")
    assert service.bid("mine", 0, Bid(5), key="d") == placed
    with pytest.raises(Refused) as caught:
        service.bid("mine", 0, Bid(6), key="d")
    assert caught.value.code is Code.KEY_REUSED, "another bid under the same key is another command"
    own = service.own_bid("mine", 0)
    assert own is not None
    assert own.amount == 5


def test_an_owner_reads_its_bid_and_can_prove_it(world: World) -> None:
    campaign = world.auction()
    world.service.enrol(campaign, "no bid")
    own = world.service.own_bid(campaign, "w2")
    assert own is not None
    assert own.amount == 8_979_323
    assert "8979323" not in repr(own)
    assert "8979323" not in f"{[own]}"
    assert world.service.own_bid(campaign, 4) is None
    world.service.bid(campaign, "w2", Bid(1))
    changed = world.service.own_bid(campaign, 2)
    assert changed is not None
    assert changed.amount == 1


def everything_shown(world: World, campaign: str) -> str:
    """What any reader but a bid's owner can get at: views, results, ledger, export, database file."""
    service = world.service
    shown = [
        repr(service.status(campaign)),
        repr(service.workers(campaign)),
        repr(service.jury(campaign)),
        repr(service.tasks(campaign)),
        repr([service.assignments(campaign, worker) for worker in range(4)]),
        repr(service.statement(campaign)),
        repr(service.events(campaign)),
        repr(service.latest(campaign)),
        repr(service.notes(campaign)),
        repr(service.state(campaign)),
        *(export_line(campaign, record) for record in service.records(campaign)),
        *(repr(world.store.deliveries(campaign, 100)),),
    ]
    return "\n".join(shown)


def traces_of(bid: float) -> list[str]:
    whole = str(round(bid * UNIT))
    return [whole, str(bid), hex(int(whole))[2:]]


def test_before_the_close_no_bid_is_shown_anywhere(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        campaign = world.auction()
        world.service.add_hook(campaign, "https://example.org", ["campaign", "promise"], b"s")
        with pytest.raises(Refused) as caught:
            world.service.bid(campaign, 0, Bid(20_999_999))
    shown = everything_shown(world, campaign) + caplog.text + repr(caught.value)
    for bid in (*BIDS, 20.999999):
        for trace in traces_of(bid):
            assert trace not in shown
    files = b"".join(path.read_bytes() for path in Path(world.url.removeprefix("sqlite:///")).parent.iterdir())
    for bid in BIDS:
        whole = round(bid * UNIT)
        assert str(whole).encode() not in files
        assert whole.to_bytes(8, "big") not in files
    world.service.close_auction(campaign)
    after = everything_shown(world, campaign)
    assert all(traces_of(bid)[0] in after for bid in BIDS), "the search finds what is there"


def test_a_worker_sees_nothing_of_others_of_truth_or_of_gold(world: World) -> None:
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec("q", gold=1)])
    world.service.answer(campaign, 0, "q", 1)
    lease = world.service.assignments(campaign, 1)[0]
    assert {field.name for field in dataclasses.fields(lease)} == {
        "task",
        "key",
        "payload",
        "labels",
        "deadline",
        "price",
    }
    assert world.service.assignments(campaign, 0) == []


def test_the_clock_ends_leases_and_auctions(world: World) -> None:
    running = world.running()
    open_auction = world.auction(bids_until=10_000)
    empty = world.service.draft(small(bids_until=10_000))
    world.service.open(empty)
    world.service.post_tasks(running, [commands.TaskSpec("q")])
    assert world.service.tick() == 0
    world.now = 100_000
    assert world.service.tick() == 2
    assert world.service.task(running, "q").state == "unanswered"
    assert world.service.status(open_auction).stage is Stage.RUNNING
    assert world.service.status(empty).stage is Stage.AUCTION, "without bids there is nothing to close"
    assert "can only be closed" in world.service.status(empty).why[0]
    assert world.service.tick() == 0


def test_an_auction_that_all_bidders_have_left_waits(world: World, caplog: pytest.LogCaptureFixture) -> None:
    left = world.auction(bids_until=10_000)
    for number in range(len(BIDS)):
        world.service.withdraw(left, number)
    world.now = 100_000
    assert world.service.tick() == 0
    assert (world.service.status(left).stage, caplog.messages) == (Stage.AUCTION, [])


def test_one_key_makes_one_token_for_each_holder(world: World) -> None:
    holders = ((Role.REQUESTER, None), (Role.WORKER, 0), (Role.WORKER, 1))
    made = [world.service.token_entropy("c1", role, worker, "again") for role, worker in holders]
    assert made == [world.service.token_entropy("c1", role, worker, "again") for role, worker in holders]
    assert len(set(made)) == len(holders)
    assert world.service.token_entropy("c1", Role.WORKER, 0, None) is None


def test_promise_notes_in_words(world: World) -> None:
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec(f"q{at}") for at in range(3)])
    world.service.withdraw(campaign, "w2", "enough")
    page = world.service.notes(campaign)
    assert [note.note for note in page.items] == ["left-exploring"]
    assert "w2 has left" in page.items[0].text
    assert world.service.latest_notes(campaign)[0] == page.items[0]


def test_pages_have_cursors(world: World) -> None:
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec() for _ in range(7)])
    seen, after = [], None
    while True:
        page = world.service.tasks(campaign, after, limit=3)
        seen.extend(task.task for task in page.items)
        if page.after is None:
            break
        after = page.after
    assert seen == list(range(7))
    events, cursor = [], 0
    while True:
        page = world.service.events(campaign, cursor, limit=4)
        events.extend(event.seq for event in page.items)
        if page.after is None:
            break
        cursor = page.after
    assert events == list(range(1, world.service.status(campaign).seq + 1))


def test_unknown_things_are_refused(world: World) -> None:
    campaign = world.running()
    for wish, code in (
        (lambda: world.service.status("nowhere"), Code.UNKNOWN_CAMPAIGN),
        (lambda: world.service.verify("nowhere"), Code.UNKNOWN_CAMPAIGN),
        (lambda: world.service.task(campaign, "q"), Code.UNKNOWN_TASK),
        (lambda: world.service.assignments(campaign, "nobody"), Code.UNKNOWN_WORKER),
        (lambda: world.service.own_bid(campaign, 17), Code.UNKNOWN_WORKER),
        (lambda: world.service.add_hook("nowhere", "x", ["verdicts"], b""), Code.UNKNOWN_CAMPAIGN),
    ):
        with pytest.raises(Refused) as caught:
            wish()
        assert caught.value.code is code


def test_the_jury_is_explained(world: World) -> None:
    campaign = world.running()
    assert world.service.jury(world.service.draft(small())) is None
    view = world.service.jury(campaign)
    assert view is not None
    assert view.workers == (0, 1, 2, 3)
    assert view.certified_error is None
    assert "learns who is how good" in view.why[0]


def test_hooks_keep_their_secret_sealed(world: World) -> None:
    campaign = world.running()
    hook = world.service.add_hook(campaign, "https://example.org", ["verdicts"], b"my signing secret")
    row = world.service.hooks(campaign)[0]
    assert b"my signing secret" not in row.secret
    assert "secret" not in repr(row)
    assert world.service.hook_secret(row) == b"my signing secret"
    world.service.post_tasks(campaign, [commands.TaskSpec("q")])
    for worker in range(4):
        world.service.answer(campaign, worker, "q", 1)
    (delivery,) = world.store.claim(world.now, 100, 10)
    assert json.loads(delivery.payload)["kind"] == "verdict made"
    assert world.service.remove_hook(campaign, hook)


def test_tokens_are_shown_once_and_scoped(world: World) -> None:
    campaign = world.running()
    tokens = Tokens(world.store, lambda: world.now)
    text = tokens.issue(campaign, Role.WORKER, 2, "for w2")
    principal = tokens.principal(text)
    assert principal is not None
    assert (principal.campaign, principal.role, principal.worker) == (campaign, Role.WORKER, 2)
    assert text not in repr(tokens.issued(campaign))
    assert digest(text) not in repr(tokens.issued(campaign))
    assert tokens.principal(text + "x") is None
    assert tokens.principal("") is None
    assert tokens.revoke(principal.digest)
    assert tokens.principal(text) is None
    with pytest.raises(InvalidInput):
        tokens.issue(campaign, Role.WORKER)
    with pytest.raises(InvalidInput):
        tokens.issue(campaign, Role.AUDITOR, 3)
    assert len({tokens.issue(campaign, Role.AUDITOR) for _ in range(20)}) == 20


def test_futures_can_be_awaited(world: World) -> None:
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec("q")])

    async def answer_together() -> list[results.Result]:
        waiting = [
            asyncio.wrap_future(
                world.service.submit(campaign, commands.GiveAnswers((commands.Answer("q", worker, 1),)))
            )
            for worker in range(4)
        ]
        return await asyncio.gather(*waiting)

    given = asyncio.run(answer_together())
    assert [batch.items[0].decided for batch in given].count(True) == 1  # type: ignore[union-attr]


def test_settings_that_cannot_be_are_refused(world: World) -> None:
    with pytest.raises(Refused) as caught:
        world.service.draft(Settings("t", 0.9, 0.9, 0, 1))
    assert caught.value.code is Code.INVALID
    assert "horizon" in caught.value.message
    assert world.service.campaigns() == []


def tamper(world: World, campaign: str) -> None:
    """As somebody with the database could."""
    with world.store._writing([]) as connection:
        connection.exec_driver_sql("DELETE FROM snapshots")
        connection.exec_driver_sql("DROP TRIGGER ledger_no_update")
        connection.exec_driver_sql(f"UPDATE ledger SET body = '{{}}' WHERE campaign = '{campaign}' AND seq = 2")


def test_a_campaign_that_nobody_can_read_stops_time_in_no_other(world: World, caplog: pytest.LogCaptureFixture) -> None:
    first, second = sorted(world.running(answer_within=1_000) for _ in range(2))
    for campaign in (first, second):
        world.service.post_tasks(campaign, [commands.TaskSpec()])
    world.service.close()
    tamper(world, first)
    world.now += 5_000
    again = CampaignService(world.store, open_vault(world.url, bytes(32)), clock=lambda: world.now)
    try:
        assert again.tick() == 1
        assert again.status(second).decided + again.status(second).undecided == 1
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert first in caplog.text
        again.tick()
        assert len(caplog.records) == 1, "not read again every second"
        world.now += 61_000
        again.tick()
        assert len(caplog.records) == 2
    finally:
        again.close()


def test_time_passes_at_a_process_that_only_looks_on(world: World) -> None:
    """The other one, which did everything, has died."""
    campaign = world.service.draft(small(answer_within=1_000))
    idle_store = open_store(world.url)
    idle = CampaignService(idle_store, open_vault(world.url, bytes(32)), clock=lambda: world.now)
    try:
        assert idle.tick(shared=True) == 0
        world.service.open(campaign)
        for number, bid in enumerate(BIDS):
            world.service.enrol(campaign, f"w{number}")
            world.service.bid(campaign, number, Bid.parse(str(bid)))
        world.service.close_auction(campaign)
        world.service.post_tasks(campaign, [commands.TaskSpec()])
        world.now += 5_000
        assert idle.tick(shared=True) == 1
        assert idle.status(campaign).in_flight == 0
    finally:
        idle.close()
        idle_store.close()


def test_a_keyed_command_that_found_nothing_to_do_stays_done(world: World) -> None:
    """Sent again under its key after there is something to pay, it must not pay."""
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec()])
    assert world.service.order_payouts(campaign, key="monday").payouts == ()
    for worker in range(4):
        world.service.answer(campaign, worker, 0, 1)
    assert world.service.order_payouts(campaign, key="monday").payouts == ()
    assert len(world.service.order_payouts(campaign, key="tuesday").payouts) == 4


def test_a_batch_of_which_nothing_was_taken_is_decided_anew(world: World) -> None:
    campaign = world.running()
    given = [commands.Answer("later", 0, 1)]
    (refused,) = world.service.answers(campaign, given, key="k").items
    assert isinstance(refused, results.ItemRefused)
    world.service.post_tasks(campaign, [commands.TaskSpec("later")])
    (taken,) = world.service.answers(campaign, given, key="k").items
    assert isinstance(taken, results.AnswerTaken)


def test_what_is_submitted_while_the_service_stops_is_answered(world: World) -> None:
    """A caller that nobody answers would wait for ever."""
    campaign = world.running()
    command = commands.PostTasks((commands.TaskSpec(),))
    waiting: list[Any] = []

    def submit() -> None:
        waiting.extend(world.service.submit(campaign, command) for _ in range(2_000))

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    world.service.close()
    for thread in threads:
        thread.join()
    for future in waiting:
        assert future.exception(timeout=10.0) is None or isinstance(future.exception(), Unavailable)


@pytest.mark.parametrize("name", ["0", "17", "me"])
def test_a_worker_has_a_name_that_is_no_number(world: World, name: str) -> None:
    campaign = world.auction()
    with pytest.raises(Refused, match="add a letter") as caught:
        world.service.enrol(campaign, name)
    assert caught.value.code is Code.INVALID


def test_the_bids_opened_stay_counted_when_workers_leave(world: World) -> None:
    campaign = world.auction()
    world.service.withdraw(campaign, 3)
    assert world.service.status(campaign).bids == 3
    world.service.close_auction(campaign)
    for worker in (0, 1):
        world.service.withdraw(campaign, worker)
    status = world.service.status(campaign)
    assert (status.bids, status.pool, status.left) == (3, 3, 1)


def test_one_verdict_is_one_verdict(world: World) -> None:
    campaign = world.running()
    world.service.post_tasks(campaign, [commands.TaskSpec(gold=1)])
    for worker in range(4):
        world.service.answer(campaign, worker, 0, 1)
    said = " ".join(world.service.status(campaign).why)
    assert "1 verdict comes from everybody" in said
    assert "Of 1 verdict whose truth is known, 1 is right." in said


@pytest.mark.parametrize("wrong", [{"title": "a\0b"}, {"currency": "E\nR"}, {"labels": ("no", "y\x1bs")}])
def test_what_people_read_is_printable(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        world.service.draft(small(**wrong))
    assert caught.value.code is Code.INVALID


def test_a_worker_can_check_its_coins_elsewhere(world: World) -> None:
    """With hashlib and the formula of docs/payments.md alone: everything that it takes is in the answer."""
    campaign = world.running(payment=RANDOMISED)
    world.service.close_campaign(campaign)
    for worker, bid in enumerate(BIDS):
        check = world.service.check_coins(campaign, worker)
        assert check is not None
        assert check.bid == round(bid * UNIT)
        seed = int(check.seed, 16)
        assert commitment(seed, bytes.fromhex(check.salt)) == check.commitment
        assert own_coins(seed, check.position, check.bid, check.cap, check.one_in)[0] == check.seen
    assert check.commitment == world.service.state(campaign).coin_commitment


def test_a_statement_says_whether_pay_is_truthful_and_why(world: World) -> None:
    campaign = world.running(payment=RANDOMISED)
    mine, whole = world.service.worker_statement(campaign, 0), world.service.statement(campaign)
    assert (mine.truthful, mine.why) == (whole.truthful, whole.why)
    assert mine.why
