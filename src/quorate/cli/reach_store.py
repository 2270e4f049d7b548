"""The API without a service: the same application in this process, on a store.

The same requests are answered by the same code as over HTTP: the same JSON, refusals and idempotency.
"""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from quorate.campaign.ledger import Store
from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.tokens import Principal, Role, Tokens, digest
from quorate.cli.reach import API, USUAL_ADDRESS, Reach
from quorate.cli.sole import sole
from quorate.errors import InvalidInput
from quorate.store import open_store, open_vault
from quorate.store.sqlite import file_of
from quorate.web.app import create_app
from quorate.web.limits import Limits

HOLDER = "a command of the shell"
SECRET_BYTES = 24
NO_LIMIT = 10**9


class OwnersTokens(Tokens):
    """The campaign's own tokens, and for who holds the store a token that lives as long as this process.

    The owner is operator and requester. It is no worker: whoever places a bid or reads one shows that worker's token.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store, wall_clock)
        self.operator = f"operator_{secrets.token_hex(SECRET_BYTES)}"
        self._requester = f"requester_{secrets.token_hex(SECRET_BYTES)}_"

    def token_for(self, path: str) -> str:
        """The owner's token for a request: a requester's of the campaign that the path is about, or the operator's."""
        about = path.removeprefix(f"{API}/campaigns").strip("/").partition("/")[0]
        return f"{self._requester}{about}" if about else self.operator

    def principal(self, text: str) -> Principal | None:
        mine, campaign = text[: len(self._requester)], text[len(self._requester) :]
        if campaign and hmac.compare_digest(mine.encode(), self._requester.encode()):
            return Principal(campaign, Role.REQUESTER, None, digest(text))
        return super().principal(text)


class OnStore:
    """Requests to an application in this process."""

    def __init__(self, place: str, tokens: OwnersTokens, client: httpx.AsyncClient, runner: asyncio.Runner) -> None:
        self.place = place
        self._tokens = tokens
        self._client = client
        self._runner = runner

    def send(self, method: str, path: str, token: str | None, headers: dict[str, str], **more: Any) -> httpx.Response:
        bearer = token or self._tokens.token_for(path)
        headers = {**headers, "Authorization": f"Bearer {bearer}"}
        return self._runner.run(self._client.request(method, path, headers=headers, **more))


@contextmanager
def _unlogged() -> Iterator[None]:
    """A service logs what breaks inside for whoever runs it. Here that is the caller, who is told in one line; with no
    handler at all, Python would write the log to the terminal.
    """
    log, nowhere = logging.getLogger("quorate"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


@contextmanager
def on_store(url: str, *, create: bool = False) -> Iterator[Reach]:
    """Hold a SQLite file alone meanwhile; let time pass first, as no service does. `create`: the file may be new."""
    file = file_of(url) if url.startswith("sqlite") else None
    if file is not None and not create and not file.is_file():
        raise InvalidInput(f"there is no database {file}; check --store, or start with `quorate campaign new`")
    with ExitStack() as stack:
        stack.enter_context(_unlogged())
        stack.enter_context(sole(file, HOLDER))
        store = open_store(url)
        stack.callback(store.close)
        service = CampaignService(store, open_vault(url), alone=file is not None)
        stack.callback(service.close)
        service.tick()
        tokens = OwnersTokens(store)
        app = create_app(
            service,
            tokens,
            store=store,
            operator=tokens.operator,
            limits=Limits(requests_per_second=NO_LIMIT, burst=NO_LIMIT),
            alone=file is not None,
            public_url=USUAL_ADDRESS,
            background=False,
        )
        stack.callback(app.state.context.threads.shutdown)
        runner = stack.enter_context(asyncio.Runner())
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://quorate"
        )
        stack.callback(lambda: runner.run(client.aclose()))
        yield OnStore(url, tokens, client, runner)
