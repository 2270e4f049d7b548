"""The world of the demo, and what the paper's policies make of it: what is kept, and what is spent."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.lab.world import World
from quorate.lab.world.paper import Paper
from quorate.model.problem import Problem, complement
from quorate.model.realization import Realization
from quorate.money import MILLIONTHS
from quorate.policy import Ask, Phase, paper_policy, play
from quorate.policy.play import errs_too_often, vote_error

TARGET = 0.9
CONFIDENCE = 0.9
SLACK = 0.05
# The dearest comes last.
PAPER_ORDER = ("ccb-ns", "ccb-se", "epsilon-greedy", "ccb-s")


@dataclass(frozen=True)
class Outcome:
    """One policy: share of right verdicts, tasks whose vote errs too often, exploration, last jury, money in units.

    `asked`: the sum of the bids of those who answered. `paid`: that and what the payment adds to it.
    """

    policy: str
    kept: float
    violations: int
    explored: int
    jury: int
    asked: float
    paid: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def draw(workers: int, seed: int) -> tuple[World, Realization]:
    """Workers of the paper's kind, and who of them is right on which task."""
    world = Paper(workers=workers).draw(seed)
    return world, world.realization(seed)


def paper_outcome(name: str, world: World, realization: Realization, *, tasks: int, seed: int) -> Outcome:
    """Play one of the paper's policies, with the paper's bound (linear) and slack, paid no more than is asked."""
    policy = paper_policy(name, Problem(TARGET, CONFIDENCE, tasks, world.cap, SLACK))
    played = play(policy, realization, world.prices, seed=seed, qualities=world.qualities)
    asked = played.total / MILLIONTHS
    return Outcome(
        policy=name,
        kept=float(played.verdicts_right.mean()),
        violations=played.vote_violations or 0,
        explored=sum(phase == "explore" for phase in played.phases),
        jury=len(played.juries[-1]),
        asked=asked,
        paid=asked,
    )


def breaks_promise(world: World, jury: NDArray[np.int64], weights: NDArray[np.int64] | None) -> bool:
    """Whether this vote, at the true qualities, is wrong more often than was promised."""
    return errs_too_often(vote_error(Ask(jury, Phase.EXPLOIT, weights), world.qualities), complement(TARGET))
