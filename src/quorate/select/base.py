"""What a selector is: the cheapest jury that meets a constraint (paper, problem (3); MATHS 4)."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput, UnknownName
from quorate.model.constraint import Constraint
from quorate.model.error import check_domain
from quorate.select.by_size import HOEFFDING, LIKELIHOOD, MAJORITY, select_by_size
from quorate.select.exact import exact
from quorate.select.greedy import greedy
from quorate.select.knapsack import Knapsack, Selection


@runtime_checkable
class Selector(Protocol):
    """Contract (checked by `quorate.testing.SelectorContract`):

    - a pure function of prices, qualities, constraint and keys; infeasible is a result, not an exception;
    - the jury returned meets the constraint at the qualities given;
    - `two_valued` (MATHS 6): with qualities and other prices fixed there is a price of worker i below which the jury
      is one fixed set with i, and above which it is one fixed set without i.
    """

    @property
    def name(self) -> str: ...

    @property
    def two_valued(self) -> bool: ...

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection: ...


@runtime_checkable
class Particular(Protocol):
    """A selector that is not for every constraint. What it cannot serve it refuses when a policy is made of it."""

    def check(self, constraint: Constraint) -> None: ...


def check_pair(selector: Selector, constraint: Constraint) -> None:
    """Refuse a selector that could not serve this constraint, before a campaign begins."""
    if isinstance(selector, Particular):
        selector.check(constraint)


def knapsack_of(
    prices: NDArray[np.int64],
    qualities: NDArray[np.float64],
    constraint: Constraint,
    keys: NDArray[np.int64],
    *,
    optimistic: bool,
) -> Knapsack:
    """The minimum knapsack that an additive constraint makes of the workers."""
    return Knapsack(prices, constraint.values(qualities, optimistic=optimistic), constraint.requirement, keys)


@dataclass(frozen=True)
class Greedy:
    """GA (paper, section 6.2): within a factor 2, monotone but bossy.

    It orders by price over value, so its values are the paper's: not cut at the requirement, as `exact` may (MATHS 6).
    """

    name: ClassVar[str] = "greedy"
    two_valued: ClassVar[bool] = False

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection:
        return greedy(knapsack_of(prices, qualities, constraint, keys, optimistic=optimistic))

    def check(self, constraint: Constraint) -> None:
        constraint.check_additive()


@dataclass(frozen=True)
class Exact:
    """The minimum knapsack, exactly; ties by random keys that look at no bid."""

    name: ClassVar[str] = "exact"
    two_valued: ClassVar[bool] = True

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection:
        return exact(knapsack_of(prices, qualities, constraint, keys, optimistic=optimistic))

    def check(self, constraint: Constraint) -> None:
        constraint.check_additive()


@dataclass(frozen=True)
class BySize:
    """Exact selection for one error model that is not additive, size by size (select/by_size.py)."""

    name: str
    kind: int
    two_valued: ClassVar[bool] = True

    def select(
        self,
        prices: NDArray[np.int64],
        qualities: NDArray[np.float64],
        constraint: Constraint,
        keys: NDArray[np.int64],
        *,
        optimistic: bool,
    ) -> Selection:
        self.check(constraint)
        return select_by_size(self.kind, prices, check_domain(constraint.model, qualities), keys, constraint.bar)

    def check(self, constraint: Constraint) -> None:
        if constraint.model.name != self.name:
            raise InvalidInput(
                f"the selector {self.name!r} is made for the error model of that name and was given "
                f"{constraint.model.name!r}; use 'exact' for additive models"
            )


SELECTORS: dict[str, Selector] = {
    selector.name: selector
    for selector in (
        Greedy(),
        Exact(),
        BySize("majority", MAJORITY),
        BySize("likelihood", LIKELIHOOD),
        BySize("hoeffding", HOEFFDING),
    )
}


def selector(name: str) -> Selector:
    """The registered selector of that name."""
    if name not in SELECTORS:
        raise UnknownName(f"no selector is called {name!r}; there are {', '.join(sorted(SELECTORS))}")
    return SELECTORS[name]
