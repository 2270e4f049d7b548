"""The engine between callers and store: grouping, conflicts, keys, and a store that fails in every way it may."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from quorate.campaign import commands, results
from quorate.campaign import engine as engine_module
from quorate.campaign.codec import decode
from quorate.campaign.engine import Engine
from quorate.campaign.ledger import Append, Conflict
from quorate.campaign.refusal import Code, Refused, Tampered, Unavailable
from quorate.campaign.sealed import Bid, Opening
from quorate.campaign.snapshot import fingerprint
from quorate.mechanism.coins import commitment
from quorate.store import SqlStore, open_store
from tests.campaigns import COINS, SALT, refold, small


class Faulty:
    """A store on which the next append fails as told; everything else goes through."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.fault: str | None = None
        self.appends = 0
        self.sizes: list[int] = []
        self.gate = threading.Event()
        self.gate.set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def append(self, appends: Sequence[Append]) -> None:
        self.appends += 1
        self.gate.wait()
        fault, self.fault = self.fault, None
        if fault == "lost before":
            raise Unavailable("the connection broke while committing", in_doubt=True)
        if fault == "conflict":
            raise Conflict([append.campaign for append in appends])
        if fault == "full":
            raise Unavailable("the disk is full", passing=False)
        if fault == "away":
            raise Unavailable("the server restarts")
        if fault == "bug":
            raise ZeroDivisionError("a bug")
        self.store.append(appends)
        self.sizes.append(sum(len(append.records) for append in appends))
        if fault == "lost after":
            raise Unavailable("the connection broke while committing", in_doubt=True)


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Faulty]:
    store = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    yield Faulty(store)
    store.close()


@pytest.fixture
def engine(faulty: Faulty) -> Iterator[Engine]:
    made = Engine(faulty, lambda: 5)
    made.submit("c1", commands.DraftCampaign(small())).result()
    made.submit("c1", commands.OpenCampaign(1, commitment(COINS, SALT))).result()
    yield made
    made.close()


def enrol(engine: Engine, name: str, **fields: Any) -> Any:
    return engine.submit("c1", commands.EnrolWorker(name), **fields)


def test_what_is_acknowledged_is_in_the_store(engine: Engine, faulty: Faulty) -> None:
    assert enrol(engine, "ada").result() == results.Enrolled(0)
    assert [record.kind for record in faulty.read("c1", 0, 10)][-1] == "worker enrolled"
    events = [decode(record.kind, record.body) for record in faulty.read("c1", 0, 10)]
    assert fingerprint(refold(events)) == fingerprint(engine.state("c1"))


def test_nobody_sees_a_state_that_is_not_durable(engine: Engine, faulty: Faulty) -> None:
    faulty.gate.clear()
    future = enrol(engine, "ada")
    with pytest.raises(TimeoutError):
        future.result(timeout=0.1)
    assert len(engine.state("c1").workers) == 0
    faulty.gate.set()
    future.result()
    assert len(engine.state("c1").workers) == 1


def test_commands_that_queue_up_share_one_transaction(engine: Engine, faulty: Faulty) -> None:
    faulty.gate.clear()
    first = enrol(engine, "first")
    while faulty.appends < 3:
        threading.Event().wait(0.001)
    rest = [enrol(engine, f"w{number}") for number in range(50)]
    faulty.gate.set()
    assert [future.result().worker for future in (first, *rest)] == list(range(51))
    assert faulty.sizes[-1] == 50, "all that waited went together"


def test_a_refusal_in_a_group_leaves_the_others(engine: Engine, faulty: Faulty) -> None:
    faulty.gate.clear()
    futures = [enrol(engine, name) for name in ("ada", "ada", "bob")]
    faulty.gate.set()
    assert futures[0].result().worker == 0
    with pytest.raises(Refused) as caught:
        futures[1].result()
    assert caught.value.code is Code.DUPLICATE_WORKER
    assert futures[2].result().worker == 1


@pytest.mark.parametrize("fault", ["lost before", "conflict", "away"])
def test_a_passing_failure_is_waited_for(engine: Engine, faulty: Faulty, fault: str) -> None:
    faulty.fault = fault
    assert enrol(engine, "ada").result().worker == 0
    assert enrol(engine, "bob").result().worker == 1
    assert [record.kind for record in faulty.read("c1", 0, 10)].count("worker enrolled") == 2


def test_a_commit_whose_answer_was_lost_is_not_done_twice(engine: Engine, faulty: Faulty) -> None:
    faulty.fault = "lost after"
    assert enrol(engine, "ada").result().worker == 0
    assert [record.kind for record in faulty.read("c1", 0, 10)].count("worker enrolled") == 1
    assert enrol(engine, "bob").result().worker == 1


def test_a_full_disk_is_said_at_once_and_the_engine_goes_on(engine: Engine, faulty: Faulty) -> None:
    faulty.fault = "full"
    with pytest.raises(Unavailable, match="full"):
        enrol(engine, "ada").result()
    assert len(engine.state("c1").workers) == 0
    assert enrol(engine, "ada").result().worker == 0


def test_a_store_that_stays_away_is_given_up_after_a_while(
    engine: Engine, faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.0)
    faulty.fault = "away"
    with pytest.raises(Unavailable, match="restarts"):
        enrol(engine, "ada").result()
    assert enrol(engine, "ada").result().worker == 0


def test_a_bug_reaches_its_caller_and_not_the_thread(engine: Engine, faulty: Faulty) -> None:
    faulty.fault = "bug"
    with pytest.raises(ZeroDivisionError):
        enrol(engine, "ada").result()
    assert enrol(engine, "ada").result().worker == 0


def test_a_command_that_breaks_does_not_take_its_group_down(engine: Engine, faulty: Faulty) -> None:
    def broken(state: Any, read: Any) -> Any:
        raise ZeroDivisionError("a bug in one command")

    faulty.gate.clear()
    futures = [enrol(engine, "ada"), engine.submit("c1", broken), enrol(engine, "bob")]
    faulty.gate.set()
    assert futures[0].result().worker == 0
    with pytest.raises(ZeroDivisionError):
        futures[1].result()
    assert futures[2].result().worker == 1


def test_a_caller_who_has_gone_away_is_not_served(engine: Engine, faulty: Faulty) -> None:
    faulty.gate.clear()
    first = enrol(engine, "first")
    while faulty.appends < 3:
        threading.Event().wait(0.001)
    gone = enrol(engine, "gone")
    assert gone.cancel()
    faulty.gate.set()
    first.result()
    assert enrol(engine, "next").result().worker == 1


# Idempotency keys.


def test_the_same_key_gives_the_first_response_again(engine: Engine, faulty: Faulty) -> None:
    first = enrol(engine, "ada", key="k1", fingerprint="f").result()
    before = faulty.head("c1")
    assert enrol(engine, "ada", key="k1", fingerprint="f").result() == first
    assert faulty.head("c1") == before
    with pytest.raises(Refused) as caught:
        enrol(engine, "bob", key="k1", fingerprint="g").result()
    assert caught.value.code is Code.KEY_REUSED


def test_the_same_key_twice_in_one_group(engine: Engine, faulty: Faulty) -> None:
    faulty.gate.clear()
    futures = [enrol(engine, "ada", key="k1", fingerprint="f") for _ in range(3)]
    faulty.gate.set()
    assert [future.result().worker for future in futures] == [0, 0, 0]
    assert len(engine.state("c1").workers) == 1


def test_a_key_survives_a_restart(engine: Engine, faulty: Faulty) -> None:
    first = enrol(engine, "ada", key="k1", fingerprint="f").result()
    other = Engine(faulty, lambda: 9)
    try:
        assert enrol(other, "ada", key="k1", fingerprint="f").result() == first
        assert len(other.state("c1").workers) == 1
    finally:
        other.close()


def test_a_refused_command_does_not_use_up_its_key(engine: Engine) -> None:
    enrol(engine, "ada").result()
    with pytest.raises(Refused):
        enrol(engine, "ada", key="k1", fingerprint="f").result()
    assert enrol(engine, "bob", key="k1", fingerprint="g").result().worker == 1


def test_results_come_back_from_json() -> None:
    item = results.Posted(3, "k", True)
    for result in (
        results.Done(),
        results.AuctionResult((1, 2), (3,)),
        results.Batch((item, results.AnswerTaken(1, 2, 3, False), results.ItemRefused("c", "m"))),
        results.PayoutsOrdered((results.PayoutOrder("p", 1, 2),)),
        results.TruthTaken(1, 0, None, True),
    ):
        assert results.from_json(results.to_json(result)) == result


# Two processes.


def test_two_engines_on_one_store_take_turns(engine: Engine, faulty: Faulty) -> None:
    other = Engine(faulty, lambda: 6)
    try:
        for number in range(10):
            assert enrol(engine if number % 2 else other, f"w{number}").result().worker == number
        assert len(engine.state("c1").workers) == len(other.state("c1").workers) == 10
        with pytest.raises(Refused):
            enrol(other, "w9").result()
    finally:
        other.close()


def test_two_engines_at_once_lose_nothing(engine: Engine, faulty: Faulty) -> None:
    other = Engine(faulty, lambda: 6)
    try:
        futures = [enrol((engine, other)[number % 2], f"w{number}") for number in range(200)]
        numbers = sorted(future.result().worker for future in futures)
        assert numbers == list(range(200))
        assert fingerprint(engine.state("c1")) == fingerprint(other.state("c1"))
    finally:
        other.close()


@pytest.fixture
def other(engine: Engine, faulty: Faulty) -> Iterator[Engine]:
    """Another process's, which knows the campaign as it was before it opened."""
    made = Engine(faulty, lambda: 6)
    assert len(made.state("c1").workers) == 0
    yield made
    made.close()


def test_a_refusal_is_not_decided_on_what_others_have_changed(engine: Engine, other: Engine) -> None:
    enrol(engine, "ada").result()
    assert other.submit("c1", commands.WithdrawWorker("ada")).result() == results.Left(0, 0, 0)
    with pytest.raises(Refused, match="has left"):
        engine.submit("c1", commands.PlaceBid(0, Opening(Bid(1), SALT))).result()


def test_a_group_that_is_decided_again_is_done_once(engine: Engine, other: Engine, faulty: Faulty) -> None:
    """What would be refused on an old head is looked at before anything of the group is durable."""
    other.submit("c2", commands.DraftCampaign(small())).result()
    enrol(engine, "ada").result()
    faulty.gate.clear()
    appends = faulty.appends
    first = other.submit("c2", commands.DraftCampaign(small(title="before the group")))
    while faulty.appends == appends:
        threading.Event().wait(0.001)
    group = [
        other.submit("c2", commands.OpenCampaign(1, commitment(COINS, SALT))),
        other.submit("c1", commands.WithdrawWorker("ada")),
    ]
    faulty.gate.set()
    assert first.result() == results.Done()
    assert [type(future.result()) for future in group] == [results.CampaignOpened, results.Left]
    assert [record.kind for record in faulty.read("c2", 0, 10)].count("campaign opened") == 1


def test_a_retry_elsewhere_while_the_first_becomes_durable(engine: Engine, other: Engine, faulty: Faulty) -> None:
    """The wish becomes durable, and is read, between the other's looks at its keys and at its state."""
    recorded = faulty.store.recorded

    def slowly(campaign: str, keys: Sequence[str]) -> Any:
        found = recorded(campaign, keys)
        del faulty.recorded
        enrol(engine, "ada", key="k1", fingerprint="f").result()
        other.state("c1")
        return found

    faulty.recorded = slowly
    assert enrol(other, "ada", key="k1", fingerprint="f").result() == results.Enrolled(0)


def test_who_writes_alone_asks_nobody_before_refusing(engine: Engine, faulty: Faulty) -> None:
    def asked(campaign: str) -> Any:
        raise AssertionError("nobody else writes")

    single = Engine(faulty, lambda: 6, alone=True)
    faulty.head = asked
    try:
        with pytest.raises(Refused, match="no worker"):
            single.submit("c1", commands.WithdrawWorker("ada")).result()
    finally:
        del faulty.head
        single.close()


def test_a_reader_sees_what_others_have_written(engine: Engine, faulty: Faulty) -> None:
    other = Engine(faulty, lambda: 6)
    try:
        assert len(other.state("c1").workers) == 0
        enrol(engine, "ada").result()
        assert len(other.state("c1", fresh=False).workers) == 0
        assert len(other.state("c1").workers) == 1
    finally:
        other.close()


# Starting and stopping.


def test_a_snapshot_and_the_rest_make_the_same_state(engine: Engine, faulty: Faulty) -> None:
    for number in range(5):
        enrol(engine, f"w{number}").result()
    engine.close()
    snapshot = faulty.snapshot("c1")
    assert snapshot is not None
    assert snapshot.seq == 7
    second = Engine(faulty, lambda: 6)
    enrol(second, "w5").result()
    third = Engine(faulty, lambda: 6)
    assert fingerprint(third.state("c1")) == fingerprint(second.state("c1"))
    second.close()
    third.close()


def test_a_snapshot_of_another_form_is_not_read(
    engine: Engine, faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrol(engine, "ada").result()
    engine.close()
    monkeypatch.setattr(engine_module, "VERSION", 999)
    second = Engine(faulty, lambda: 6)
    assert len(second.state("c1").workers) == 1
    second.close()


@pytest.mark.parametrize(
    "damage", ["UPDATE snapshots SET data = x'00'", "UPDATE snapshots SET hash = 'another'", "DELETE FROM snapshots"]
)
def test_a_damaged_snapshot_costs_nothing_but_time(engine: Engine, faulty: Faulty, damage: str) -> None:
    enrol(engine, "ada").result()
    engine.close()
    with faulty.store._writing([]) as connection:
        connection.exec_driver_sql(damage)
    second = Engine(faulty, lambda: 6)
    assert len(second.state("c1").workers) == 1
    second.close()


def test_a_tampered_tail_is_not_served(engine: Engine, faulty: Faulty) -> None:
    enrol(engine, "ada").result()
    engine.close()
    with faulty.store._writing([]) as connection:
        connection.exec_driver_sql("DROP TRIGGER ledger_no_update")
        connection.exec_driver_sql("DELETE FROM snapshots")
        connection.exec_driver_sql("UPDATE ledger SET body = replace(body, 'ada', 'eve')")
    second = Engine(faulty, lambda: 6)
    with pytest.raises(Tampered, match="event 3"):
        second.state("c1")
    with pytest.raises(Tampered):
        enrol(second, "bob").result()
    second.close()


def test_after_closing_commands_are_refused_cleanly(engine: Engine) -> None:
    engine.close()
    engine.close()
    with pytest.raises(Unavailable, match="stopping"):
        enrol(engine, "ada").result()


def test_waiting_and_watching(engine: Engine) -> None:
    seen: list[int] = []
    leave = engine.subscribe("c1", seen.append)
    assert engine.wait("c1", after=2, timeout=0.01) == 2
    waiter: list[int] = []
    thread = threading.Thread(target=lambda: waiter.append(engine.wait("c1", 2, 30)))
    thread.start()
    enrol(engine, "ada").result()
    thread.join()
    assert waiter == [3]
    leave()
    enrol(engine, "bob").result()
    assert seen == [3]


def test_an_unknown_campaign_is_refused(engine: Engine) -> None:
    with pytest.raises(Refused) as caught:
        engine.state("nowhere")
    assert caught.value.code is Code.UNKNOWN_CAMPAIGN
    with pytest.raises(Refused):
        engine.submit("nowhere", commands.EnrolWorker("ada")).result()
