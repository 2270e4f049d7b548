"""One process at a time writes to a SQLite ledger: a lock that ends with its process, however that ends.

The ledger itself would stay whole (each append names the head it follows), but a service serves reads from memory
and would show people what another process has changed only after its own next write.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quorate.errors import InvalidInput

SUFFIX = ".lock"
# Another command of the shell is over in a moment; a service is not.
PATIENCE_SECONDS = 5.0
PAUSE_SECONDS = 0.05
SERVICE = "the service at "


@contextmanager
def sole(database: Path | None, holder: str, *, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the database alone (None: one that needs no lock). Raises InvalidInput, with the holder, where it is taken.

    `holder`: what others shall read, such as "the service at http://127.0.0.1:8080".
    """
    if database is None:
        yield
        return
    file = database.with_name(database.name + SUFFIX)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be made ({error.strerror}); check the folder of the database") from error
    try:
        _take(descriptor, database, patience)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, database: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 200, 0).decode(errors="replace")
            if time.monotonic() > end or holder.startswith(SERVICE):
                raise InvalidInput(_taken(database, holder)) from None
            time.sleep(PAUSE_SECONDS)
        else:
            return


def _taken(database: Path, holder: str) -> str:
    at = holder.removeprefix(SERVICE)
    remedy = f"reach it there (--url {at}), or end it" if at != holder else "wait until it has ended"
    return f"{database} is in use by {holder or 'another process'}; {remedy}: only one process writes to a SQLite file"
