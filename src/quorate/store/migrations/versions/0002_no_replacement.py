"""SQLite refuses to put an event in another's place.

REPLACE removes the row that is in the way without a DELETE, so the trigger against deleting does not see it. PostgreSQL
has no such statement: its ON CONFLICT DO UPDATE is an UPDATE, which is refused already.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

REFUSAL = "the ledger is append-only"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER ledger_no_replacement BEFORE INSERT ON ledger "
            f"WHEN EXISTS (SELECT 1 FROM ledger WHERE campaign = NEW.campaign AND seq = NEW.seq) "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )
