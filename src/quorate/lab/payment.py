"""What the requester pays in a simulated campaign (paper, section 5; MATHS 6).

Bids are the true costs: under a truthful pairing that is how workers bid, and under another it is the kindest guess.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.engine import Run, run
from quorate.lab.seeds import Seeds
from quorate.lab.world import World
from quorate.mechanism import Allocation, Payment, Settlement, Threshold
from quorate.model.realization import Realization
from quorate.money import Money
from quorate.policy import Assured, Policy, State, Stopping, play
from quorate.policy.base import counted


@dataclass(frozen=True, eq=False)
class Settled:
    """Who did what, and who is paid what for it."""

    allocation: Allocation
    settlement: Settlement

    def cost(self, prices: NDArray[np.int64]) -> Money:
        """What the paid work cost its workers; where bids were resampled it is other work than the plain run's."""
        return int(self.allocation.tasks @ prices)


def settle(
    policy: Policy,
    payment: Payment,
    world: World,
    realization: Realization,
    seeds: Seeds,
    plain: Run | None = None,
) -> Settled:
    """Seal, run, pay. `plain` is the run on the true costs, where there is one already.

    The randomised payment runs the policy on the bids as its coins show them, the others on the bids as they are. Only
    the threshold payment looks at what the last decision was taken on.
    """
    sealed = payment.seal(world.prices, policy.problem.cap, seeds.coins)
    if isinstance(payment, Threshold) and not asks_the_same(policy):
        allocation = Allocation.from_play(play(policy, realization, sealed.seen, seed=seeds.ties))
        return Settled(allocation, payment.settle(sealed, policy, allocation))
    happened = plain
    if happened is None or not np.array_equal(sealed.seen, world.prices):
        happened = run(policy, realization, sealed.seen, seed=seeds.ties)
    start = policy.start(sealed.seen, seeds.ties)
    lower = start.lower
    if isinstance(payment, Threshold) and isinstance(policy, Assured) and happened.stop is not None:
        lower = learned(policy, realization, start, happened.explored)
    exploited = happened.counts - happened.exploration_counts
    jury = happened.jury if exploited.any() else np.empty(0, dtype=np.int64)
    allocation = Allocation(happened.exploration_counts, exploited, jury, lower, start.keys)
    return Settled(allocation, payment.settle(sealed, policy, allocation))


def asks_the_same(policy: Policy) -> bool:
    """Whether every exploration task asks the same workers: under head counts `assured` eliminates nobody."""
    return isinstance(policy, Assured) and policy.stopping is Stopping.HEAD_COUNT


def learned(policy: Assured, realization: Realization, start: State, explored: int) -> NDArray[np.float64]:
    """The pessimistic qualities when exploration ended: they follow from the answers alone, without any selection.

    Bounds are each worker's own, so the pool's are the same where nobody else is there.
    """
    pool = start.ask.jury
    alone = policy.start(start.bids[pool], 0)
    everybody = alone.ask.jury
    for task in range(explored):
        alone = policy.bound(counted(alone, everybody, realization.right(task, pool)))
    lower = start.lower.copy()
    lower[pool] = alone.lower
    return lower
