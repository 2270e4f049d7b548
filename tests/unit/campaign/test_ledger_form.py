"""The ledger's form: canonical JSON, ranges, and the chain that shows every change."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.campaign import commands, events
from quorate.campaign.chain import chain, checked, link
from quorate.campaign.codec import KINDS, canonical, decode, encode
from quorate.campaign.ledger import GENESIS, TOPICS, Head, Record, message_of
from quorate.campaign.ranges import from_ranges, to_ranges
from quorate.campaign.refusal import Tampered
from quorate.errors import InvalidInput
from tests.campaigns import RANDOMISED, exploiting, small


def every_event() -> list[events.Event]:
    """A campaign with everything in it."""
    drive = exploiting((3, 5, 8, 13, 13), small(payment=RANDOMISED))
    drive.post(2)
    drive.now += 2_000
    drive.do(commands.TickDeadlines())
    drive.do(commands.WithdrawWorker(0, "why not"))
    drive.do(commands.OrderPayouts())
    drive.do(commands.ConfirmPayout("c1.1.1", "r"))
    drive.close(force=True)
    return drive.events


EVENTS = every_event()


def test_the_test_campaign_has_almost_every_kind_of_event() -> None:
    missing = set(KINDS) - {event.kind for event in EVENTS}
    assert missing <= {"truth overdue", "substitutes asked"}


@pytest.mark.parametrize("event", {event.kind: event for event in EVENTS}.values(), ids=lambda event: event.kind)
def test_events_come_back_as_they_went(event: events.Event) -> None:
    text = encode(event)
    assert decode(event.kind, text) == event
    assert encode(decode(event.kind, text)) == text
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


def test_every_event_has_a_kind_of_its_own_and_only_json_in_it() -> None:
    assert len(KINDS) == len(events.Event.__args__)
    for kind in KINDS.values():
        assert fields(kind)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), {("a", "b"): 1}])
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="give text, numbers"):
        canonical(value)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("no such kind", "{}"),
        ("answer given", "{}"),
        ("answer given", "not json"),
        ("answer given", '{"task":1,"worker":1,"label":1,"price":1,"more":2}'),
        ("answer given", "[]"),
    ],
)
def test_what_nobody_wrote_is_not_read(kind: str, body: str) -> None:
    with pytest.raises(Tampered, match="cannot be read"):
        decode(kind, body)


def written() -> list[Record]:
    return chain("c1", Head(0, GENESIS), 12, [(event.kind, encode(event)) for event in EVENTS[:40]])


def test_a_chain_as_written_is_intact() -> None:
    assert len(list(checked("c1", written()))) == 40


def test_a_chain_can_be_checked_from_the_middle() -> None:
    records = written()
    head = Head(records[9].seq, records[9].hash)
    assert len(list(checked("c1", records[10:], head))) == 30


@pytest.mark.parametrize(
    "change",
    [
        lambda records: [*records[:5], replace(records[5], body=records[5].body.replace("w", "v", 1)), *records[6:]],
        lambda records: [*records[:5], replace(records[5], at=13), *records[6:]],
        lambda records: [*records[:5], replace(records[5], kind="worker withdrawn"), *records[6:]],
        lambda records: [*records[:5], *records[6:]],
        lambda records: [*records[:5], records[6], records[5], *records[7:]],
        lambda records: [records[0], *records],
        lambda records: [*records[:5], replace(records[5], hash=records[4].hash), *records[6:]],
        lambda records: [replace(record, seq=record.seq + 1) for record in records],
        lambda records: [*records[:5], *(replace(record, seq=record.seq - 1) for record in records[6:])],
    ],
)
def test_any_change_breaks_the_chain(change: object) -> None:
    with pytest.raises(Tampered):
        list(checked("c1", change(written())))  # type: ignore[operator]


def test_another_campaigns_chain_does_not_fit() -> None:
    with pytest.raises(Tampered):
        list(checked("c2", written()))


def test_a_rewritten_event_changes_every_later_hash() -> None:
    records = written()
    entries = [(record.kind, record.body) for record in records]
    entries[3] = ("worker enrolled", '{"name":"mallory","worker":0}')
    forged = chain("c1", Head(0, GENESIS), 12, entries)
    assert [record.hash for record in forged[:3]] == [record.hash for record in records[:3]]
    assert not {record.hash for record in forged[3:]} & {record.hash for record in records[3:]}


def test_header_and_body_cannot_be_shifted_into_each_other() -> None:
    assert link(GENESIS, "c", 1, 2, "k", '{"a":1}') != link(GENESIS, "c", 1, 2, 'k"]{', '"a":1}')


@given(st.sets(st.integers(0, 300)))
def test_ranges_come_back(positions: set[int]) -> None:
    ordered = tuple(sorted(positions))
    assert from_ranges(to_ranges(ordered)) == ordered


def test_a_jury_of_everybody_is_short() -> None:
    assert to_ranges(range(1100)) == "0-1099"
    assert to_ranges([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"


def test_messages_are_json_with_the_event_in_them() -> None:
    record = next(record for record in written() if record.kind in TOPICS)
    message = json.loads(message_of("c1", record))
    assert message["kind"] == record.kind
    assert message["body"] == json.loads(record.body)


def test_no_topic_tells_of_bids_before_the_close() -> None:
    assert "bid placed" not in TOPICS
    assert set(TOPICS) <= set(KINDS)
