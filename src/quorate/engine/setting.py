"""A checked run about to start: what every compiled policy needs of its arguments."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.engine.answers import Answers
from quorate.engine.result import Run
from quorate.engine.rules import Rules
from quorate.engine.verdicts import Violations, majority_violations, weighted_violations
from quorate.model.fixed_point import BILLIONTHS
from quorate.policy.base import LearningPolicy

Tasks = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Setting:
    """`seed` draws the tie keys; `qualities` are the true ones, where violations are to be counted."""

    policy: LearningPolicy
    rules: Rules
    answers: Answers
    bids: NDArray[np.int64]
    seed: int
    qualities: NDArray[np.float64] | None

    @property
    def horizon(self) -> int:
        return self.policy.problem.horizon


def idle_rounds(rules: Rules) -> int:
    """Rounds asking everybody after which GA's optimistic jury is surely not certain, whatever the answers were.

    With radius r, a worker's pessimistic value l is 0 or at least 2r below its optimistic value u <= 1, so l <= (1 -
    2r) u. All of GA's jury but its last member bring less than the optimistic requirement, so together l sums to less
    than (1 - 2r) (requirement + 1). Only while that is below the pessimistic requirement, stopping is impossible.
    """
    if rules.anytime or rules.log_odds or rules.floor > 0.5:
        return 0
    least = 0.5 * (1.0 - rules.certain / (rules.possible + BILLIONTHS)) * (1.0 + 1e-9)
    return math.floor(rules.log_term / (2.0 * least * least))


def violated(exploring: Violations | None, then: Violations | None) -> dict[str, int | None]:
    """A run's violations, from those of its two phases; None without true qualities."""
    if exploring is None or then is None:
        return dict.fromkeys(("model_violations", "vote_violations", "vote_violations_then"))
    both = exploring + then
    return {
        "model_violations": both.of_model,
        "vote_violations": both.of_vote,
        "vote_violations_then": then.of_vote,
    }


def two_phases(
    setting: Setting,
    stop: int,
    jury: NDArray[np.int64],
    exploration_counts: NDArray[np.int64],
    exploration_spend: NDArray[np.int64],
    violations: Violations | None,
    weights: NDArray[np.int64] | None = None,
) -> Run:
    """The run whose exploration spent this, violated so often, and stopped at `stop` (0: never) to use `jury` to the
    end.

    `exploration_spend` has room for all tasks; what it holds from `stop` on is not looked at.
    """
    jury = np.sort(jury)
    explored = stop - 1 if stop > 0 else setting.horizon
    counts = exploration_counts.copy()
    spend = exploration_spend
    if stop > 0:
        counts[jury] += setting.horizon - explored
        spend[explored:] = setting.bids[jury].sum()
    then = None if violations is None else Violations(0, 0)
    if setting.qualities is not None and stop > 0:
        members, tasks = setting.qualities[jury], setting.horizon - explored
        then = (
            majority_violations(setting.policy, members, tasks)
            if weights is None
            else weighted_violations(setting.policy, members, weights, tasks)
        )
    return Run(
        counts=counts,
        exploration_counts=exploration_counts,
        spend=spend,
        stop=stop if stop > 0 else None,
        jury=jury,
        explored=explored,
        **violated(violations, then),
    )
