"""Answers have their chances, and neighbours know nothing of each other. Fixed seeds; p-values must exceed 10^-4."""

import numpy as np
import pytest
from scipy import stats

from quorate.model.realization import Field

SMALLEST_P = 1e-4
WORKERS, TASKS = 400, 2048


def table(seed: int, qualities: np.ndarray) -> np.ndarray:
    field, everybody = Field.of(seed, qualities), np.arange(len(qualities))
    return np.array([field.right(task, everybody) for task in range(TASKS)]).T


@pytest.mark.parametrize("quality", [0.5, 2 / 3, 0.9, 0.999])
def test_each_worker_is_right_as_often_as_its_quality_says(quality: float) -> None:
    right = table(17, np.full(WORKERS, quality)).sum(axis=1)
    spread = ((right - TASKS * quality) ** 2).sum() / (TASKS * quality * (1 - quality))
    p = stats.chi2.sf(spread, WORKERS)
    # Too even would be as suspicious as too uneven.
    assert SMALLEST_P < p < 1 - SMALLEST_P
    total = stats.binomtest(int(right.sum()), WORKERS * TASKS, quality).pvalue
    assert total > SMALLEST_P


def independent(a: np.ndarray, b: np.ndarray) -> bool:
    cells = [[int((a & b).sum()), int((a & ~b).sum())], [int((~a & b).sum()), int((~a & ~b).sum())]]
    return bool(stats.chi2_contingency(cells, correction=False).pvalue > SMALLEST_P)


@pytest.mark.parametrize("quality", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("lag", [1, 2, 63, 64, 65])
def test_a_workers_answers_to_neighbouring_tasks_are_independent(quality: float, lag: int) -> None:
    right = table(18, np.full(WORKERS, quality))
    assert independent(right[:, :-lag], right[:, lag:])


@pytest.mark.parametrize("quality", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("lag", [1, 2, 32])
def test_neighbouring_workers_answers_are_independent(quality: float, lag: int) -> None:
    right = table(19, np.full(WORKERS, quality))
    assert independent(right[:-lag], right[lag:])


def test_seeds_are_independent() -> None:
    qualities = np.full(WORKERS, 0.7)
    assert independent(table(20, qualities), table(21, qualities))


def test_truths_are_fair_coins_that_no_worker_knows() -> None:
    field = Field.of(22, np.full(WORKERS, 0.5))
    truths = np.array([field.truth(task) for task in range(TASKS)])
    assert stats.binomtest(int(truths.sum()), TASKS).pvalue > SMALLEST_P
    assert independent(np.broadcast_to(truths, (WORKERS, TASKS)), table(22, field.qualities))
    assert independent(truths[:-1], truths[1:])


def test_dependence_would_be_noticed() -> None:
    """Negative control: one worker in twenty copies its neighbour."""
    right = table(23, np.full(WORKERS, 0.7))
    copied = right.copy()
    copied[1::20] = copied[0:-1:20]
    assert not independent(copied[:-1], copied[1:])
