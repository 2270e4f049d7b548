"""From one frozen state to what people are shown of tasks, workers and progress."""

from quorate.campaign.bidding import ONLY_CLOSE, is_dead
from quorate.campaign.flow import asks_now, has_lease, pending, price_of
from quorate.campaign.fold import members_of, rules_of
from quorate.campaign.juries import hopeless
from quorate.campaign.settings import Millis
from quorate.campaign.state import Reply, State, Worker
from quorate.campaign.views import Assignment, Keeping, Page, Spend, Stage, Status, TaskView, WorkerView
from quorate.policy import EpsilonGreedy
from quorate.policy.base import Phase


def status(state: State, now: Millis | None = None) -> Status:
    """The dashboard's numbers. `now`, where there is a clock, says whether the time for bids has run out."""
    if state.settings is None:
        raise ValueError(f"campaign {state.campaign!r} has no settings yet")
    rules, counts = rules_of(state), state.counts
    pool = state.auction.pool if state.auction else ()
    return Status(
        campaign=state.campaign,
        seq=state.seq,
        stage=state.stage,
        phase=_phase(state),
        settings=state.settings,
        pairing=rules.pairing.label,
        truthful=rules.pairing.truthful,
        keeping=_keeping(state),
        why=tuple(_why(state, now)),
        workers=len(state.workers),
        bids=_bids(state),
        pool=len(pool),
        left=sum(1 for position in pool if position not in state.withdrawn),
        posted=len(state.tasks),
        waiting=0 if state.stage is Stage.CLOSED else len(state.tasks) - state.next_task,
        in_flight=len(state.open),
        decided=counts.decided,
        undecided=counts.undecided,
        verdicts=counts.by_basis(),
        truths=counts.truths,
        rounds=0 if state.learned is None else state.learned.round,
        truths_awaited=sum(1 for task in state.held if state.tasks[task].decided),
        truths_overdue=counts.overdue,
        verdicts_right=counts.right,
        verdicts_wrong=counts.wrong,
        exploration_tasks=counts.explored,
        spend=spend(state),
        coin_commitment=state.coin_commitment,
        next_deadline=next_deadline(state),
    )


def _bids(state: State) -> int:
    """Those that stand; once the auction is closed, those that were opened, whoever has left since."""
    if state.auction is not None:
        return len(state.auction.workers)
    return sum(1 for worker in state.workers if worker.bids)


def next_deadline(state: State) -> Millis | None:
    """When the clock will next have something to do: the command TickDeadlines is idle before."""
    due = [state.tasks[task].deadline for task in state.open]
    for task in state.held:
        truth_due = state.tasks[task].truth_due
        if truth_due is not None:
            due.append(truth_due)
    if state.stage is Stage.AUCTION and state.settings is not None and state.settings.bids_until is not None:
        due.append(state.settings.bids_until)
    return min(due, default=None)


def spend(state: State) -> Spend:
    by_phase = {Phase.EXPLORE.value: 0, Phase.EXPLOIT.value: 0}
    for worker in state.workers:
        for line in worker.pay:
            by_phase[line.phase] += line.price * line.answers
    earned = sum(by_phase.values())
    ordered = sum(worker.ordered for worker in state.workers)
    return Spend(
        earned=earned,
        ordered=ordered,
        unordered=earned - ordered,
        confirmed=sum(worker.confirmed for worker in state.workers),
        exploring=by_phase[Phase.EXPLORE.value],
        exploiting=by_phase[Phase.EXPLOIT.value],
    )


def stalled(state: State) -> bool:
    """Whether nobody who is left may be asked."""
    return state.stage is Stage.RUNNING and len(asks_now(state).jury) == 0


def _phase(state: State) -> str | None:
    return asks_now(state).phase.value if state.stage is Stage.RUNNING else None


def _keeping(state: State) -> Keeping:
    counts = state.counts
    if state.rules is not None and isinstance(state.rules.policy, EpsilonGreedy):
        return Keeping.NONE
    if stalled(state):
        return Keeping.STALLED
    if hopeless(state):
        return Keeping.OUT_OF_REACH
    if counts.decided == 0:
        return Keeping.NOT_YET
    if counts.short + counts.none + counts.estimated:
        return Keeping.PARTLY
    return Keeping.KEPT if counts.certified else Keeping.ASSUMED


def _why(state: State, now: Millis | None) -> list[str]:
    """What the verdicts so far rest on, one sentence a reason."""
    counts, found = state.counts, []
    if now is not None and is_dead(state, now):
        found.append(f"The time for bids is over, and there is none: {ONLY_CLOSE}.")
    if counts.certified:
        found.append(
            f"{_verdicts(counts.certified)} from juries certified at the qualities that their members surely have."
        )
        found.extend(_vouched(state))
    if counts.everybody:
        found.append(
            f"{_verdicts(counts.everybody)} from everybody in the pool while exploring; that rests on the assumption "
            f"that the pool together meets the target."
        )
    if counts.estimated:
        found.append(f"{_verdicts(counts.estimated)} from juries chosen on estimates: nothing is promised there.")
    if counts.short:
        lack, it = ("verdict lacks", "it") if counts.short == 1 else ("verdicts lack", "them")
        found.append(f"{counts.short} {lack} answers that nobody could replace: the promise does not cover {it}.")
    if counts.none:
        got = "task got no answer at all and has" if counts.none == 1 else "tasks got no answer at all and have"
        found.append(f"{counts.none} {got} no verdict.")
    found.extend(_about_truths(state))
    if stalled(state):
        found.append("No jury of those who are left is certified: tasks wait.")
    elif hopeless(state):
        found.append(_out_of_reach(state.stage))
    checked = counts.right + counts.wrong
    if checked:
        of, are = "verdict" if checked == 1 else "verdicts", "is" if counts.right == 1 else "are"
        found.append(f"Of {checked:,} {of} whose truth is known, {counts.right:,} {are} right.")
    return found


def _out_of_reach(stage: Stage) -> str:
    if stage is Stage.CLOSED:
        return (
            "Even had everybody been as good as the truths still allowed, no jury would have reached the target: "
            "another campaign needs more or better workers, or a lower target."
        )
    return (
        "Even if everybody were as good as the truths so far allow, no jury would reach the target, and more tasks "
        "will not change that: close this campaign and open another with more or better workers, or a lower target."
    )


def _vouched(state: State) -> list[str]:
    """What the requester vouches for by its choice of error model: that nobody is worse than the model's floor."""
    floor = 0.5 if state.rules is None else state.rules.policy.pessimistic.model.floor
    if floor <= 0.5:  # guessing, which everybody can
        return []
    return [f"That rests on every worker being right {floor:.1%} of the time at least, as the settings assume."]


def _about_truths(state: State) -> list[str]:
    """What to know of how truths are chosen, from the moment when it matters until exploration ends."""
    found = []
    share = 1.0 if state.settings is None else state.settings.truth_share
    if share < 1.0 and state.stage in (Stage.AUCTION, Stage.RUNNING) and not state.ended:
        found.append(
            f"Truths are asked for {100 * share:.3g}% of the tasks, drawn beforehand: exploring takes about "
            f"{1 / share:.3g} times as many tasks, and everybody in the pool is paid for each."
        )
    if state.counts.gold and not state.ended:
        found.append(
            "Tasks whose truth was known beforehand (gold) are learned from: the promise is kept if they are like the "
            "others, not picked for being easy or hard, nor after looking at answers."
        )
    return found


def _verdicts(count: int) -> str:
    return "1 verdict comes" if count == 1 else f"{count:,} verdicts come"


def workers(state: State) -> list[WorkerView]:
    """Everybody enrolled, in the order of enrolment."""
    jury = set(asks_now(state).jury.tolist()) if state.stage is Stage.RUNNING else set()
    leases: dict[int, int] = {}
    for task in state.open:
        for position in pending(state, task):
            leases[position] = leases.get(position, 0) + 1
    return [
        _worker(state, number, worker, jury, leases.get(worker.position, 0))
        for number, worker in enumerate(state.workers)
    ]


def _worker(state: State, number: int, worker: Worker, jury: set[int], leases: int) -> WorkerView:
    at, auction, learned = worker.position, state.auction, state.learned
    in_pool = auction is not None and at in auction.pool
    known = learned is not None and in_pool and not worker.withdrawn
    return WorkerView(
        worker=number,
        name=worker.name,
        has_bid=worker.commitment is not None,
        bid=int(auction.sealed.bids[at]) if auction is not None and at >= 0 else None,
        in_pool=in_pool,
        in_jury=at in jury,
        eliminated=learned is not None and known and not bool(learned.alive[at]),
        withdrawn=worker.withdrawn,
        asked=int(learned.asked[at]) if learned is not None and known else 0,
        right=int(learned.right[at]) if learned is not None and known else 0,
        lower=float(learned.lower[at]) if learned is not None and known else None,
        upper=float(learned.upper[at]) if learned is not None and known else None,
        answered=worker.answered,
        missed=worker.missed,
        open_leases=leases,
        price=auction.prices[at] if auction is not None and in_pool else None,
        earned=worker.earned,
        ordered=worker.ordered,
        confirmed=worker.confirmed,
    )


def tasks(state: State, after: int | None, limit: int) -> Page:
    """Tasks in the order of posting; `after` is the last page's cursor."""
    start = 0 if after is None else after + 1
    stop = min(start + limit, len(state.tasks))
    items = tuple(task(state, number) for number in range(start, stop))
    return Page(items, stop - 1 if stop < len(state.tasks) else None)


def awaited(state: State) -> list[int]:
    """Decided tasks whose truth would still be learned from, late or not; none once exploration has ended."""
    return [] if state.ended else [number for number in range(state.next_task) if _is_awaited(state, number)]


def _is_awaited(state: State, number: int) -> bool:
    found = state.tasks[number]
    known = found.truth is not None or found.gold is not None
    return found.decided and found.checked and not known and not state.ended and state.stage is Stage.RUNNING


def task(state: State, number: int) -> TaskView:
    found = state.tasks[number]
    numbers = state.auction.workers if state.auction is not None else ()
    asked = members_of(state, found)
    replies = list(zip((numbers[position] for position in asked), found.replies, strict=True))
    return TaskView(
        task=number,
        key=found.key,
        payload=found.payload,
        state=_task_state(state, number),
        phase=state.juries[found.jury].phase.value if found.jury >= 0 else None,
        checked=found.checked,
        workers=tuple(numbers[position] for position in asked),
        answers={worker: reply for worker, reply in replies if reply < Reply.PENDING},
        missing=tuple(worker for worker, reply in replies if reply == Reply.MISSING),
        deadline=found.deadline if found.jury >= 0 and not found.decided else None,
        verdict=found.verdict,
        basis=found.basis,
        awaited=_is_awaited(state, number),
        truth=found.gold if found.truth is None else found.truth,
        truth_source=found.source if found.gold is None else "gold",
    )


def _task_state(state: State, number: int) -> str:
    found = state.tasks[number]
    if found.decided:
        return "decided" if found.verdict is not None else "unanswered"
    if state.stage is Stage.CLOSED:
        return "undecided"
    return "waiting" if found.jury < 0 else "assigned"


def assignments(state: State, worker: int, limit: int) -> list[Assignment]:
    """Open leases of one worker, the earliest first. Nothing in it tells of others, of the truth or of gold."""
    position = state.workers[worker].position
    if position < 0 or state.settings is None:
        return []
    found: list[Assignment] = []
    for number in state.open:
        if len(found) == limit:
            break
        if has_lease(state, number, position):
            lease = state.tasks[number]
            price = price_of(state, state.juries[lease.jury], position)
            found.append(Assignment(number, lease.key, lease.payload, state.settings.labels, lease.deadline, price))
    return found
