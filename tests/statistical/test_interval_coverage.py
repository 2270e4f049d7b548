"""How often intervals miss: exactly, by walking all counts, and once more by simulation.

Reproduces MATHS 3. The paper's interval holds at every round but not at all of them: at q = 1/2 some worker of 1100
is missed at some of 10^4 rounds with probability .33 (.18 once clipped to [1/2, 1]), where mu = .1 was promised.
"""

import numpy as np
import pytest

from quorate.model.interval import AnytimeInterval, HoeffdingInterval, Interval, nest
from quorate.testing.coverage import counts_inside, ever_misses, misses_at

ROUNDS = 10_000
MU = 0.1


def some_worker(chance: float, workers: int) -> float:
    """The chance that it happens to at least one of so many independent workers."""
    return float(-np.expm1(workers * np.log1p(-chance)))


@pytest.mark.parametrize(
    ("workers", "quality", "floor", "missed"),
    [
        (1100, 0.5, 0.0, 0.333),
        (1100, 0.5, 0.5, 0.183),
        (100, 0.5, 0.0, 0.321),
        (10, 0.5, 0.0, 0.302),
        (1100, 0.8, 0.0, 0.015),
        (1100, 0.9, 0.0, 0.001),
    ],
)
def test_the_papers_interval_over_all_rounds(workers: int, quality: float, floor: float, missed: float) -> None:
    chance = some_worker(ever_misses(HoeffdingInterval(), quality, MU / workers, ROUNDS, floor), workers)
    assert chance == pytest.approx(missed, abs=1e-3)


@pytest.mark.parametrize("workers", [10, 60, 1100])
@pytest.mark.parametrize("quality", [0.5, 0.75, 0.95])
def test_anytime_keeps_its_promise_over_all_rounds(workers: int, quality: float) -> None:
    chance = some_worker(ever_misses(AnytimeInterval(), quality, MU / workers, ROUNDS), workers)
    # Not vacuous either: it uses a third and more of what it may miss.
    assert 0.03 < chance <= MU


def test_the_papers_interval_holds_at_each_round_taken_alone() -> None:
    for quality in (0.5, 0.7, 0.9):
        assert misses_at(HoeffdingInterval(), quality, MU / 1100, 2000).max() <= MU / 1100


def simulated_misses(interval: Interval, first_to: int, workers: int, samples: int) -> float:
    """The share of samples in which some worker of quality 1/2 is missed at some round: fair coins, counted."""
    first, last = counts_inside(interval, 0.5, MU / workers, first_to)
    random = np.random.default_rng(33)
    missed = 0
    for _ in range(samples):
        bits = np.unpackbits(random.integers(0, 256, (workers, first_to // 8), dtype=np.uint8), axis=1)
        right = np.cumsum(bits, axis=1, dtype=np.int16)
        missed += bool(((right < first) | (right > last)).any())
    return missed / samples


@pytest.mark.parametrize(
    ("interval", "expected"), [(HoeffdingInterval(), 0.302), (AnytimeInterval(), 0.069)], ids=["hoeffding", "anytime"]
)
def test_simulation_agrees_with_the_exact_walk(interval: Interval, expected: float) -> None:
    """600 samples of 10 workers over 10^4 rounds: standard error at most .019; three of them are allowed."""
    samples = 600
    exact = some_worker(ever_misses(interval, 0.5, MU / 10, ROUNDS), 10)
    assert exact == pytest.approx(expected, abs=2e-3)
    error = np.sqrt(exact * (1 - exact) / samples)
    assert abs(simulated_misses(interval, ROUNDS, 10, samples) - exact) <= 3 * error


def nested_misses(interval: Interval, quality: float, workers: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Which workers of a simulated crowd are outside the nested interval at the end, and which were ever outside."""
    answers = np.random.default_rng(8).random((rounds, workers)) < quality
    lower, upper = np.zeros(workers), np.ones(workers)
    ever = np.zeros(workers, dtype=np.bool_)
    right = np.zeros(workers, dtype=np.int64)
    for m in range(1, rounds + 1):
        right += answers[m - 1]
        low, high = interval.bounds(right, np.full(workers, m), 0.05, 0.0)
        ever |= (low > quality) | (quality > high)
        lower, upper = nest(lower, upper, low, high)
    return (lower > quality) | (quality > upper), ever


@pytest.mark.parametrize("interval", [AnytimeInterval(), HoeffdingInterval()], ids=["anytime", "hoeffding"])
def test_nesting_misses_only_whom_some_round_missed(interval: Interval) -> None:
    """So an anytime interval keeps its level when nested; the paper's, which may miss at many rounds, would not."""
    missed, ever = nested_misses(interval, 0.5, 4000, 1000)
    assert not (missed & ~ever).any()
    # 4000 workers at level .05: the standard error of the share is .0034.
    promised = 0.05 if interval.anytime else 1.0
    assert missed.mean() <= promised
    if not interval.anytime:
        assert missed.mean() > 0.05 + 3 * 0.0034
