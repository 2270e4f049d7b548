"""The requester's tasks: posting them, saying what was right, and the verdicts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from quorate.campaign import commands, projection, results
from quorate.campaign.refusal import Code
from quorate.campaign.state import State
from quorate.errors import InvalidInput, QuorateError
from quorate.web.context import Context
from quorate.web.pages import finding, uploads
from quorate.web.pages.finding import ALL
from quorate.web.pages.frame import frame, state_of
from quorate.web.pages.render import go, page, question
from quorate.web.pages.session import SENT_BEFORE, RequesterSeat, Seat, is_reused, once, posted, text, whole
from quorate.web.pages.tables import csv_file
from quorate.web.pages.turning import IN_TIME, Part
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import After, Campaign, Here

router = APIRouter(prefix="/c/{campaign}", include_in_schema=False)

T = TypeVar("T")

TASKS_A_PAGE = 50
AWAITED_SHOWN = 20
REFUSED_SHOWN = 20
FORMS = ("tasks", "truths")
LONGEST_SOUGHT = 1_000
Sought = Annotated[str, Query(max_length=LONGEST_SOUGHT)]


@router.get("/tasks")
async def tasks(
    here: Here,
    campaign: Campaign,
    seat: RequesterSeat,
    after: After = None,
    kind: str = ALL,
    key: Sought = "",
    done: str | None = None,
    taken: After = None,
    first: After = None,
) -> Response:
    """`kind` and `key` say which (`finding`); `done`, `taken` and `first` say what a form has done (`_all_taken`)."""
    state = await state_of(here, campaign)
    told = _told_again(state, taken, first) if done in FORMS and taken else None
    return _page(state, seat, start=after or 0, kind=kind, key=key.strip(), done=done, told=told)


def _page(
    state: State,
    seat: Seat,
    *,
    start: int = 0,
    kind: str = ALL,
    key: str = "",
    done: str | None = None,
    told: dict[str, Any] | None = None,
    wrong: str = "",
    typed: dict[str, str] | None = None,
) -> Response:
    """`typed` is what stood in a form that was wrong, by the form's name."""
    awaited = projection.awaited(state)
    numbers = finding.found(state, kind, key)
    part = Part(start, TASKS_A_PAGE, len(numbers), IN_TIME)
    return page(
        "tasks.html",
        seat,
        status=422 if wrong else 200,
        done=done,
        told=told,
        problem=wrong,
        typed={"tasks": "", "truths": "", **(typed or {})},
        tasks=[projection.task(state, number) for number in part.of(numbers)],
        part=part,
        kinds=finding.KINDS,
        kind=kind,
        key=key,
        awaiting=len(awaited),
        awaited=[projection.task(state, number) for number in awaited[:AWAITED_SHOWN]],
        **frame(state),
    )


@router.post("/tasks")
async def post_tasks(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    return await _batch(here, request, campaign, seat, "tasks", _posting)


@router.post("/truths")
async def post_truths(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    return await _batch(here, request, campaign, seat, "truths", _revealing)


@router.post("/truth")
async def post_truth(here: Here, request: Request, campaign: Campaign, seat: RequesterSeat) -> Response:
    """One truth, by one of two buttons. A click too many is no reproach: the same truth is known already."""
    async with posted(here, request, seat) as form:
        task, label = whole(form, "task"), text(form, "label")
    if label not in ("0", "1"):
        raise Stop(problem("invalid-request", "a truth is one of the two buttons; go back and choose one"))
    truth = commands.Truth(task, int(label))
    done = await here.durable(here.service.submit(campaign, commands.RevealTruths((truth,))))
    refused = _refused(_items(done))
    if refused and refused[0].code != Code.SECOND_TRUTH:
        raise Stop(problem(refused[0].code, refused[0].message))
    return go(f"/c/{campaign}/tasks?done=truth")


Given = commands.TaskSpec | commands.Truth


def _posting(here: Context, lines: str, labels: tuple[str, str]) -> tuple[commands.Command, Sequence[Given]]:
    found = _few(here, uploads.tasks(lines, labels))
    return commands.PostTasks(found), found


def _revealing(here: Context, lines: str, labels: tuple[str, str]) -> tuple[commands.Command, Sequence[Given]]:
    found = _few(here, uploads.truths(lines, labels))
    return commands.RevealTruths(found), found


def _few(here: Context, found: list[T]) -> tuple[T, ...]:
    """Not more than one command may hold."""
    most = here.limits.batch
    if len(found) > most:
        raise InvalidInput(f"{len(found)} lines are too many at once; send at most {most}, and then the rest")
    return tuple(found)


async def _batch(
    here: Context,
    request: Request,
    campaign: str,
    seat: Seat,
    name: str,
    command: Callable[[Context, str, tuple[str, str]], tuple[commands.Command, Sequence[Given]]],
) -> Response:
    """What was taken and what was refused, above the list of tasks; what was refused stays in the form, which no
    address could carry to another page.
    """
    labels = projection.status(await state_of(here, campaign)).settings.labels
    told, wrong = None, ""
    async with posted(here, request, seat) as form:
        left = text(form, "lines")
        try:
            made, given = await here.blocking(command, here, await uploads.given(form), labels)
            items = _items(await here.durable(here.service.submit(campaign, made, key=once(form))))
            if not _refused(items):
                return go(_all_taken(campaign, name, items))
            told, left = _told(items), uploads.again(_left(given, items), labels)
        except QuorateError as error:
            wrong = SENT_BEFORE if is_reused(error) else str(error)
    return _page(await state_of(here, campaign), seat, told=told, wrong=wrong, typed={name: left})


def _items(done: results.Result) -> tuple[Any, ...]:
    return done.items if isinstance(done, results.Batch) else ()


def _refused(items: Sequence[Any]) -> list[results.ItemRefused]:
    return [item for item in items if isinstance(item, results.ItemRefused)]


def _left(given: Sequence[Given], items: Sequence[Any]) -> list[Given]:
    """What was given and refused."""
    return [one for one, item in zip(given, items, strict=True) if isinstance(item, results.ItemRefused)]


def _told(items: Sequence[Any]) -> dict[str, Any]:
    refused = _refused(items)
    return {
        "taken": len(items) - len(refused),
        "refused": len(refused),
        "shown": refused[:REFUSED_SHOWN],
        "posted": [item.key for item in items if isinstance(item, results.Posted)],
    }


def _all_taken(campaign: str, name: str, items: Sequence[Any]) -> str:
    """The next page's address: with how many were taken, and of tasks the number of the first."""
    first = f"&first={items[0].task}" if isinstance(items[0], results.Posted) else ""
    return f"/c/{campaign}/tasks?done={name}&taken={len(items)}{first}"


def _told_again(state: State, taken: int, first: int | None) -> dict[str, Any] | None:
    """As `_told`, from the address; None for one that no form leads to. One command numbers its tasks in a row."""
    if (first or 0) + taken > len(state.tasks):
        return None
    numbers = () if first is None else (first, first + taken - 1)
    return {"taken": taken, "refused": 0, "shown": [], "posted": [state.tasks[number].key for number in numbers]}


# Downloads.


@router.get("/awaited.csv")
async def awaited_csv(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    """The truths that are awaited, with an empty column to fill in; the same file is taken back."""
    state = await state_of(here, campaign)
    rows = ((state.tasks[task].key, "", question(state.tasks[task].payload)) for task in projection.awaited(state))
    return csv_file(f"{campaign}-awaited", ("key", "truth", "question"), rows)


@router.get("/verdicts.csv")
async def verdicts_csv(here: Here, campaign: Campaign, seat: RequesterSeat) -> Response:
    state = await state_of(here, campaign)
    return csv_file(f"{campaign}-verdicts", ("key", "verdict", "basis", "truth", "answers", "asked"), _verdicts(state))


def _verdicts(state: State) -> Iterator[tuple[Any, ...]]:
    labels = projection.status(state).settings.labels
    for number in range(len(state.tasks)):
        task = projection.task(state, number)
        said = ["" if label is None else labels[label] for label in (task.verdict, task.truth)]
        yield task.key, said[0], task.basis or task.state, said[1], len(task.answers), len(task.workers)
