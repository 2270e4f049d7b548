"""The only place that mutates: commands in, durable events out (docs/campaigns.md, "The engine").

One thread decides and writes. While it waits for the disk, commands of other callers queue up, and all of them go into
the next durable transaction together: a disk that commits 150 times a second serves thousands of commands a second. A
caller hears of success only when its events are durable; a state is shown to nobody before.

Several processes may serve one campaign. Each appends to the head that it knows; the store lets one of them win, and
the others fold the winner's events and decide again. What appends nothing, a refusal above all, could not conflict:
the head is asked for before it is given out.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from quorate.campaign import results
from quorate.campaign.chain import chain, checked
from quorate.campaign.codec import canonical, decode, encode
from quorate.campaign.commands import Command
from quorate.campaign.decide import decide
from quorate.campaign.fold import fold
from quorate.campaign.ledger import GENESIS, Append, Conflict, Head, Record, Recorded, Seal, Snapshot, Store
from quorate.campaign.refusal import Code, Refused, Tampered, Unavailable
from quorate.campaign.settings import Millis
from quorate.campaign.snapshot import VERSION, from_bytes, to_bytes
from quorate.campaign.state import State
from quorate.errors import QuorateError

# Commands in one transaction. Enough for any queue; small enough that nobody waits for a thousand others' decisions.
LARGEST_GROUP = 1_000
PAGE = 10_000
# A snapshot once this many events, and this share of the ledger, came after the last one.
SNAPSHOT_AFTER = 5_000
SNAPSHOT_SHARE = 20
# How long a command waits for a store that is away, and between attempts.
PATIENCE_SECONDS = 5.0
PAUSE_SECONDS = 0.1
MOST_CONFLICTS = 100

# From the state and what is sealed beside the ledger: commands that need secrets are made when they are decided.
Reader = Callable[[Sequence[str]], Mapping[str, bytes]]
Maker = Callable[[State, Reader], Command]


@dataclass(frozen=True)
class Live:
    """One campaign in memory: its state and the head that the state is folded to."""

    state: State
    head: Head


@dataclass(eq=False)
class Job:
    """One caller's wish, on its way to a result."""

    campaign: str
    command: Command | Maker
    seals: Sequence[Seal]
    key: str | None
    fingerprint: str
    future: "Future[results.Result]" = field(default_factory=Future)
    outcome: results.Result | Exception | None = None


class Engine:
    """Decides, makes durable, publishes. Safe to call from any thread. `alone`: no other process writes to the store,
    so that what is known here is the newest.
    """

    def __init__(self, store: Store, clock: Callable[[], Millis], *, alone: bool = False) -> None:
        self._store = store
        self._clock = clock
        self._alone = alone
        self._live: dict[str, Live] = {}
        self._snapshots: dict[str, int] = {}
        self._publishing = threading.Lock()
        self._changed = threading.Condition()
        self._watchers: dict[str, list[Callable[[int], None]]] = {}
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False
        # Nothing is queued behind the None that ends the writer: nobody would take it up.
        self._closing = threading.Lock()
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="quorate-snapshots")
        self._writer = threading.Thread(target=self._write, name="quorate-writer", daemon=True)
        self._writer.start()

    def submit(
        self,
        campaign: str,
        command: Command | Maker,
        *,
        seals: Sequence[Seal] = (),
        key: str | None = None,
        fingerprint: str = "",
    ) -> "Future[results.Result]":
        """The result, once durable; or Refused, or Unavailable. `seals` are kept if the command is not refused."""
        job = Job(campaign, command, seals, key, fingerprint)
        with self._closing:
            if not self._closed:
                self._queue.put(job)
                return job.future
        job.future.set_exception(Unavailable("the service is stopping; send the command to another, or again later"))
        return job.future

    def state(self, campaign: str, *, fresh: bool = True) -> State:
        """The newest durable state known here; with `fresh`, of what other processes have written too."""
        live = self._live.get(campaign)
        if live is None:
            live = self._load(campaign)
        elif fresh and self._store.head(campaign).seq > live.head.seq:
            live = self._catch_up(campaign, live)
        if live.head.seq == 0:
            raise Refused(Code.UNKNOWN_CAMPAIGN, f"there is no campaign {campaign!r}; draft one, or check the name")
        return live.state

    def wait(self, campaign: str, after: int, timeout: float) -> int:
        """The head's number once it is past `after`, or whatever it is after `timeout` seconds."""
        end = time.monotonic() + timeout
        with self._changed:
            while True:
                live = self._live.get(campaign)
                seq = 0 if live is None else live.head.seq
                rest = end - time.monotonic()
                if seq > after or rest <= 0:
                    return seq
                self._changed.wait(rest)

    def subscribe(self, campaign: str, watcher: Callable[[int], None]) -> Callable[[], None]:
        """Call `watcher(seq)` when events have become durable here; it must return at once. Returns the way out."""
        with self._changed:
            self._watchers.setdefault(campaign, []).append(watcher)

        def leave() -> None:
            with self._changed:
                self._watchers[campaign].remove(watcher)

        return leave

    def loaded(self) -> list[str]:
        """Campaigns in memory."""
        return list(self._live)

    def close(self) -> None:
        """Finish what is queued, keep snapshots, stop. Idempotent."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._writer.join()
        for campaign in self.loaded():
            self._snapshot(campaign, 1, self._live[campaign].head.seq)
        self._keeper.shutdown()

    # The writer's thread.

    def _write(self) -> None:
        while True:
            job = self._queue.get()
            group: list[Job] = []
            while job is not None:
                # A caller who has gone away in the meantime is not served; from here on it cannot go away any more.
                if job.future.set_running_or_notify_cancel():
                    group.append(job)
                if len(group) == LARGEST_GROUP or self._queue.empty():
                    break
                job = self._queue.get()
            if group:
                self._settle(group)
            if job is None:
                return

    def _settle(self, group: list[Job]) -> None:
        """Resolve every job of the group; nothing that goes wrong may end the thread or leave a caller waiting."""
        try:
            touched = self._commit(group)
        except Exception as error:  # noqa: BLE001 - every caller is told, and the thread lives on
            touched = {}
            for job in group:
                job.outcome = error
        for job in group:
            if isinstance(job.outcome, Exception):
                job.future.set_exception(job.outcome)
            elif job.outcome is not None:
                job.future.set_result(job.outcome)
        for campaign in touched:
            self._tell(campaign)
            self._snapshot(campaign, SNAPSHOT_AFTER, SNAPSHOT_SHARE)

    def _commit(self, group: list[Job]) -> dict[str, Live]:
        """Decide all, append all in one transaction; on a conflict catch up and decide again."""
        end = time.monotonic() + PATIENCE_SECONDS
        conflicts = 0
        while True:
            try:
                prepared, appends = self._decide_all(group)
                if appends:
                    self._append(appends)
            except Conflict as conflict:
                conflicts += 1
                if conflicts > MOST_CONFLICTS:
                    raise Unavailable(
                        f"other processes have written first {conflicts} times; try again in a moment"
                    ) from conflict
                self._catch_up_all(conflict.campaigns)
                continue
            except Unavailable as unavailable:
                self._forget(group, unavailable)
                if not unavailable.passing or time.monotonic() > end:
                    raise
                time.sleep(PAUSE_SECONDS)
                continue
            self._publish(prepared)
            return prepared

    def _publish(self, prepared: Mapping[str, Live]) -> None:
        """Never backwards: a reader may have caught up with still later events of others."""
        with self._publishing:
            for campaign, live in prepared.items():
                known = self._live.get(campaign)
                if known is None or known.head.seq < live.head.seq:
                    self._live[campaign] = live

    def _append(self, appends: list[Append]) -> None:
        """Append; where the connection broke in the middle, look whether it has become durable."""
        try:
            self._store.append(appends)
        except Unavailable as unavailable:
            if not unavailable.in_doubt or not self._is_durable(appends[0]):
                raise

    def _is_durable(self, append: Append) -> bool:
        """One transaction: the last event of one of its campaigns stands for all, or a key where nothing happened."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self._has(append)
            except Unavailable:
                if time.monotonic() > end:
                    raise
                time.sleep(PAUSE_SECONDS)

    def _has(self, append: Append) -> bool:
        """An event's hash is its own."""
        if not append.records:
            return bool(self._store.recorded(append.campaign, [append.recorded[0].key]))
        last = append.records[-1]
        found = self._store.read(append.campaign, last.seq - 1, 1)
        return bool(found) and found[0].hash == last.hash

    def _forget(self, group: list[Job], unavailable: Unavailable) -> None:
        """After a doubtful commit what is in memory may be behind: read it anew before deciding again."""
        if unavailable.in_doubt:
            with self._publishing:
                for job in group:
                    self._live.pop(job.campaign, None)

    def _decide_all(self, group: list[Job]) -> tuple[dict[str, Live], list[Append]]:
        """Raises Conflict where an outcome rests on a state that is not the newest."""
        now = self._clock()
        drafts = {
            campaign: _Draft(campaign, self._current(campaign), self._store)
            for campaign in dict.fromkeys(job.campaign for job in group)
        }
        # After the states: what of another process is in one of them is then known by its key too, and sending it again
        # is not taken for a second wish.
        known = self._recorded(group)
        for job in group:
            drafts[job.campaign].take(job, now, known)
        prepared: dict[str, Live] = {}
        appends: list[Append] = []
        idle: list[_Draft] = []
        for campaign, draft in drafts.items():
            append = draft.append(now)
            if append.records:
                last = append.records[-1]
                prepared[campaign] = Live(draft.state, Head(last.seq, last.hash))
            if append.records or append.recorded:
                appends.append(append)
            else:
                idle.append(draft)
        self._check_newest(idle)
        return prepared, appends

    def _check_newest(self, idle: Sequence["_Draft"]) -> None:
        """What appends is checked by the store; this is for drafts without anything to append."""
        if self._alone:
            return
        behind = [draft.campaign for draft in idle if self._store.head(draft.campaign) != draft.head]
        if behind:
            raise Conflict(behind)

    def _recorded(self, group: list[Job]) -> dict[tuple[str, str], Recorded]:
        """What is known of the group's idempotency keys."""
        wanted: dict[str, list[str]] = {}
        for job in group:
            if job.key is not None:
                wanted.setdefault(job.campaign, []).append(job.key)
        return {
            (campaign, key): recorded
            for campaign, keys in wanted.items()
            for key, recorded in self._store.recorded(campaign, keys).items()
        }

    def _tell(self, campaign: str) -> None:
        seq = self._live[campaign].head.seq
        with self._changed:
            self._changed.notify_all()
            watchers = tuple(self._watchers.get(campaign, ()))
        for watcher in watchers:
            watcher(seq)

    # Reading what is durable.

    def _current(self, campaign: str) -> Live:
        return self._live.get(campaign) or self._load(campaign)

    def _load(self, campaign: str) -> Live:
        """From the newest snapshot that fits this version, and the events after it."""
        live = self._from_snapshot(campaign)
        if live is None:
            return self._catch_up(campaign, Live(State(campaign), Head(0, GENESIS)))
        self._snapshots[campaign] = live.head.seq
        return self._catch_up(campaign, live)

    def _from_snapshot(self, campaign: str) -> Live | None:
        """Only time is lost where there is none, or one of another form, of another ledger, or broken."""
        snapshot = self._store.snapshot(campaign)
        if snapshot is None or snapshot.version != VERSION:
            return None
        last = self._store.read(campaign, snapshot.seq - 1, 1)
        if not last or last[0].hash != snapshot.hash:
            return None
        with suppress(Tampered):
            return Live(from_bytes(snapshot.data), Head(snapshot.seq, snapshot.hash))
        return None

    def _catch_up_all(self, campaigns: Sequence[str]) -> None:
        for campaign in campaigns:
            self._catch_up(campaign, self._current(campaign))

    def _catch_up(self, campaign: str, live: Live) -> Live:
        """Fold what others have written; the chain is checked on the way."""
        state, head = live.state, live.head
        while True:
            page = self._store.read(campaign, head.seq, PAGE)
            for record in checked(campaign, page, head):
                state = fold(state, decode(record.kind, record.body))
                head = Head(record.seq, record.hash)
            if len(page) < PAGE:
                break
        caught_up = Live(state, head)
        if head.seq:
            self._publish({campaign: caught_up})
        return caught_up

    def _snapshot(self, campaign: str, enough: int, share: int) -> None:
        """Keep the state, if enough has happened since the last time. A snapshot that fails costs nothing but time."""
        live = self._live[campaign]
        since = live.head.seq - self._snapshots.get(campaign, 0)
        if since < enough or since * share < live.head.seq:
            return
        self._snapshots[campaign] = live.head.seq
        self._keeper.submit(self._keep, campaign, live)

    def _keep(self, campaign: str, live: Live) -> None:
        snapshot = Snapshot(campaign, live.head.seq, live.head.hash, VERSION, to_bytes(live.state))
        with suppress(Unavailable):
            self._store.save_snapshot(snapshot)


class _Draft:
    """What one campaign would add in the transaction that is being prepared."""

    def __init__(self, campaign: str, live: Live, store: Store) -> None:
        self.campaign = campaign
        self.head = live.head
        self.state = live.state
        self.entries: list[tuple[str, str]] = []
        self._store = store
        self._seals: dict[str, Seal] = {}
        self._recorded: list[Recorded] = []

    def take(self, job: Job, now: Millis, known: dict[tuple[str, str], Recorded]) -> None:
        """Decide one job; its outcome is given out once the transaction is durable."""
        if job.key is not None and (job.campaign, job.key) in known:
            job.outcome = _again(job, known[job.campaign, job.key])
            return
        try:
            command = job.command(self.state, self._read) if callable(job.command) else job.command
            decision = decide(self.state, command, now)
        except Exception as error:  # noqa: BLE001 - this caller's alone: the group's other commands go on
            job.outcome = error
            return
        self.state = decision.state
        self.entries.extend((event.kind, encode(event)) for event in decision.events)
        for seal in job.seals:
            self._seals[seal.name] = seal
        job.outcome = decision.result
        if job.key is not None and (decision.events or not _refused(decision.result)):
            response = canonical(results.to_json(decision.result))
            recorded = Recorded(job.key, job.fingerprint, response)
            self._recorded.append(recorded)
            known[job.campaign, job.key] = recorded

    def append(self, now: Millis) -> Append:
        records: list[Record] = chain(self.campaign, self.head, now, self.entries)
        return Append(self.campaign, self.head, records, tuple(self._seals.values()), tuple(self._recorded))

    def _read(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """What is sealed under these names, be it only in this transaction."""
        found = self._store.seals(self.campaign, names) if names else {}
        found.update((name, self._seals[name].ciphertext) for name in names if name in self._seals)
        for name in names:
            if name not in found:
                raise Refused(
                    Code.INVALID,
                    f"nothing is sealed as {name!r}: the ledger and the seals beside it come from two backups",
                )
        return found


def _refused(result: results.Result) -> bool:
    """A batch of which nothing was taken: sent again, it is decided again, as a refused command is."""
    return isinstance(result, results.Batch) and all(isinstance(item, results.ItemRefused) for item in result.items)


def _again(job: Job, recorded: Recorded) -> results.Result | QuorateError:
    if recorded.fingerprint != job.fingerprint:
        return Refused(
            Code.KEY_REUSED,
            "the idempotency key of this command was used for another one; use a new key for every new wish",
        )
    given: dict[str, Any] = json.loads(recorded.response)
    result: results.Result = results.from_json(given)
    return result
