"""CCB-S: ask everybody until the cheapest optimistic jury is certain to be good enough.

Paper, section 5.2, Algorithm 2. With a two-valued selector its allocation is ex-post monotone; with the greedy one
that the paper simulates it is not (MATHS 6).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.policy.base import LearningPolicy, State, members


@dataclass(frozen=True)
class CCBS(LearningPolicy):
    name: ClassVar[str] = "ccb-s"

    @property
    def truthful(self) -> bool:
        return self.selector.two_valued

    def decide(self, state: State) -> State:
        """Algorithm 2, `check_constraint` to `return_opt_set`. The loop goes on while f >= alpha (MATHS 5)."""
        best = self.cheapest_optimistic(state)
        if best.feasible and self.pessimistic.meets(state.lower[list(best.members)]):
            return self.exploit(state, members(best))
        return self.explore(state, np.arange(len(state.bids)))
