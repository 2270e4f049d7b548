"""One run at a time writes to a directory: a lock on the directory itself, which ends with its process."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quorate.errors import InvalidInput


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Make the directory and hold it. Raises InvalidInput where another run does."""
    directory.mkdir(parents=True, exist_ok=True)
    held = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                f"--out {directory}: another run is writing there; wait until it has ended, or give another --out"
            ) from None
        yield
    finally:
        os.close(held)
