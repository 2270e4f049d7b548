"""The store on SQL: what is the same on every database (quorate.campaign.ledger.Store is the contract)."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    FromClause,
    Select,
    Table,
    and_,
    delete,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError, ResourceClosedError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from quorate.campaign.ledger import (
    GENESIS,
    TOPICS,
    Append,
    Conflict,
    Delivery,
    Head,
    HookRow,
    Record,
    Recorded,
    Seal,
    Snapshot,
    TokenRow,
    message_of,
)
from quorate.campaign.refusal import Unavailable
from quorate.campaign.settings import Millis
from quorate.store.schema import hooks, idempotency, ledger, outbox, sealed, snapshots, tokens

# What is wrong, and whether waiting a moment may help; None: not a failure of the database.
Diagnosis = Callable[[DBAPIError], tuple[str, bool] | None]

# Where the databases' own statements differ in name alone.
_DIALECTS: dict[str, Any] = {"sqlite": sqlite, "postgresql": postgresql}

_RECORD = (ledger.c.seq, ledger.c.at, ledger.c.kind, ledger.c.body, ledger.c.hash)
# Written into the statement, as in `_is_kind`.
_FIRST = literal_column("seq") == literal_column("1")


class SqlStore:
    """One database. `reader` and `writer` are the same engine with different beginnings of a transaction."""

    def __init__(self, engine: Engine, url: str, reader: Engine, writer: Engine, diagnose: Diagnosis) -> None:
        self.url = url
        self._engine = engine
        self._reader = reader
        self._writer = writer
        self._diagnose = diagnose
        self._closed = False

    def __repr__(self) -> str:
        return f"SqlStore({self._engine.url.render_as_string(hide_password=True)})"

    # The ledger.

    def append(self, appends: Sequence[Append]) -> None:
        # In one order everywhere, so that two processes never wait for each other in a circle.
        ordered = sorted(appends, key=lambda append: append.campaign)
        names = [append.campaign for append in ordered]
        with self._writing(names) as connection:
            # The primary key refuses a number that is taken; this refuses another past, a gap, and a response alone
            # that was decided without the newest events.
            behind = [append.campaign for append in ordered if _head(connection, append.campaign) != append.head]
            if behind:
                raise Conflict(behind)
            _insert(
                connection, ledger, [_ledger_row(append, record) for append in ordered for record in append.records]
            )
            _insert(
                connection, idempotency, [_recorded_row(append, one) for append in ordered for one in append.recorded]
            )
            for append in ordered:
                for seal in append.seals:
                    _replace_seal(connection, append.campaign, seal.name, seal.ciphertext)
            _insert(connection, outbox, _messages(connection, ordered))

    def head(self, campaign: str) -> Head:
        with self._reading() as connection:
            return _head(connection, campaign)

    def campaigns(self, lacking: str | None = None) -> list[str]:
        query = select(ledger.c.campaign).where(_FIRST)
        if lacking is not None:
            other = ledger.alias("other")
            query = query.where(ledger.c.campaign.not_in(select(other.c.campaign).where(_is_kind(other, lacking))))
        with self._reading() as connection:
            return list(connection.execute(query.order_by(ledger.c.campaign)).scalars())

    def newest(self, limit: int) -> list[tuple[str, Millis]]:
        query = select(ledger.c.campaign, ledger.c.at).where(_FIRST).order_by(ledger.c.at.desc(), ledger.c.campaign)
        with self._reading() as connection:
            return [(row.campaign, row.at) for row in connection.execute(query.limit(limit))]

    def read(self, campaign: str, after: int, limit: int, kinds: Sequence[str] = ()) -> list[Record]:
        query = select(*_RECORD).where(ledger.c.campaign == campaign, ledger.c.seq > after)
        return self._records(_of_kinds(query, kinds).order_by(ledger.c.seq).limit(limit))

    def read_back(self, campaign: str, before: int, limit: int, kinds: Sequence[str] = ()) -> list[Record]:
        query = select(*_RECORD).where(ledger.c.campaign == campaign, ledger.c.seq < before)
        return self._records(_of_kinds(query, kinds).order_by(ledger.c.seq.desc()).limit(limit))

    def _records(self, query: Select[Any]) -> list[Record]:
        with self._reading() as connection:
            return [Record(*row) for row in connection.execute(query)]

    # Beside the ledger.

    def recorded(self, campaign: str, keys: Sequence[str]) -> dict[str, Recorded]:
        query = select(idempotency.c.key, idempotency.c.fingerprint, idempotency.c.response).where(
            idempotency.c.campaign == campaign, idempotency.c.key.in_(list(keys))
        )
        with self._reading() as connection:
            return {row.key: Recorded(*row) for row in connection.execute(query)}

    def seals(self, campaign: str, names: Sequence[str] = ()) -> dict[str, bytes]:
        query = select(sealed.c.name, sealed.c.ciphertext).where(sealed.c.campaign == campaign)
        if names:
            query = query.where(sealed.c.name.in_(list(names)))
        with self._reading() as connection:
            return {row.name: bytes(row.ciphertext) for row in connection.execute(query)}

    def seal_once(self, campaign: str, seal: Seal) -> bytes:
        mine = and_(sealed.c.campaign == campaign, sealed.c.name == seal.name)
        statement = self._insert_new(sealed, ["campaign", "name"])
        with self._writing([]) as connection:
            connection.execute(statement, {"campaign": campaign, "name": seal.name, "ciphertext": seal.ciphertext})
            return bytes(connection.execute(select(sealed.c.ciphertext).where(mine)).scalar_one())

    def save_snapshot(self, snapshot: Snapshot) -> None:
        mine = snapshots.c.campaign == snapshot.campaign
        with self._writing([snapshot.campaign]) as connection:
            known = connection.execute(select(snapshots.c.seq).where(mine)).scalar()
            if known is not None and known >= snapshot.seq:
                return
            connection.execute(delete(snapshots).where(mine))
            connection.execute(
                insert(snapshots),
                {
                    "campaign": snapshot.campaign,
                    "seq": snapshot.seq,
                    "hash": snapshot.hash,
                    "version": snapshot.version,
                    "data": snapshot.data,
                },
            )

    def snapshot(self, campaign: str) -> Snapshot | None:
        query = select(snapshots).where(snapshots.c.campaign == campaign)
        with self._reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Snapshot(row.campaign, row.seq, row.hash, row.version, bytes(row.data))

    # The outbox.

    def claim(self, now: Millis, lease: Millis, limit: int, but: Sequence[int] = ()) -> list[Delivery]:
        due = (
            select(outbox)
            .where(outbox.c.due <= now, outbox.c.hook.not_in(list(but)))
            .order_by(outbox.c.due, outbox.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        with self._writing([]) as connection:
            rows = connection.execute(due).all()
            for row in rows:
                connection.execute(
                    update(outbox).where(outbox.c.id == row.id).values(due=now + lease, attempts=row.attempts + 1)
                )
        return [
            Delivery(row.id, row.campaign, row.key, row.hook, row.topic, row.payload, row.attempts + 1) for row in rows
        ]

    def delivered(self, delivery: int, now: Millis) -> None:
        self._set_delivery(delivery, due=None, delivered=now, error=None)

    def failed(self, delivery: int, error: str, retry_at: Millis | None) -> None:
        self._set_delivery(delivery, due=retry_at, error=error)

    def _set_delivery(self, delivery: int, **values: Any) -> None:
        with self._writing([]) as connection:
            connection.execute(update(outbox).where(outbox.c.id == delivery).values(**values))

    def deliveries(self, campaign: str, limit: int) -> list[dict[str, Any]]:
        query = (
            select(outbox.c.key, outbox.c.hook, outbox.c.topic, outbox.c.attempts, outbox.c.error, outbox.c.delivered)
            .add_columns(and_(outbox.c.due.is_(None), outbox.c.delivered.is_(None)).label("given_up"))
            .where(outbox.c.campaign == campaign)
            .order_by(outbox.c.id.desc())
            .limit(limit)
        )
        with self._reading() as connection:
            return [{**row, "given_up": bool(row["given_up"])} for row in connection.execute(query).mappings()]

    # Tokens and hooks.

    def add_token(self, token: TokenRow) -> None:
        with self._writing([]) as connection:
            connection.execute(self._insert_new(tokens, ["digest"]), _token_row(token))

    def token(self, digest: str) -> TokenRow | None:
        with self._reading() as connection:
            row = connection.execute(select(tokens).where(tokens.c.digest == digest)).first()
        return None if row is None else TokenRow(*row)

    def tokens(self, campaign: str) -> list[TokenRow]:
        query = select(tokens).where(tokens.c.campaign == campaign).order_by(tokens.c.created, tokens.c.digest)
        with self._reading() as connection:
            return [TokenRow(*row) for row in connection.execute(query)]

    def revoke_token(self, digest: str, now: Millis) -> bool:
        with self._writing([]) as connection:
            if connection.execute(select(tokens.c.digest).where(tokens.c.digest == digest)).first() is None:
                return False
            connection.execute(
                update(tokens).where(tokens.c.digest == digest, tokens.c.revoked.is_(None)).values(revoked=now)
            )
        return True

    def exchange_token(self, digest: str, by: TokenRow, now: Millis) -> bool:
        valid = and_(tokens.c.digest == digest, tokens.c.revoked.is_(None))
        with self._writing([]) as connection:
            if connection.execute(update(tokens).where(valid).values(revoked=now)).rowcount != 1:
                return False
            connection.execute(insert(tokens), _token_row(by))
        return True

    def add_hook(self, campaign: str, url: str, topics: Sequence[str], secret: bytes, now: Millis) -> int:
        row = {
            "campaign": campaign,
            "url": url,
            "topics": json.dumps(list(topics)),
            "secret": secret,
            "created": now,
        }
        with self._writing([campaign]) as connection:
            return int(connection.execute(insert(hooks).returning(hooks.c.id), row).scalar_one())

    def hooks(self, campaign: str) -> list[HookRow]:
        query = select(hooks).where(hooks.c.campaign == campaign).order_by(hooks.c.id)
        with self._reading() as connection:
            return [
                HookRow(row.id, row.campaign, row.url, tuple(json.loads(row.topics)), bytes(row.secret), row.created)
                for row in connection.execute(query)
            ]

    def remove_hook(self, campaign: str, hook: int) -> bool:
        mine = and_(hooks.c.campaign == campaign, hooks.c.id == hook)
        with self._writing([campaign]) as connection:
            if connection.execute(select(hooks.c.id).where(mine)).first() is None:
                return False
            connection.execute(delete(hooks).where(mine))
            connection.execute(
                update(outbox)
                .where(outbox.c.campaign == campaign, outbox.c.hook == hook, outbox.c.delivered.is_(None))
                .values(due=None, error="the hook was removed")
            )
        return True

    def close(self) -> None:
        self._closed = True
        self._engine.dispose()

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Around what is done with the engine itself: failures of the database become Unavailable."""
        try:
            yield
        except (DBAPIError, PoolTimeout) as error:
            raise self._translated(error, [], committing=False) from error

    def _insert_new(self, table: Table, key: list[str]) -> Any:
        """A row whose key is there already is left as it is."""
        return _DIALECTS[self._engine.dialect.name].insert(table).on_conflict_do_nothing(index_elements=key)

    # Transactions.

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_open()
        try:
            with self._reader.connect() as connection:
                yield connection
        except (DBAPIError, PoolTimeout, ResourceClosedError) as error:
            raise self._translated(error, [], committing=False) from error

    @contextmanager
    def _writing(self, campaigns: Sequence[str]) -> Iterator[Connection]:
        """One durable transaction: committed when the block ends, gone if it raises."""
        self._check_open()
        committing = False
        try:
            with self._writer.connect() as connection, connection.begin() as transaction:
                yield connection
                committing = True
                transaction.commit()
        except (DBAPIError, PoolTimeout, ResourceClosedError) as error:
            raise self._translated(error, campaigns, committing=committing) from error

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed; open it again", passing=False)

    def _translated(self, error: Exception, campaigns: Sequence[str], *, committing: bool) -> Exception:
        if isinstance(error, IntegrityError) and campaigns:
            return Conflict(campaigns)
        if not isinstance(error, DBAPIError):
            return Unavailable(f"no connection to the database is free ({error}); try again in a moment")
        diagnosed = self._diagnose(error)
        if diagnosed is None:
            return error
        what, passing = diagnosed
        return Unavailable(what, in_doubt=committing, passing=passing)


def _head(connection: Connection, campaign: str) -> Head:
    query = (
        select(ledger.c.seq, ledger.c.hash).where(ledger.c.campaign == campaign).order_by(ledger.c.seq.desc()).limit(1)
    )
    row = connection.execute(query).first()
    return Head(0, GENESIS) if row is None else Head(row.seq, row.hash)


def _of_kinds(query: Select[Any], kinds: Sequence[str]) -> Select[Any]:
    if len(kinds) == 1:
        return query.where(_is_kind(ledger, kinds[0]))
    return query.where(ledger.c.kind.in_(list(kinds))) if kinds else query


def _is_kind(events: FromClause, kind: str) -> ColumnElement[bool]:
    """Written into the statement, where the database can see that an index has just those events."""
    return events.c.kind == (literal_column(f"'{kind}'") if kind.replace(" ", "").isalpha() else kind)


def _insert(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _ledger_row(append: Append, record: Record) -> dict[str, Any]:
    return {
        "campaign": append.campaign,
        "seq": record.seq,
        "at": record.at,
        "kind": record.kind,
        "body": record.body,
        "hash": record.hash,
    }


def _recorded_row(append: Append, recorded: Recorded) -> dict[str, Any]:
    return {
        "campaign": append.campaign,
        "key": recorded.key,
        "fingerprint": recorded.fingerprint,
        "response": recorded.response,
    }


def _token_row(token: TokenRow) -> dict[str, Any]:
    return {
        "digest": token.digest,
        "campaign": token.campaign,
        "role": token.role,
        "worker": token.worker,
        "label": token.label,
        "created": token.created,
        "revoked": token.revoked,
    }


def _replace_seal(connection: Connection, campaign: str, name: str, ciphertext: bytes) -> None:
    mine = and_(sealed.c.campaign == campaign, sealed.c.name == name)
    connection.execute(delete(sealed).where(mine))
    connection.execute(insert(sealed), {"campaign": campaign, "name": name, "ciphertext": ciphertext})


def _messages(connection: Connection, appends: Sequence[Append]) -> list[dict[str, Any]]:
    """A message for every hook that wants to hear of an event, in the event's own transaction."""
    query = select(hooks.c.id, hooks.c.campaign, hooks.c.topics).where(
        hooks.c.campaign.in_([append.campaign for append in appends])
    )
    wanted: dict[str, list[tuple[int, frozenset[str]]]] = {}
    for row in connection.execute(query):
        wanted.setdefault(row.campaign, []).append((row.id, frozenset(json.loads(row.topics))))
    return [
        {
            "campaign": append.campaign,
            "key": f"{append.campaign}.{record.seq}.{hook}",
            "hook": hook,
            "topic": TOPICS[record.kind],
            "payload": message_of(append.campaign, record),
            "attempts": 0,
            "due": record.at,
        }
        for append in appends
        if append.campaign in wanted
        for record in append.records
        if record.kind in TOPICS
        for hook, topics in wanted[append.campaign]
        if TOPICS[record.kind] in topics
    ]
