"""Selection size by size against trying every jury: 10^4 instances a model, of 1 to 12 workers alike.

The kinds that trip solvers are there: equal prices, equal qualities, prices that rise with the quality, zero prices,
one worker, infeasible, just feasible.
"""

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model.constraint import EQUAL, Constraint
from quorate.model.error import ERROR_MODELS, Linear
from quorate.select.base import SELECTORS
from tests.oracle import naive_by_size

INSTANCES = 10_000
MOST_WORKERS = 12
ALPHAS = (0.02, 0.05, 0.1, 0.2, 0.3)
# Errors are equal to alpha, within rounding, or at least this far from it.
CLOSEST = 1e-13


def instance(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Prices, qualities, keys, alpha."""
    draws = np.random.Generator(np.random.Philox(key=[77, seed]))
    workers = 1 + seed % MOST_WORKERS
    dearest = int(draws.choice([0, 1, 4, 30, 20_000_000]))
    prices = draws.integers(0, dearest + 1, workers)
    best = draws.choice([0.75, 0.85, 1.0])
    grid = draws.choice([0.55, 0.61, 0.7, 0.8, 0.9, 0.97, 1.0], workers)
    qualities = grid if seed % 3 == 0 else draws.uniform(0.5, best, workers)
    if seed % 4 == 0:
        prices = prices + (20 * qualities).astype(np.int64) * max(1, dearest)
    keys = draws.integers(0, 2**48, workers)
    return prices, qualities, keys, float(draws.choice(ALPHAS))


@pytest.mark.parametrize("model", ["majority", "likelihood", "hoeffding"])
def test_no_mismatch_with_trying_every_jury(model: str) -> None:
    infeasible = five_or_more = equal = 0
    for seed in range(INSTANCES):
        prices, qualities, keys, alpha = instance(seed)
        errors = naive_by_size.MODELS[model](qualities)
        apart = np.abs(errors - alpha)
        assert ((apart <= EQUAL / 2.0) | (apart > CLOSEST)).all(), seed
        best = naive_by_size.cheapest(errors, prices, keys, alpha - CLOSEST)
        constraint = Constraint.below(ERROR_MODELS[model], alpha)
        found = SELECTORS[model].select(prices, qualities, constraint, keys, optimistic=False)
        assert found.feasible == (best is not None), (seed, found, best)
        assert found.members == (best or ()), (seed, found, best)
        infeasible += best is None
        five_or_more += best is not None and len(best) >= 5
        equal += bool((apart <= EQUAL).any())
    assert infeasible > 1000
    assert five_or_more > 200
    assert equal > 0 or model == "hoeffding"


def test_the_oracle_counts_the_majoritys_errors() -> None:
    qualities = np.array([0.9, 0.55, 0.7, 1.0, 0.62])
    for jury, error in zip(naive_by_size.all_juries(5), naive_by_size.majority(qualities), strict=True):
        assert error == pytest.approx(naive_by_size.majority_by_patterns(qualities[jury].tolist()))


@pytest.mark.parametrize(
    ("model", "qualities", "alpha"),
    [
        # In floats 1 - .9 is below .1, 1 - .7 above .3 and 1 - .99 above .01: equal all the same.
        *[(model, [q], a) for model in ("majority", "likelihood") for q, a in ((0.9, 0.1), (0.7, 0.3), (0.99, 0.01))],
        *[("majority", trio, 0.098) for trio in ([0.9, 0.8, 0.7], [0.7, 0.9, 0.8], [0.8, 0.7, 0.9])],
        *[("likelihood", trio, 0.06) for trio in ([0.9, 0.8, 0.7], [0.7, 0.9, 0.8])],
    ],
)
def test_equality_is_refused_however_it_is_rounded(model: str, qualities: list[float], alpha: float) -> None:
    """f < alpha is what is promised (MATHS 5)."""
    given, workers = np.array(qualities), len(qualities)
    prices, keys = np.ones(workers, dtype=np.int64), np.arange(workers)
    for constraint, good in (
        (Constraint.below(ERROR_MODELS[model], alpha), False),
        (Constraint.below(ERROR_MODELS[model], alpha + 1e-12), True),
    ):
        assert constraint.meets(given) == good
        assert SELECTORS[model].select(prices, given, constraint, keys, optimistic=False).feasible == good


@pytest.mark.parametrize("model", ["majority", "likelihood", "hoeffding"])
def test_just_feasible_and_just_not(model: str) -> None:
    """Everybody is needed; a hair less error allowed, and nobody is enough."""
    qualities = np.array([0.95, 0.93, 0.97])
    everybody = ERROR_MODELS[model].error(qualities)
    assert everybody < min(ERROR_MODELS[model].error(qualities[[i]]) for i in range(3))
    prices, keys = np.array([3, 1, 2]), np.array([5, 6, 7])
    enough = Constraint.below(ERROR_MODELS[model], everybody + 2.0 * EQUAL)
    assert SELECTORS[model].select(prices, qualities, enough, keys, optimistic=False).members == (0, 1, 2)
    exactly = Constraint.below(ERROR_MODELS[model], everybody)
    assert not SELECTORS[model].select(prices, qualities, exactly, keys, optimistic=False).feasible


@pytest.mark.parametrize("model", ["majority", "likelihood", "hoeffding"])
def test_another_error_model_is_refused(model: str) -> None:
    constraint = Constraint.below(Linear(), 0.1)
    with pytest.raises(InvalidInput, match="use 'exact' for additive models"):
        SELECTORS[model].select(np.array([1]), np.array([0.9]), constraint, np.array([1]), optimistic=False)


def test_an_even_majority_is_never_needed() -> None:
    """The proof in select/by_size.py, on juries: without some member an even jury errs no more."""
    draws = np.random.Generator(np.random.Philox(3))
    for _ in range(300):
        jury = draws.uniform(0.5, 1.0, 2 * int(draws.integers(1, 5))).tolist()
        without = [naive_by_size.majority_by_patterns(jury[:i] + jury[i + 1 :]) for i in range(len(jury))]
        assert min(without) <= naive_by_size.majority_by_patterns(jury) + 1e-12
