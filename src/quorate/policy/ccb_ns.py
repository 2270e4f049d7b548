"""CCB-NS: learn only from those whom the optimistic problem picks, and from as few others as the promise needs.

Paper, section 4.1, Algorithm 1. Costs are public there: the allocation is not monotone in bids (MATHS 6).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate.model.constraint import Constraint
from quorate.policy.base import LearningPolicy, State, Workers, members


@dataclass(frozen=True)
class CCBNS(LearningPolicy):
    name: ClassVar[str] = "ccb-ns"
    truthful: ClassVar[bool] = False

    def decide(self, state: State) -> State:
        """Algorithm 1, `check_constraint` to `return_opt_set`. The first check uses the first answers' bounds where the
        paper still uses those it starts from: the same thing once ln(2n/mu) >= 2, since then one answer leaves no
        interval narrower than [1/2, 1].
        """
        best = self.cheapest_optimistic(state)
        if not best.feasible:
            return self.explore(state, np.arange(len(state.bids)))
        jury = members(best)
        if self.pessimistic.meets(state.lower[jury]):
            return self.exploit(state, jury)
        return self.explore(state, minimal(jury, state.lower, self.pessimistic))


def minimal(jury: Workers, lower: NDArray[np.float64], constraint: Constraint) -> Workers:
    """Algorithm 1's subroutine MINIMAL, together with the jury it completes.

    The paper leaves open which minimal set: highest pessimistic quality first (ties to the lower index) until the
    target holds; if it never does, everybody (MATHS 4).
    """
    outside = np.ones(len(lower), dtype=np.bool_)
    outside[jury] = False
    others = np.flatnonzero(outside)
    others = others[np.argsort(-lower[others], kind="stable")]
    if constraint.additive:
        values = constraint.values(lower, optimistic=False)
        reached = int(values[jury].sum()) + np.cumsum(values[others])
        enough = int(np.searchsorted(reached, constraint.requirement)) + 1
        return np.sort(np.concatenate([jury, others[:enough]]))
    for enough in range(1, len(others) + 1):
        grown = np.concatenate([jury, others[:enough]])
        if constraint.meets(lower[grown]):
            return np.sort(grown)
    return np.arange(len(lower))
