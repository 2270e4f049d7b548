"""The hash chain over a campaign's events: one changed, removed, added or moved event breaks every hash after it.

    hash_k = SHA-256(hash_{k-1} || canonical JSON of [campaign, seq, at, kind] || body)

The chain shows tampering to whoever knows one later hash from elsewhere: a receipt, an export, a webhook. Whoever can
rewrite the whole database can also rewrite the whole chain, which is what exported heads and `replay` are for.
"""

import hashlib
from collections.abc import Iterable, Iterator

from quorate.campaign.codec import canonical
from quorate.campaign.ledger import GENESIS, Head, Record
from quorate.campaign.refusal import Tampered
from quorate.campaign.settings import Millis


def link(previous: str, campaign: str, seq: int, at: Millis, kind: str, body: str) -> str:
    """The hash of one event."""
    header = canonical([campaign, seq, at, kind])
    return hashlib.sha256(f"{previous}{header}{body}".encode("ascii")).hexdigest()


def chain(campaign: str, head: Head, at: Millis, entries: Iterable[tuple[str, str]]) -> list[Record]:
    """Records for (kind, body) after the head."""
    records: list[Record] = []
    seq, previous = head.seq, head.hash
    for kind, body in entries:
        seq += 1
        previous = link(previous, campaign, seq, at, kind, body)
        records.append(Record(seq, at, kind, body, previous))
    return records


def checked(campaign: str, records: Iterable[Record], head: Head | None = None) -> Iterator[Record]:
    """The records one by one, each checked against the one before; raises Tampered at the first that does not fit."""
    seq, previous = (0, GENESIS) if head is None else (head.seq, head.hash)
    for record in records:
        if record.seq != seq + 1:
            raise Tampered(
                f"campaign {campaign!r}: event {record.seq} follows event {seq}; events were removed, added or moved"
            )
        seq = record.seq
        if not record.body.isascii() or record.hash != link(
            previous, campaign, seq, record.at, record.kind, record.body
        ):
            raise Tampered(
                f"campaign {campaign!r}: event {seq} ({record.kind}) does not have the hash it was written with; "
                f"it or an earlier event was changed"
            )
        previous = record.hash
        yield record
