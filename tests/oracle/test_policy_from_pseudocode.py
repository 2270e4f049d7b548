"""Each policy against the paper's pseudo-code, decision by decision, over hundreds of random small worlds."""

import math
from fractions import Fraction

import numpy as np
import pytest

from quorate.model import Constraint, Problem
from quorate.model.error import LogOdds
from quorate.model.interval import AnytimeInterval, HoeffdingInterval
from quorate.model.philox import tie_keys
from quorate.model.realization import Recorded
from quorate.policy import PAPER_POLICIES, Assured, EpsilonGreedy, Phase, Play, Stopping, play
from quorate.policy.base import LearningPolicy
from quorate.select.base import SELECTORS
from tests.oracle import naive_policies as naive

PLAIN = {"ccb-ns": naive.ccb_ns, "ccb-s": naive.ccb_s, "ccb-se": naive.ccb_se}
# Brute force over all juries is slow: fewer worlds for the exact selector.
WORLDS = {"greedy": 120, "exact": 60}
ASSURED_WORLDS = 100


def assert_same(played: Play, expected: naive.Run) -> None:
    assert [tuple(jury.tolist()) for jury in played.juries] == expected.juries
    assert [phase is Phase.EXPLORE for phase in played.phases] == expected.explored
    assert played.stop == expected.stop
    assert played.spend.tolist() == [int(sum(played.final.bids[list(jury)])) for jury in expected.juries]


def random_world(seed: int) -> naive.World:
    """Few workers, coarse prices (ties happen), slack in every other world."""
    random = np.random.default_rng([77, seed])
    workers, horizon = int(random.integers(1, 6)), int(random.integers(60, 300))
    qualities = random.choice([0.5, 0.7, 0.9, 1.0, 0.2], workers)
    m = float(random.choice([0.2, 0.45, 0.9, 1.3]))
    slack = float(random.choice([0.0, 0.15]))
    return naive.World(
        prices=random.integers(0, 8, workers).tolist(),
        rows=(random.random((workers, horizon)) < qualities[:, None]).astype(int).tolist(),
        m=m,
        m_hoped=m + slack,
        mu=float(random.choice([0.1, 0.5])),
    )


def paper_policy_for(name: str, world: naive.World, selector: str) -> LearningPolicy:
    problem = Problem(target=0.9, confidence=1 - world.mu, horizon=world.horizon, cap=10)
    return PAPER_POLICIES[name](
        problem,
        Constraint.reaching(world.m),
        Constraint.reaching(world.m_hoped),
        SELECTORS[selector],
        HoeffdingInterval(),
    )


@pytest.mark.parametrize("selector", ["greedy", "exact"])
@pytest.mark.parametrize("name", PLAIN)
def test_the_papers_algorithms_decide_as_their_pseudocode(name: str, selector: str) -> None:
    stopped = 0
    for seed in range(WORLDS[selector]):
        world = random_world(seed)
        keys = tie_keys(seed, len(world.prices)).tolist()
        expected = PLAIN[name](world, naive.greedy if selector == "greedy" else naive.cheapest(keys))
        assert_same(
            play(paper_policy_for(name, world, selector), Recorded.of(world.rows), world.prices, seed=seed), expected
        )
        stopped += expected.stop is not None
    # The worlds are neither all too hard nor all trivial.
    assert 0.25 < stopped / WORLDS[selector] < 0.95


def test_epsilon_greedy_decides_as_the_paper_says() -> None:
    exploited = 0
    for seed in range(60):
        world = random_world(seed)
        policy = paper_policy_for("epsilon-greedy", world, "greedy")
        assert isinstance(policy, EpsilonGreedy)
        seeded = EpsilonGreedy(
            policy.problem, policy.pessimistic, policy.optimistic, policy.selector, policy.interval, coin_seed=seed
        )
        expected = naive.epsilon_greedy(world, naive.greedy, seed)
        assert_same(play(seeded, Recorded.of(world.rows), world.prices), expected)
        exploited += sum(not explored for explored in expected.explored)
    assert exploited > 1000


def assured_world(seed: int, *, by_heads: bool) -> naive.AssuredWorld:
    random = np.random.default_rng([78, seed])
    workers, horizon = int(random.integers(1, 7)), int(random.integers(80, 200))
    qualities = random.choice([0.5, 0.85, 0.97, 1.0, 0.2], workers)
    alpha = float(random.choice([0.2, 0.3, 0.4]))
    slack = float(random.choice([0.0, 0.05]))
    return naive.AssuredWorld(
        prices=random.integers(0, 8, workers).tolist(),
        rows=(random.random((workers, horizon)) < qualities[:, None]).astype(int).tolist(),
        m=math.log(1 / (2 * alpha)),
        m_hoped=math.log(1 / (2 * (alpha - slack))),
        mu=float(random.choice([0.1, 0.5])),
        keys=tie_keys(seed, workers).tolist(),
        pool=int(random.integers(1, 7)),
        kappa=Fraction(int(random.choice([0, 0, 1, 2])), 50),
        cap=10,
        by_heads=by_heads,
    )


@pytest.mark.parametrize("stopping", list(Stopping))
def test_assured_decides_as_maths_6_says(stopping: Stopping) -> None:
    stopped = eliminated = 0
    for seed in range(ASSURED_WORLDS):
        world = assured_world(seed, by_heads=stopping is Stopping.HEAD_COUNT)
        problem = Problem(target=0.9, confidence=1 - world.mu, horizon=world.horizon, cap=world.cap)
        policy = Assured(
            problem,
            Constraint.below(LogOdds(), math.exp(-world.m) / 2),
            Constraint.below(LogOdds(), math.exp(-world.m_hoped) / 2),
            SELECTORS["exact"],
            AnytimeInterval(),
            pool=world.pool,
            kappa=world.kappa,
            stopping=stopping,
        )
        expected = naive.assured(world)
        assert_same(play(policy, Recorded.of(world.rows), world.prices, seed=seed), expected)
        stopped += expected.stop is not None
        eliminated += any(
            explored and jury != expected.juries[0]
            for explored, jury in zip(expected.explored, expected.juries, strict=True)
        )
    assert 0.1 < stopped / ASSURED_WORLDS < 0.95
    # Elimination looks at bids, so counting heads goes without it.
    assert eliminated >= 10 if stopping is Stopping.PRICE_GAP else eliminated == 0
