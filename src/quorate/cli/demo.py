"""`quorate demo`: a complete small campaign over a real service, simulated workers, and the dashboard on it."""

import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import complain, print_json, progress, say

if TYPE_CHECKING:
    from socket import socket

    from quorate.cli.demo_live import Live, Play

WORKERS = 110
TASKS = 2_000
EXPLORING_AT_ONCE = 16
# A round at speed 1; once exploration is over, the tasks are spread over so many rounds.
ROUND_SECONDS = 0.7
ROUNDS = 30
HOST = "127.0.0.1"
USUAL_PORT = 8080
OPERATOR_BYTES = 24


def demo(
    workers: Annotated[int, typer.Option(min=11, max=2_000, help="Workers in the simulated pool.")] = WORKERS,
    tasks: Annotated[int, typer.Option(min=100, max=20_000, help="Tasks to be answered.")] = TASKS,
    seed: Annotated[int, typer.Option(min=0, help="Draws the workers and their answers.")] = 7,
    store: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Keep the campaign, in sqlite:///FILE. Default: a folder that goes away."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="0 takes a free one. Default: 8080, or a free one.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(min=0.0, help="1: to be watched, 2: twice as fast, 0: no pauses. Default: 1 on a terminal, or 0."),
    ] = None,
    exploring_at_once: Annotated[
        int, typer.Option(min=1, max=1_000, help="Tasks explored at once; 1 decides exactly as `quorate.policy.play`.")
    ] = EXPLORING_AT_ONCE,
    wait: Annotated[
        bool | None,
        typer.Option("--wait/--no-wait", help="At the end, serve on until Ctrl-C. Default: on a terminal."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines, and do not wait.")] = False,
) -> None:
    """Play a complete small campaign: a real service, simulated workers answering over its API, the dashboard live.

    Prints the address and links for the requester, a worker and the auditor at once, and on a terminal those of a small
    campaign in which to bid and answer oneself; at the end what was promised, kept, paid and saved, beside the paper's
    policies on the same workers and answers.

    Ctrl-C ends it cleanly: with exit code 130 before the end is told, with 0 after that.

    Example: quorate demo --workers 220 --tasks 5000
    """
    from quorate.cli.demo_live import Live, Play, serving
    from quorate.cli.demo_told import show
    from quorate.cli.demo_try import open_for_bids
    from quorate.cli.reach import Session, remote
    from quorate.cli.sole import SERVICE, sole
    from quorate.lab.demo import CONFIDENCE, TARGET, draw
    from quorate.web.serving import address, check_store

    on_terminal = sys.stdout.isatty() and not as_json
    waits = not as_json and (on_terminal if wait is None else wait)
    pause = 0.0 if speed == 0 or (speed is None and not on_terminal) else ROUND_SECONDS / (speed or 1.0)
    world, realization = draw(workers, seed)
    at_once = max(exploring_at_once, tasks // ROUNDS)
    play = Play(world, realization, tasks, TARGET, CONFIDENCE, exploring_at_once, at_once)
    with _interruptible(), ExitStack() as stack:
        url = store or f"sqlite:///{stack.enter_context(TemporaryDirectory(prefix='quorate-demo-'))}/demo.db"
        listening = stack.enter_context(_listening(port))
        stack.enter_context(sole(_file(url), f"{SERVICE}{address(listening)}"))
        check_store(url)
        token = secrets.token_hex(OPERATOR_BYTES)
        at = stack.enter_context(serving(url, token, listening))
        reach = stack.enter_context(remote(at))
        operator = Session(reach, token)
        live = Live(reach, operator, play)
        tell = _tell_beside if as_json else _tell
        tell(f"quorate is at {at}", f"a campaign of {tasks:,} tasks, {workers:,} simulated workers")
        _set_up(live, tell, workers)
        if waits:
            worker, requester = open_for_bids(reach, operator)
            tell("to try a worker's pages, bid in a small campaign:", worker)
            tell("then close its bidding as its requester, and answer:", requester)
        live.post_tasks()
        told = _end(live, _play(live, tasks, pause), play, seed, tell)
        if as_json:
            print_json({"address": at, "campaign": live.requester.name, "store": store, **told})
            return
        if told:
            say()
            show(told)
        if store is not None:
            say(f"Kept in {store}: `quorate serve --store {store}` shows it again, `quorate ledger verify` checks it.")
        if waits:
            _wait(at)


def _file(url: str) -> Path:
    """SQLite only: the demo is one process."""
    from quorate.errors import InvalidInput
    from quorate.store.sqlite import file_of

    file = file_of(url) if url.startswith("sqlite") else None
    if file is None:
        raise InvalidInput(f"--store {url!r:.200} is no SQLite file; the demo runs on one, such as sqlite:///demo.db")
    return file


def _listening(port: int | None) -> "socket":
    """Where people expect the service, if that is free and nothing else was asked for."""
    from quorate.errors import InvalidInput
    from quorate.web.serving import listen

    if port is not None:
        return listen(HOST, port)
    with suppress(InvalidInput):
        return listen(HOST, USUAL_PORT)
    return listen(HOST, 0)


def _tell(*lines: str) -> None:
    """At once: whoever started this may be waiting for the address in a pipe."""
    for line in lines:
        say(line)
    sys.stdout.flush()


def _tell_beside(*lines: str) -> None:
    """Standard output holds one JSON document and nothing else."""
    for line in lines:
        complain(line)


def _set_up(live: "Live", tell: Callable[..., None], workers: int) -> None:
    """Links as soon as there are any; each on a line of its own, to be copied whole."""
    requester, auditor = live.draft()
    tell("as its requester:", requester, "as an auditor:", auditor)
    with progress("Sealed bids", workers) as advance:
        name, link = live.gather(lambda: advance(1))
    tell(f"as a worker, {name}:", link)


def _play(live: "Live", tasks: int, pause: float) -> dict[str, Any]:
    """Round by round, each taking `pause` seconds or more; the last status."""
    status: dict[str, Any] = {}
    with _gauge(tasks) as move:
        due = monotonic()
        for status in live.rounds():
            move(status)
            sleep(max(0.0, due - monotonic()))
            due = monotonic() + pause
    return status


def _end(live: "Live", status: dict[str, Any], play: "Play", seed: int, tell: Callable[..., None]) -> dict[str, Any]:
    """What there is to tell; nothing where the campaign was closed on its page before any truth was known."""
    from quorate.campaign.views import Stage
    from quorate.cli.demo_told import close_and_tell

    if status["stage"] == Stage.CLOSED:
        tell(f"The campaign was closed on its page after {status['decided']:,} of {play.tasks:,} tasks.")
    judged = status["verdicts_right"] + status["verdicts_wrong"]
    return close_and_tell(live, status, play, seed) if judged else {}


@contextmanager
def _gauge(tasks: int) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Phase, tasks decided, money paid and verdicts right, on a terminal's standard error; silence in a pipe."""
    if not sys.stderr.isatty():
        yield lambda status: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.fields[phase]:<9}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("paid {task.fields[paid]}  right {task.fields[right]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work = bar.add_task("", total=tasks, phase="exploring", paid="0", right="-")

        def move(status: dict[str, Any]) -> None:
            checked = status["verdicts_right"] + status["verdicts_wrong"]
            bar.update(
                work,
                completed=status["decided"],
                phase="exploring" if status["phase"] == "explore" else "working",
                paid=f"{float(status['spend']['earned']):,.0f}",
                right=f"{status['verdicts_right'] / checked:.1%}" if checked else "-",
            )

        yield move


def _wait(at: str) -> None:
    """Until Ctrl-C, which is no failure here."""
    with suppress(KeyboardInterrupt):
        _tell("", f"The dashboard stays at {at}; Ctrl-C ends it.")
        while True:
            sleep(3600)
    complain("quorate: stopped")


@contextmanager
def _interruptible() -> Iterator[None]:
    """The first Ctrl-C or SIGTERM interrupts; those after it do not disturb the end, which takes seconds at most."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        for one in before:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {one: signal.signal(one, interrupt) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
