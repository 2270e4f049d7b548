"""The paper's own setting with 60 workers: GA lets a higher bid get thousands of tasks more; `assured` does not."""

import numpy as np

from quorate.lab.world.paper import Paper
from quorate.mechanism.audit.large import Counterfactual, counterfactual
from quorate.model import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Policy, assured_policy, paper_policy

SAMPLE = 4
WORLD = Paper(workers=60).draw(SAMPLE)
PROBLEM = Problem(0.9, 0.9, 10_000, WORLD.cap, 0.05)


def tried(policy: Policy, workers: range) -> list[Counterfactual]:
    realization = WORLD.realization(SAMPLE)
    found = []
    for worker in workers:
        steps = (np.array([-8, -4, -2, -1, -0.5, 0, 0.5, 1, 2]) * MILLIONTHS).astype(np.int64)
        bids = np.clip(WORLD.prices[worker] + steps, 0, WORLD.cap)
        found.append(counterfactual(policy, realization, WORLD.prices, worker, bids))
    return found


def test_ga_lets_higher_bids_get_more_in_the_papers_setting() -> None:
    rises = [seen.largest_rise for seen in tried(paper_policy("ccb-s", PROBLEM), range(60))]
    assert sum(rise > 0 for rise in rises) >= 10
    assert max(rises) > 5_000


def test_assured_does_not() -> None:
    seen = tried(assured_policy(PROBLEM), range(30, 60))
    assert all(worker.largest_rise == 0 for worker in seen)
    assert any(len(set(worker.tasks)) > 1 for worker in seen)


def test_the_largest_rise_is_over_all_pairs_of_bids() -> None:
    assert Counterfactual(0, (1, 2, 3, 4), (9, 2, 5, 4)).largest_rise == 3
    assert Counterfactual(0, (1, 2), (5, 5)).largest_rise == 0
