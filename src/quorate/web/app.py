"""The application: the API, the background work, and the pages on top."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from quorate import __version__
from quorate.campaign.ledger import Store
from quorate.campaign.service import CampaignService
from quorate.campaign.tokens import Tokens, digest
from quorate.web import problems
from quorate.web.background import Background
from quorate.web.context import Context, context_of, make_context
from quorate.web.gate import Gate
from quorate.web.lanes import Lane, Lanes, lane_of
from quorate.web.limits import Limits
from quorate.web.routers import access, campaigns, ledger, pay, work, workers
from quorate.web.routers.common import ProblemOut

API = "/api/v1"
DESCRIPTION = (
    "Whom to ask, what the verdict is, and what to pay. Amounts are decimal strings in units of the campaign's "
    "currency; times are milliseconds since 1970-01-01 UTC. Ledger events (events, export, stream, webhooks) are shown "
    "as they stand in the ledger, where amounts are whole millionths."
)

# What has a lane of its own.
FREQUENT = (work.post_tasks, work.task, work.answer, work.answers, work.truths, workers.assignments)

# What mounts the pages: routes outside /api, static files, and `app.state.page_of_problem`.
Pages = Callable[[FastAPI, Context], None]


def create_app(
    service: CampaignService,
    tokens: Tokens,
    *,
    store: Store,
    operator: str | None = None,
    operator_digest: str | None = None,
    limits: Limits | None = None,
    alone: bool = True,
    public_url: str | None = None,
    local_hooks: bool = False,
    pages: Pages | None = None,
    background: bool = True,
) -> FastAPI:
    """The caller owns service and store, and closes them after the application has stopped.

    `operator`: the text of the token that may draft campaigns, or `operator_digest` its SHA-256; without either nobody
    may. `alone`: no other process writes to this store. `local_hooks`: webhooks may go to this machine and its own
    network. `background`: let time pass in campaigns and send webhooks while the application runs.
    """
    context = make_context(
        service,
        tokens,
        store,
        operator=operator_digest if operator is None else digest(operator),
        limits=limits or Limits(),
        alone=alone,
        public_url=public_url,
        local_hooks=local_hooks,
    )
    app = FastAPI(
        title="quorate",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=f"{API}/openapi.json",
        # The usual viewers fetch scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=_running if background else _listening,
        redirect_slashes=False,
        # Otherwise every request asks whether somebody traces it, which costs a tenth of the whole.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.context = context
    app.add_middleware(Gate, context=context, lanes=Lanes(context, lanes()))
    problems.install(app)
    for room in (campaigns, workers, work, pay, ledger, access):
        app.include_router(room.router, prefix=API)
    _document(app)
    if pages is not None:
        pages(app, context)
    return app


def lanes() -> list[Lane]:
    """For the requests of a campaign at work."""
    routes = [route for room in (work, workers) for route in room.router.routes if isinstance(route, APIRoute)]
    return [lane_of(API, route) for route in routes if route.endpoint in FREQUENT]


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """With the clock and the sender of webhooks beside the requests."""
    context = context_of(app)
    background = Background(context)
    background.start()
    try:
        yield
    finally:
        await background.stop()
        _stop(context)


@asynccontextmanager
async def _listening(app: FastAPI) -> AsyncIterator[None]:
    try:
        yield
    finally:
        _stop(context_of(app))


def _stop(context: Context) -> None:
    context.streams.close()
    context.threads.shutdown(wait=True, cancel_futures=True)


def _document(app: FastAPI) -> None:
    """The OpenAPI document, with the one form of all its errors."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        found = made()
        found["components"]["schemas"]["ProblemOut"] = ProblemOut.model_json_schema()
        return found

    app.openapi = openapi  # type: ignore[method-assign]
