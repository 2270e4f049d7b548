"""state, event -> state: the one meaning of every event. Pure; refuses nothing, since what happened has happened."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np

from quorate.campaign import events as ev
from quorate.campaign.leaving import without
from quorate.campaign.ranges import from_ranges
from quorate.campaign.rules import Rules, build
from quorate.campaign.settings import from_json
from quorate.campaign.state import (
    Auction,
    Jury,
    PayLine,
    Payout,
    Reply,
    State,
    Task,
    Worker,
    evolve,
)
from quorate.campaign.views import Stage
from quorate.mechanism import Sealed
from quorate.policy.base import Phase
from quorate.policy.base import State as Learned

_PENDING = int(Reply.PENDING)
_MISSING = int(Reply.MISSING)


def fold(state: State, event: ev.Event) -> State:
    """The state after the event."""
    return _FOLDS[type(event)](state, event)


def rules_of(state: State) -> Rules:
    """The rules, once there are settings."""
    if state.rules is None:
        raise ValueError(f"campaign {state.campaign!r} has no settings yet")
    return state.rules


def auction_of(state: State) -> Auction:
    """The auction, once it is closed."""
    if state.auction is None:
        raise ValueError(f"the auction of campaign {state.campaign!r} is not closed yet")
    return state.auction


def learned_of(state: State) -> Learned:
    """What the policy knows, once the auction is closed."""
    if state.learned is None:
        raise ValueError(f"the auction of campaign {state.campaign!r} is not closed yet")
    return state.learned


def members_of(state: State, task: Task) -> tuple[int, ...]:
    """Positions in the order of `task.replies`."""
    return state.juries[task.jury].members + task.extra if task.jury >= 0 else ()


def place_of(state: State, task: Task, position: int) -> int:
    """Where in `task.replies` this position's reply stands; -1 if it was not asked."""
    if task.jury < 0:
        return -1
    members = state.juries[task.jury].members
    at = bisect_left(members, position)
    if at < len(members) and members[at] == position:
        return at
    return len(members) + task.extra.index(position) if position in task.extra else -1


def answers_of(state: State, task: Task) -> tuple[list[int], list[int]]:
    """(positions that answered, their labels), by position."""
    given = sorted(
        (position, reply)
        for position, reply in zip(members_of(state, task), task.replies, strict=True)
        if reply < _PENDING
    )
    return [position for position, _ in given], [reply for _, reply in given]


def _drafted(state: State, event: ev.Drafted) -> State:
    settings = from_json(event.settings)
    return evolve(state, seq=state.seq + 1, settings=settings, rules=build(settings))


def _opened(state: State, event: ev.Opened) -> State:
    settings, seed = from_json(event.settings), int(event.seed, 16)
    return evolve(
        state,
        seq=state.seq + 1,
        stage=Stage.AUCTION,
        settings=settings,
        rules=build(settings, seed),
        seed=seed,
        coin_commitment=event.coin_commitment,
    )


def _enrolled(state: State, event: ev.WorkerEnrolled) -> State:
    return evolve(
        state,
        seq=state.seq + 1,
        workers=state.workers.append(Worker(event.name)),
        names=state.names.add(event.name, event.worker),
    )


def _bid_placed(state: State, event: ev.BidPlaced) -> State:
    worker = state.workers[event.worker]._replace(commitment=event.commitment, times=event.times)
    return evolve(state, seq=state.seq + 1, workers=state.workers.set(event.worker, worker))


def _auction_closed(state: State, event: ev.AuctionClosed) -> State:
    rules = rules_of(state)
    numbers = from_ranges(event.workers)
    workers = state.workers
    for position, number in enumerate(numbers):
        workers = workers.set(number, workers[number]._replace(position=position))
    sealed = Sealed(
        np.array(event.bids, dtype=np.int64),
        np.array(event.seen, dtype=np.int64),
        np.array(event.bonus, dtype=np.int64),
        rules.problem.cap,
    )
    return evolve(
        state,
        seq=state.seq + 1,
        stage=Stage.RUNNING,
        workers=workers,
        auction=Auction(numbers, sealed, from_ranges(event.pool), tuple(event.prices)),
        learned=rules.policy.start(sealed.seen, state.seed),
    )


def _posted(state: State, event: ev.TaskPosted) -> State:
    task = Task(event.key, event.payload, event.gold, event.checked)
    return evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.append(task),
        keys=state.keys.add(event.key, event.task),
        counts=state.counts._replace(gold=state.counts.gold + (event.gold is not None)),
    )


def _chosen(state: State, event: ev.JuryChosen) -> State:
    jury = Jury(
        Phase(event.phase),
        from_ranges(event.members),
        None if event.weights is None else tuple(event.weights),
        None if event.prices is None else tuple(event.prices),
        event.certified,
    )
    return evolve(state, seq=state.seq + 1, juries=state.juries.append(jury), current=event.jury, matched=state.learned)


def _assigned(state: State, event: ev.JuryAssigned) -> State:
    jury = state.juries[event.jury]
    held = not state.ended
    task = state.tasks[event.task]._replace(
        jury=event.jury, deadline=event.deadline, replies=bytes((_PENDING,)) * len(jury.members), held=held
    )
    explored = state.counts.explored + (jury.phase is Phase.EXPLORE)
    return evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.set(event.task, task),
        next_task=event.task + 1,
        open=(*state.open, event.task),
        held=(*state.held, event.task) if held else state.held,
        counts=state.counts._replace(explored=explored),
    )


def _answered(state: State, event: ev.AnswerGiven) -> State:
    task, worker = state.tasks[event.task], state.workers[event.worker]
    at = place_of(state, task, worker.position)
    replies = task.replies[:at] + bytes((event.label,)) + task.replies[at + 1 :]
    jury = state.juries[task.jury]
    pay = _with_line(worker.pay, jury.phase.value, event.price)
    return evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.set(event.task, task._replace(replies=replies)),
        workers=state.workers.set(event.worker, worker._replace(answered=worker.answered + 1, pay=pay)),
    )


def _with_line(pay: tuple[PayLine, ...], phase: str, price: int) -> tuple[PayLine, ...]:
    for at, line in enumerate(pay):
        if line.price == price and line.phase == phase:
            return (*pay[:at], PayLine(phase, price, line.answers + 1), *pay[at + 1 :])
    return (*pay, PayLine(phase, price, 1))


def _deadline(state: State, event: ev.DeadlinePassed) -> State:
    task, workers = state.tasks[event.task], state.workers
    replies = bytearray(task.replies)
    numbers = auction_of(state).workers
    for position in from_ranges(event.missing):
        replies[place_of(state, task, position)] = _MISSING
        worker = workers[numbers[position]]
        workers = workers.set(numbers[position], worker._replace(missed=worker.missed + 1))
    tasks = state.tasks.set(event.task, task._replace(replies=bytes(replies)))
    return evolve(state, seq=state.seq + 1, tasks=tasks, workers=workers)


def _substitutes(state: State, event: ev.SubstitutesAsked) -> State:
    task, extra = state.tasks[event.task], from_ranges(event.members)
    task = task._replace(
        extra=task.extra + extra,
        replies=task.replies + bytes((_PENDING,)) * len(extra),
        deadline=event.deadline,
    )
    return evolve(state, seq=state.seq + 1, tasks=state.tasks.set(event.task, task))


def _verdict(state: State, event: ev.VerdictMade) -> State:
    task = state.tasks[event.task]._replace(
        decided=True, verdict=event.verdict, basis=event.basis, truth_due=event.truth_due
    )
    counts = state.counts.with_verdict(ev.Basis(event.basis))
    judged = evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.set(event.task, task),
        open=_less(state.open, event.task),
        held=state.held if task.checked else _less(state.held, event.task),
        counts=counts,
    )
    return _learn(judged, event.task, task)


def _truth(state: State, event: ev.TruthRevealed) -> State:
    task = state.tasks[event.task]._replace(truth=event.truth, source=event.source)
    known = evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.set(event.task, task),
        counts=state.counts._replace(truths=state.counts.truths + 1),
    )
    return _learn(known, event.task, task)


def _learn(state: State, number: int, task: Task) -> State:
    """Once a task has both its verdict and its truth: was it right, and what does the policy learn?"""
    if not task.decided or task.truth is None or task.told:
        return state
    counts, learned = state.counts, learned_of(state)
    if task.verdict == task.truth:
        counts = counts._replace(right=counts.right + 1)
    elif task.verdict is not None:
        counts = counts._replace(wrong=counts.wrong + 1)
    if task.checked and learned.stop is None:
        positions, labels = answers_of(state, task)
        if positions:
            right = np.array(labels, dtype=np.int64) == task.truth
            learned = rules_of(state).policy.tell(learned, np.array(positions, dtype=np.int64), right)
    return evolve(
        state,
        tasks=state.tasks.set(number, task._replace(told=True)),
        held=_less(state.held, number),
        counts=counts,
        learned=learned,
    )


def _overdue(state: State, event: ev.TruthOverdue) -> State:
    return evolve(
        state,
        seq=state.seq + 1,
        tasks=state.tasks.set(event.task, state.tasks[event.task]._replace(overdue=True)),
        held=_less(state.held, event.task),
        counts=state.counts._replace(overdue=state.counts.overdue + 1),
    )


def _withdrawn(state: State, event: ev.WorkerWithdrawn) -> State:
    worker = state.workers[event.worker]
    gone = evolve(
        state,
        seq=state.seq + 1,
        workers=state.workers.set(event.worker, worker._replace(withdrawn=True)),
    )
    if state.auction is None or worker.position < 0:
        return gone
    withdrawn = state.withdrawn | {worker.position}
    if worker.position not in state.auction.pool:
        return evolve(gone, withdrawn=withdrawn)
    policy, pool = rules_of(state).policy, state.auction.pool
    inside = withdrawn.intersection(pool)
    return evolve(gone, withdrawn=withdrawn, learned=without(policy, learned_of(state), inside, pool))


def _ended(state: State, event: ev.ExplorationEnded) -> State:
    return evolve(state, seq=state.seq + 1, ended=True, held=())


def _noted(state: State, event: ev.PromiseNoted) -> State:
    return evolve(state, seq=state.seq + 1)


def _ordered(state: State, event: ev.PayoutOrdered) -> State:
    worker = state.workers[event.worker]
    worker = worker._replace(ordered=worker.ordered + event.amount, payouts=(*worker.payouts, event.payout))
    return evolve(
        state,
        seq=state.seq + 1,
        workers=state.workers.set(event.worker, worker),
        payouts=state.payouts.append(Payout(event.worker, event.amount)),
        payout_names=state.payout_names.add(event.payout, len(state.payouts)),
    )


def _confirmed(state: State, event: ev.PayoutConfirmed) -> State:
    number = state.payout_names.get(event.payout)
    if number is None:
        raise ValueError(f"payout {event.payout!r} was confirmed before it was ordered")
    payout = state.payouts[number]
    worker = state.workers[payout.worker]
    return evolve(
        state,
        seq=state.seq + 1,
        payouts=state.payouts.set(number, payout._replace(confirmed=True, reference=event.reference)),
        workers=state.workers.set(payout.worker, worker._replace(confirmed=worker.confirmed + payout.amount)),
    )


def _closed(state: State, event: ev.CampaignClosed) -> State:
    return evolve(
        state,
        seq=state.seq + 1,
        stage=Stage.CLOSED,
        coin_seed=None if event.coin_seed is None else int(event.coin_seed, 16),
        coin_salt=event.coin_salt,
        open=(),
        held=(),
        counts=state.counts._replace(undecided=event.undecided),
    )


def _less(tasks: tuple[int, ...], task: int) -> tuple[int, ...]:
    if task not in tasks:
        return tasks
    at = tasks.index(task)
    return tasks[:at] + tasks[at + 1 :]


_FOLDS: dict[type[Any], Callable[[State, Any], State]] = {
    ev.Drafted: _drafted,
    ev.Opened: _opened,
    ev.WorkerEnrolled: _enrolled,
    ev.BidPlaced: _bid_placed,
    ev.AuctionClosed: _auction_closed,
    ev.TaskPosted: _posted,
    ev.JuryChosen: _chosen,
    ev.JuryAssigned: _assigned,
    ev.AnswerGiven: _answered,
    ev.DeadlinePassed: _deadline,
    ev.SubstitutesAsked: _substitutes,
    ev.VerdictMade: _verdict,
    ev.TruthRevealed: _truth,
    ev.TruthOverdue: _overdue,
    ev.WorkerWithdrawn: _withdrawn,
    ev.ExplorationEnded: _ended,
    ev.PromiseNoted: _noted,
    ev.PayoutOrdered: _ordered,
    ev.PayoutConfirmed: _confirmed,
    ev.CampaignClosed: _closed,
}
