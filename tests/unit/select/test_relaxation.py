"""The best multipliers for a jury's size, and swaps: what makes a search short, and what no proof rests on."""

import numpy as np
import pytest

from quorate.select.exact import exact
from quorate.select.knapsack import KEY_BITS, Knapsack
from quorate.select.order import before
from quorate.select.relaxation import LAM, MU, key_scale, reduce_costs, relax_size, relax_value
from quorate.select.swap import improve


def strongly_correlated(workers: int, seed: int, size: float) -> Knapsack:
    """price = value + a constant, and about `size` of the most valuable workers are needed."""
    draws = np.random.Generator(np.random.Philox(key=[71, seed]))
    values = draws.integers(1, 10**8 + 1, workers)
    most = np.sort(values)[::-1]
    whole = int(size)
    requirement = int(most[:whole].sum()) + int((size - whole) * most[whole])
    return Knapsack(values + 10**7, values, requirement, draws.integers(0, 2**KEY_BITS, workers))


def relaxed_jury(knapsack: Knapsack) -> np.ndarray:
    """Everybody up to the one with whom the requirement is reached, by price over value."""
    ratios = np.empty(len(knapsack))
    args = (knapsack.prices, knapsack.values, knapsack.keys, knapsack.requirement)
    _, worker, _ = relax_value(*args, 0.0, key_scale(len(knapsack)), ratios)
    return np.array([i == worker or before(ratios, i, worker) for i in range(len(knapsack))])


@pytest.mark.parametrize(("workers", "size"), [(40, 3.6), (400, 6.2), (3_000, 99.6), (100_000, 3_333.4)])
def test_the_gap_is_the_least_over_multipliers_of_the_size(workers: int, size: float) -> None:
    """At mu = the constant all reduced costs are 0 but for keys: the slope jumps there, from little to very much."""
    knapsack = strongly_correlated(workers, 1, size)
    args = (knapsack.prices, knapsack.values, knapsack.keys, knapsack.requirement)
    jury, work = relaxed_jury(knapsack), np.empty(workers)
    lam, _, _ = relax_value(*args, 0.0, key_scale(workers), work)
    relaxation = np.array([0.0, int(size) + 1, lam, 0.0, key_scale(workers)])
    relax_size(*args, relaxation, jury)
    least = reduce_costs(*args, relaxation, jury, work)
    for mu in [*np.linspace(-4e7, 4e7, 41), *(1e7 + np.linspace(-100.0, 100.0, 21))]:
        lam, _, _ = relax_value(*args, mu, key_scale(workers), work)
        other = relaxation.copy()
        other[LAM], other[MU] = lam, mu
        assert least <= reduce_costs(*args, other, jury, work) + 1e-3


@pytest.mark.parametrize("seed", range(20))
def test_swaps_keep_the_requirement_and_never_cost_more(seed: int) -> None:
    draws = np.random.Generator(np.random.Philox(key=[72, seed]))
    knapsack = strongly_correlated(200, seed, 20.0 + draws.random())
    jury = relaxed_jury(knapsack)
    before_swaps = int(knapsack.prices[jury].sum())
    improve(knapsack.prices, knapsack.values, knapsack.requirement, jury)
    assert knapsack.values[jury].sum() >= knapsack.requirement
    assert knapsack.prices[jury].sum() <= before_swaps


def test_swaps_find_what_one_swap_can_gain() -> None:
    prices, values = np.array([50, 40, 30, 9]), np.array([50, 40, 30, 1])
    jury = np.array([True, True, False, True])
    improve(prices, values, 80, jury)
    # The last one goes, since nobody misses it; then 50 + 30 does what 50 + 40 did.
    assert jury.tolist() == [True, False, True, False]


@pytest.mark.parametrize("size", [3323.6, 20859.2])
def test_a_strongly_correlated_instance_of_a_hundred_thousand_is_solved(size: float) -> None:
    """With multipliers off their best, and ties looked for too far from them, lists of parts outgrew the memory."""
    knapsack = strongly_correlated(100_000, 3, size)
    found = exact(knapsack)
    # Nobody can do better than the least number of members and no surplus.
    assert found.price == knapsack.requirement + (int(size) + 1) * 10**7
