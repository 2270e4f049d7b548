"""Small files beside a database that only their owner may read: secrets, and digests of tokens."""

import os
import secrets
from pathlib import Path


def create_private(file: Path, text: str) -> bool:
    """Write the file whole or not at all, even if two processes start at once; False if it was there already."""
    if file.exists():
        return False
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
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
