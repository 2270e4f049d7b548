"""The epsilon_t-greedy baseline (paper, section 6.3): everybody with probability min(1, 100/t), else greedy on
estimates.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from quorate.model.philox import EXPLORE, uniform
from quorate.model.problem import check_seed
from quorate.policy.base import Ask, LearningPolicy, Phase, State, members

EXPLORED = 100.0


@dataclass(frozen=True)
class EpsilonGreedy(LearningPolicy):
    """It learns in every round and never stops; estimates are clipped to [floor, 1] like the intervals; no slack."""

    coin_seed: int = 0
    name: ClassVar[str] = "epsilon-greedy"
    truthful: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_seed(self.coin_seed)

    def decide(self, state: State) -> State:
        t = state.round + 1
        everybody = np.arange(len(state.bids))
        if explores(self.coin_seed, t):
            return self.explore(state, everybody)
        estimates = np.clip(state.right / np.maximum(state.asked, 1), self.floor, 1.0)
        best = self.selector.select(state.bids, estimates, self.pessimistic, state.keys, optimistic=False)
        if not best.feasible:
            return self.explore(state, everybody)
        return replace(state, ask=Ask(members(best), Phase.EXPLOIT))


def explores(seed: int, t: int) -> bool:
    """Round t's coin: a pure function of (seed, t), so that a run can be replayed from any round."""
    return uniform(np.uint64(seed), EXPLORE, np.uint64(0), np.uint64(t)) < min(1.0, EXPLORED / t)
