"""The promise: with probability 1 - mu every certified jury is good enough; on that event `assured` is near optimal.

Many small worlds, fixed seeds. In each the qualities are known to the test, so a jury's true error is computed, not
counted. Most workers are just not good enough, so a careless certificate would show.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from quorate.model import Problem
from quorate.model.error import LogOdds
from quorate.model.interval import AnytimeInterval
from quorate.model.interval.base import Counts, Floats
from quorate.model.realization import Field
from quorate.policy import Assured, assured_policy, paper_policy, play
from quorate.policy.base import LearningPolicy
from quorate.policy.play import truly_meets
from quorate.select.base import SELECTORS

WORLDS = 120
WORKERS = 4
PROBLEM = Problem(target=0.8, confidence=0.8, horizon=400, cap=20)
# The standard error of a share of .2 among the worlds that stop is below this.
STANDARD_ERROR = 0.05


class Hasty(AnytimeInterval):
    """One standard deviation, whatever the level: the negative control."""

    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]:
        trials = np.maximum(1, asked)
        share = right / trials
        radius = np.where(asked == 0, 1.0, np.sqrt(share * (1.0 - share) / trials))
        return np.clip(share - radius, floor, 1.0), np.clip(share + radius, floor, 1.0)


def world(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng([44, seed])
    return random.choice([0.78, 0.8, 0.97, 0.99], WORKERS, p=[0.3, 0.3, 0.2, 0.2]), random.integers(1, 20, WORKERS)


def least_price(qualities: np.ndarray, prices: np.ndarray) -> float:
    """What a jury that meets the constraint at the true qualities must cost."""
    juries = (list(jury) for size in range(1, WORKERS + 1) for jury in combinations(range(WORKERS), size))
    good = (int(prices[jury].sum()) for jury in juries if LogOdds().error(qualities[jury]) < PROBLEM.alpha)
    return min(good, default=np.inf)


def broken_promises(policy: LearningPolicy) -> tuple[float, float, int]:
    """Of the worlds in which it stops: the share whose jury misses the constraint, the share too dear, how many."""
    broken = dear = stopped = 0
    for seed in range(WORLDS):
        qualities, prices = world(seed)
        played = play(policy, Field.of(seed, qualities), prices, seed=seed)
        if played.stop is None:
            continue
        stopped += 1
        broken += not truly_meets(policy.pessimistic, qualities[played.final.ask.jury])
        allowed = policy.allowance(played.final) if isinstance(policy, Assured) else 0
        dear += int(played.spend[-1]) > least_price(qualities, prices) + allowed
    return broken / stopped, dear / stopped, stopped


def test_assured_keeps_its_promise_and_overpays_by_no_more_than_the_gap_allowed() -> None:
    broken, dear, stopped = broken_promises(assured_policy(PROBLEM))
    assert stopped > 0.5 * WORLDS
    assert broken <= PROBLEM.mu
    assert dear <= PROBLEM.mu


def test_ccb_s_keeps_its_promise_with_anytime_intervals() -> None:
    policy = paper_policy("ccb-s", PROBLEM, model=LogOdds(), selector=SELECTORS["exact"], interval=AnytimeInterval())
    broken, dear, stopped = broken_promises(policy)
    assert stopped > 0.2 * WORLDS
    assert broken <= PROBLEM.mu
    assert dear <= PROBLEM.mu


def test_a_hasty_interval_breaks_the_promise() -> None:
    broken, _, stopped = broken_promises(replace(assured_policy(PROBLEM), interval=Hasty()))
    assert stopped > 0.5 * WORLDS
    assert broken > PROBLEM.mu + 3 * STANDARD_ERROR
