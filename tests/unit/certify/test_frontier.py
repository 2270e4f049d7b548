"""The frontier: what dominates what, and who wins exact ties."""

import numpy as np
import pytest

from quorate.certify.frontier import BEST, EVERYTHING, NO_LIMIT, Aim, Batch, Jury, cheapest, improve, undominated
from quorate.certify.terms import Vote


def jury(price: int, certified: int, key: int = 0, members: tuple[int, ...] = (0,)) -> Jury:
    return Jury(price, -certified, key, members, Vote.MAJORITY, 1, 1)


def batch(*juries: Jury) -> Batch:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in juries], dtype=np.int64)

    members = np.array([each.members for each in juries], dtype=np.int64)
    return Batch(
        Vote.MAJORITY, members, column("price"), column("certified"), column("key"), column("right"), column("tasks")
    )


def test_dearer_must_be_better_and_worse_must_be_cheaper() -> None:
    cheap, middle, good = jury(1, 600), jury(2, 700), jury(5, 900)
    dominated = [jury(3, 700), jury(2, 650), jury(9, 900), jury(1, 0)]
    assert undominated([good, *dominated, cheap, middle]) == (cheap, middle, good)


def test_a_jury_certified_at_nothing_is_not_on_the_frontier() -> None:
    assert undominated([jury(1, 0)]) == ()


def test_an_exact_tie_goes_to_the_smaller_key() -> None:
    first, second = jury(1, 600, key=7, members=(3,)), jury(1, 600, key=5, members=(4,))
    assert undominated([first, second]) == (second,)
    # In whichever order they are met, also when the loser is already on the frontier.
    assert improve((first,), batch(second)) == (second,)
    assert improve((second,), batch(first)) == (second,)
    assert improve((), batch(first, second)) == (second,)


def test_batches_in_any_order_leave_the_same_frontier() -> None:
    random = np.random.default_rng(1)
    juries = [
        jury(int(p), int(v), int(k), (i,))
        for i, (p, v, k) in enumerate(zip(*random.integers(0, 9, (3, 60)), strict=True))
    ]
    for cut in (1, 7, 30, 60):
        frontier: tuple[Jury, ...] = ()
        for start in range(0, 60, cut):
            frontier = improve(frontier, batch(*juries[start : start + cut]))
        assert frontier == undominated(juries)


def test_what_is_still_wanted() -> None:
    known = (jury(1, 600), jury(4, 800), jury(9, 900))
    every = EVERYTHING.thresholds(known)
    assert (every.prices.tolist(), every.values.tolist(), every.limit) == ([-1, 1, 4, 9], [1, 600, 800, 900], NO_LIMIT)
    best = BEST.thresholds(known)
    assert (best.prices.tolist(), best.values.tolist()) == ([-1], [900])
    aim = Aim(target=700)
    some = aim.thresholds(known)
    assert (some.prices.tolist(), some.values.tolist(), some.limit) == ([-1, 4], [700, 800], 4)
    none = aim.thresholds(known[:1])
    assert (none.prices.tolist(), none.values.tolist(), none.limit) == ([-1], [700], NO_LIMIT)


@pytest.mark.parametrize(("target", "price"), [(500, 1), (600, 1), (601, 4), (900, 9)])
def test_cheapest(target: int, price: int) -> None:
    found = cheapest((jury(1, 600), jury(4, 800), jury(9, 900)), target)
    assert found is not None
    assert found.price == price
    assert cheapest((jury(1, 600),), 601) is None
