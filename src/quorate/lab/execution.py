"""Where cells run: in this process, on processes here, or on a Dask cluster. One interface: concurrent.futures.

A kill of the main process, or Ctrl-C, ends its worker processes at once: each watches a pipe that only the main process
holds open.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

from quorate.errors import InvalidInput

START_A_CLUSTER = (
    "start one with `dask scheduler --port 8786` and, on each machine that has quorate, `dask worker tcp://HOST:8786`"
)

# What Dask speaks between machines, the usual one first.
SCHEMES = ("tcp", "tls", "ws", "wss")
# How long to look for a cluster.
PATIENCE = "10s"


@dataclass(frozen=True)
class Workplace:
    """An executor, and how many cells to hand it at a time: enough to keep it busy, few enough to stop soon.

    `fresh` makes an executor on as many processes here, each of which ends after one call; None where that is not to be
    had.
    """

    executor: Executor
    slots: int
    fresh: Callable[[], Executor] | None = None


class _Here(Executor):
    """Runs a call when it is submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def workplace(processes: int | None = None, dask: str | None = None) -> Iterator[Workplace]:
    """A Dask cluster's where an address is given; else this many processes (None: one per core; 1: this process)."""
    if dask is not None:
        if processes is not None:
            raise InvalidInput(
                f"--processes {processes} goes with no --dask: a cluster has workers of its own; leave one of them out"
            )
        with _cluster(dask) as place:
            yield place
        return
    count = (os.cpu_count() or 1) if processes is None else processes
    if count < 1:
        raise InvalidInput(f"--processes {count} runs nothing; give 1 or more")
    if count == 1:
        yield Workplace(_Here(), 1)
        return
    with _processes(count) as place:
        yield place


@contextmanager
def _processes(count: int) -> Iterator[Workplace]:
    # Never fork: the main process may hold threads. A fork server imports the libraries once for all workers.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload(["quorate.lab.cell"])
    watched, held = multiprocessing.Pipe(duplex=False)
    pool = partial(ProcessPoolExecutor, count, mp_context=context, initializer=_watch, initargs=(watched,))
    executor = pool()
    try:
        yield Workplace(executor, 2 * count, partial(pool, max_tasks_per_child=1))
        executor.shutdown(wait=True)
    finally:
        held.close()
        executor.shutdown(wait=False, cancel_futures=True)
        watched.close()


def _watch(watched: Connection) -> None:
    """In a worker process: Ctrl-C is the main process's business, and without a main process there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_alone() -> None:
        watched.poll(None)
        os._exit(1)

    threading.Thread(target=leave_when_alone, daemon=True).start()


def _check_address(address: str) -> None:
    """Refuse what no scheduler can be at, which Dask itself would find out after half a minute."""
    try:
        parts = urlsplit(address if "://" in address else f"{SCHEMES[0]}://{address}")
        good = parts.scheme in SCHEMES and parts.hostname and parts.port and not parts.path.strip("/")
    except ValueError:
        good = False
    if not good:
        raise InvalidInput(
            f"--dask {address}: that is no scheduler's address; give {SCHEMES[0]}://HOST:PORT, such as "
            f"{SCHEMES[0]}://127.0.0.1:8786 (or {', '.join(SCHEMES[1:])} for {SCHEMES[0]})"
        )


@contextmanager
def _cluster(address: str) -> Iterator[Workplace]:
    try:
        connect = import_module("distributed").Client
    except ImportError as error:
        raise InvalidInput("--dask needs the package distributed, which `make setup` installs") from error
    _check_address(address)
    try:
        client = connect(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"--dask {address}: no cluster answers there ({error}); {START_A_CLUSTER}") from error
    try:
        threads = sum(client.nthreads().values())
        if threads == 0:
            raise InvalidInput(f"--dask {address}: the cluster has no workers; {START_A_CLUSTER}")
        executor = client.get_executor(pure=False)
        try:
            yield Workplace(executor, 2 * threads)
        finally:
            executor.shutdown(wait=False)
    finally:
        client.close()
