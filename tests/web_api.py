"""A service in this process for tests of the API: real store, real application, requests without a network."""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.tokens import Tokens
from quorate.store import open_store, open_vault
from quorate.web import Limits, create_app

T = TypeVar("T")

OPERATOR = "qr_operator_for-tests-only"
SETTINGS: dict[str, Any] = {
    "title": "a campaign under test",
    "target": 0.9,
    "confidence": 0.9,
    "horizon": 1_000,
    "cap": "20",
    "exploring_at_once": 1_000,
}
SECRET = bytes(range(32))
BIDS = ("3.137511", "5.291377", "8.553117", "13.77191")


@dataclass
class Run:
    """One campaign and its tokens; requests on its behalf."""

    api: "Api"
    name: str
    requester: str
    auditor: str = ""
    workers: list[str] = field(default_factory=list)

    def path(self, rest: str = "") -> str:
        return f"/api/v1/campaigns/{self.name}{rest}"

    def ask(self, method: str, rest: str, token: str | None = None, **more: Any) -> httpx.Response:
        return self.api.ask(method, self.path(rest), self.requester if token is None else token, **more)

    def get(self, rest: str, token: str | None = None) -> Any:
        return _good(self.ask("GET", rest, token))

    def post(self, rest: str, body: Any = None, token: str | None = None) -> Any:
        return _good(self.ask("POST", rest, token, json=body))

    def open(self) -> "Run":
        self.post("/open")
        self.auditor = self.post("/tokens", {"role": "auditor"})["token"]
        return self

    def enrol(self, bids: tuple[str, ...] = BIDS) -> "Run":
        for bid in bids:
            token = self.invited(f"w{len(self.workers)}")
            self.workers.append(token)
            _good(self.ask("PUT", "/workers/me/bid", token, json={"bid": bid}))
        return self

    def invited(self, name: str) -> str:
        """A new worker's own token, which its invitation was exchanged for."""
        invitation = self.post("/workers", {"name": name})["token"]
        private: str = self.post("/workers/me/token", token=invitation)["token"]
        return private

    def close_auction(self) -> "Run":
        self.post("/auction/close")
        return self

    def tasks(self, count: int = 2, **more: Any) -> "Run":
        self.post("/tasks", {"tasks": [{"key": f"t{at}", "payload": f"question {at}", **more} for at in range(count)]})
        return self


class Api:
    """The application over one SQLite file."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.store = open_store(f"sqlite:///{folder}/quorate.db")
        self.service = CampaignService(self.store, open_vault(self.store.url, SECRET))
        self.tokens = Tokens(self.store, wall_clock)
        quiet = Limits(anonymous_per_second=1e6, anonymous_burst=10**6, requests_per_second=1e6, burst=10**6)
        # Receivers under test are on loopback.
        options = {"limits": quiet, "background": False, "operator": OPERATOR, "local_hooks": True, **options}
        self.app = create_app(self.service, self.tokens, store=self.store, **options)
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="test-loop")
        self._lifespan = self.app.router.lifespan_context(self.app)
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://testserver")

    def __enter__(self) -> "Api":
        self._thread.start()
        self.wait_for(self._lifespan.__aenter__())
        return self

    def __exit__(self, *error: object) -> None:
        self.wait_for(self._client.aclose())
        self.wait_for(self._lifespan.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()
        self.service.close()
        self.store.close()

    def wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run it on the application's own loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def ask(self, method: str, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        headers = dict(more.pop("headers", {}))
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.wait_for(self.send(method, path, headers, **more))

    async def send(self, method: str, path: str, headers: dict[str, str], **more: Any) -> httpx.Response:
        """On the application's own loop."""
        return await self._client.request(method, path, headers=headers, **more)

    def draft(self, **changes: Any) -> Run:
        made = _good(self.ask("POST", "/api/v1/campaigns", OPERATOR, json={"settings": {**SETTINGS, **changes}}))
        return Run(self, made["campaign"], made["token"])

    def auction(self, **changes: Any) -> Run:
        return self.draft(**changes).open().enrol()

    def running(self, **changes: Any) -> Run:
        return self.auction(**changes).close_auction().tasks()


def _good(response: httpx.Response) -> Any:
    assert response.is_success, response.text
    return response.json() if response.content else None
