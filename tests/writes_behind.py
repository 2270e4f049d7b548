"""Importing this breaks the store on purpose: it acknowledges first and writes later. What a kill test must catch."""

import queue
import threading
import time
from collections.abc import Sequence
from typing import Any

from quorate.campaign.ledger import Append
from quorate.store.sql import SqlStore

# A campaign is set up as it should be, and loses only what its workers do.
HONEST_EVENTS = 60
DELAY_SECONDS = 0.01

_append, _close = SqlStore.append, SqlStore.close
_behind: "dict[int, queue.Queue[Sequence[Append]]]" = {}


def _write(store: SqlStore, waiting: "queue.Queue[Sequence[Append]]") -> None:
    while True:
        appends = waiting.get()
        time.sleep(DELAY_SECONDS)
        _append(store, appends)
        waiting.task_done()


def _too_early(self: SqlStore, appends: Sequence[Append]) -> None:
    if appends[0].head.seq < HONEST_EVENTS:
        _append(self, appends)
        return
    if id(self) not in _behind:
        _behind[id(self)] = queue.Queue()
        threading.Thread(target=_write, args=(self, _behind[id(self)]), daemon=True).start()
    _behind[id(self)].put(appends)


def _end(self: SqlStore) -> None:
    if id(self) in _behind:
        _behind[id(self)].join()
    _close(self)


changed: Any = SqlStore
changed.append, changed.close = _too_early, _end
