"""CCB-S with GA, whole runs (paper, section 5.2, Algorithm 2; the plain policy is `policy.ccb_s`).

Everybody is asked until the end of exploration, so a block of 64 answers is drawn and counted at once for all but the
few workers whom the selection looks at.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import Answers, draw_everybody, is_right, lanes_from, lanes_to
from quorate.engine.awake import Awake, count_sleepers, nobody_awake, plan, wake_everybody, wake_needed
from quorate.engine.bounds import certain_value, highest_values, possible_value, possible_values
from quorate.engine.crowd import Crowd, crowd_of
from quorate.engine.front import Front, new_front, refresh, rekey, settle
from quorate.engine.greedy import STALE, greedy_jury, price_per_value, ratios
from quorate.engine.result import Run
from quorate.engine.rules import Rules
from quorate.engine.setting import Setting, idle_rounds, two_phases
from quorate.engine.verdicts import majority_violations
from quorate.model.realization import LANES


def run_ccb_s(setting: Setting) -> Run:
    """A whole run of `ccb-s` with GA."""
    workers = len(setting.bids)
    jury = np.empty(workers, dtype=np.int64)
    stop, size = ccb_s_kernel(
        crowd_of(setting.bids), setting.answers, setting.rules, idle_rounds(setting.rules), setting.horizon, jury
    )
    return everybody_then(setting, stop, jury[:size])


def everybody_then(setting: Setting, stop: int, jury: NDArray[np.int64]) -> Run:
    """The run that asks everybody until `stop` (0: to the end), then this jury."""
    workers = len(setting.bids)
    explored = stop - 1 if stop > 0 else setting.horizon
    violations = None
    if setting.qualities is not None:
        violations = majority_violations(setting.policy, setting.qualities, explored)
    return two_phases(
        setting,
        stop,
        jury if stop > 0 else np.arange(workers),
        np.full(workers, explored),
        np.full(setting.horizon, setting.bids.sum()),
        violations,
    )


@kernel
def ccb_s_kernel(
    crowd: Crowd, answers: Answers, rules: Rules, idle: int, horizon: int, jury: NDArray[np.int64]
) -> tuple[int, int]:
    """(stop, or 0 if exploration outlasts the horizon; the jury's size). Surely none of the first `idle` rounds
    stops.
    """
    workers = len(crowd.prices)
    awake = nobody_awake(workers)
    by_ratio = new_front(workers)
    first = max(idle, 1)
    start = 0
    while start < horizon:
        end = min(horizon, start - start % LANES + LANES)
        if start < first:
            end = min(end, first)
        lanes = lanes_from(start % LANES) & lanes_to((end - 1) % LANES)
        draw_everybody(answers, start // LANES, lanes)
        plan(awake, answers, lanes)
        if start == first:
            possible_values(rules, crowd.right, start, crowd.possible)
            ratios(crowd.prices, crowd.possible, by_ratio.key)
            refresh(by_ratio)
        if start >= first:
            stop, size = _rounds(crowd, answers, rules, awake, by_ratio, start, end, jury)
            if size > 0:
                return stop, size
        count_sleepers(awake, crowd)
        start = end
    return 0, 0


@kernel
def _rounds(
    crowd: Crowd,
    answers: Answers,
    rules: Rules,
    awake: Awake,
    by_ratio: Front,
    start: int,
    end: int,
    jury: NDArray[np.int64],
) -> tuple[int, int]:
    """Decide on, and explore, tasks start to end - 1 of one block: (stop, size), both 0 if exploration goes on."""
    highest_values(rules, crowd.right, start, awake.pending, crowd.possible)
    current = wake_needed(awake, crowd.prices, crowd.possible, crowd.by_price, by_ratio)
    for place in range(awake.size[0]):
        _revalue(crowd, rules, by_ratio, awake.ids[place])
    for task in range(start, end):
        settle(by_ratio)
        size = STALE
        while size == STALE:
            size, _ = greedy_jury(by_ratio, crowd.prices, crowd.possible, crowd.by_price, current, rules.possible, jury)
            if size == STALE:
                wake_everybody(awake, crowd, answers, ~lanes_from(task % LANES))
                current = len(crowd.prices)
                possible_values(rules, crowd.right, task, crowd.possible)
                ratios(crowd.prices, crowd.possible, by_ratio.key)
                refresh(by_ratio)
        reached = 0
        for place in range(size):
            reached += certain_value(rules, crowd.right[jury[place]], crowd.asked[jury[place]])
        if size > 0 and reached >= rules.certain:
            return task + 1, size
        for place in range(awake.size[0]):
            worker = awake.ids[place]
            crowd.asked[worker] += 1
            crowd.right[worker] += is_right(answers.words[worker], task % LANES)
            _revalue(crowd, rules, by_ratio, worker)
    return 0, 0


@inline
def _revalue(crowd: Crowd, rules: Rules, by_ratio: Front, worker: int) -> None:
    crowd.possible[worker] = possible_value(rules, crowd.right[worker], crowd.asked[worker])
    rekey(by_ratio, worker, price_per_value(crowd.prices[worker], crowd.possible[worker]))
