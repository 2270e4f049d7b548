"""The service with its pages, served by uvicorn on loopback in a thread, over one SQLite file of its own."""

import threading
import time
from pathlib import Path

import uvicorn

from quorate.campaign.service import CampaignService, wall_clock
from quorate.campaign.tokens import Role, Tokens, digest
from quorate.store import open_store, open_vault
from quorate.web import Limits, create_app
from quorate.web.pages import mount
from quorate.web.serving import Server, address, listen

OPERATOR = "qr_operator_for-tests-only"
PATIENCE_SECONDS = 30.0


class Site:
    """Started on entering, ended on leaving. `service` and `tokens` are those of the pages."""

    def __init__(self, folder: Path) -> None:
        self.store = open_store(f"sqlite:///{folder}/quorate.db")
        self.service = CampaignService(self.store, open_vault(self.store.url, bytes(range(32))))
        self.tokens = Tokens(self.store, wall_clock)
        # One address plays everybody here.
        limits = Limits(anonymous_per_second=1e6, anonymous_burst=10**6)
        app = create_app(self.service, self.tokens, store=self.store, operator=OPERATOR, limits=limits, pages=mount)
        self._listening = listen("127.0.0.1", 0)
        self.address = address(self._listening)
        config = uvicorn.Config(app, access_log=False, log_level="warning", proxy_headers=False, server_header=False)
        self._server = Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._listening],), name="test-site")

    def __enter__(self) -> "Site":
        self._thread.start()
        end = time.monotonic() + PATIENCE_SECONDS
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise RuntimeError("the server of the browser tests did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()
        self.service.close()
        self.store.close()

    def link(self, campaign: str, role: Role, worker: int | None = None) -> str:
        """The way in. A worker's is its own, as it has it after its invitation: it opens many times."""
        token = self.tokens.issue(campaign, role, worker)
        if role is Role.WORKER:
            token = self.tokens.exchange(digest(token)) or token
        return f"{self.address}/enter#{token}"
