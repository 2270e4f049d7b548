"""Files that only their owner may read: a database, and beside it secrets and digests of tokens."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

OWNER_ALONE = 0o600


def reserve_private(file: Path) -> None:
    """An empty file, unless there is one: its mode is whatever its owner has chosen.

    Where it cannot be made, whoever opens it fails too, and says why.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ALONE))


def create_private(file: Path, text: str) -> bool:
    """Write the file whole or not at all, even if two processes start at once; False if it was there already."""
    if file.exists():
        return False
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ALONE), "w") as out:
        out.write(text + "\n")
        out.flush()
        os.fsync(out.fileno())
    try:
        os.link(draft, file)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True
