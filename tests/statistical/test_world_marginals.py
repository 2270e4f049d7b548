"""Worlds have the distributions that they claim: fixed seeds, tolerances of four standard errors."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.lab.world import Beta, CommonFactor, Correlated, Paper
from quorate.money import MILLIONTHS

SIZE = 100_000
FOUR = 4.0


def test_the_papers_uniform_group() -> None:
    world = Paper(SIZE).draw(1)
    free = world.prices != 20 * MILLIONTHS
    prices, qualities = world.prices[free] / MILLIONTHS, world.qualities[free]
    share = math.sqrt(len(prices))
    assert abs(prices.mean() - 15.0) < FOUR * 10 / math.sqrt(12) / share
    assert abs(qualities.mean() - 5 / 6) < FOUR * (1 / 3) / math.sqrt(12) / share
    assert abs(np.quantile(prices, 0.1) - 11.0) < FOUR * 10 * 0.3 / share
    assert abs(np.corrcoef(prices, qualities)[0, 1]) < FOUR / share


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.4, 1.0])
def test_correlated_prices_keep_uniform_marginals_and_have_the_correlation(correlation: float) -> None:
    world = Correlated(SIZE, correlation=correlation).draw(2)
    prices = world.prices / MILLIONTHS
    # A correlation's standard error is at most 1 / sqrt(n).
    assert abs(np.corrcoef(prices, world.qualities)[0, 1] - correlation) < FOUR / math.sqrt(SIZE)
    for values, low, high in ((prices, 10.0, 20.0), (world.qualities, 0.6, 0.95)):
        ranks = np.sort((values - low) / (high - low))
        distance = np.abs(ranks - (np.arange(SIZE) + 0.5) / SIZE).max()
        assert distance < 2.0 / math.sqrt(SIZE)  # Kolmogorov: exceeded with chance 2 exp(-8)


def test_beta_qualities() -> None:
    qualities = Beta(SIZE, a=3.0, b=1.5, lowest_quality=0.5).draw(3).qualities
    mean, variance = 0.5 + 0.5 * 3.0 / 4.5, 0.25 * (3.0 * 1.5) / (4.5**2 * 5.5)
    assert abs(qualities.mean() - mean) < FOUR * math.sqrt(variance / SIZE)
    assert abs(qualities.var() / variance - 1.0) < FOUR * math.sqrt(3.0 / SIZE)


def _answers(realization: CommonFactor, tasks: int) -> NDArray[np.float64]:
    everybody = np.arange(realization.workers)
    return np.array([realization.right(task, everybody) for task in range(tasks)], dtype=np.float64)


@pytest.mark.parametrize("follow", [0.0, 0.6, 1.0])
def test_a_common_factor_keeps_marginals_and_correlates_errors(follow: float) -> None:
    qualities = np.array([0.0, 0.55, 0.8, 0.8, 0.95, 1.0])
    tasks = 20_000
    right = _answers(CommonFactor(9, qualities, follow), tasks)
    errors = np.sqrt(qualities * (1.0 - qualities) / tasks)
    assert (np.abs(right.mean(axis=0) - qualities) <= FOUR * errors).all()
    between = right[:, 1:5]
    expected = np.array([[min(p, q) - p * q for q in qualities[1:5]] for p in qualities[1:5]]) * follow**2
    measured = np.cov(between.T)
    off = ~np.eye(4, dtype=np.bool_)
    # A product of two centred indicators has variance at most 1/16.
    assert (np.abs(measured - expected)[off] < FOUR * 0.25 / math.sqrt(tasks)).all()
    if follow > 0:
        assert (measured[off] > FOUR * 0.25 / math.sqrt(tasks)).all()


def test_a_common_factor_is_independent_between_tasks() -> None:
    right = _answers(CommonFactor(9, np.array([0.7, 0.8]), 1.0), 20_000)
    for column in right.T:
        assert abs(np.corrcoef(column[:-1], column[1:])[0, 1]) < FOUR / math.sqrt(20_000)
