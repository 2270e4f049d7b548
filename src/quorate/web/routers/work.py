"""Tasks, answers and truths: in batches, each thing answered for by itself."""

from fastapi import APIRouter
from starlette.responses import Response

from quorate.campaign import commands, results, views
from quorate.campaign.refusal import Code, Refused
from quorate.web.auth import Overseer, Requester, RequesterOrWorker, WorkerOnly
from quorate.web.bodies import AnswerIn, AnswersIn, LabelIn, TasksIn, TruthsIn
from quorate.web.keyring import Caller
from quorate.web.problems import Stop, problem
from quorate.web.routers.common import (
    After,
    Campaign,
    Here,
    Key,
    Limit,
    TaskPath,
    batch,
    batch_of,
    check_size,
    errors,
    page,
    page_of,
    task_ref,
)
from quorate.web.shown import model_of, reply

# A key may hold a slash, which an address gives even where it was sent as %2F: `{task:path}` takes it for what it is.
router = APIRouter(prefix="/campaigns/{campaign}", tags=["work"])


@router.post("/tasks", response_model=batch_of(results.Posted), responses=errors(409))
async def post_tasks(here: Here, campaign: Campaign, caller: Requester, body: TasksIn, key: Key = None) -> Response:
    """Post questions; juries are assigned by themselves. `checked`: the truth of this one will be asked for."""
    check_size(here, len(body.tasks))
    command = commands.PostTasks(body.specs())
    return reply(batch(await here.durable(here.service.submit(campaign, command, key=key))))


@router.get("/tasks", response_model=page_of(views.TaskView), responses=errors())
async def tasks(here: Here, campaign: Campaign, caller: Overseer, after: After = None, limit: Limit = 100) -> Response:
    """Tasks in the order of posting, with answers and verdicts."""
    found = await here.look(campaign, here.service.tasks, after, min(limit, here.limits.page))
    return reply(page(found))


@router.get("/tasks/{task:path}", response_model=model_of(views.TaskView), responses=errors())
async def task(here: Here, campaign: Campaign, caller: Overseer, task: TaskPath) -> Response:
    found = await task_ref(here, campaign, task)
    return reply(await here.look(campaign, here.service.task, found))


@router.post("/tasks/{task:path}/answer", response_model=model_of(results.AnswerTaken), responses=errors(409, 410))
async def answer(
    here: Here, campaign: Campaign, caller: WorkerOnly, task: TaskPath, body: LabelIn, key: Key = None
) -> Response:
    """The worker's own answer: 0 or 1. Answers with what it has just earned."""
    given = commands.Answer(await task_ref(here, campaign, task), _own(caller), body.label)
    done = await here.durable(here.service.submit(campaign, commands.GiveAnswers((given,)), key=key))
    item = done.items[0] if isinstance(done, results.Batch) else done
    if isinstance(item, results.ItemRefused):
        raise Refused(Code(item.code), item.message)
    return reply(item)


@router.post("/answers", response_model=batch_of(results.AnswerTaken), responses=errors(409))
async def answers(
    here: Here, campaign: Campaign, caller: RequesterOrWorker, body: AnswersIn, key: Key = None
) -> Response:
    """Many answers: a worker's own, or those that a requester brings from many workers."""
    check_size(here, len(body.answers))
    given = tuple(_given(caller, one) for one in body.answers)
    return reply(batch(await here.durable(here.service.submit(campaign, commands.GiveAnswers(given), key=key))))


@router.post("/truths", response_model=batch_of(results.TruthTaken), responses=errors(409))
async def truths(here: Here, campaign: Campaign, caller: Requester, body: TruthsIn, key: Key = None) -> Response:
    """What was right, as it becomes known; the policy learns in the order of the tasks."""
    check_size(here, len(body.truths))
    command = commands.RevealTruths(body.all())
    return reply(batch(await here.durable(here.service.submit(campaign, command, key=key))))


def _own(caller: Caller) -> int:
    if caller.worker is None:
        raise Stop(problem("forbidden", "only a worker's token answers for itself; use POST .../answers"))
    return caller.worker


def _given(caller: Caller, one: AnswerIn) -> commands.Answer:
    if caller.worker is not None:
        if one.worker is not None and one.worker != caller.worker:
            raise Stop(problem("forbidden", "a worker answers for itself alone; leave `worker` out"))
        return commands.Answer(one.task, caller.worker, one.label)
    if one.worker is None:
        raise Stop(problem("invalid-request", "an answer brought by a requester names its worker; give `worker`"))
    return commands.Answer(one.task, one.worker, one.label)
