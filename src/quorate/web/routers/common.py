"""What the routers share: parameters, responses for the document, and the way to a worker."""

from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BaseModel, Field, create_model

from quorate.campaign import commands, results
from quorate.campaign.commands import TaskRef, WorkerRef
from quorate.campaign.oneself import ONESELF
from quorate.campaign.refusal import Code
from quorate.campaign.views import Page
from quorate.web.auth import own_only
from quorate.web.bodies import LARGEST_WHOLE
from quorate.web.context import Context, context
from quorate.web.keyring import Caller
from quorate.web.problems import MEDIA_TYPE, Stop, problem
from quorate.web.shown import model_of, plain

Here = Annotated[Context, Depends(context)]
Campaign = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="the campaign's name")]
TaskPath = Annotated[str, Path(alias="task", max_length=200, description="the task's key, or else its number")]
WorkerPath = Annotated[
    str, Path(alias="worker", max_length=200, description="a number, a name, or `me` with the worker's own token")
]
_key = partial(Header, alias="Idempotency-Key", max_length=200, pattern="^[!-~]+$")
GivenKey = Annotated[
    str | None,
    _key(min_length=1, description="send the request again under the same key: it is done once, and answered alike"),
]
# Whoever guesses it has what was answered under it.
SecretKey = Annotated[
    str | None,
    _key(min_length=20, description="the same; drawn at random, and kept like a token: it opens the answer once more"),
]


async def own_key(request: Request, key: GivenKey = None) -> str | None:
    """The dependency: the key among those of whoever asks. Strangers have none, and come no further."""
    caller: Caller | None = request.scope.get("caller")
    return None if key is None or caller is None else caller.own(key)


Key = Annotated[str | None, Depends(own_key)]
After = Annotated[int | None, Query(ge=0, le=LARGEST_WHOLE, description="`after` of the page before")]
Limit = Annotated[int, Query(ge=1, description="items in the page; the service may give fewer")]


class ProblemOut(BaseModel):
    """RFC 9457. `code` is stable; `detail` says what was given, the rule, and the remedy."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, str]] = Field(default_factory=list)


ERRORS: dict[int, str] = {
    401: "no valid token",
    403: "not for this role, or not asked",
    404: "no such thing for this token",
    409: "the campaign is not where the request would have it",
    410: "the lease is over",
    413: "too large",
    422: "not as described, or against the rules",
    429: "too many requests; Retry-After says when",
    503: "the store cannot take it now; nothing was changed; Retry-After says when",
}


async def keep_key(here: Context, campaign: str, key: str | None, wish: str) -> None:
    """For what is done beside the ledger: under the same key the same wish passes again, and any other is refused."""
    if key is not None:
        await here.durable(here.service.submit(campaign, commands.KeepKey(), key=key, fingerprint=wish))


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The document's error answers: those that any request may get, and some more."""
    schema = {"$ref": "#/components/schemas/ProblemOut"}
    return {
        status: {"description": ERRORS[status], "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in (401, 403, 404, 413, 422, 429, 503, *statuses)
    }


def page_of(kind: type) -> type[BaseModel]:
    """A page of views, for the document."""
    item: Any = model_of(kind)
    fields: dict[str, Any] = {
        "items": (list[item], ...),
        "after": (int | None, Field(description="the cursor of the next page; null at the end")),
    }
    found: type[BaseModel] = create_model(f"PageOf{kind.__name__}", **fields)
    return found


def list_of(kind: type) -> type[BaseModel]:
    """All of them at once, for the document."""
    item: Any = model_of(kind)
    fields: dict[str, Any] = {"items": (list[item], ...)}
    found: type[BaseModel] = create_model(f"ListOf{kind.__name__}", **fields)
    return found


def batch_of(kind: type) -> type[BaseModel]:
    """One result per thing given, in its order, for the document."""
    item: Any = model_of(kind)
    refused: Any = model_of(results.ItemRefused)
    fields: dict[str, Any] = {
        "items": (list[item | refused], ...),
        "refused": (int, Field(description="how many of the items were refused; the others stand")),
    }
    found: type[BaseModel] = create_model(f"BatchOf{kind.__name__}", **fields)
    return found


def batch(found: results.Result) -> dict[str, Any]:
    if not isinstance(found, results.Batch):
        raise TypeError(f"the command gave {type(found).__name__} where a batch was expected")
    refused = sum(1 for item in found.items if isinstance(item, results.ItemRefused))
    return {"items": plain(found.items), "refused": refused}


def check_size(here: Context, things: int) -> None:
    if things > here.limits.batch:
        raise Stop(
            problem("too-large", f"{things} things are too many for one batch; send at most {here.limits.batch}")
        )


async def task_ref(here: Context, campaign: str, text: str) -> TaskRef:
    """A task named in a path: by its key, or else by its number."""
    state = await here.look(campaign, here.service.state)
    if state.keys.get(text) is not None:
        return text
    if text.isascii() and text.isdigit() and len(text) <= 9 and int(text) < len(state.tasks):
        return int(text)
    raise Stop(problem(Code.UNKNOWN_TASK, f"there is no task {text!r:.80} in this campaign; check its key"))


def page(found: Page) -> dict[str, Any]:
    return {"items": plain(found.items), "after": found.after}


def worker_ref(caller: Caller, text: str) -> WorkerRef:
    """`me`, a number or a name. The service refuses one that is not there."""
    if text == ONESELF:
        if caller.worker is None:
            raise Stop(problem("unknown-worker", "`me` is for a worker's own token; name the worker"))
        return caller.worker
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else text


async def worker_number(here: Context, caller: Caller, campaign: str, text: str) -> int:
    """A worker's number; a worker's token finds itself alone, and does not learn who else there is."""
    reference = worker_ref(caller, text)
    if caller.worker is None:
        return await here.look(campaign, here.service.worker_number, reference)
    number: int | None = reference if isinstance(reference, int) else None
    if isinstance(reference, str):
        number = (await here.look(campaign, here.service.state)).names.get(reference)
    own_only(caller, -1 if number is None else number)
    return caller.worker
