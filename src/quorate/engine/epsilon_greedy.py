"""Epsilon-greedy, whole runs (paper, section 6.3; the plain policy is `policy.epsilon_greedy`).

A greedy round changes the estimates of its jury alone. The rounds that explore are known beforehand: their answers
are drawn once per block, and counted once per block for the many whom the selection does not look at.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import NO_LANES, Answers, draw_everybody, is_right, lanes_from, lanes_to
from quorate.engine.awake import Awake, count_sleepers, nobody_awake, plan, wake_everybody, wake_needed
from quorate.engine.crowd import Crowd, ask, crowd_of
from quorate.engine.front import Front, new_front, refresh, rekey, settle
from quorate.engine.greedy import STALE, greedy_jury, price_per_value, ratios
from quorate.engine.result import Run
from quorate.engine.rules import Rules, margin, rounded_down, value
from quorate.engine.setting import Setting, violated
from quorate.engine.verdicts import ROOM, Doubts, Judge, doubted, judge_jury, judge_of, majority_violations, no_doubts
from quorate.model.philox import EXPLORE, uniform
from quorate.model.realization import LANES
from quorate.policy.epsilon_greedy import EXPLORED, EpsilonGreedy

_0 = np.uint64(0)
_1 = np.uint64(1)


def run_epsilon_greedy(setting: Setting) -> Run:
    """A whole run of `epsilon-greedy` with GA."""
    workers = len(setting.bids)
    policy = setting.policy
    judge = judge_of(policy, setting.qualities)
    coin_seed = np.uint64(policy.coin_seed) if isinstance(policy, EpsilonGreedy) else _0
    room = ROOM
    while True:
        crowd, doubts = crowd_of(setting.bids), no_doubts(room)
        spend = np.zeros(setting.horizon, dtype=np.int64)
        jury = np.empty(workers, dtype=np.int64)
        size, rounds = epsilon_greedy_kernel(
            crowd, setting.answers, setting.rules, judge, doubts, coin_seed, spend, jury
        )
        room = int(doubts.counts[1])
        if room <= len(doubts.juries):
            break
    exploring = then = None
    if setting.qualities is not None:
        exploring = majority_violations(policy, setting.qualities, rounds)
        then = doubted(policy, doubts, setting.qualities)
    return Run(
        counts=crowd.asked,
        exploration_counts=np.full(workers, rounds),
        spend=spend,
        stop=None,
        jury=np.sort(jury[:size]) if size > 0 else np.arange(workers),
        explored=rounds,
        **violated(exploring, then),
    )


@kernel
def epsilon_greedy_kernel(
    crowd: Crowd,
    answers: Answers,
    rules: Rules,
    judge: Judge,
    doubts: Doubts,
    coin_seed: np.uint64,
    spend: NDArray[np.int64],
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """(size of the last jury, 0 for everybody; exploring rounds, all of which ask everybody)."""
    total = crowd.prices.sum()
    by_ratio = new_front(len(crowd.prices))
    awake = nobody_awake(len(crowd.prices))
    coins = NO_LANES
    current = 0
    size = 0
    rounds = 0
    for task in range(len(spend)):
        lane = task % LANES
        if lane == 0:
            tasks = min(LANES, len(spend) - task)
            coins = _coins(coin_seed, task, tasks)
            current = _plan_block(crowd, answers, rules, awake, by_ratio, task, coins, lanes_to(tasks - 1))
        size = 0
        if is_right(coins, lane) == 0:
            settle(by_ratio)
            size = STALE
        while size == STALE:
            size, _ = greedy_jury(by_ratio, crowd.prices, crowd.certain, crowd.by_price, current, rules.certain, jury)
            if size == STALE:
                current = _follow_everybody(crowd, answers, rules, awake, by_ratio, lane)
        if size > 0:
            for place in range(size):
                worker = jury[place]
                ask(crowd, answers, worker, task)
                spend[task] += crowd.prices[worker]
                _estimate(crowd, rules, by_ratio, worker)
            judge_jury(judge, doubts, jury, size)
            continue
        rounds += 1
        spend[task] = total
        if is_right(coins, lane) == 0:
            # Nobody can be chosen: an exploring round that no coin announced, so nobody may sleep through it.
            current = _follow_everybody(crowd, answers, rules, awake, by_ratio, lane)
            draw_everybody(answers, task // LANES, lanes_from(lane))
        for place in range(awake.size[0]):
            worker = awake.ids[place]
            crowd.asked[worker] += 1
            crowd.right[worker] += is_right(answers.words[worker], lane)
            _estimate(crowd, rules, by_ratio, worker)
    count_sleepers(awake, crowd)
    return size, rounds


@inline
def _coins(coin_seed: np.uint64, start: int, tasks: int) -> np.uint64:
    """Which tasks of the block explore, as lanes; tasks count from 1 in the policy's formula.

    The first hundred all do: whoever is chosen later has been asked, and no selection is made in the first block.
    """
    coins = NO_LANES
    for lane in range(tasks):
        t = start + lane + 1
        if uniform(coin_seed, EXPLORE, _0, np.uint64(t)) < min(1.0, EXPLORED / t):
            coins |= _1 << np.uint64(lane)
    return coins


@kernel
def _plan_block(
    crowd: Crowd,
    answers: Answers,
    rules: Rules,
    awake: Awake,
    by_ratio: Front,
    start: int,
    coins: np.uint64,
    lanes: np.uint64,
) -> int:
    """Draw the block's exploring rounds and wake whom its selections may look at: how many of the cheapest are
    followed.
    """
    count_sleepers(awake, crowd)
    if coins != NO_LANES:
        draw_everybody(answers, start // LANES, coins)
    plan(awake, answers, coins)
    if coins == lanes:
        # Every task explores: nothing is selected before the next block.
        return 0
    _estimate_everybody(crowd, rules, by_ratio)
    if coins == NO_LANES:
        return len(crowd.prices)
    highest = np.empty(len(crowd.prices), dtype=np.int64)
    for i in range(len(highest)):
        # After s more answers, x of a right, (k + x) / (m + s) <= (k + a) / (m + a); one billionth covers the
        # logarithm.
        coming = awake.pending[i]
        highest[i] = 1 + _estimated_value(rules, crowd.right[i] + coming, crowd.asked[i] + coming)
    return wake_needed(awake, crowd.prices, highest, crowd.by_price, by_ratio)


@kernel
def _follow_everybody(crowd: Crowd, answers: Answers, rules: Rules, awake: Awake, by_ratio: Front, lane: int) -> int:
    """Wake everybody before the task of this lane; returns the number of workers followed."""
    wake_everybody(awake, crowd, answers, ~lanes_from(lane))
    _estimate_everybody(crowd, rules, by_ratio)
    return len(crowd.prices)


@inline
def _estimated(rules: Rules, right: int, asked: int) -> float:
    """The share of right answers, clipped."""
    return min(1.0, max(rules.floor, right / asked))


@inline
def _estimated_value(rules: Rules, right: int, asked: int) -> int:
    return rounded_down(value(rules, _estimated(rules, right, asked)))


@inline
def _estimate(crowd: Crowd, rules: Rules, by_ratio: Front, worker: int) -> None:
    """What the worker's latest answer changes."""
    certain = _estimated_value(rules, crowd.right[worker], crowd.asked[worker])
    crowd.certain[worker] = certain
    rekey(by_ratio, worker, price_per_value(crowd.prices[worker], certain))


@inline
def _estimate_everybody(crowd: Crowd, rules: Rules, by_ratio: Front) -> None:
    """The same for everybody, in loops without a branch that the compiler turns into vector instructions."""
    if rules.log_odds:
        for i in range(len(crowd.prices)):
            crowd.certain[i] = _estimated_value(rules, crowd.right[i], crowd.asked[i])
    else:
        for i in range(len(crowd.prices)):
            crowd.certain[i] = rounded_down(margin(_estimated(rules, crowd.right[i], crowd.asked[i])))
    ratios(crowd.prices, crowd.certain, by_ratio.key)
    refresh(by_ratio)
