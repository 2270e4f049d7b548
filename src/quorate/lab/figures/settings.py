"""What a set of figures is drawn from: the paper's evaluation (section 6.3), at any size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.engine import Run, run
from quorate.lab.parameter import check_parameters, whole
from quorate.lab.policies import AssuredPolicy, PolicyKind, policy_kind
from quorate.lab.seeds import Seeds
from quorate.lab.study import MOST_SAMPLES, Promise
from quorate.lab.world import Paper, World
from quorate.lab.world.base import MOST_WORKERS
from quorate.policy import Policy

TARGET = 0.9
CONFIDENCE = 0.9
SLACK = 0.05
PAPER_NAMES = ("ccb-ns", "ccb-s", "ccb-se", "epsilon-greedy")
ASSURED = AssuredPolicy.name
LONGEST = 10**6
# Points of a curve: half of them evenly spaced, half geometrically, so that both kinds of axis show smooth curves.
POINTS = 200


@dataclass(frozen=True)
class Settings:
    """The paper: 1000 samples, 1100 workers, 10^4 tasks. Sample s of every figure draws from the same seeds."""

    samples: int = whole(1000, lowest=1, highest=MOST_SAMPLES)
    workers: int = whole(1100, lowest=2, highest=MOST_WORKERS)
    tasks: int = whole(10_000, lowest=2, highest=LONGEST)
    seed: int = whole(1, lowest=0, highest=2**64 - 1)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def world(self) -> Paper:
        return Paper(workers=self.workers)

    @property
    def entrants(self) -> "tuple[Entrant, ...]":
        """The paper's four and, last, `assured`."""
        return tuple(self.entrant(name) for name in (*PAPER_NAMES, ASSURED))

    def entrant(self, name: str) -> "Entrant":
        return Entrant(policy_kind(name)(), self.promise(name))

    def promise(self, name: str) -> Promise:
        """`assured` needs no slack: it stops by its own gap (MATHS 6)."""
        return Promise(TARGET, CONFIDENCE, self.tasks, 0.0 if name == ASSURED else SLACK)

    @property
    def grid(self) -> NDArray[np.int64]:
        """The task numbers, counted from 1, at which curves are kept."""
        even = np.linspace(1, self.tasks, POINTS // 2)
        geometric = np.geomspace(1, self.tasks, POINTS // 2)
        return np.unique(np.rint(np.concatenate([even, geometric])).astype(np.int64))


@dataclass(frozen=True)
class Entrant:
    """A policy and what it promises."""

    kind: PolicyKind
    promise: Promise

    @property
    def name(self) -> str:
        return self.kind.name

    def policy(self, world: World, seeds: Seeds) -> Policy:
        return self.kind.build(self.promise.problem(world.cap), seeds.coins)

    def run(self, world: World, seeds: Seeds) -> Run:
        """One sample of it."""
        return run(
            self.policy(world, seeds),
            world.realization(seeds.realization),
            world.prices,
            seed=seeds.ties,
            qualities=world.qualities,
        )
