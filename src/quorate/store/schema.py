"""The tables as they are now. `migrations/` leads every older database here; a test holds the two together."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

# The last revision in migrations/versions: a database that says so needs no look at them.
HEAD_REVISION = "0002"

metadata = MetaData()

# Numbers of rows; SQLite counts by itself only in an INTEGER.
RowNumber = BigInteger().with_variant(Integer(), "sqlite")

ledger = Table(
    "ledger",
    metadata,
    Column("campaign", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("campaign", "seq", name="ledger_pk"),
    # In SQLite the rows are the index: appending touches one tree.
    sqlite_with_rowid=False,
)
# The few events that are looked for by kind; an index over all of them would double the cost of an append.
Index("ledger_first", ledger.c.campaign, sqlite_where=text("seq = 1"), postgresql_where=text("seq = 1"))
for _name, _kind in (("ledger_notes", "promise noted"), ("ledger_closed", "campaign closed")):
    _only = text(f"kind = '{_kind}'")
    Index(_name, ledger.c.campaign, ledger.c.seq, sqlite_where=_only, postgresql_where=_only)

sealed = Table(
    "sealed",
    metadata,
    Column("campaign", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    PrimaryKeyConstraint("campaign", "name", name="sealed_pk"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("campaign", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("response", Text, nullable=False),
    PrimaryKeyConstraint("campaign", "key", name="idempotency_pk"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", RowNumber, autoincrement=True, nullable=False),
    Column("campaign", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("hook", BigInteger, nullable=False),
    Column("topic", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    # When to try next; none once it is delivered or given up.
    Column("due", BigInteger),
    Column("delivered", BigInteger),
    Column("error", Text),
    PrimaryKeyConstraint("id", name="outbox_pk"),
    UniqueConstraint("key", name="outbox_key"),
)
Index("outbox_due", outbox.c.due, sqlite_where=text("due IS NOT NULL"), postgresql_where=text("due IS NOT NULL"))

snapshots = Table(
    "snapshots",
    metadata,
    Column("campaign", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("campaign", name="snapshots_pk"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("digest", Text, nullable=False),
    Column("campaign", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("worker", BigInteger),
    Column("label", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("revoked", BigInteger),
    PrimaryKeyConstraint("digest", name="tokens_pk"),
)
Index("tokens_campaign", tokens.c.campaign)

hooks = Table(
    "hooks",
    metadata,
    Column("id", RowNumber, autoincrement=True, nullable=False),
    Column("campaign", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("topics", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("created", BigInteger, nullable=False),
    PrimaryKeyConstraint("id", name="hooks_pk"),
)
Index("hooks_campaign", hooks.c.campaign)
