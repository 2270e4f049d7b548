"""Replay decides anew, and catches a ledger that was rewritten with a chain that fits."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from quorate.campaign import commands
from quorate.campaign.chain import chain, checked
from quorate.campaign.codec import encode
from quorate.campaign.events import BidPlaced
from quorate.campaign.ledger import GENESIS, Head, Record
from quorate.campaign.refusal import Tampered
from quorate.campaign.replay import replay
from quorate.campaign.sealed import bid_commitment
from quorate.campaign.snapshot import fingerprint
from tests.campaigns import COINS, RANDOMISED, UNIT, Drive, opening, running, small

Entry = tuple[str, dict[str, Any]]


def finished() -> Drive:
    drive = running((3, 5, 8, 13), small(payment=RANDOMISED)).post(4, gold=1)
    for task in range(4):
        drive.answer(task, {0: 1, 1: 1, 2: 0, 3: 1})
    drive.do(commands.OrderPayouts(2))
    drive.close()
    return drive


DRIVE = finished()
ENTRIES: list[Entry] = [(event.kind, json.loads(encode(event))) for event in DRIVE.events]


def forged(entries: list[Entry]) -> list[Record]:
    """A ledger with a chain that fits, whatever is in it."""
    written = [(kind, json.dumps(body, sort_keys=True, separators=(",", ":"))) for kind, body in entries]
    records = chain("c1", Head(0, GENESIS), 0, written)
    assert len(list(checked("c1", records))) == len(entries)
    return records


def test_a_true_ledger_follows_from_its_causes() -> None:
    found = replay("c1", forged(ENTRIES), COINS)
    assert found.fingerprint == fingerprint(DRIVE.state)
    assert found.coins == "verified"
    assert found.verdicts == 4
    assert found.causes < found.events == len(ENTRIES)


def test_before_the_close_coins_are_not_revealed_yet() -> None:
    found = replay("c1", forged(ENTRIES[:-1]), None)
    assert found.coins == "not revealed yet"


def test_every_prefix_that_ends_between_causes_follows() -> None:
    drive = running((3, 5), small(payment=RANDOMISED)).post(1, gold=1)
    entries = [(event.kind, json.loads(encode(event))) for event in drive.events]
    assert replay("c1", forged(entries), None).events == len(entries)
    assert replay("c1", forged(entries), COINS).coins == "not revealed yet"


def changed(kind: str, **fields: Any) -> Callable[[list[Entry]], list[Entry]]:
    """The first event of a kind with other fields."""

    def change(entries: list[Entry]) -> list[Entry]:
        at = next(at for at, entry in enumerate(entries) if entry[0] == kind)
        body = {**entries[at][1], **fields}
        return [*entries[:at], (kind, body), *entries[at + 1 :]]

    return change


def without(kind: str) -> Callable[[list[Entry]], list[Entry]]:
    def change(entries: list[Entry]) -> list[Entry]:
        at = next(at for at, entry in enumerate(entries) if entry[0] == kind)
        return [*entries[:at], *entries[at + 1 :]]

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed("answer given", price=1),
        changed("answer given", label=0),
        changed("answer given", worker=1),
        changed("verdict made", verdict=0),
        changed("verdict made", basis="certified"),
        changed("jury chosen", members="0-2"),
        changed("jury assigned", deadline=5),
        changed("auction closed", pool="0-2"),
        changed("auction closed", prices=[1, 2, 3, 4]),
        changed("auction closed", bids=[3_000_000, 5_000_000, 8_000_000, 14_000_000]),
        changed("auction closed", seen=[3_000_000, 5_000_000, 8_000_000, 19_999_999]),
        changed("bid placed", commitment="0" * 64),
        changed("bid placed", times=2),
        changed("payout ordered", amount=1),
        changed("payout ordered", worker=0),
        changed("campaign closed", earned=1),
        changed("campaign closed", coin_seed=f"{COINS + 1:016x}"),
        changed("task posted", checked=False),
        changed("truth revealed", truth=0),
        without("verdict made"),
        without("jury assigned"),
        without("payout ordered"),
        without("worker enrolled"),
        without("campaign opened"),
        without("truth revealed"),
    ],
)
def test_a_forged_ledger_is_caught_though_its_chain_fits(change: Callable[[list[Entry]], list[Entry]]) -> None:
    records = forged(change(ENTRIES))
    with pytest.raises(Tampered) as caught:
        replay("c1", records, COINS)
    assert "c1" in str(caught.value)


UNTIL = 1_000


def bids_at(at: int, *, leaves: bool = False) -> list[Record]:
    """A ledger with a chain that fits, in which one worker bids at that time, perhaps after it has left."""
    drive = Drive(small(bids_until=UNTIL)).open().enrol([3])
    if leaves:
        drive.do(commands.WithdrawWorker(0))
    before = chain("c1", Head(0, GENESIS), 0, [(event.kind, encode(event)) for event in drive.events])
    bid = ("bid placed", encode(BidPlaced(0, "0" * 64, 2)))
    return [*before, *chain("c1", Head(before[-1].seq, before[-1].hash), at, [bid])]


def test_a_bid_up_to_the_end_of_the_time_for_bids_follows() -> None:
    assert replay("c1", bids_at(UNTIL), None).stage == "auction"


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (bids_at(UNTIL + 1), "the time for bids is over"),
        (bids_at(UNTIL, leaves=True), "has left the campaign"),
    ],
)
def test_a_bid_that_came_too_late_is_caught(records: list[Record], words: str) -> None:
    with pytest.raises(Tampered, match=f"could not have been accepted: .*{words}"):
        replay("c1", records, None)


@pytest.mark.parametrize("coin_seed", [None, COINS])
@pytest.mark.parametrize(
    "change",
    [
        {"bids": [20 * UNIT + 1, 5 * UNIT]},
        {"bids": [-1, 5 * UNIT]},
        {"bids": [3 * UNIT]},
        {"bids": ["3", 5 * UNIT]},
        {"salts": ["zz", "00"]},
        {"workers": "0-7"},
    ],
)
def test_bids_that_cannot_have_been_placed_are_caught(change: dict[str, Any], coin_seed: int | None) -> None:
    """Also where the commitments, which anybody can make, fit them."""
    drive = running((3, 5), small(cap=20 * UNIT))
    entries = [(event.kind, json.loads(encode(event))) for event in drive.events]
    if isinstance(change.get("bids", [""])[0], int) and change["bids"][0] > 0:
        placed = bid_commitment("c1", 0, opening(change["bids"][0]))
        entries = changed("bid placed", commitment=placed)(entries)
    with pytest.raises(Tampered, match="c1"):
        replay("c1", forged(changed("auction closed", **change)(entries)), coin_seed)


@pytest.mark.parametrize("coin_seed", [None, COINS])
def test_an_auction_closes_once_and_not_without_bids(coin_seed: int | None) -> None:
    entries = [(event.kind, json.loads(encode(event))) for event in running((3, 5)).events]
    closed = next(entry for entry in entries if entry[0] == "auction closed")
    with pytest.raises(Tampered, match="the campaign is running"):
        replay("c1", forged([*entries, closed]), coin_seed)
    nobodys = (closed[0], {**closed[1], "workers": "", "bids": [], "salts": [], "seen": [], "bonus": [], "pool": ""})
    with pytest.raises(Tampered, match="nobody has placed a bid"):
        replay("c1", forged([*entries[:2], nobodys]), coin_seed)


def test_an_event_out_of_nowhere_is_caught() -> None:
    extra = ("promise noted", {"note": "left-spare", "task": None, "worker": 0, "facts": {"left": 1}})
    with pytest.raises(Tampered, match="nothing in the ledger leads to"):
        replay("c1", forged([*ENTRIES[:4], extra]), None)
    again = [*ENTRIES, next(entry for entry in ENTRIES if entry[0] == "answer given")]
    with pytest.raises(Tampered, match="breaks a rule"):
        replay("c1", forged(again), COINS)


def test_a_ledger_that_stops_in_the_middle_of_a_decision_is_caught() -> None:
    at = next(at for at, entry in enumerate(ENTRIES) if entry[0] == "verdict made")
    with pytest.raises(Tampered, match="ends before"):
        replay("c1", forged(ENTRIES[:at]), None)


def test_a_thing_that_a_batch_would_refuse_breaks_a_rule() -> None:
    at = next(at for at, entry in enumerate(ENTRIES) if entry[0] == "answer given")
    twice = [*ENTRIES[: at + 1], ENTRIES[at], *ENTRIES[at + 1 :]]
    with pytest.raises(Tampered, match=r"breaks a rule.*has answered task 't0' already"):
        replay("c1", forged(twice), COINS)


@pytest.mark.parametrize(
    "forgery",
    [
        ("deadline passed", {"task": 0, "missing": "0"}),
        ("truth overdue", {"task": 0}),
        ("payout ordered", {"payout": "c1.0.1", "worker": 0, "amount": 1}),
    ],
)
def test_an_event_that_nothing_leads_to_is_caught(forgery: Entry) -> None:
    at = next(at for at, entry in enumerate(ENTRIES) if entry[0] == "answer given")
    with pytest.raises(Tampered, match="nothing in the ledger leads to"):
        replay("c1", forged([*ENTRIES[:at], forgery]), COINS)
