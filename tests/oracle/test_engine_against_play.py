"""The compiled runs against the plain policies on the same realization, to the bit, on worlds of many kinds."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quorate.engine import COMPILED, Run, run
from quorate.engine.result import from_play
from quorate.model import Constraint, Problem
from quorate.model.error import Linear, LogOdds, Margin
from quorate.model.interval import AnytimeInterval, HoeffdingInterval, Interval
from quorate.model.realization import Field, Realization, Recorded
from quorate.policy import PAPER_POLICIES, Assured, EpsilonGreedy, Stopping, paper_policy, play
from quorate.policy.base import LearningPolicy
from quorate.select.base import SELECTORS

ROOT = Path(__file__).parents[2]
CAP = 20_000_000
UNIT = 1_000_000
WORLDS = 240
HORIZONS = (1, 3, 64, 65, 129, 200, 260)
SMALL_WORLDS = 8
AGREED = "the same without compilation"
Random = np.random.Generator
Floats = np.ndarray


@dataclass(frozen=True)
class Kind:
    """How to draw bids and qualities, of how many workers."""

    sizes: tuple[int, ...]
    bids: Callable[[Random, int], Floats]
    qualities: Callable[[Random, int], Floats]


def spread(random: Random, workers: int) -> Floats:
    return random.integers(UNIT // 2, CAP + 1, workers)


def paper_bids(random: Random, workers: int) -> Floats:
    return np.where(random.random(workers) < 0.5, CAP, random.integers(CAP // 2, CAP + 1, workers))


def paper_qualities(random: Random, workers: int) -> Floats:
    return np.where(random.random(workers) < 0.5, 2.0 / 3.0, random.uniform(2.0 / 3.0, 1.0, workers))


KINDS = {
    "few": Kind((1, 2, 3, 4, 5), spread, lambda random, n: random.uniform(0.4, 1.0, n)),
    "ties in prices": Kind((3, 8, 30), lambda r, n: r.integers(1, 4, n) * UNIT, lambda r, n: r.uniform(0.5, 1.0, n)),
    "equal prices": Kind((4, 20), lambda r, n: np.full(n, 7 * UNIT), lambda r, n: r.uniform(0.5, 1.0, n)),
    "equal qualities": Kind((4, 25), spread, lambda r, n: np.full(n, r.choice([0.6, 0.8, 0.95, 1.0]))),
    "free workers": Kind((4, 25), lambda r, n: r.integers(0, 3, n) * UNIT, lambda r, n: r.beta(5.0, 2.0, n)),
    "spammers": Kind((12, 60), spread, lambda r, n: np.where(r.random(n) < 0.7, 0.5, r.uniform(0.9, 1.0, n))),
    "stars": Kind(
        (6, 40), lambda r, n: (10 ** r.uniform(0, 7.3, n)).astype(np.int64), lambda r, n: r.choice([0.6, 1.0], n)
    ),
    "paper": Kind((40, 150), paper_bids, paper_qualities),
    "infeasible": Kind((1, 3, 6), spread, lambda r, n: np.full(n, 0.5)),
}


@dataclass(frozen=True, eq=False)
class Case:
    policy: LearningPolicy
    field: Realization
    bids: Floats
    seed: int
    qualities: Floats | None


def draw_problem(random: Random, horizon: int) -> Problem:
    alpha = float(random.choice([0.05, 0.1, 0.2, 0.3, 0.45]))
    slack = alpha * float(random.choice([0.0, 0.5]))
    return Problem(1.0 - alpha, float(random.choice([0.9, 0.5, 0.05])), horizon, CAP, round(slack, 6))


def draw_constraints(random: Random, problem: Problem) -> tuple[Constraint, Constraint]:
    """Half of the worlds ask little, so that many explorations end."""
    if random.random() < 0.5:
        requirement = float(random.choice([0.1, 0.3, 0.5, 1.0, 2.0]))
        return Constraint.reaching(requirement), Constraint.reaching(requirement * float(random.choice([1.0, 1.3])))
    model = [Linear(), Linear(0.4), LogOdds(), Margin()][int(random.integers(4))]
    return Constraint.below(model, problem.alpha), Constraint.below(model, problem.optimistic_alpha)


def draw_policy(random: Random, name: str, selector: str, horizon: int) -> LearningPolicy:
    problem = draw_problem(random, horizon)
    pessimistic, optimistic = draw_constraints(random, problem)
    anytime = random.random() < (0.8 if name == "assured" else 0.15)
    interval: Interval = AnytimeInterval() if anytime else HoeffdingInterval()
    shared = (problem, pessimistic, optimistic, SELECTORS[selector], interval)
    if name == "assured":
        return Assured(
            *shared,
            pool=int(random.choice([1, 3, 10, 60])),
            kappa=Fraction(int(random.choice([0, 1, 1, 5])), int(random.choice([1, 4, 100]))),
            stopping=list(Stopping)[int(random.integers(2))],
            eliminates=bool(random.random() < 0.8),
        )
    if name == "epsilon-greedy":
        return EpsilonGreedy(*shared, coin_seed=int(random.integers(1000)))
    return PAPER_POLICIES[name](*shared)


def draw_case(kind: Kind, name: str, selector: str, seed: int, horizons: tuple[int, ...]) -> Case:
    random = np.random.default_rng([4, seed])
    workers = int(random.choice(kind.sizes))
    bids = np.minimum(kind.bids(random, workers), CAP).astype(np.int64)
    qualities = kind.qualities(random, workers).astype(np.float64)
    policy = draw_policy(random, name, selector, int(random.choice(horizons)))
    field: Realization = Field.of(int(random.integers(2**40)), qualities)
    if random.random() < 0.3:
        field = Recorded.of(random.random((workers, policy.problem.horizon + 1)) < qualities[:, None])
    return Case(policy, field, bids, seed, qualities if random.random() < 0.8 else None)


def differences(done: Run, expected: Run) -> list[str]:
    """The fields in which two runs differ."""
    return [
        field.name
        for field in dataclasses.fields(Run)
        if not np.array_equal(getattr(done, field.name), getattr(expected, field.name))
    ]


def both(case: Case) -> tuple[Run, Run]:
    given = (case.policy, case.field, case.bids)
    more = {"seed": case.seed, "qualities": case.qualities}
    return run(*given, **more), from_play(play(*given, **more))


NAMES = sorted((policy.name, selector.name) for policy, selector in COMPILED)
# How many of the worlds must stop, so that the comparison means something.
LEAST_STOPS = {"ccb-ns": 30, "ccb-s": 30, "ccb-se": 30, "assured": 30, "epsilon-greedy": 0}


@pytest.mark.parametrize(("name", "selector"), NAMES)
def test_every_decision_of_the_plain_policy_is_made_again(name: str, selector: str) -> None:
    stops = uneven = doubtful = 0
    for seed in range(WORLDS):
        kind = list(KINDS)[seed % len(KINDS)]
        case = draw_case(KINDS[kind], name, selector, seed, HORIZONS)
        done, expected = both(case)
        assert differences(done, expected) == [], (kind, seed, case.policy)
        assert done.total == expected.total
        stops += done.stop is not None
        uneven += len(np.unique(done.exploration_counts)) > 1
        doubtful += bool(done.vote_violations)
    assert stops >= LEAST_STOPS[name]
    assert doubtful > 0
    if name == "ccb-ns":
        assert uneven > 20, "CCB-NS must have asked some workers more often than others"


@pytest.mark.parametrize(("name", "selector"), NAMES)
def test_longer_runs_in_the_papers_world_agree_too(name: str, selector: str) -> None:
    """Fronts that grow and shrink, many blocks, eliminations, selections that look far down the order of prices."""
    kind = Kind((220,), paper_bids, paper_qualities)
    problem = Problem(0.75, 0.5, 700, CAP, 0.1)
    model = LogOdds() if name == "assured" else Linear()
    interval: Interval = AnytimeInterval() if name == "assured" else HoeffdingInterval()
    constraints = Constraint.below(model, problem.alpha), Constraint.below(model, problem.optimistic_alpha)
    for seed in range(3):
        drawn = draw_case(kind, name, selector, seed, (700,))
        policy = dataclasses.replace(
            drawn.policy,
            problem=problem,
            pessimistic=constraints[0],
            optimistic=constraints[1],
            interval=interval,
        )
        field = Field.of(seed, np.linspace(2.0 / 3.0, 1.0, 220))
        case = Case(policy, field, drawn.bids, seed, field.qualities)
        done, expected = both(case)
        assert differences(done, expected) == []
        if name in ("ccb-se", "ccb-ns"):
            assert len(np.unique(done.exploration_counts)) > 3


def test_assured_eliminates_as_the_plain_policy_does() -> None:
    problem = Problem(0.9, 0.9, 500, CAP)
    eliminated = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        bids, qualities = spread(random, 50), random.choice([0.55, 0.97], 50)
        constraint = Constraint.below(LogOdds(), 0.1)
        policy = Assured(problem, constraint, constraint, SELECTORS["exact"], AnytimeInterval(), pool=25)
        done, expected = both(Case(policy, Field.of(seed, qualities), bids, seed, qualities))
        assert differences(done, expected) == []
        eliminated += len(np.unique(done.exploration_counts[done.exploration_counts > 0])) - 1
    assert eliminated > 10


def test_the_comparison_can_fail() -> None:
    """A realization of another seed, and a policy of another constraint, make other runs."""
    problem = Problem(0.9, 0.9, 200, CAP)
    random = np.random.default_rng(1)
    bids, qualities = spread(random, 30), random.uniform(0.6, 1.0, 30)
    constraint = Constraint.reaching(2.0)
    policy = PAPER_POLICIES["ccb-ns"](problem, constraint, constraint, SELECTORS["greedy"], HoeffdingInterval())
    done = run(policy, Field.of(1, qualities), bids)
    assert differences(done, run(policy, Field.of(2, qualities), bids)) != []
    other = dataclasses.replace(policy, pessimistic=Constraint.reaching(1.0))
    assert differences(done, run(other, Field.of(1, qualities), bids)) != []


def small_worlds() -> None:
    """What the subprocess below runs: all kinds, few workers, short horizons."""
    for name, selector in NAMES:
        for seed, kind in enumerate(list(KINDS.values())[:SMALL_WORLDS]):
            small = dataclasses.replace(kind, sizes=(3, 4))
            case = draw_case(small, name, selector, seed, (3, 30, 66) if name != "epsilon-greedy" else (104,))
            done, expected = both(case)
            assert differences(done, expected) == [], (name, selector, seed)
    sys.stdout.write(AGREED)


def test_uncompiled_kernels_decide_alike_and_never_warn() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(("src", "."))}
    script = "from tests.oracle.test_engine_against_play import small_worlds; small_worlds()"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == AGREED


@dataclasses.dataclass(frozen=True, eq=False)
class AlwaysRight(Field):
    def right(self, task: int, jury: np.ndarray) -> np.ndarray:
        return np.ones(len(jury), dtype=np.bool_)


def test_a_realization_that_answers_otherwise_is_played_plainly() -> None:
    policy, bids = paper_policy("ccb-s", Problem(0.9, 0.9, 400, CAP, 0.05)), np.full(120, CAP // 2)
    world = AlwaysRight.of(1, np.full(120, 0.7))
    assert differences(run(policy, world, bids), from_play(play(policy, world, bids))) == []
    assert run(policy, world, bids).stop != run(policy, Field.of(1, np.full(120, 0.7)), bids).stop
