"""What each error model costs when qualities are known: the table of MATHS 2, cost per task at alpha = .1.

Means over 20 worlds of the paper's simulation setting. The prices of MATHS 2 are those of its own worlds, so they are
met within the spread between worlds.
"""

from functools import cache

import numpy as np
import pytest

from quorate.lab.world.paper import Paper
from quorate.model import Constraint
from quorate.model.error import ERROR_MODELS, majority_error
from quorate.model.philox import tie_keys
from quorate.money import MILLIONTHS
from quorate.select.base import SELECTORS
from quorate.select.knapsack import Selection

WORLDS = range(20)


@cache
def selections(selector: str, model: str) -> list[Selection]:
    found = []
    for seed in WORLDS:
        world = Paper().draw(seed)
        constraint = Constraint.below(ERROR_MODELS[model], 0.1)
        keys = tie_keys(seed, len(world))
        found.append(SELECTORS[selector].select(world.prices, world.qualities, constraint, keys, optimistic=False))
    return found


def mean_cost(selector: str, model: str) -> float:
    return float(np.mean([selection.price for selection in selections(selector, model)])) / MILLIONTHS


@pytest.mark.parametrize(
    ("selector", "model", "cost", "within"),
    [
        ("greedy", "linear", 161.5, 3.0),
        ("exact", "linear", 160.5, 3.0),
        ("hoeffding", "hoeffding", 53.0, 2.0),
        ("exact", "log-odds", 10.5, 0.5),
        ("majority", "majority", 10.1, 0.3),
    ],
)
def test_the_cost_per_task(selector: str, model: str, cost: float, within: float) -> None:
    assert mean_cost(selector, model) == pytest.approx(cost, abs=within)


def test_the_error_model_matters_sixteenfold_and_greedy_against_exact_hardly() -> None:
    assert mean_cost("greedy", "linear") / mean_cost("exact", "log-odds") == pytest.approx(16, abs=1.5)
    assert 1.0 <= mean_cost("greedy", "linear") / mean_cost("exact", "linear") < 1.03


def test_one_worker_is_enough_for_the_exact_error() -> None:
    assert all(len(selection.members) == 1 for selection in selections("majority", "majority"))


def test_linears_jury_is_a_hundred_million_times_better_than_asked() -> None:
    """15 workers whose majority errs some 5e-9 where .1 was asked."""
    for seed, selection in zip(WORLDS, selections("greedy", "linear"), strict=True):
        jury = Paper().draw(seed).qualities[list(selection.members)]
        assert 15 <= len(jury) <= 17
        assert 1e-11 < majority_error(jury) < 1e-6
