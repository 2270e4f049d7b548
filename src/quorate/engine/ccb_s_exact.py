"""CCB-S with exact selection, whole runs (paper, section 5.2, Algorithm 2; the plain policy is `policy.ccb_s`).

A jury that ends exploration meets the pessimistic problem, so it costs no less than that problem's relaxation; being
the cheapest optimistic one it costs no more than GA's. Only while the one is not above the other is anything solved.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.answers import ALL, Answers, draw_everybody, is_right
from quorate.engine.bounds import certain_values, possible_values
from quorate.engine.ccb_s import everybody_then
from quorate.engine.crowd import Crowd, crowd_of
from quorate.engine.exact import exact_jury
from quorate.engine.result import Run
from quorate.engine.rules import Rules
from quorate.engine.setting import Setting
from quorate.model.philox import tie_keys
from quorate.model.realization import LANES
from quorate.select.greedy import greedy_kernel, relaxation_bound
from quorate.select.order import breaking_ratio


def run_ccb_s_exact(setting: Setting) -> Run:
    """A whole run of `ccb-s` with exact selection."""
    workers = len(setting.bids)
    jury = np.empty(workers, dtype=np.int64)
    keys = tie_keys(setting.seed, workers)
    stop, size = ccb_s_exact_kernel(crowd_of(setting.bids), setting.answers, setting.rules, keys, setting.horizon, jury)
    return everybody_then(setting, stop, jury[:size])


@kernel
def ccb_s_exact_kernel(
    crowd: Crowd, answers: Answers, rules: Rules, keys: NDArray[np.int64], horizon: int, jury: NDArray[np.int64]
) -> tuple[int, int]:
    """(stop, or 0 if exploration outlasts the horizon; the jury's size)."""
    for task in range(horizon):
        if task > 0:
            certain_values(rules, crowd.right, task, crowd.certain)
            possible_values(rules, crowd.right, task, crowd.possible)
            if _may_stop(crowd, rules, jury):
                size, _ = exact_jury(crowd.prices, crowd.possible, rules.possible, keys, jury)
                reached = 0
                for place in range(size):
                    reached += crowd.certain[jury[place]]
                if reached >= rules.certain:
                    return task + 1, size
        if task % LANES == 0:
            draw_everybody(answers, task // LANES, ALL)
        for i in range(len(crowd.prices)):
            crowd.right[i] += is_right(answers.words[i], task % LANES)
    return 0, 0


@inline
def _may_stop(crowd: Crowd, rules: Rules, room: NDArray[np.int64]) -> bool:
    """Whether bounds leave open that the cheapest optimistic jury is certain to be good enough."""
    if crowd.certain.sum() < rules.certain or crowd.possible.sum() < rules.possible:
        return False
    _, price, _, _ = greedy_kernel(crowd.prices, crowd.possible, rules.possible, room)
    for i in range(len(room)):
        room[i] = min(crowd.certain[i], rules.certain)
    multiplier = breaking_ratio(crowd.prices, room, rules.certain)
    return relaxation_bound(crowd.prices, room, rules.certain, multiplier) <= price
