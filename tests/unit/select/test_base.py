"""The registered selectors keep the contract, and the declaration of two-valuedness is the truth."""

from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput, UnknownName
from quorate.model.constraint import Constraint
from quorate.model.error import ERROR_MODELS, LogOdds, Majority
from quorate.select.base import SELECTORS, Exact, Greedy, Selector, selector
from quorate.select.knapsack import Knapsack
from quorate.testing.selector import SelectorContract


class TestGreedy(SelectorContract):
    @pytest.fixture
    def selector(self) -> Selector:
        return Greedy()


class TestExact(SelectorContract):
    @pytest.fixture
    def selector(self) -> Selector:
        return Exact()


class TestSelector:
    def test_every_name_finds_its_selector(self) -> None:
        for name, registered in SELECTORS.items():
            assert selector(name) is registered
            assert registered.name == name

    def test_an_unknown_name_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(UnknownName, match=r"'nearest'.*exact.*greedy"):
            selector("nearest")


@pytest.mark.parametrize("chosen", [Greedy(), Exact()])
def test_a_model_that_is_not_additive_is_refused(chosen: Selector) -> None:
    constraint = Constraint.below(Majority(), 0.1)
    with pytest.raises(InvalidInput, match="not additive"):
        chosen.select(np.array([1]), np.array([0.9]), constraint, np.array([1]), optimistic=False)


def constraint_for(chosen: Selector) -> Constraint:
    return Constraint.below(ERROR_MODELS.get(chosen.name, LogOdds()), 0.1)


PRICES, QUALITIES, KEYS = np.array([3, 4, 5]), np.array([0.99, 0.9, 0.95]), np.array([1, 2, 3])
IMPOSSIBLE = {
    "a negative price": ({"prices": np.array([3, 4, -1])}, "prices contain -1, which is not in"),
    "a price with a fraction": ({"prices": np.array([3, 4, 2.5])}, "prices have type float64"),
    "a price beyond 64-bit sums": ({"prices": np.array([3, 4, 2**62])}, f"prices contain {2**62}, which is not in"),
    "a price too many": ({"prices": np.array([3, 4, 5, 6]), "keys": np.arange(4)}, "for.* 4 workers"),
    "a list of prices": ({"prices": [3, 4, 5]}, "prices are a list; give an array"),
    "a key too few": ({"keys": np.array([1, 2])}, "keys have type int64 and shape .2,."),
    "a negative key": ({"keys": np.array([1, 2, -3])}, "keys contain -3, which is not in"),
    "a quality above 1": ({"qualities": np.array([0.99, 0.9, 1.5])}, "worker 2 has quality 1.5, outside"),
    "a quality below 0": ({"qualities": np.array([0.99, -0.2, 0.9])}, "worker 1 has quality -0.2, outside"),
    "no number": ({"qualities": np.array([np.nan, 0.9, 0.9])}, "worker 0 has quality nan, outside"),
}


@pytest.mark.parametrize("chosen", SELECTORS.values(), ids=SELECTORS)
@pytest.mark.parametrize(("given", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_no_worker_can_have_is_refused(chosen: Selector, given: dict[str, Any], message: str) -> None:
    prices, qualities, keys = ({"prices": PRICES, "qualities": QUALITIES, "keys": KEYS} | given).values()
    with pytest.raises(InvalidInput, match=message):
        chosen.select(prices, qualities, constraint_for(chosen), keys, optimistic=False)


@pytest.mark.parametrize("chosen", SELECTORS.values(), ids=SELECTORS)
def test_of_nobody_there_is_no_jury(chosen: Selector) -> None:
    nobody = np.empty(0, dtype=np.int64)
    assert not chosen.select(nobody, np.empty(0), constraint_for(chosen), nobody, optimistic=False).feasible


@pytest.mark.parametrize("requirement", [float("nan"), 1.5, True, None, "3"])
def test_a_requirement_that_is_no_whole_number_is_refused(requirement: Any) -> None:
    """Not-a-number is below nothing and above nothing: a search for it would never end."""
    ones = np.ones(2, dtype=np.int64)
    with pytest.raises(InvalidInput, match="is not a whole number of billionths; round it"):
        Knapsack(ones, ones, requirement, ones)
