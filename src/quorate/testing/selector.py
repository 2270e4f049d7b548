"""What `quorate.select.base.Selector` promises, checked against every jury of small instances."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.model.constraint import Constraint
from quorate.model.error import LogOdds
from quorate.model.philox import tie_keys
from quorate.select.base import Selector
from quorate.select.knapsack import Selection

INSTANCES = 150
MOST_WORKERS = 7
Jury = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Instance:
    """A selection problem small enough to try every jury."""

    prices: NDArray[np.int64]
    qualities: NDArray[np.float64]
    constraint: Constraint
    keys: NDArray[np.int64]
    optimistic: bool

    def solve(self, selector: Selector) -> Selection:
        return selector.select(self.prices, self.qualities, self.constraint, self.keys, optimistic=self.optimistic)

    def meets(self, jury: Jury) -> bool:
        """By the constraint's own rounding where it is additive, by the error model otherwise."""
        members = self.qualities[list(jury)]
        if self.constraint.additive:
            brought = self.constraint.values(members, optimistic=self.optimistic)
            return int(brought.sum()) >= self.constraint.requirement
        return self.constraint.meets(members)

    def price(self, jury: Jury) -> int:
        return int(self.prices[list(jury)].sum())

    def cheapest(self) -> tuple[int, int, Jury] | None:
        """(price, sum of keys, jury), least first, over all juries that meet the constraint."""
        workers = range(len(self.prices))
        return min(
            (
                (self.price(jury), int(self.keys[list(jury)].sum()), jury)
                for size in range(1, len(self.prices) + 1)
                for jury in combinations(workers, size)
                if self.meets(jury)
            ),
            default=None,
        )


def instances(constraint: Constraint, count: int = INSTANCES) -> Iterator[Instance]:
    """Equal prices, zero prices, equal and certain qualities, one worker, infeasible and barely feasible."""
    floor = constraint.model.floor
    for seed in range(count):
        random = np.random.default_rng([5, seed])
        workers = int(random.integers(1, MOST_WORKERS + 1))
        dearest = int(random.choice([0, 3, 10, 20_000_000]))
        spread = floor + (1.0 - floor) * random.random(workers) ** random.choice([0.3, 1.0])
        grid = random.choice([floor, 0.5 + floor / 2.0, 0.9, 0.95, 1.0], workers)
        yield Instance(
            prices=random.integers(0, dearest + 1, workers).astype(np.int64),
            qualities=np.maximum(floor, grid if seed % 3 == 0 else spread),
            constraint=constraint,
            keys=tie_keys(seed, workers),
            optimistic=bool(seed % 2),
        )


class SelectorContract:
    """Inherit, and define the fixture `selector`; also `constraint` where log-odds at .1 is not what it is made for."""

    @pytest.fixture
    def selector(self) -> Selector:
        raise NotImplementedError("define a fixture `selector` that returns the selector to check")

    @pytest.fixture
    def constraint(self) -> Constraint:
        return Constraint.below(LogOdds(), 0.1)

    def test_it_follows_the_protocol(self, selector: Selector, constraint: Constraint) -> None:
        assert isinstance(selector, Selector)
        assert selector.name
        assert isinstance(selector.two_valued, bool)

    def test_selecting_changes_nothing_and_gives_the_same_again(
        self, selector: Selector, constraint: Constraint
    ) -> None:
        for instance in instances(constraint):
            given = [array.copy() for array in (instance.prices, instance.qualities, instance.keys)]
            first = instance.solve(selector)
            assert instance.solve(selector) == first
            for before, after in zip(given, (instance.prices, instance.qualities, instance.keys), strict=True):
                assert np.array_equal(before, after)

    def test_a_jury_is_a_sorted_set_and_its_price_the_sum(self, selector: Selector, constraint: Constraint) -> None:
        for instance in instances(constraint):
            found = instance.solve(selector)
            if found.feasible:
                assert list(found.members) == sorted(set(found.members))
                assert all(0 <= member < len(instance.prices) for member in found.members)
                assert found.price == instance.price(found.members)

    def test_the_jury_meets_the_constraint(self, selector: Selector, constraint: Constraint) -> None:
        for instance in instances(constraint):
            found = instance.solve(selector)
            assert not found.feasible or instance.meets(found.members)

    def test_it_finds_a_jury_whenever_there_is_one(self, selector: Selector, constraint: Constraint) -> None:
        """Infeasible is a result, not an exception, and never a way out."""
        feasible = 0
        for instance in instances(constraint):
            possible = instance.cheapest() is not None
            assert instance.solve(selector).feasible == possible
            feasible += possible
        assert 0 < feasible < INSTANCES

    def test_the_certificate_bounds_the_cheapest_price(self, selector: Selector, constraint: Constraint) -> None:
        for instance in instances(constraint):
            found, best = instance.solve(selector), instance.cheapest()
            if best is None:
                continue
            assert found.certificate is not None
            assert found.certificate.lower_bound <= best[0] <= found.price
            assert found.price <= found.certificate.factor * best[0]

    def test_a_two_valued_selector_has_one_jury_with_a_worker_and_one_without(
        self, selector: Selector, constraint: Constraint
    ) -> None:
        """MATHS 6: below some bid of a worker one fixed jury with it, above it one fixed jury without it."""
        if not selector.two_valued:
            pytest.skip(f"the selector {selector.name!r} says that it is not two-valued")
        for instance in instances(constraint, INSTANCES // 3):
            for worker in range(len(instance.prices)):
                juries = [found.members for found in _along_the_bids(instance, selector, worker) if found.feasible]
                chosen = [worker in jury for jury in juries]
                assert chosen == sorted(chosen, reverse=True)
                assert len(set(juries)) <= 2


def _along_the_bids(instance: Instance, selector: Selector, worker: int) -> Iterator[Selection]:
    """The selection as one worker's bid goes up, by brute force: at every bid where two juries, one with the worker and
    one without, cost the same, and a millionth below and above. Between those bids no two juries change places.
    """
    others = np.delete(instance.prices, worker)
    sums = np.zeros(1, dtype=np.int64)
    for price in others.tolist():
        sums = np.union1d(sums, sums + price)
    ties = np.unique(sums[:, None] - sums[None, :])
    bids = np.unique(np.concatenate([ties - 1, ties, ties + 1]))
    for bid in bids[bids >= 0].tolist():
        prices = instance.prices.copy()
        prices[worker] = bid
        moved = Instance(prices, instance.qualities, instance.constraint, instance.keys, instance.optimistic)
        yield moved.solve(selector)
