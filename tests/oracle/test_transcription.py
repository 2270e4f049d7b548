"""What the engine's speed is measured against (`benchmarks.transcription`) makes the engine's decisions: a peer that
did something else would make the ratio worthless.
"""

import numpy as np
import pytest

from benchmarks.transcription import TRANSCRIBED, World, world_of
from quorate.engine import Run, run
from quorate.lab.world import Paper
from quorate.model import Constraint, Problem
from quorate.model.error import Margin
from quorate.model.interval import HoeffdingInterval
from quorate.model.realization import Field
from quorate.policy import PAPER_POLICIES, EpsilonGreedy, paper_policy
from quorate.policy.base import LearningPolicy
from quorate.select.base import SELECTORS

WORLDS = 30
CAP = 20_000_000


def differences(name: str, policy: LearningPolicy, field: Field, prices: np.ndarray) -> list[str]:
    """In what a run of the engine and one of the transcription differ."""
    done = run(policy, field, prices)
    return compared(name, world_of(policy, field, prices, own=False), done)


def compared(name: str, world: World, done: Run) -> list[str]:
    happened = TRANSCRIBED[name](world)
    pairs = {
        "cost": (happened.cost, done.total),
        "stop": (happened.stop or None, done.stop),
        "jury": (np.sort(happened.jury), done.jury),
        "counts": (happened.counts, done.counts),
    }
    return [what for what, (theirs, ours) in pairs.items() if not np.array_equal(theirs, ours)]


def small_policy(name: str, random: np.random.Generator, horizon: int) -> LearningPolicy:
    """It asks little, so that explorations end.

    Requirements and prices come from a continuum: the transcription adds floats, the engine integers, so at an exact
    tie (two workers estimated at 3/4 each against a requirement of 1) they may differ.
    """
    required = random.uniform(0.3, 1.0)
    policy = PAPER_POLICIES[name](
        Problem(0.8, float(random.choice([0.9, 0.5])), horizon, CAP),
        Constraint.reaching(required),
        Constraint.reaching(required * float(random.choice([1.0, 1.3, 1.6]))),
        SELECTORS["greedy"],
        HoeffdingInterval(),
    )
    assert policy.pessimistic.model == Margin()
    return policy


@pytest.mark.parametrize("name", TRANSCRIBED)
def test_the_transcription_decides_as_the_engine_does_in_small_worlds(name: str) -> None:
    stops = 0
    for seed in range(WORLDS):
        random = np.random.default_rng([9, seed])
        workers = int(random.choice([2, 3, 5, 12, 40]))
        prices = random.integers(CAP // 20, CAP + 1, workers)
        field = Field.of(seed, random.uniform(0.5, 1.0, workers))
        policy = small_policy(name, random, int(random.choice([1, 130, 400, 900])))
        assert differences(name, policy, field, prices) == [], seed
        stops += run(policy, field, prices).stop is not None
    assert stops >= (0 if name == "epsilon-greedy" else 8)


@pytest.mark.parametrize("name", TRANSCRIBED)
def test_it_does_so_in_the_papers_world(name: str) -> None:
    """With the paper's bound and slack, and long enough that explorations end."""
    world = Paper(workers=110).draw(3)
    policy = paper_policy(name, Problem(0.9, 0.9, 3_000, world.cap, 0.05))
    field = world.realization(5)
    assert differences(name, policy, field, world.prices) == []
    done = run(policy, field, world.prices)
    assert (done.stop is not None) == (name != "epsilon-greedy")


def test_its_coins_are_the_policys() -> None:
    world = Paper(workers=66).draw(1)
    plain = paper_policy("epsilon-greedy", Problem(0.9, 0.9, 600, world.cap, 0.05))
    assert isinstance(plain, EpsilonGreedy)
    field = world.realization(1)
    done = run(plain, field, world.prices)
    given = world_of(plain, field, world.prices, own=False)
    assert compared("epsilon-greedy", given, done) == []
    assert "cost" in compared("epsilon-greedy", given._replace(coin_seed=np.uint64(7)), done)


def test_the_comparison_can_fail() -> None:
    """Other answers make another run."""
    world = Paper(workers=110).draw(3)
    policy = paper_policy("ccb-ns", Problem(0.9, 0.9, 3_000, world.cap, 0.05))
    done = run(policy, world.realization(5), world.prices)
    assert compared("ccb-ns", world_of(policy, world.realization(6), world.prices, own=False), done) != []
