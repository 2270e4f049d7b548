"""The minimum knapsack: the cheapest jury whose values sum to the requirement (paper, problem (9); MATHS 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.model.fixed_point import LARGEST_VALUE
from quorate.money import LARGEST as LARGEST_PRICE

# Together these keep every sum in the kernels inside 64 bits.
MOST_WORKERS = 10**5
KEY_BITS = 48


@dataclass(frozen=True, eq=False)
class Knapsack:
    """Minimise sum(prices[S]) subject to sum(values[S]) >= requirement.

    `prices` are millionths, `values` and `requirement` billionths, all int64 and non-negative. `keys` are random
    int64 in [0, 2^48), drawn without looking at bids: among juries of equal price the smallest sum of keys wins, so
    ties never depend on a bid (MATHS 4).
    """

    prices: NDArray[np.int64]
    values: NDArray[np.int64]
    requirement: int
    keys: NDArray[np.int64]

    def __post_init__(self) -> None:
        check_prices_and_keys(self.prices, self.keys)
        _check("values", self.values, len(self.prices), LARGEST_VALUE)
        if isinstance(self.requirement, bool) or not isinstance(self.requirement, int | np.integer):
            raise InvalidInput(f"requirement {self.requirement!r} is not a whole number of billionths; round it")
        if self.requirement > LARGEST_VALUE:
            raise InvalidInput(f"requirement {self.requirement} is above {LARGEST_VALUE}; scale it and the values down")

    def __len__(self) -> int:
        return len(self.prices)


def check_prices_and_keys(prices: NDArray[np.int64], keys: NDArray[np.int64]) -> None:
    """What every selector hands to compiled code, which looks at nothing: int64, one per worker, sums in 64 bits."""
    if len(prices) > MOST_WORKERS:
        raise InvalidInput(f"{len(prices)} workers are above the limit of {MOST_WORKERS}; draw a pool first")
    _check("prices", prices, len(prices), LARGEST_PRICE)
    _check("keys", keys, len(prices), 2**KEY_BITS - 1)


def _check(what: str, numbers: NDArray[np.int64], workers: int, largest: int) -> None:
    if not isinstance(numbers, np.ndarray):
        raise InvalidInput(f"{what} are a {type(numbers).__name__}; give an array, one int64 for each worker")
    if numbers.dtype != np.int64 or numbers.shape != (workers,):
        raise InvalidInput(
            f"{what} have type {numbers.dtype} and shape {numbers.shape}; give one int64 for each of {workers} workers"
        )
    if workers and not (numbers.min() >= 0 and numbers.max() <= largest):
        bad = int(numbers[(numbers < 0) | (numbers > largest)][0])
        raise InvalidInput(f"{what} contain {bad}, which is not in [0, {largest}]; use another unit, or leave it out")


@dataclass(frozen=True)
class Certificate:
    """What a test can check about a selection without trusting the selector.

    `lower_bound`: no feasible jury is cheaper than this. For an exact selector it equals the price; for greedy
    it is a bound of linear relaxation with price <= `factor` * optimum proved by the paper's lemma (Csirik et al.).
    `kind`: how the bound was obtained. `relaxations`: the multipliers that prove an exact selection (`check.check`).
    """

    kind: str
    lower_bound: int
    factor: int = 1
    relaxations: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Selection:
    """A jury (sorted positions), its price, and the certificate; infeasible is a result, not an error."""

    feasible: bool
    members: tuple[int, ...]
    price: int
    certificate: Certificate | None


INFEASIBLE = Selection(feasible=False, members=(), price=0, certificate=None)
