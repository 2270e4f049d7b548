"""Tasks, answers, truths, leavers and the clock: the commands of a running campaign.

A command over many things is decided thing by thing, each with all that follows from it, so that a batch does exactly
what the same things one by one would do.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from quorate.campaign import commands, events, results
from quorate.campaign.codec import canonical, is_whole
from quorate.campaign.flow import advance, asks_now, complete, end_leases, has_lease, pending, price_of
from quorate.campaign.fold import auction_of, place_of, rules_of
from quorate.campaign.pricing import jury_prices
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.state import Reply, State
from quorate.campaign.step import Step, text, whole
from quorate.campaign.views import Stage
from quorate.errors import InvalidInput
from quorate.model.philox import CHECKS, uniform
from quorate.policy.base import Phase

# A payload is shown again with every page of tasks and every check of the ledger: a link to something large, not that.
DEEPEST_PAYLOAD = 32
LARGEST_PAYLOAD = 64 * 1024
# How canonical JSON begins half of a character that takes two.
HALF = "\\ud"

T = TypeVar("T")


def _each(things: Sequence[T], handle: Callable[[T], Any]) -> results.Batch:
    found: list[Any] = []
    for thing in things:
        try:
            found.append(handle(thing))
        except Refused as refused:
            found.append(results.ItemRefused(refused.code.value, refused.message))
    return results.Batch(tuple(found))


def post(step: Step, command: commands.PostTasks) -> results.Result:
    step.require("posting tasks", Stage.AUCTION, Stage.RUNNING)
    return _each(command.tasks, lambda spec: _post(step, spec))


def _post(step: Step, spec: commands.TaskSpec) -> results.Posted:
    number, settings = len(step.state.tasks), step.settings
    if number >= settings.horizon:
        raise Refused(
            Code.HORIZON_REACHED,
            f"all {settings.horizon} tasks of the horizon are posted; the promise was made for so many: "
            f"open another campaign for more",
        )
    key = _free_key(step.state, number) if spec.key is None else text("the task's key", spec.key)
    if step.state.keys.get(key) is not None:
        raise Refused(Code.DUPLICATE_TASK, f"a task with the key {key!r} was posted already; keys must differ")
    gold = None if spec.gold is None else whole("the gold answer", spec.gold)
    payload = _payload(step, key, spec.payload)
    checked = gold is not None or truth_is_asked(step.state, number)
    step.emit(events.TaskPosted(number, key, payload, gold, checked))
    advance(step)
    return results.Posted(number, key, checked)


def _free_key(state: State, number: int) -> str:
    """The task's own number, or the next that nobody has taken for the key of another."""
    while state.keys.get(str(number)) is not None:
        number += 1
    return str(number)


def _payload(step: Step, key: str, given: Any) -> Any:
    """As JSON gives it back, within limits that every reader of it can stand."""
    if _is_deeper(given, DEEPEST_PAYLOAD):
        raise Refused(
            Code.INVALID,
            f"the payload of task {key!r} has more than {DEEPEST_PAYLOAD} levels of lists and objects in one another; "
            f"make it flatter, or send it as text",
        )
    try:
        text_of_it = canonical(given)
    except InvalidInput as error:
        raise Refused(Code.INVALID, f"the payload of task {key!r} is not JSON: {error}") from error
    if len(text_of_it) > LARGEST_PAYLOAD:
        raise Refused(
            Code.INVALID,
            f"the payload of task {key!r} has {len(text_of_it)} bytes as JSON in ASCII, and {LARGEST_PAYLOAD} are the "
            f"most; put what is large elsewhere, and its address into the payload",
        )
    found = json.loads(text_of_it)
    # Whatever is not whole is escaped, and most payloads have no such escape at all.
    if HALF in text_of_it and not step.again and not is_whole(found):
        raise Refused(
            Code.INVALID,
            f"the payload of task {key!r} holds half of a character (a lone surrogate, as in an emoji that was cut), "
            f"which no page can show; cut text between characters",
        )
    return found


def _is_deeper(given: Any, levels: int) -> bool:
    """Level by level: whoever recurses is what such a payload breaks."""
    inner = [given]
    for _ in range(levels + 1):
        inner = [thing for thing in inner if isinstance(thing, dict | list | tuple)]
        if not inner:
            return False
        inner = [one for thing in inner for one in (thing.values() if isinstance(thing, dict) else thing)]
    return True


def truth_is_asked(state: State, task: int) -> bool:
    """Drawn from (seed, task) alone: neither bids nor answers have a say in whose truth is asked for (MATHS 8)."""
    share = 1.0 if state.settings is None else state.settings.truth_share
    return share >= 1.0 or uniform(np.uint64(state.seed), CHECKS, np.uint64(0), np.uint64(task)) < share


def answer(step: Step, command: commands.GiveAnswers) -> results.Result:
    step.require("answering", Stage.RUNNING)
    return _each(command.answers, lambda given: _answer(step, given))


def _answer(step: Step, given: commands.Answer) -> results.AnswerTaken:
    worker, task = step.worker(given.worker), step.task(given.task)
    label = whole("the answer", given.label)
    found, position = step.state.tasks[task], step.state.workers[worker].position
    at = place_of(step.state, found, position) if position >= 0 else -1
    if at < 0:
        # The task as it was given: keys of tasks are for those who are asked.
        raise Refused(
            Code.NOT_ASKED,
            f"worker {worker} was not asked for task {given.task!r}; only those on its jury answer, and are paid",
        )
    reply = found.replies[at]
    if reply < Reply.PENDING:
        raise Refused(
            Code.SECOND_ANSWER,
            f"worker {worker} has answered task {found.key!r} already; the first answer stands, and was paid once",
        )
    if reply == Reply.MISSING or step.now > found.deadline:
        raise Refused(
            Code.LEASE_EXPIRED,
            f"the time of worker {worker} for task {found.key!r} is over; the task goes on without this answer, "
            f"which is not paid: answer within the deadline, or leave the campaign",
        )
    jury = step.state.juries[found.jury]
    price = price_of(step.state, jury, position)
    step.emit(events.AnswerGiven(task, worker, label, price))
    complete(step, task)
    decided = step.state.tasks[task].decided
    if decided:
        advance(step)
    return results.AnswerTaken(task, worker, price, decided)


def reveal(step: Step, command: commands.RevealTruths) -> results.Result:
    """In order of the tasks' numbers, whatever order they come in: the order in which the policy learns."""
    step.require("revealing truths", Stage.AUCTION, Stage.RUNNING)
    taken: dict[int, Any] = {}
    for at in sorted(range(len(command.truths)), key=lambda at: _place(step, command.truths[at])):
        taken[at] = _each([command.truths[at]], lambda given: _reveal(step, given)).items[0]
    return results.Batch(tuple(taken[at] for at in range(len(command.truths))))


def _place(step: Step, given: commands.Truth) -> int:
    try:
        return step.task(given.task)
    except Refused:
        return -1


def _reveal(step: Step, given: commands.Truth) -> results.TruthTaken:
    task, truth = step.task(given.task), whole("the truth", given.truth)
    found, ended = step.state.tasks[task], step.state.ended
    known = found.gold if found.truth is None else found.truth
    if known is not None and known != truth:
        raise Refused(
            Code.CONTRADICTING_TRUTH,
            f"the truth of task {found.key!r} is {known}, and cannot become {truth}: the policy may have learned from "
            f"it; the first truth stands",
        )
    if known is not None:
        raise Refused(
            Code.SECOND_TRUTH, f"the truth of task {found.key!r} is known to be {known} already; nothing to do"
        )
    step.emit(events.TruthRevealed(task, truth, events.TruthSource.REVEALED.value))
    _note_truth(step, task, ended)
    advance(step)
    after = step.state.tasks[task]
    right = None if not after.decided or after.verdict is None else after.verdict == truth
    return results.TruthTaken(task, truth, right, found.checked and not ended)


def _note_truth(step: Step, task: int, ended: bool) -> None:
    found = step.state.tasks[task]
    if not found.checked:
        if not ended:
            step.note(events.Note.TRUTH_UNASKED, task=task)
    elif ended and found.held:
        step.note(events.Note.TRUTH_LATE_UNUSED, task=task)
    elif found.overdue:
        step.note(events.Note.TRUTH_LATE_USED, task=task)


def withdraw(step: Step, command: commands.WithdrawWorker) -> results.Result:
    step.require("leaving", Stage.AUCTION, Stage.RUNNING)
    number = step.worker(command.worker)
    worker = step.state.workers[number]
    if worker.withdrawn:
        raise Refused(Code.ALREADY_WITHDRAWN, f"worker {worker.name!r} has left the campaign already")
    reason = "" if not command.reason else text("the reason", command.reason, 1000)
    before = step.state
    step.emit(events.WorkerWithdrawn(number, reason))
    ended = 0
    if before.auction is not None and worker.position >= 0:
        _note_leaving(step, before, number, worker.position)
        for task in step.state.open:
            if has_lease(step.state, task, worker.position):
                end_leases(step, task, [worker.position])
                ended += 1
        advance(step)
    return results.Left(number, ended, worker.earned)


def _note_leaving(step: Step, before: State, number: int, position: int) -> None:
    pool = auction_of(before).pool
    left = sum(1 for other in pool if other not in step.state.withdrawn)
    if position not in pool:
        step.note(events.Note.LEFT_OUTSIDE, worker=number, left=left)
        return
    ask = asks_now(step.state)
    if len(ask.jury) == 0:
        step.note(events.Note.NOBODY_CERTIFIED, worker=number, left=left)
    elif ask.phase is Phase.EXPLORE or not before.ended:
        step.note(events.Note.LEFT_EXPLORING, worker=number, left=left)
    elif position in asks_now(before).jury:
        was, now = _price(before), _price(step.state)
        step.note(events.Note.LEFT_JURY, worker=number, left=left, price_before=was, price_after=now)
    else:
        step.note(events.Note.LEFT_SPARE, worker=number, left=left)


def _price(state: State) -> int:
    """Per task, of the jury that would be asked now."""
    rules, auction, ask = rules_of(state), auction_of(state), asks_now(state)
    if state.learned is None:
        return 0
    jury = tuple(ask.jury.tolist())
    return sum(
        jury_prices(rules.payment, auction.sealed, rules.policy, state.learned, auction.pool, jury, state.withdrawn)
    )


def tick(step: Step, command: commands.TickDeadlines) -> results.Result:
    """Leases first, in order of assignment; then overdue truths; then the places that became free."""
    if step.state.stage is not Stage.RUNNING:
        return results.Ticked(0, 0, False)
    leases = overdue = 0
    for task in step.state.open:
        if step.state.tasks[task].deadline < step.now:
            missing = pending(step.state, task)
            leases += len(missing)
            end_leases(step, task, missing)
    for task in step.state.held:
        due = step.state.tasks[task].truth_due
        if due is not None and due < step.now:
            overdue += 1
            step.emit(events.TruthOverdue(task))
            step.note(events.Note.TRUTH_OVERDUE, task=task, awaited=len(step.state.held))
    advance(step)
    return results.Ticked(leases, overdue, False)
