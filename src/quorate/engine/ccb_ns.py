"""CCB-NS, whole runs (paper, section 4.1, Algorithm 1; the plain policy is `policy.ccb_ns`).

A round asks a few dozen workers and changes only their entries: two fronts, one by price per optimistic value for GA
and one by pessimistic quality for MINIMAL, are kept from round to round.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import Answers
from quorate.engine.bounds import possible_value
from quorate.engine.crowd import Crowd, ask, crowd_of, everybody
from quorate.engine.front import LEAST, Front, new_front, rekey, settle, trim, widen
from quorate.engine.greedy import greedy_jury, price_per_value
from quorate.engine.result import Run
from quorate.engine.rules import Rules, lower_end, rounded_down, value
from quorate.engine.setting import Setting, two_phases
from quorate.engine.verdicts import ROOM, Doubts, Judge, doubted, judge_jury, judge_of, majority_violations, no_doubts


def run_ccb_ns(setting: Setting) -> Run:
    """A whole run of `ccb-ns` with GA."""
    workers = len(setting.bids)
    judge = judge_of(setting.policy, setting.qualities)
    room = ROOM
    while True:
        crowd, doubts = crowd_of(setting.bids), no_doubts(room)
        spend = np.zeros(setting.horizon, dtype=np.int64)
        jury = np.empty(workers, dtype=np.int64)
        stop, size, full_rounds = ccb_ns_kernel(crowd, setting.answers, setting.rules, judge, doubts, spend, jury)
        room = int(doubts.counts[1])
        if room <= len(doubts.juries):
            break
    violations = None
    if setting.qualities is not None:
        violations = doubted(setting.policy, doubts, setting.qualities) + majority_violations(
            setting.policy, setting.qualities, full_rounds
        )
    return two_phases(setting, stop, jury[:size], crowd.asked, spend, violations)


@kernel
def ccb_ns_kernel(
    crowd: Crowd,
    answers: Answers,
    rules: Rules,
    judge: Judge,
    doubts: Doubts,
    spend: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> tuple[int, int, int]:
    """(stop, or 0 if exploration outlasts the horizon; size of the last jury; rounds that asked everybody)."""
    workers = len(crowd.prices)
    by_ratio = new_front(workers)
    by_quality = new_front(workers)
    chosen = np.zeros(workers, dtype=np.bool_)
    size = everybody(jury)
    full_rounds = 0
    for task in range(len(spend)):
        if task > 0:
            size, certain = _next_jury(crowd, rules, by_ratio, by_quality, chosen, jury)
            if certain:
                return task + 1, size, full_rounds
        for place in range(size):
            worker = jury[place]
            ask(crowd, answers, worker, task)
            spend[task] += crowd.prices[worker]
            _rebound(crowd, rules, by_ratio, by_quality, worker)
        if size < workers:
            judge_jury(judge, doubts, jury, size)
            continue
        full_rounds += 1
        if task == 0:
            widen(by_ratio, LEAST)
            widen(by_quality, LEAST)
    return 0, size, full_rounds


@inline
def _rebound(crowd: Crowd, rules: Rules, by_ratio: Front, by_quality: Front, worker: int) -> None:
    """What the worker's latest answer changes."""
    right, asked = crowd.right[worker], crowd.asked[worker]
    lower = lower_end(rules, right, asked)
    crowd.certain[worker] = rounded_down(value(rules, lower))
    crowd.possible[worker] = possible_value(rules, right, asked)
    rekey(by_ratio, worker, price_per_value(crowd.prices[worker], crowd.possible[worker]))
    rekey(by_quality, worker, -lower)


@inline
def _next_jury(
    crowd: Crowd,
    rules: Rules,
    by_ratio: Front,
    by_quality: Front,
    chosen: NDArray[np.bool_],
    jury: NDArray[np.int64],
) -> tuple[int, bool]:
    """The next jury's size, and whether it is certain to be good enough (Algorithm 1, `check_constraint` and
    `additional_set`)."""
    settle(by_ratio)
    settle(by_quality)
    picked, _ = greedy_jury(by_ratio, crowd.prices, crowd.possible, crowd.by_price, len(jury), rules.possible, jury)
    reached = 0
    for place in range(picked):
        reached += crowd.certain[jury[place]]
    if reached >= rules.certain:
        return picked, True
    # Nobody to choose from, or not even all together are certain to be enough: everybody (MINIMAL's last line).
    if picked == 0 or not _enough(crowd, rules, by_quality):
        return everybody(jury), False
    for place in range(picked):
        chosen[jury[place]] = True
    size = picked
    place = 0
    while reached < rules.certain:
        if place == by_quality.size[0]:
            widen(by_quality, 2 * place + LEAST)
        worker = by_quality.ids[place]
        place += 1
        if not chosen[worker]:
            jury[size] = worker
            size += 1
            reached += crowd.certain[worker]
    for place in range(picked):
        chosen[jury[place]] = False
    trim(by_quality, place)
    return size, False


@inline
def _enough(crowd: Crowd, rules: Rules, by_quality: Front) -> bool:
    """Whether all workers together are certain to be enough; those in the front usually are."""
    reached = 0
    for place in range(by_quality.size[0]):
        reached += crowd.certain[by_quality.ids[place]]
        if reached >= rules.certain:
            return True
    return bool(crowd.certain.sum() >= rules.certain)
