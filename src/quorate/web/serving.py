"""A server process: store, service and application from one description, started and ended cleanly."""

import errno
import gc
import os
import re
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from quorate.campaign.one_secret import check_secret
from quorate.campaign.refusal import Unavailable
from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.tokens import Tokens, digest
from quorate.errors import InvalidInput
from quorate.store import open_store, open_vault
from quorate.store.private import create_private
from quorate.web.app import Pages, create_app
from quorate.web.context import context_of
from quorate.web.limits import Limits

OPERATOR_VARIABLE = "QUORATE_OPERATOR_TOKEN"
OPERATOR_PREFIX = "qr_operator_"
OPERATOR_SUFFIX = ".operator"
OPERATOR_BYTES = 24
DIGEST = re.compile("[0-9a-f]{64}")
SHORTEST_OPERATOR = 20
# Taken, or below 1024 and for root alone; whatever else is wrong is wrong with the host.
PORT_IS_NOT_TO_BE_HAD = frozenset({errno.EADDRINUSE, errno.EACCES})
# How long requests under way may take to end once the service is told to stop.
DRAIN_SECONDS = 10
# New objects before the garbage among them is looked for, and how many such looks before one at older ones too.
COLLECT_AFTER = (50_000, 20, 20)


@dataclass(frozen=True)
class Operator:
    """`token` is known where it is given or has just been made; of an older one only its digest is kept."""

    digest: str
    token: str | None
    made_now: bool


def operator_of(database: Path | None) -> Operator:
    """From QUORATE_OPERATOR_TOKEN; else made at the first start, and its digest kept beside a SQLite database."""
    given = os.environ.get(OPERATOR_VARIABLE)
    if given:
        if len(given) < SHORTEST_OPERATOR:
            raise InvalidInput(
                f"{OPERATOR_VARIABLE} has {len(given)} characters and could be guessed; "
                f"give {SHORTEST_OPERATOR} or more (openssl rand -hex 24)"
            )
        return Operator(digest(given), given, made_now=False)
    if database is None:
        raise InvalidInput(
            f"set {OPERATOR_VARIABLE}: whoever holds it may draft campaigns, and all processes of this service share it"
        )
    file = database.with_name(database.name + OPERATOR_SUFFIX)
    token = OPERATOR_PREFIX + secrets.token_hex(OPERATOR_BYTES)
    if create_private(file, digest(token)):
        return Operator(digest(token), token, made_now=True)
    kept = file.read_text("ascii", errors="replace").strip()
    if not DIGEST.fullmatch(kept):
        raise InvalidInput(
            f"{file} does not hold the SHA-256 digest of the operator's token; remove it, and the next start makes a "
            f"new token"
        )
    return Operator(kept, None, made_now=False)


@dataclass(frozen=True)
class Serving:
    """What one process needs to know; can be sent to another process."""

    store: str
    operator: str
    alone: bool
    public_url: str | None
    pages: Pages | None
    limits: Limits = field(default_factory=Limits)
    local_hooks: bool = False

    def __call__(self) -> FastAPI:
        """The application with its own store and service, which end with it."""
        _collect_seldom()
        store = open_store(self.store)
        service = CampaignService(store, open_vault(store.url), alone=self.alone)
        tokens = Tokens(store, wall_clock)
        app = create_app(
            service,
            tokens,
            store=store,
            operator_digest=self.operator,
            limits=self.limits,
            alone=self.alone,
            public_url=self.public_url,
            local_hooks=self.local_hooks,
            pages=self.pages,
        )
        inner = app.router.lifespan_context

        @asynccontextmanager
        async def lifespan(app: FastAPI) -> AsyncIterator[None]:
            try:
                async with inner(app):
                    yield
            finally:
                service.close()
                store.close()

        app.router.lifespan_context = lifespan
        return app


def _collect_seldom() -> None:
    """What is here now stays, and so do campaigns: looking for garbage among it took a seventh of every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


class Server(uvicorn.Server):
    """Ends the streams first: they would otherwise hold the end up until the patience is over."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal asks for a clean end, which is no failure; a second Ctrl-C does not wait for it."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        context_of(self.config.loaded_app).streams.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises InvalidInput where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio does not ask for small packets to be sent at once: an answer's body would wait for the
    # client's acknowledgement of its head, 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(2_048)
    except (OSError, UnicodeError) as error:
        found.close()
        taken = isinstance(error, OSError) and error.errno in PORT_IS_NOT_TO_BE_HAD
        reason = error.strerror if isinstance(error, OSError) else "it is no name of a machine"
        remedy = "end what is there, or give another --port" if taken else "check --host: an address of this machine"
        raise InvalidInput(f"cannot listen at {host} port {port} ({reason}); {remedy}") from error
    found.set_inheritable(True)
    return found


def address(found: socket.socket) -> str:
    host, port = found.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def check_store(url: str) -> None:
    """Open it once, so that what is wrong is said before anything starts."""
    try:
        store = open_store(url)
    except Unavailable as unavailable:
        raise InvalidInput(f"the store cannot be used: {unavailable}") from unavailable
    try:
        check_secret(store, open_vault(store.url))
    finally:
        store.close()


def configured(serving: Callable[[], FastAPI], workers: int = 1) -> uvicorn.Config:
    """How uvicorn serves it: on uvloop and httptools where they are, which are installed with it but on Windows."""
    return uvicorn.Config(
        serving,
        factory=True,
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        workers=workers,
    )


def run(serving: Serving, listening: socket.socket, workers: int = 1) -> None:
    """Serve until Ctrl-C or SIGTERM, then end what is under way. Returns when all is closed."""
    config = configured(serving, workers)
    if workers == 1:
        Server(config).run([listening])
        return
    # The supervisor makes plain servers: their streams end when the patience is over.
    Multiprocess(config, [listening]).run()
