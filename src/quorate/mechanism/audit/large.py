"""Larger worlds, sampled: counterfactual bids of a few workers over one realization, by whole runs (MATHS 6).

Nothing is shared between bids here, so only a sample of workers and bids is tried.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quorate.engine import run
from quorate.model.problem import check_bids
from quorate.model.realization import Realization
from quorate.money import Money
from quorate.policy.base import Policy


@dataclass(frozen=True)
class Counterfactual:
    """One worker's tasks for each bid tried, bids ascending, all else fixed."""

    worker: int
    bids: tuple[Money, ...]
    tasks: tuple[int, ...]

    @property
    def largest_rise(self) -> int:
        """By how much a higher bid got more tasks than a lower one, at most; 0 if never."""
        least, rise = self.tasks[0], 0
        for tasks in self.tasks[1:]:
            rise = max(rise, tasks - least)
            least = min(least, tasks)
        return rise


def counterfactual(
    policy: Policy, realization: Realization, bids: ArrayLike, worker: int, tried: ArrayLike, *, seed: int = 0
) -> Counterfactual:
    """What the worker gets for each bid tried."""
    cap = policy.problem.cap
    grid = np.unique(check_bids(tried, cap))
    changed = check_bids(bids, cap).copy()
    tasks = []
    for bid in grid.tolist():
        changed[worker] = bid
        tasks.append(int(run(policy, realization, changed, seed=seed).counts[worker]))
    return Counterfactual(worker, tuple(grid.tolist()), tuple(tasks))
