"""Every registered selector keeps the contract; each promise of it is broken once."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.model.constraint import Constraint
from quorate.model.error import ERROR_MODELS, Linear, LogOdds
from quorate.select.base import SELECTORS, Selector
from quorate.select.knapsack import INFEASIBLE, Selection
from quorate.testing import SelectorContract
from tests.contract.broken import FAILED, check_every_promise_has_a_control, run_contract

# A selector for a model that is not additive bears the model's name; the others take any additive one.
ADDITIVE = {
    "log-odds": Constraint.below(LogOdds(), 0.1),
    "linear": Constraint.below(Linear(0.3), 0.4),
    "margin": Constraint.reaching(1.5),
}
CASES = {
    (name, model): constraint
    for name in SELECTORS
    for model, constraint in (
        {name: Constraint.below(ERROR_MODELS[name], 0.1)}
        if name in ERROR_MODELS and not Constraint.below(ERROR_MODELS[name], 0.1).additive
        else ADDITIVE
    ).items()
}


class TestRegisteredSelectors(SelectorContract):
    @pytest.fixture(params=sorted(CASES), ids="-".join)
    def case(self, request: pytest.FixtureRequest) -> tuple[str, str]:
        return request.param

    @pytest.fixture
    def selector(self, case: tuple[str, str]) -> Selector:
        return SELECTORS[case[0]]

    @pytest.fixture
    def constraint(self, case: tuple[str, str]) -> Constraint:
        return CASES[case]


Change = Callable[[Selection, NDArray[np.int64]], Selection]


@dataclass(frozen=True)
class Changed:
    """GA, with something done to what it found."""

    change: Change
    name: str = "changed"
    two_valued: bool = False

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection:
        found = SELECTORS["greedy"].select(prices, qualities, constraint, keys, optimistic=optimistic)
        return self.change(found, prices) if found.feasible else found


def cut_prices(found: Selection, prices: NDArray[np.int64]) -> Selection:
    prices //= 2
    return found


def drop_one(found: Selection, prices: NDArray[np.int64]) -> Selection:
    return replace(found, members=found.members[1:], price=found.price - int(prices[found.members[0]]))


@dataclass(frozen=True)
class TakesBothOfATie:
    """Exact, except that of two dear juries of one price it takes both: three juries at one bid in millions."""

    name: str = "both"
    two_valued: bool = True

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection:
        found = SELECTORS["exact"].select(prices, qualities, constraint, keys, optimistic=optimistic)
        other = SELECTORS["exact"].select(prices, qualities, constraint, keys.max() - keys, optimistic=optimistic)
        if found.price < 1000 or other.members == found.members:
            return found
        both = tuple(sorted({*found.members, *other.members}))
        return replace(found, members=both, price=int(prices[list(both)].sum()))


CONTROLS: list[tuple[str, Selector]] = [
    ("test_it_follows_the_protocol", Changed(lambda found, prices: found, name="")),
    ("test_selecting_changes_nothing_and_gives_the_same_again", Changed(cut_prices)),
    (
        "test_a_jury_is_a_sorted_set_and_its_price_the_sum",
        Changed(lambda found, prices: replace(found, members=found.members[::-1] + found.members[:1])),
    ),
    ("test_the_jury_meets_the_constraint", Changed(drop_one)),
    ("test_it_finds_a_jury_whenever_there_is_one", Changed(lambda found, prices: INFEASIBLE)),
    (
        "test_the_certificate_bounds_the_cheapest_price",
        Changed(lambda found, prices: replace(found, certificate=None)),
    ),
    # GA itself: monotone but bossy, whatever it may say of itself (MATHS 6).
    (
        "test_a_two_valued_selector_has_one_jury_with_a_worker_and_one_without",
        Changed(lambda found, prices: found, two_valued=True),
    ),
    ("test_a_two_valued_selector_has_one_jury_with_a_worker_and_one_without", TakesBothOfATie()),
]


@pytest.mark.parametrize(("promise", "broken"), CONTROLS)
def test_a_broken_selector_is_found_out(promise: str, broken: Selector) -> None:
    with pytest.raises(FAILED):
        run_contract(SelectorContract, promise, broken, Constraint.below(LogOdds(), 0.1))


def test_every_promise_has_a_control() -> None:
    check_every_promise_has_a_control(SelectorContract, [promise for promise, _ in CONTROLS])
