"""The store, as the engine sees it. This docstring is its specification; `quorate.testing.StoreContract` checks it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from quorate.campaign.refusal import Unavailable
from quorate.campaign.settings import Millis

# Before the first event.
GENESIS = "0" * 64

# Which events make messages for webhooks, and on what topic. No event before the auction's close holds a bid.
TOPICS: dict[str, str] = {
    "campaign opened": "campaign",
    "auction closed": "campaign",
    "exploration ended": "campaign",
    "worker withdrawn": "campaign",
    "campaign closed": "campaign",
    "jury assigned": "assignments",
    "substitutes asked": "assignments",
    "verdict made": "verdicts",
    "promise noted": "promise",
    "payout ordered": "payouts",
    "payout confirmed": "payouts",
}


@dataclass(frozen=True)
class Record:
    """One event in the ledger. `hash` chains it to the one before (campaign.chain); `body` is canonical JSON."""

    seq: int
    at: Millis
    kind: str
    body: str
    hash: str


def message_of(campaign: str, record: Record) -> str:
    """What a webhook is sent of an event: JSON, with the event's own body in it."""
    header = json.dumps({"campaign": campaign, "seq": record.seq, "at": record.at, "kind": record.kind})
    return f'{header[:-1]}, "body": {record.body}}}'


@dataclass(frozen=True)
class Head:
    """The last event of a campaign's ledger; seq 0 and GENESIS before the first."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Seal:
    """Something secret, encrypted (campaign.vault), kept beside the ledger. The last one under a name counts."""

    name: str
    ciphertext: bytes = field(repr=False)


@dataclass(frozen=True)
class Recorded:
    """The response to an idempotency key. `fingerprint` identifies the command that had it."""

    key: str
    fingerprint: str
    response: str


@dataclass(frozen=True)
class Append:
    """What one campaign adds in one transaction. `records` follow `head` immediately."""

    campaign: str
    head: Head
    records: Sequence[Record]
    seals: Sequence[Seal] = ()
    recorded: Sequence[Recorded] = ()


@dataclass(frozen=True)
class Snapshot:
    """The state after event `seq`, whose hash is `hash`. `version` is that of the form of `data`."""

    campaign: str
    seq: int
    hash: str
    version: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Delivery:
    """An outgoing message claimed for one attempt; `attempts` counts this one."""

    id: int
    campaign: str
    key: str
    hook: int
    topic: str
    payload: str
    attempts: int


@dataclass(frozen=True)
class TokenRow:
    """A token at rest: the SHA-256 of its text, what it may do, and for which campaign and worker."""

    digest: str = field(repr=False)
    campaign: str
    role: str
    worker: int | None
    label: str
    created: Millis
    revoked: Millis | None


@dataclass(frozen=True)
class HookRow:
    """Where a campaign's messages go. `secret` signs them; sealed like a bid."""

    id: int
    campaign: str
    url: str
    topics: tuple[str, ...]
    secret: bytes = field(repr=False)
    created: Millis


class Conflict(Exception):
    """Another process appended to these campaigns first: nothing of the transaction was kept. Catch up and retry."""

    def __init__(self, campaigns: Sequence[str]) -> None:
        super().__init__(f"another process appended first: {', '.join(campaigns)}")
        self.campaigns = tuple(campaigns)


@runtime_checkable
class Store(Protocol):
    """An append-only ledger per campaign, and what must be durable in the same transaction as its events.

    - **Threads**: every method may be called from any thread; none returns a value that it changes later.
    - **Durability**: when `append` returns, everything in it survives a power cut; when it raises, nothing of it is
      there, except after `Unavailable` with `in_doubt` true, when the connection broke while committing and either may
      hold: read the head to know.
    - **Order**: the events of a campaign are numbered 1, 2, 3, ... without gaps. `append` raises `Conflict` unless the
      ledger's head is exactly `Append.head`, whether or not there are events in it; of two processes that append events
      to one head, exactly one succeeds.
    - **Append-only**: there is no way to change or remove an event through this interface, and the database itself
      refuses to (triggers).
    - **Messages**: with the events, and in the same transaction, `append` writes one message for every hook of the
      campaign that wants the event's topic (`TOPICS`); its key is unique and derived from the event.
    - **Failures**: a locked, full or unreachable database raises `Unavailable`, with what happened and what to do.
    - **Ownership**: the caller closes the store; `close` is idempotent, and other methods raise `Unavailable` after it.
    """

    def append(self, appends: Sequence[Append]) -> None:
        """All of it, or nothing. Raises Unavailable, or Conflict, which names every campaign whose head is another.

        A key of `recorded` already there is a Conflict too.
        """
        ...

    def head(self, campaign: str) -> Head:
        """Seq 0 for a campaign that has no events."""
        ...

    def campaigns(self, lacking: str | None = None) -> list[str]:
        """Every campaign with events, by name; only those without an event of this kind, if one is named."""
        ...

    def newest(self, limit: int) -> list[tuple[str, Millis]]:
        """Up to `limit` campaigns with the time of their first event, the newest first, and by name within a time."""
        ...

    def read(self, campaign: str, after: int, limit: int, kinds: Sequence[str] = ()) -> list[Record]:
        """Up to `limit` events with seq > after, in order; of these kinds only, if any are named."""
        ...

    def read_back(self, campaign: str, before: int, limit: int, kinds: Sequence[str] = ()) -> list[Record]:
        """Up to `limit` events with seq < before, the last ones first."""
        ...

    def recorded(self, campaign: str, keys: Sequence[str]) -> dict[str, Recorded]:
        """Those of the idempotency keys that are known."""
        ...

    def seals(self, campaign: str, names: Sequence[str] = ()) -> dict[str, bytes]:
        """Ciphertexts by name; all of the campaign's if none are named."""
        ...

    def seal_once(self, campaign: str, seal: Seal) -> bytes:
        """Keep it if there is none under its name; the ciphertext that is kept, the same for all who try at once."""
        ...

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep it, and drop the campaign's older ones. Losing a snapshot loses nothing but time."""
        ...

    def snapshot(self, campaign: str) -> Snapshot | None:
        """The newest, or None."""
        ...

    def claim(self, now: Millis, lease: Millis, limit: int, but: Sequence[int] = ()) -> list[Delivery]:
        """Messages that are due, oldest first, but for these hooks; each is nobody else's until now + lease."""
        ...

    def delivered(self, delivery: int, now: Millis) -> None:
        """Done: never claimed again."""
        ...

    def failed(self, delivery: int, error: str, retry_at: Millis | None) -> None:
        """Try again at `retry_at`, or give it up (None)."""
        ...

    def deliveries(self, campaign: str, limit: int) -> list[dict[str, Any]]:
        """The newest messages with their attempts, for people: key, topic, attempts, error, delivered, given_up."""
        ...

    def add_token(self, token: TokenRow) -> None:
        """One that is there already, revoked or not, stays as it is."""
        ...

    def token(self, digest: str) -> TokenRow | None:
        """By digest, revoked ones included."""
        ...

    def tokens(self, campaign: str) -> list[TokenRow]: ...

    def revoke_token(self, digest: str, now: Millis) -> bool:
        """Whether there was one to revoke; the first revocation's time stands."""
        ...

    def exchange_token(self, digest: str, by: TokenRow, now: Millis) -> bool:
        """In one transaction revoke the one and add the other; False, and nothing, unless it was there, not revoked."""
        ...

    def add_hook(self, campaign: str, url: str, topics: Sequence[str], secret: bytes, now: Millis) -> int: ...

    def hooks(self, campaign: str) -> list[HookRow]: ...

    def remove_hook(self, campaign: str, hook: int) -> bool: ...

    def close(self) -> None: ...


__all__ = [
    "GENESIS",
    "TOPICS",
    "Append",
    "Conflict",
    "Delivery",
    "Head",
    "HookRow",
    "Record",
    "Recorded",
    "Seal",
    "Snapshot",
    "Store",
    "TokenRow",
    "Unavailable",
    "message_of",
]
