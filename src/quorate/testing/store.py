"""What `quorate.campaign.ledger.Store` promises, checked on any store.

The fixture `open_store` is a function without arguments. Each call opens the same database anew; it is empty when the
test begins.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import pytest

from quorate.campaign.chain import chain
from quorate.campaign.ledger import (
    GENESIS,
    TOPICS,
    Append,
    Conflict,
    Head,
    Record,
    Recorded,
    Seal,
    Snapshot,
    Store,
    TokenRow,
)
from quorate.campaign.refusal import Unavailable

T = TypeVar("T")
OpenStore = Callable[[], Store]
EMPTY = Head(0, GENESIS)
VERDICT = "verdict made"
RACES = 20


def entries(count: int, kind: str = "answer given") -> list[tuple[str, str]]:
    return [(kind, f'{{"number":{number}}}') for number in range(count)]


def records(campaign: str, count: int, head: Head = EMPTY, kind: str = "answer given", at: int = 5) -> list[Record]:
    return chain(campaign, head, at, entries(count, kind))


def head_of(written: list[Record]) -> Head:
    return Head(written[-1].seq, written[-1].hash)


class StoreContract:
    """Inherit it, and give the fixture `open_store`."""

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[Store]:
        opened = open_store()
        yield opened
        opened.close()

    def write(self, store: Store, campaign: str, count: int, kind: str = "answer given") -> list[Record]:
        head = store.head(campaign)
        written = records(campaign, count, head, kind)
        store.append([Append(campaign, head, written)])
        return written

    # Order and durability.

    def test_an_empty_ledger(self, store: Store) -> None:
        assert store.head("c1") == EMPTY
        assert store.campaigns() == []
        assert store.newest(10) == []
        assert store.read("c1", 0, 10) == []
        assert store.snapshot("c1") is None
        assert store.seals("c1") == {}
        assert store.recorded("c1", ["k"]) == {}

    def test_what_is_appended_is_read_in_order(self, store: Store) -> None:
        written = self.write(store, "c1", 3)
        written += self.write(store, "c1", 4)
        assert store.read("c1", 0, 100) == written
        assert store.read("c1", 2, 3) == written[2:5]
        assert store.read("c1", 7, 10) == []
        assert store.head("c1") == head_of(written)
        assert [record.seq for record in written] == list(range(1, 8))

    def test_reading_backwards(self, store: Store) -> None:
        written = self.write(store, "c1", 5)
        assert store.read_back("c1", 5, 2) == [written[3], written[2]]
        assert store.read_back("c1", 100, 10) == written[::-1]

    def test_reading_by_kind(self, store: Store) -> None:
        self.write(store, "c1", 2)
        notes = self.write(store, "c1", 2, "promise noted")
        self.write(store, "c1", 1)
        verdicts = self.write(store, "c1", 1, VERDICT)
        assert store.read("c1", 0, 10, ["promise noted"]) == notes
        assert store.read("c1", 0, 10, ["promise noted", VERDICT]) == notes + verdicts
        assert store.read_back("c1", 10, 1, ["promise noted"]) == notes[1:]
        assert store.read("c1", 0, 10, ["no such kind"]) == []

    def test_a_text_of_any_kind_is_data(self, store: Store) -> None:
        assert store.read("c1' OR '1'='1", 0, 10) == []
        assert store.read("c1", 0, 10, ["' OR '1'='1"]) == []
        assert store.head('c1"; DROP TABLE ledger; --') == EMPTY

    def test_campaigns_by_name_and_by_what_they_lack(self, store: Store) -> None:
        self.write(store, "b", 1)
        self.write(store, "a", 3)
        self.write(store, "a", 1, "campaign closed")
        assert store.campaigns() == ["a", "b"]
        assert store.campaigns(lacking="campaign closed") == ["b"]

    def test_campaigns_by_when_they_began(self, store: Store) -> None:
        for campaign, at in (("b", 5), ("d", 7), ("a", 7), ("c", 6)):
            first = chain(campaign, EMPTY, at, [("answer given", "{}")])
            store.append([Append(campaign, EMPTY, first)])
            later = chain(campaign, head_of(first), 10 - at, [("answer given", "{}")])
            store.append([Append(campaign, head_of(first), later)])
        assert store.newest(10) == [("a", 7), ("d", 7), ("c", 6), ("b", 5)]
        assert store.newest(3) == [("a", 7), ("d", 7), ("c", 6)]

    def test_what_is_appended_survives(self, store: Store, open_store: OpenStore) -> None:
        written = self.write(store, "c1", 3)
        other = open_store()
        try:
            assert other.read("c1", 0, 10) == written
        finally:
            other.close()
        store.close()
        again = open_store()
        try:
            assert again.read("c1", 0, 10) == written
        finally:
            again.close()

    def test_a_large_event_and_many_events(self, store: Store) -> None:
        large = chain("c1", EMPTY, 1, [("auction closed", '{"x":"' + "a" * 2_000_000 + '"}')])
        store.append([Append("c1", EMPTY, large)])
        written = self.write(store, "c1", 2_000)
        assert store.read("c1", 0, 1) == large
        assert store.read("c1", 1, 5_000) == written

    # Conflicts.

    @pytest.mark.parametrize("head", [EMPTY, Head(2, "0" * 64), Head(4, "1" * 64), Head(3, "2" * 64)])
    def test_another_head_is_a_conflict_and_nothing_is_kept(self, store: Store, head: Head) -> None:
        written = self.write(store, "c1", 3)
        with pytest.raises(Conflict) as caught:
            store.append([Append("c1", head, records("c1", 2, head), [Seal("s", b"x")])])
        assert caught.value.campaigns == ("c1",)
        assert store.read("c1", 0, 10) == written
        assert store.seals("c1") == {}

    @pytest.mark.parametrize("behind", [0, 1, 2])
    def test_a_response_alone_is_not_kept_on_an_old_head(self, store: Store, behind: int) -> None:
        """What was decided without the newest events may be wrong; a kept response would stay wrong."""
        written = self.write(store, "c1", 3)
        response = [Recorded("k", "print", "{}")]
        old = head_of(written[:behind]) if behind else EMPTY
        with pytest.raises(Conflict):
            store.append([Append("c1", old, (), recorded=response)])
        assert store.recorded("c1", ["k"]) == {}
        store.append([Append("c1", head_of(written), (), recorded=response)])
        assert store.recorded("c1", ["k"]) == {"k": response[0]}

    def test_a_conflict_names_every_campaign_that_is_behind(self, store: Store) -> None:
        for campaign in ("a", "b", "c"):
            self.write(store, campaign, 1)
        newest = store.head("b")
        appends = [Append(name, EMPTY, records(name, 1)) for name in ("c", "a")]
        with pytest.raises(Conflict) as caught:
            store.append([Append("b", newest, records("b", 1, newest)), *appends])
        assert set(caught.value.campaigns) == {"a", "c"}
        assert store.head("b") == newest

    def test_a_transaction_is_all_or_nothing_over_campaigns(self, store: Store) -> None:
        self.write(store, "b", 1)
        good = Append("a", EMPTY, records("a", 2), [Seal("s", b"x")], [Recorded("k", "f", "{}")])
        with pytest.raises(Conflict):
            store.append([good, Append("b", EMPTY, records("b", 1))])
        assert store.head("a") == EMPTY
        assert store.seals("a") == {}
        assert store.recorded("a", ["k"]) == {}
        b = store.head("b")
        store.append([good, Append("b", b, records("b", 1, b))])
        assert store.head("a").seq == 2
        assert store.head("b").seq == 2

    def test_of_two_who_append_at_once_one_wins(self, store: Store, open_store: OpenStore) -> None:
        other = open_store()
        try:
            for _ in range(RACES):
                head = store.head("c1")
                written = records("c1", 2, head)
                outcomes = _race([store, other], [Append("c1", head, written), Append("c1", head, written)])
                assert sorted(outcomes) == ["Conflict", "done"], "one of the two, and only one"
                assert store.head("c1") == head_of(written)
        finally:
            other.close()

    def test_many_threads_on_one_store(self, store: Store) -> None:
        """Each to its own campaign, all at once."""
        names = [f"c{number}" for number in range(8)]
        outcomes = _race([store] * 8, [Append(name, EMPTY, records(name, 20)) for name in names])
        assert outcomes == ["done"] * 8
        assert all(len(store.read(name, 0, 100)) == 20 for name in names)

    # Beside the ledger.

    def test_an_idempotency_key_is_recorded_once(self, store: Store) -> None:
        first = records("c1", 1)
        store.append([Append("c1", EMPTY, first, recorded=[Recorded("k", "print", '{"a":1}')])])
        assert store.recorded("c1", ["k", "other"]) == {"k": Recorded("k", "print", '{"a":1}')}
        assert store.recorded("c2", ["k"]) == {}
        head = head_of(first)
        with pytest.raises(Conflict):
            store.append([Append("c1", head, records("c1", 1, head), recorded=[Recorded("k", "x", "{}")])])
        assert store.head("c1") == head

    def test_the_last_seal_under_a_name_counts(self, store: Store) -> None:
        first = records("c1", 1)
        store.append([Append("c1", EMPTY, first, [Seal("bid/0", b"one"), Seal("coins", bytes(range(256)))])])
        head = head_of(first)
        store.append([Append("c1", head, records("c1", 1, head), [Seal("bid/0", b"two")])])
        assert store.seals("c1") == {"bid/0": b"two", "coins": bytes(range(256))}
        assert store.seals("c1", ["bid/0", "nothing"]) == {"bid/0": b"two"}
        assert store.seals("c2") == {}

    def test_the_first_of_those_sealed_once_stays(self, store: Store, open_store: OpenStore) -> None:
        other = open_store()
        try:
            assert store.seal_once("", Seal("mark", b"one")) == b"one"
            assert other.seal_once("", Seal("mark", b"two")) == b"one"
            assert store.seals("") == {"mark": b"one"}
            assert store.seal_once("", Seal("more", b"three")) == b"three"
            for race in range(RACES):
                seals = [Seal(f"race {race}", bytes([number])) for number in range(2)]
                found = _at_once(
                    [partial(each.seal_once, "", seal) for each, seal in zip((store, other), seals, strict=True)]
                )
                assert found == [store.seals("")[f"race {race}"]] * 2, "both are given the one that is kept"
        finally:
            other.close()

    def test_the_newest_snapshot_is_kept(self, store: Store) -> None:
        old, new = Snapshot("c1", 5, "h5", 1, b"old"), Snapshot("c1", 9, "h9", 1, b"\x00new")
        store.save_snapshot(old)
        store.save_snapshot(new)
        store.save_snapshot(old)
        assert store.snapshot("c1") == new
        assert store.snapshot("c2") is None

    # The outbox.

    def hooked(self, store: Store) -> int:
        return store.add_hook("c1", "https://example.org/hook", ["verdicts"], b"secret", 1)

    def test_a_message_for_every_hook_that_wants_it(self, store: Store) -> None:
        hook = self.hooked(store)
        store.add_hook("c1", "https://example.org/other", ["payouts"], b"", 1)
        store.add_hook("c2", "https://example.org/hook", ["verdicts"], b"", 1)
        self.write(store, "c1", 2, "answer given")
        self.write(store, "c1", 2, VERDICT)
        claimed = store.claim(now=100, lease=10, limit=10)
        assert [(one.campaign, one.hook, one.topic, one.attempts) for one in claimed] == [
            ("c1", hook, TOPICS[VERDICT], 1),
            ("c1", hook, TOPICS[VERDICT], 1),
        ]
        assert len({one.key for one in claimed}) == 2
        assert '"kind": "verdict made"' in claimed[0].payload

    def test_without_hooks_there_are_no_messages(self, store: Store) -> None:
        self.write(store, "c1", 2, VERDICT)
        assert store.claim(100, 10, 10) == []

    def test_a_claimed_message_is_nobody_elses_until_its_lease_ends(self, store: Store) -> None:
        self.hooked(store)
        self.write(store, "c1", 3, VERDICT)
        first = store.claim(100, 10, 2)
        assert len(first) == 2
        assert len(store.claim(100, 10, 10)) == 1
        assert store.claim(109, 10, 10) == []
        again = store.claim(110, 10, 10)
        assert len(again) == 3
        assert {one.attempts for one in again} == {2}

    def test_messages_of_some_hooks_are_passed_over(self, store: Store) -> None:
        first, second = self.hooked(store), self.hooked(store)
        self.write(store, "c1", 3, VERDICT)
        assert [one.hook for one in store.claim(100, 10, 10, [first])] == [second] * 3
        assert store.claim(100, 10, 10, [first, second]) == []
        assert [one.hook for one in store.claim(100, 10, 10)] == [first] * 3

    def test_a_delivered_message_is_done(self, store: Store) -> None:
        self.hooked(store)
        self.write(store, "c1", 1, VERDICT)
        claimed = store.claim(100, 10, 10)[0]
        store.delivered(claimed.id, 101)
        assert store.claim(10**9, 10, 10) == []
        listed = store.deliveries("c1", 10)
        assert [(one["key"], one["delivered"], one["given_up"]) for one in listed] == [(claimed.key, 101, False)]

    def test_a_failed_message_comes_back_or_is_given_up(self, store: Store) -> None:
        self.hooked(store)
        self.write(store, "c1", 1, VERDICT)
        claimed = store.claim(100, 10, 10)[0]
        store.failed(claimed.id, "503", retry_at=500)
        assert store.claim(499, 10, 10) == []
        assert store.claim(500, 10, 10)[0].attempts == 2
        store.failed(claimed.id, "410 gone", retry_at=None)
        assert store.claim(10**9, 10, 10) == []
        assert [(one["error"], one["given_up"]) for one in store.deliveries("c1", 10)] == [("410 gone", True)]

    def test_two_senders_never_get_the_same_message(self, store: Store, open_store: OpenStore) -> None:
        self.hooked(store)
        self.write(store, "c1", 40, VERDICT)
        other = open_store()
        claimed: list[int] = []
        lock = threading.Lock()

        def send(mine: Store) -> None:
            while found := mine.claim(100, 1_000, 3):
                with lock:
                    claimed.extend(one.id for one in found)

        threads = [threading.Thread(target=send, args=(mine,)) for mine in (store, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.close()
        assert sorted(claimed) == sorted(set(claimed))
        assert len(claimed) == 40

    def test_a_removed_hook_gets_nothing_more(self, store: Store) -> None:
        hook = self.hooked(store)
        self.write(store, "c1", 1, VERDICT)
        assert [(one.id, one.url, one.topics, one.secret) for one in store.hooks("c1")] == [
            (hook, "https://example.org/hook", ("verdicts",), b"secret")
        ]
        assert not store.remove_hook("c2", hook)
        assert store.remove_hook("c1", hook)
        assert not store.remove_hook("c1", hook)
        self.write(store, "c1", 1, VERDICT)
        assert store.claim(100, 10, 10) == []
        assert store.hooks("c1") == []

    def test_nobody_removes_the_hook_of_another_campaign(self, store: Store) -> None:
        hook = self.hooked(store)
        self.write(store, "c1", 1, VERDICT)
        assert not store.remove_hook("c2", hook)
        assert len(store.claim(100, 10, 10)) == 1, "its messages still go out"

    # Tokens.

    def test_tokens_are_found_by_digest_and_revoked_once(self, store: Store) -> None:
        mine = TokenRow("d1", "c1", "worker", 3, "for ada", 1, None)
        other = TokenRow("d2", "c1", "auditor", None, "", 2, None)
        store.add_token(mine)
        store.add_token(other)
        assert store.token("d1") == mine
        assert store.token("d3") is None
        assert store.tokens("c1") == [mine, other]
        assert store.revoke_token("d1", 7)
        assert store.revoke_token("d1", 9)
        assert not store.revoke_token("d3", 9)
        found = store.token("d1")
        assert found is not None
        assert found.revoked == 7, "the first revocation stands"
        assert store.tokens("c2") == []
        store.add_token(mine)
        assert store.token("d1") == found, "it stays as it is"

    def test_a_token_is_exchanged_once(self, store: Store) -> None:
        store.add_token(TokenRow("d1", "c1", "worker", 3, "ada", 1, None))
        mine, late = (TokenRow(name, "c1", "worker", 3, "ada", 7, None) for name in ("d2", "d3"))
        assert store.exchange_token("d1", mine, 7)
        assert not store.exchange_token("d1", late, 8)
        assert not store.exchange_token("d4", late, 8)
        assert store.token("d2") == mine
        assert store.token("d3") is None
        spent = store.token("d1")
        assert spent is not None
        assert spent.revoked == 7

    # Ends.

    def test_a_closed_store_is_unavailable(self, open_store: OpenStore) -> None:
        store = open_store()
        store.close()
        store.close()
        with pytest.raises(Unavailable):
            store.head("c1")
        with pytest.raises(Unavailable):
            store.append([Append("c1", EMPTY, records("c1", 1))])

    def test_a_store_is_a_store(self, store: Store) -> None:
        assert isinstance(store, Store)
        assert "secret" not in repr(store)


def _race(stores: list[Store], appends: list[Append]) -> list[str]:
    """Each append from its own thread, started together: "done", or the name of what was raised."""

    def run(store: Store, append: Append) -> str:
        try:
            store.append([append])
        except (Conflict, Unavailable) as error:
            return type(error).__name__
        return "done"

    return _at_once([partial(run, store, append) for store, append in zip(stores, appends, strict=True)])


def _at_once(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """What each gives, from its own thread, started together."""
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], T]) -> T:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(run, tasks))
