"""The first schema: the ledger, which nothing can change or delete, and what is kept beside it.

There is no way down: a ledger is not taken apart. A migration stands alone, so that it goes on meaning what it meant.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

REFUSAL = "the ledger is append-only"


def upgrade() -> None:
    _ledger()
    _beside_the_ledger()
    _outbox()
    _access()
    if op.get_bind().dialect.name == "sqlite":
        _refuse_in_sqlite()
    else:
        _refuse_in_postgresql()


def _row_number() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("campaign", "seq", name="ledger_pk"),
        sqlite_with_rowid=False,
    )
    _partial_index("ledger_first", "ledger", ["campaign"], "seq = 1")
    _partial_index("ledger_notes", "ledger", ["campaign", "seq"], "kind = 'promise noted'")
    _partial_index("ledger_closed", "ledger", ["campaign", "seq"], "kind = 'campaign closed'")


def _beside_the_ledger() -> None:
    op.create_table(
        "sealed",
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("campaign", "name", name="sealed_pk"),
    )
    op.create_table(
        "idempotency",
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("campaign", "key", name="idempotency_pk"),
    )
    op.create_table(
        "snapshots",
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("campaign", name="snapshots_pk"),
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _row_number(), autoincrement=True, nullable=False),
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("hook", sa.BigInteger, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due", sa.BigInteger),
        sa.Column("delivered", sa.BigInteger),
        sa.Column("error", sa.Text),
        sa.PrimaryKeyConstraint("id", name="outbox_pk"),
        sa.UniqueConstraint("key", name="outbox_key"),
    )
    _partial_index("outbox_due", "outbox", ["due"], "due IS NOT NULL")


def _access() -> None:
    op.create_table(
        "tokens",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("worker", sa.BigInteger),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("revoked", sa.BigInteger),
        sa.PrimaryKeyConstraint("digest", name="tokens_pk"),
    )
    op.create_index("tokens_campaign", "tokens", ["campaign"])
    op.create_table(
        "hooks",
        sa.Column("id", _row_number(), autoincrement=True, nullable=False),
        sa.Column("campaign", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("topics", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="hooks_pk"),
    )
    op.create_index("hooks_campaign", "hooks", ["campaign"])


def _partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    only = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=only, postgresql_where=only)


def _refuse_in_sqlite() -> None:
    for wish in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER ledger_no_{wish} BEFORE {wish.upper()} ON ledger "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )


def _refuse_in_postgresql() -> None:
    op.execute(
        f"CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER ledger_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only()"
    )
