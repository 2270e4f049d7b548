"""The dependence picture, on cases small enough to work by hand."""

import math

import numpy as np
import pytest

from quorate.certify.dependence import effective_votes, measure
from quorate.certify.matrix import GoldMatrix


def gold(*rows: str) -> GoldMatrix:
    """A worker per row: 1 right, 0 wrong, . no answer."""
    cells = np.array([list(row) for row in rows])
    return GoldMatrix.from_booleans(cells != ".", cells == "1")


def test_effective_votes_is_kish() -> None:
    assert effective_votes(9, 0.0) == 9.0
    assert effective_votes(9, 1.0) == 1.0
    assert effective_votes(9, 0.5) == pytest.approx(1.8)
    # Errors that avoid each other are not credited.
    assert effective_votes(9, -0.1) == 9.0


def test_phi_on_common_tasks() -> None:
    # Of eight common tasks the first errs on 4, the second on 2, both on 2: phi = (8*2 - 4*2) / sqrt(4*4*2*6).
    found = measure(gold("00001111.1", "001111110."))
    assert found.correlation[0, 1] == pytest.approx(8 / math.sqrt(192))
    assert found.correlation[1, 0] == found.correlation[0, 1]
    assert found.mean == pytest.approx(8 / math.sqrt(192))
    # P(both err on the second's two, given 4 and 2 of 8) = C(4,2) / C(8,2).
    assert found.p_pairs == pytest.approx(6 / 28)


def test_who_is_always_right_correlates_with_nobody() -> None:
    found = measure(gold("1111", "0101"))
    assert math.isnan(found.correlation[0, 1])
    assert (found.mean, found.effective, found.p_pairs, found.p_pool) == (0.0, 2.0, 1.0, 1.0)
    assert not found.contradicted


def test_copies_are_named_and_contradict_independence() -> None:
    random = np.random.default_rng(1)
    right = random.random((5, 300)) < 0.7
    right[3] = np.where(random.random(300) < 0.97, right[1], ~right[1])
    found = measure(GoldMatrix.from_booleans(np.ones_like(right), right))
    assert [(pair.first, pair.second, pair.tasks) for pair in found.near_duplicates] == [(1, 3, 300)]
    assert found.contradicted
    assert found.p_pairs < 1e-30


def test_a_weak_common_difficulty_that_no_pair_shows_is_seen_in_the_pool() -> None:
    random = np.random.default_rng(2)
    chance = np.where(random.random(150) < 0.5, 0.68, 0.82)
    right = random.random((40, 150)) < chance
    found = measure(GoldMatrix.from_booleans(np.ones_like(right), right))
    assert found.p_pairs > 0.025
    assert found.p_pool < 1e-6
    assert found.contradicted


def test_few_common_tasks_do_not_make_duplicates() -> None:
    assert measure(gold("0101" * 4, "0101" * 4)).near_duplicates == ()
    assert len(measure(gold("0101" * 5, "0101" * 5)).near_duplicates) == 1


def test_a_jury_among_the_workers() -> None:
    random = np.random.default_rng(3)
    right = random.random((6, 200)) < 0.7
    right[5] = right[0]
    pool = GoldMatrix.from_booleans(np.ones_like(right), right)
    assert measure(pool, np.array([0, 5])).effective == pytest.approx(1.0)
    assert measure(pool, np.array([2])).effective == 1.0
