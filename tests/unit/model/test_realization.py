"""A realization is a pure table: any entry, in any order, alone or with others, is the same."""

from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model.philox import tie_keys
from quorate.model.realization import Field, Realization, Recorded

QUALITIES = np.random.default_rng(2).uniform(0.5, 1.0, 50)


@pytest.mark.parametrize("real", [Field.of(1, [0.5]), Recorded.of([[1]])], ids=["field", "recorded"])
def test_both_kinds_are_realizations(real: Realization) -> None:
    assert isinstance(real, Realization)
    assert real.workers == 1


def test_an_entry_is_the_same_alone_together_and_in_any_order() -> None:
    field = Field.of(5, QUALITIES)
    everybody = np.arange(50)
    table = {task: field.right(task, everybody) for task in range(200)}
    random = np.random.default_rng(3)
    for _ in range(500):
        task, size = int(random.integers(200)), int(random.integers(1, 50))
        jury = random.permutation(50)[:size]
        assert np.array_equal(field.right(task, jury), table[task][jury])
    again = Field.of(5, QUALITIES)
    assert all(np.array_equal(again.right(task, everybody), table[task]) for task in reversed(range(200)))


def test_other_workers_qualities_are_not_looked_at() -> None:
    alone = Field.of(5, np.where(np.arange(50) == 17, QUALITIES, 0.5))
    full = Field.of(5, QUALITIES)
    one = np.array([17])
    assert [alone.right(t, one)[0] for t in range(300)] == [full.right(t, one)[0] for t in range(300)]


def test_who_gets_better_stays_right_where_it_was() -> None:
    """U < q: so worlds that differ in one quality are as close as they can be."""
    worse, better = Field.of(9, np.full(20, 0.6)), Field.of(9, np.full(20, 0.61))
    everybody = np.arange(20)
    gained = 0
    for task in range(500):
        before, after = worse.right(task, everybody), better.right(task, everybody)
        assert not (before & ~after).any()
        gained += int((after & ~before).sum())
    assert 50 <= gained <= 150


def test_certainty_is_certain() -> None:
    field = Field.of(1, [0.0, 1.0, 1.0 - 1e-11])
    for task in range(1000):
        assert field.right(task, np.arange(3)).tolist() == [False, True, True]


def test_seeds_workers_and_tasks_all_matter() -> None:
    half = np.full(64, 0.5)
    everybody = np.arange(64)
    rows = {tuple(Field.of(seed, half).right(task, everybody)) for seed in range(5) for task in range(130)}
    assert len(rows) == 5 * 130


def test_nobody_may_be_asked() -> None:
    assert Field.of(1, [0.5]).right(0, np.empty(0, dtype=np.int64)).tolist() == []


def test_a_recorded_table_is_read_as_written() -> None:
    real = Recorded.of([[1, 0, 1], [0, 0, 1]], truths=[0, 1, 1])
    assert real.workers == 2
    assert real.right(0, np.array([0, 1])).tolist() == [True, False]
    assert real.right(2, np.array([1])).tolist() == [True]
    assert [real.truth(task) for task in range(3)] == [False, True, True]
    assert Recorded.of([[1, 0]]).truth(1) is True


@pytest.mark.parametrize(
    ("rows", "truths", "message"),
    [
        ([], None, "not a table; give one row of 0/1 per worker"),
        ([1, 0], None, "not a table; give one row of 0/1 per worker"),
        ([[1, 0], [1]], None, "rows differ in length; give every worker the same tasks"),
        ([[1, 2]], None, "entries other than 0 and 1; 1 says that the worker is right"),
        ([[1, np.nan]], None, "entries other than 0 and 1"),
        ([[1, 0]], [1], r"true answers of shape \(1,\) are not one 0 or 1 for each of 2 tasks"),
        ([[1, 0]], [1, 2], "are not one 0 or 1 for each of 2 tasks"),
    ],
)
def test_what_is_no_table_is_refused(rows: Any, truths: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Recorded.of(rows, truths)


@pytest.mark.parametrize("real", [Field.of(1, [0.5, 0.5]), Recorded.of([[1], [0]])], ids=["field", "recorded"])
@pytest.mark.parametrize("jury", [[2], [-1], [0, 5]])
def test_workers_outside_the_table_are_refused(real: Realization, jury: list[int]) -> None:
    with pytest.raises(InvalidInput, match="the jury names a worker outside 0 to 1"):
        real.right(0, np.array(jury))


def test_tasks_outside_the_table_are_refused() -> None:
    for real, task in ((Recorded.of([[1]]), 1), (Recorded.of([[1]]), -1), (Field.of(1, [0.5]), -1)):
        with pytest.raises(InvalidInput, match=f"task {task} is not in the realization"):
            real.right(task, np.array([0]))


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5])
def test_a_seed_that_is_no_64_bit_number_is_refused(seed: Any) -> None:
    with pytest.raises(InvalidInput, match=r"not a whole number in \[0, 2\^64\)"):
        Field.of(seed, [0.5])


def test_tie_keys_look_at_the_seed_and_the_worker_alone() -> None:
    keys = tie_keys(3, 1000)
    assert keys.dtype == np.int64
    assert ((keys >= 0) & (keys < 2**48)).all()
    assert len(np.unique(keys)) == 1000
    assert np.array_equal(tie_keys(3, 10), keys[:10])
    assert not np.array_equal(tie_keys(4, 10), keys[:10])
