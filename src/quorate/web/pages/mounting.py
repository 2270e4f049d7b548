"""The pages' way into the application: routers, static files, and errors in words."""

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from quorate.web.context import Context
from quorate.web.pages import auditing, campaign, drafting, entrance, payroll, people, tasks, worker
from quorate.web.pages.assets import MEDIA_TYPES, asset
from quorate.web.pages.errors import page_of_problem
from quorate.web.pages.forecast import Forecasts
from quorate.web.pages.render import compile_templates
from quorate.web.problems import Stop, problem

KEPT_SECONDS = 365 * 24 * 3600

static = APIRouter(include_in_schema=False)


def mount(app: FastAPI, context: Context) -> None:
    """What create_app takes as `pages`."""
    compile_templates()
    for room in (entrance, drafting, campaign, people, tasks, payroll, auditing, worker):
        app.include_router(room.router)
    app.include_router(static)
    app.state.forecasts = Forecasts()
    app.state.page_of_problem = page_of_problem


@static.get("/static/{name}")
async def static_file(name: str) -> Response:
    if name not in MEDIA_TYPES:
        raise Stop(problem("not-found", "there is no such file"))
    found = asset(name)
    return Response(
        found.body, media_type=found.media_type, headers={"Cache-Control": f"max-age={KEPT_SECONDS}, immutable"}
    )
