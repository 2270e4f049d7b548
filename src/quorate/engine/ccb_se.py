"""CCB-SE with GA, whole runs (paper, section 6.2, "Elimination Strategy"; the plain policy is `policy.ccb_se`).

Those who are left have all answered equally often. They live in arrays of their own, closed up whenever somebody goes;
positions keep the workers' order, so ties fall as they do among all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import ALL, Answers, draw_everybody, is_right, lanes
from quorate.engine.bounds import certain_values, possible_values
from quorate.engine.crowd import Crowd, crowd_of
from quorate.engine.front import Front, closed_up, new_front, refresh
from quorate.engine.greedy import greedy_jury, price_per_value, ratios
from quorate.engine.result import Run
from quorate.engine.rules import Rules
from quorate.engine.setting import Setting, idle_rounds, two_phases
from quorate.engine.verdicts import Violations, judge_of, majority_violations, surely_right
from quorate.model.realization import LANES
from quorate.policy.base import LearningPolicy

# With fewer than one in so many left, their words are drawn one by one.
SPARSE = 4


class Left(NamedTuple):
    """Who is left: their numbers in the whole crowd, their words of the present block, and the order of their
    ratios.
    """

    crowd: Crowd
    ids: NDArray[np.int64]
    words: NDArray[np.uint64]
    by_certain: Front
    by_possible: Front


def run_ccb_se(setting: Setting) -> Run:
    """A whole run of `ccb-se` with GA."""
    workers = len(setting.bids)
    spend = np.empty(setting.horizon, dtype=np.int64)
    explored = np.zeros(workers, dtype=np.int64)
    jury = np.empty(workers, dtype=np.int64)
    stop, size = ccb_se_kernel(
        crowd_of(setting.bids.copy()),
        setting.answers,
        setting.rules,
        idle_rounds(setting.rules),
        spend,
        explored,
        jury,
    )
    violations = None
    if setting.qualities is not None:
        violations = shrinking_violations(setting.policy, setting.qualities, explored)
    return two_phases(setting, stop, jury[:size], explored, spend, violations)


def shrinking_violations(
    policy: LearningPolicy, qualities: NDArray[np.float64], explored: NDArray[np.int64]
) -> Violations:
    """What the majorities of an exploration violated of which worker i had the first `explored[i]` tasks."""
    ends = np.unique(explored)
    # The juries are nested: sums over all from the longest serving one on, up to each jury's last member.
    order = np.argsort(-explored, kind="stable")
    sizes = np.searchsorted(-explored[order], -ends, side="right")
    judge = judge_of(policy, qualities)
    excess = np.cumsum(judge.excess[order])[sizes - 1]
    worth = np.cumsum(judge.worth[order])[sizes - 1]
    tasks = np.diff(ends, prepend=0)
    errors = 0
    for end, size, so_much, times in zip(ends, sizes, excess, tasks, strict=True):
        if not surely_right(so_much, size, judge.exponent):
            errors += majority_violations(policy, qualities[explored >= end], int(times)).of_vote
    return Violations(int(tasks[worth < judge.requirement].sum()), errors)


@kernel
def ccb_se_kernel(
    crowd: Crowd,
    answers: Answers,
    rules: Rules,
    idle: int,
    spend: NDArray[np.int64],
    explored: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """(stop, or 0 if exploration outlasts the horizon; the jury's size). Surely none of the first `idle` rounds stops.

    `explored` gets each worker's number of exploration tasks. `crowd` is used up.
    """
    workers = len(crowd.prices)
    words = np.empty(workers, dtype=np.uint64)
    left = Left(crowd, np.arange(workers), words, new_front(workers), new_front(workers))
    stays = np.empty(workers, dtype=np.bool_)
    total = crowd.prices.sum()
    for task in range(len(spend)):
        if task > 0 and _may_decide(left, rules, task):
            if _eliminate(left, rules, task, stays, jury):
                for place in range(len(stays)):
                    if not stays[place]:
                        explored[left.ids[place]] = task
                left = _closed_up(left, stays)
                stays = stays[: len(left.ids)]
                total = left.crowd.prices.sum()
            if task > idle:
                size = _certain_jury(left, rules, jury)
                if size > 0:
                    explored[left.ids] = task
                    return task + 1, size
        if task % LANES == 0:
            _draw(left, answers, task // LANES)
        spend[task] = total
        _answer(left, task % LANES)
    explored[left.ids] = len(spend)
    jury[: len(left.ids)] = left.ids
    return 0, len(left.ids)


@inline
def _draw(left: Left, answers: Answers, block: int) -> None:
    """The words of a block for those who are left."""
    if SPARSE * len(left.ids) >= len(answers.words):
        draw_everybody(answers, block, ALL)
    for place in range(len(left.ids)):
        left.words[place] = lanes(answers, left.ids[place], block, ALL)


@inline
def _answer(left: Left, lane: int) -> None:
    for place in range(len(left.ids)):
        left.crowd.right[place] += is_right(left.words[place], lane)


@inline
def _may_decide(left: Left, rules: Rules, asked: int) -> bool:
    """Whether all who are left are certain to be enough: otherwise nobody goes, and no jury among them is certain."""
    crowd = left.crowd
    certain_values(rules, crowd.right, asked, crowd.certain)
    return bool(crowd.certain.sum() >= rules.certain)


@inline
def _eliminate(left: Left, rules: Rules, asked: int, stays: NDArray[np.bool_], room: NDArray[np.int64]) -> bool:
    """Mark in `stays` who stays after this round; whether anybody goes.

    The prefix ends with the worker whom GA on pessimistic values uses last, k. Beyond it r goes if it is at least as
    dear as everybody in the prefix and c_k / a_k- <= c_r / a_r+. The loops have no branch, for the sake of vector
    instructions.
    """
    crowd = left.crowd
    key = left.by_certain.key
    possible_values(rules, crowd.right, asked, crowd.possible)
    ratios(crowd.prices, crowd.certain, key)
    refresh(left.by_certain)
    _, last = greedy_jury(left.by_certain, crowd.prices, crowd.certain, crowd.by_price, len(key), rules.certain, room)
    bound = key[last]
    ceiling = crowd.prices[last]
    for i in range(len(key)):
        inside = (key[i] < bound) | ((key[i] == bound) & (i < last))
        stays[i] = inside | (i == last)
        ceiling = max(ceiling, crowd.prices[i] if inside else 0)
    gone = 0
    for i in range(len(key)):
        worse = bound <= price_per_value(crowd.prices[i], crowd.possible[i])
        stays[i] |= (crowd.prices[i] < ceiling) | (not worse)
        gone += 0 if stays[i] else 1
    return gone > 0


@kernel
def _closed_up(left: Left, stays: NDArray[np.bool_]) -> Left:
    """Only those who stay, in the same order."""
    crowd = left.crowd
    size = len(left.ids)
    place = np.empty(size, dtype=np.int64)
    kept = 0
    for i in range(size):
        place[i] = kept
        if stays[i]:
            crowd.prices[kept] = crowd.prices[i]
            crowd.right[kept] = crowd.right[i]
            crowd.certain[kept] = crowd.certain[i]
            crowd.possible[kept] = crowd.possible[i]
            left.ids[kept] = left.ids[i]
            left.words[kept] = left.words[i]
            kept += 1
    count = 0
    for i in crowd.by_price:
        if stays[i]:
            crowd.by_price[count] = place[i]
            count += 1
    return Left(
        Crowd(
            crowd.prices[:kept],
            crowd.by_price[:kept],
            crowd.asked[:kept],
            crowd.right[:kept],
            crowd.certain[:kept],
            crowd.possible[:kept],
        ),
        left.ids[:kept],
        left.words[:kept],
        closed_up(left.by_certain, stays, place, kept),
        closed_up(left.by_possible, stays, place, kept),
    )


@inline
def _certain_jury(left: Left, rules: Rules, jury: NDArray[np.int64]) -> int:
    """The size of the cheapest optimistic jury if it is certain to be good enough, else 0."""
    crowd = left.crowd
    ratios(crowd.prices, crowd.possible, left.by_possible.key)
    refresh(left.by_possible)
    size, _ = greedy_jury(
        left.by_possible, crowd.prices, crowd.possible, crowd.by_price, len(left.ids), rules.possible, jury
    )
    reached = 0
    for place in range(size):
        reached += crowd.certain[jury[place]]
    if reached < rules.certain:
        return 0
    for place in range(size):
        jury[place] = left.ids[jury[place]]
    return size
