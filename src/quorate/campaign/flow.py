"""What follows from what happened: verdicts, juries for waiting tasks, the end of exploration.

With `exploring_at_once` of 1, task t's jury is chosen when the truths of all tasks before it are told: exactly the
decisions of `quorate.policy.play` on the same realization, to the bit.
"""

import numpy as np

from quorate.campaign.events import (
    Basis,
    DeadlinePassed,
    ExplorationEnded,
    JuryAssigned,
    JuryChosen,
    Note,
    SubstitutesAsked,
    TruthRevealed,
    TruthSource,
    VerdictMade,
)
from quorate.campaign.fold import answers_of, auction_of, learned_of, members_of, place_of, rules_of
from quorate.campaign.leaving import certified, cover, effective, substitutes
from quorate.campaign.pricing import jury_prices
from quorate.campaign.ranges import to_ranges
from quorate.campaign.state import Jury, Reply, State
from quorate.campaign.step import Step
from quorate.campaign.views import Stage
from quorate.policy.base import Ask, Phase, Workers
from quorate.vote import majority_verdict, weighted_verdict

_PENDING = int(Reply.PENDING)
_MISSING = int(Reply.MISSING)


def asks_now(state: State) -> Ask:
    """Whom the next task would be assigned to."""
    return effective(rules_of(state).policy.ask(learned_of(state)), state.withdrawn)


def advance(step: Step) -> None:
    """Assign waiting tasks, in order of posting, as far as there are free places."""
    if step.state.stage is not Stage.RUNNING:
        return
    _end_exploration(step)
    settings = step.settings
    while True:
        state = step.state
        if state.next_task >= len(state.tasks) or len(state.open) >= settings.at_once:
            return
        if not state.ended and len(state.held) >= settings.exploring_at_once:
            return
        jury = _jury(step)
        if jury is None:
            return
        task = step.state.next_task
        step.emit(JuryAssigned(task, jury, step.now + settings.answer_within))
        if task + 1 == settings.horizon and not step.state.ended:
            step.note(Note.HORIZON_EXPLORING, task=task, rounds=learned_of(step.state).round)


def _end_exploration(step: Step) -> None:
    learned = learned_of(step.state)
    if learned.stop is not None and not step.state.ended:
        step.emit(ExplorationEnded(learned.round, step.state.next_task))


def _jury(step: Step) -> int | None:
    """The number of the jury for the next task, chosen anew where the policy has changed its mind; None: nobody."""
    state = step.state
    if state.current >= 0 and state.matched is state.learned:
        return state.current
    ask = asks_now(state)
    if len(ask.jury) == 0:
        return None
    members = tuple(ask.jury.tolist())
    weights = None if ask.weights is None else tuple(ask.weights.tolist())
    if state.current >= 0:
        current = state.juries[state.current]
        if current.phase is ask.phase and current.members == members and current.weights == weights:
            return state.current
    step.emit(chosen(state, ask))
    return step.state.current


def chosen(state: State, ask: Ask) -> JuryChosen:
    """The event for a new jury: its prices and its certificate are fixed with it."""
    rules, learned, auction = rules_of(state), learned_of(state), auction_of(state)
    members = tuple(ask.jury.tolist())
    prices = None
    if ask.phase is Phase.EXPLOIT:
        prices = jury_prices(
            rules.payment, auction.sealed, rules.policy, learned, auction.pool, members, state.withdrawn
        )
    return JuryChosen(
        len(state.juries),
        ask.phase.value,
        to_ranges(members),
        None if ask.weights is None else tuple(ask.weights.tolist()),
        prices,
        certified(rules.policy, learned, ask),
    )


def price_of(state: State, jury: Jury, position: int) -> int:
    """What one answer of this member, or of a substitute, earns."""
    if jury.prices is not None and position in jury.members:
        return jury.prices[jury.members.index(position)]
    return auction_of(state).prices[position]


def end_leases(step: Step, task: int, missing: list[int]) -> None:
    """These positions will not answer any more."""
    step.emit(DeadlinePassed(task, to_ranges(sorted(missing))))
    complete(step, task)


def pending(state: State, task: int) -> list[int]:
    """Positions with an open lease on the task."""
    found = state.tasks[task]
    return [
        position for position, reply in zip(members_of(state, found), found.replies, strict=True) if reply == _PENDING
    ]


def has_lease(state: State, task: int, position: int) -> bool:
    """Whether an answer of this position is still waited for."""
    found = state.tasks[task]
    at = place_of(state, found, position)
    return at >= 0 and found.replies[at] == _PENDING


def complete(step: Step, task: int) -> None:
    """The verdict, once nobody is waited for; or substitutes for those who did not answer."""
    found = step.state.tasks[task]
    if _PENDING in found.replies:
        return
    jury = step.state.juries[found.jury]
    positions, labels = answers_of(step.state, found)
    if _MISSING in found.replies:
        _decide_short(step, task, jury, positions, labels)
        return
    basis = Basis.CERTIFIED if jury.certified else _uncertified(jury)
    weights = None if jury.weights is None else np.array(jury.weights, dtype=np.int64)
    _decide(step, task, vote(labels, weights), basis)


def _uncertified(jury: Jury) -> Basis:
    return Basis.EVERYBODY if jury.phase is Phase.EXPLORE else Basis.ESTIMATED


def _decide_short(step: Step, task: int, jury: Jury, positions: list[int], labels: list[int]) -> None:
    """Some did not answer: those who did may carry the promise, or others may be asked, or it is not covered."""
    rules, learned = rules_of(step.state), learned_of(step.state)
    answered = np.array(positions, dtype=np.int64)
    covered, weights = cover(rules.policy, learned, answered)
    missing = step.state.tasks[task].replies.count(_MISSING)
    if not covered and jury.phase is Phase.EXPLOIT and jury.certified:
        extra = substitutes(rules.policy, learned, answered, _spare(step.state, task))
        if extra is not None and len(extra):
            deadline = step.now + step.settings.answer_within
            step.emit(SubstitutesAsked(task, to_ranges(extra.tolist()), deadline))
            step.note(Note.ANSWERS_MISSING_REPLACED, task=task, missing=missing, asked=len(extra))
            return
    if not positions:
        _decide(step, task, None, Basis.NONE)
        step.note(Note.NO_ANSWERS, task=task, missing=missing)
        return
    _decide(step, task, vote(labels, weights), Basis.CERTIFIED if covered else Basis.SHORT)
    note = Note.ANSWERS_MISSING_COVERED if covered else Note.ANSWERS_MISSING_SHORT
    step.note(note, task=task, missing=missing, answered=len(positions))


def _spare(state: State, task: int) -> Workers:
    """Who is left in the pool and was not asked for this task yet."""
    asked = set(members_of(state, state.tasks[task]))
    pool = auction_of(state).pool
    return np.array(
        [worker for worker in pool if worker not in asked and worker not in state.withdrawn], dtype=np.int64
    )


def _decide(step: Step, task: int, verdict: int | None, basis: Basis) -> None:
    found = step.state.tasks[task]
    within = step.settings.truth_within
    waits = found.checked and found.held and not step.state.ended and found.truth is None and found.gold is None
    due = step.now + within if waits and within is not None else None
    step.emit(VerdictMade(task, verdict, basis.value, due))
    if found.gold is not None and found.truth is None:
        step.emit(TruthRevealed(task, found.gold, TruthSource.GOLD.value))


def vote(labels: list[int], weights: np.ndarray[tuple[int], np.dtype[np.int64]] | None) -> int:
    """The verdict of the vote that the policy prescribes; members are in increasing order."""
    given = np.array(labels, dtype=np.bool_)
    return int(majority_verdict(given) if weights is None else weighted_verdict(given, weights))
