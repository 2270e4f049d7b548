"""Is a certificate wrong as rarely as it says? A matrix is the population, its tasks are drawn with replacement.

A draw is wrong if any jury on the certified frontier (so whichever jury any target, or any prices' scale, would pick)
is certified at more than its accuracy on the population. 500 draws; the bound is the .999 quantile of the binomial
law.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from scipy.special import bdtr

from benchmarks.recorded import absent, matrix
from quorate.certify.dependence import LEVEL, measure
from quorate.certify.frontier import EVERYTHING
from quorate.certify.labels import read_gold
from quorate.certify.matrix import GoldMatrix, unpack
from quorate.certify.search import Group, Search
from quorate.certify.terms import Assume, Vote
from quorate.certify.verdicts import jury_right, vote_weights
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.philox import tie_keys

DRAWS = 500


def most_wrong(mu: float, draws: int = DRAWS) -> int:
    """The .999 quantile of the number of wrong draws, if each is wrong with probability mu."""
    return next(k for k in range(draws + 1) if bdtr(k, draws, mu) >= 0.999)


def recorded(name: str) -> tuple[np.ndarray, np.ndarray]:
    """(answered, right) of a real matrix, [workers, tasks]."""
    folder = matrix(name)
    if folder is None:
        pytest.skip(absent(name))
    gold = read_gold(folder / "labels.csv.gz", folder / "truth.csv")
    return unpack(gold.answered)[:, : gold.tasks], unpack(gold.right)[:, : gold.tasks]


def common_difficulty(workers: int, tasks: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A third of the tasks is hard for everybody: errors hang together strongly."""
    random = np.random.default_rng(seed)
    hard = random.random(tasks) < 1 / 3
    chance = np.where(hard, 0.45, random.uniform(0.9, 0.99, (workers, 1)))
    return np.ones((workers, tasks), dtype=bool), random.random((workers, tasks)) < chance


def copies(workers: int, tasks: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Groups of four that agree on nine tasks of ten."""
    random = np.random.default_rng(seed)
    leaders = random.random((-(-workers // 4), tasks)) < random.uniform(0.7, 0.9, (-(-workers // 4), 1))
    own = random.random((workers, tasks)) < 0.75
    follows = random.random((workers, tasks)) < 0.9
    return np.ones((workers, tasks), dtype=bool), np.where(follows, np.repeat(leaders, 4, axis=0)[:workers], own)


POPULATIONS: dict[str, tuple[Callable[[], tuple[np.ndarray, np.ndarray]], int]] = {
    "mvh_cue_conflict": (lambda: recorded("mvh_cue_conflict"), 5),
    "llmbar": (lambda: recorded("llmbar"), 3),
    "common difficulty": (lambda: common_difficulty(9, 2000, 1), 5),
    "copies": (lambda: copies(12, 2000, 2), 5),
}


def search_for(answered: np.ndarray, right: np.ndarray, seed: int, **options: Any) -> Search:
    prices = np.random.default_rng(seed).integers(1, 1000, len(right))
    gold = GoldMatrix.from_booleans(answered, right)
    return replace(Search(gold, prices, tie_keys(seed, len(right)), max_size=5, confidence=0.95), **options)


def drawn(population: Search, tasks: int, random: np.random.Generator) -> Search:
    """The same search on tasks drawn with replacement."""
    gold = population.gold
    chosen = random.integers(0, gold.tasks, tasks)
    answered, right = unpack(gold.answered)[:, chosen], unpack(gold.right)[:, chosen]
    return replace(population, gold=GoldMatrix.from_booleans(answered, right))


def overstates(sample: Search, population: Search) -> bool:
    """Whether a jury of the sample's frontier is certified at more than its accuracy on the population."""
    for jury in sample.frontier(EVERYTHING):
        members = np.array(jury.members)
        weights = rank = None
        if jury.vote is Vote.WEIGHTED:
            learned = sample.learned
            weights = vote_weights(sample, members)
            rank = None if learned is None else learned.rank[members]
        right, tasks = jury_right(population.gold, members, weights, rank)
        if jury.certified * tasks > right * BILLIONTHS:
            return True
    return False


def wrong_draws(population: Search, tasks: int, draws: int = DRAWS) -> int:
    random = np.random.default_rng(tasks)
    return sum(overstates(drawn(population, tasks, random), population) for _ in range(draws))


@pytest.mark.parametrize(
    ("name", "tasks", "confidence"),
    [
        *((name, tasks, 0.95) for name in POPULATIONS for tasks in (60, 400)),
        *((name, 400, 0.5) for name in POPULATIONS),
    ],
)
def test_certificates_are_wrong_as_rarely_as_they_say(name: str, tasks: int, confidence: float) -> None:
    make, max_size = POPULATIONS[name]
    population = search_for(*make(), seed=7, max_size=max_size, confidence=confidence)
    assert wrong_draws(population, tasks) <= most_wrong(population.mu)


def test_weighted_certificates_too() -> None:
    population = search_for(*copies(9, 2000, 2), seed=7, vote=Vote.WEIGHTED, confidence=0.9)
    assert wrong_draws(population, 200) <= most_wrong(population.mu)


class Unshared(Search):
    """Every jury tested at the whole mu, as if it had been the only one."""

    @property
    def groups(self) -> tuple[Group, ...]:  # type: ignore[override]
        return tuple(replace(group, level=self.mu) for group in super().groups)


def test_without_the_union_bound_the_best_of_many_is_overstated() -> None:
    population = search_for(*copies(12, 2000, 2), seed=7)
    careless = Unshared(**{f.name: getattr(population, f.name) for f in fields(population)})
    assert wrong_draws(careless, 400) > 3 * most_wrong(population.mu)


@pytest.mark.parametrize("vote", list(Vote))
def test_independent_certificates_hold_where_errors_are_independent(vote: Vote) -> None:
    random = np.random.default_rng(3)
    right = random.random((7, 8_000)) < random.uniform(0.6, 0.9, (7, 1))
    population = search_for(np.ones_like(right), right, seed=3, assume=Assume.INDEPENDENT, vote=vote)
    assert wrong_draws(population, 150, draws=200) <= most_wrong(population.mu, 200)
    # A test at level .05 that cried wolf more often than that would be ignored where it matters.
    draws = (drawn(population, 150, np.random.default_rng(seed)) for seed in range(200))
    assert sum(measure(sample.gold).contradicted for sample in draws) <= most_wrong(LEVEL, 200)


@pytest.mark.parametrize("name", ["common difficulty", "copies"])
def test_independent_certificates_fail_where_errors_hang_together_and_the_diagnostic_warns(name: str) -> None:
    make, max_size = POPULATIONS[name]
    population = search_for(*make(), seed=7, max_size=max_size, assume=Assume.INDEPENDENT)
    assert wrong_draws(population, 400, draws=100) > 50
    random = np.random.default_rng(8)
    warned = sum(measure(drawn(population, 400, random).gold).contradicted for _ in range(100))
    assert warned == 100
