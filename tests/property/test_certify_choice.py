"""What must hold of a pick whatever the data: bounds that bound, and a choice that prices cannot game (MATHS 6, 7)."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.certify.bounds import certified, fewest_right, lower_bound
from quorate.certify.frontier import EVERYTHING, Aim
from quorate.certify.matrix import GoldMatrix
from quorate.certify.search import Search
from quorate.certify.terms import Assume, Vote
from quorate.model.philox import tie_keys

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.floats(1e-12, 0.4)


@given(counts, levels)
def test_a_lower_bound_is_below_what_was_seen_and_grows_with_every_right_verdict(
    count: tuple[int, int], level: float
) -> None:
    right, tasks = count
    bound = float(lower_bound(right, tasks, level))
    assert 0.0 <= bound <= right / tasks
    assert int(certified(right, tasks, level)) <= int(certified(right + 1, tasks + 1, level))
    if right < tasks:
        assert int(certified(right, tasks, level)) <= int(certified(right + 1, tasks, level))
        assert int(certified(right, tasks, level)) >= int(certified(right, tasks + 1, level))


@given(st.integers(0, 300), levels, st.integers(1, 10**9))
def test_one_more_task_needs_at_most_one_more_right(tasks: int, level: float, target: int) -> None:
    # The search's bound on juries whose members lack answers rests on this.
    fewer, more = fewest_right([tasks, tasks + 1], level, target).tolist()
    assert fewer <= more <= fewer + 1


@st.composite
def searches(draw: st.DrawFn) -> Search:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    workers, tasks = draw(st.integers(2, 6)), draw(st.integers(5, 80))
    right = random.random((workers, tasks)) < random.uniform(0.5, 1.0, (workers, 1))
    answered = random.random((workers, tasks)) >= draw(st.sampled_from([0.0, 0.2]))
    return Search(
        GoldMatrix.from_booleans(answered, right), random.integers(1, 12, workers), tie_keys(1, workers), max_size=5,
        confidence=0.8, assume=draw(st.sampled_from(list(Assume))), vote=draw(st.sampled_from(list(Vote))),
    )  # fmt: skip


@settings(max_examples=60)
@given(searches(), st.data())
def test_the_choice_is_two_valued_in_every_price(search: Search, data: st.DataObject) -> None:
    """With the rest fixed, one jury with the worker below a threshold of its price, one without it above (MATHS 6)."""
    worker = data.draw(st.integers(0, len(search.gold) - 1))
    aim = Aim(target=data.draw(st.sampled_from([550_000_000, 650_000_000, 750_000_000])))
    juries = []
    for price in range(16):
        prices = search.prices.copy()
        prices[worker] = price
        found = aim.answer(replace(search, prices=prices).frontier(aim))
        juries.append(None if found is None else found.members)
    if None in juries:
        assert set(juries) == {None}
        return
    inside = [jury for jury in juries if jury is not None and worker in jury]
    outside = [jury for jury in juries if jury is not None and worker not in jury]
    assert juries == inside + outside
    assert len(set(inside)) <= 1
    assert len(set(outside)) <= 1


@settings(max_examples=60)
@given(searches(), st.randoms(use_true_random=False))
def test_the_order_of_tasks_and_workers_does_not_matter(search: Search, random: object) -> None:
    order = np.random.default_rng(random.getrandbits(32)).permutation(len(search.gold))  # type: ignore[attr-defined]
    gold = search.gold
    moved = replace(
        search,
        vote=Vote.MAJORITY,
        gold=GoldMatrix(gold.workers, gold.tasks, gold.answered[order], gold.right[order]),
        prices=search.prices[order],
        keys=search.keys[order],
    )
    here = replace(search, vote=Vote.MAJORITY).frontier(EVERYTHING)
    there = moved.frontier(EVERYTHING)
    assert [(j.price, j.certified) for j in here] == [(j.price, j.certified) for j in there]
    if search.assume is Assume.NOTHING:
        assert [j.members for j in here] == [tuple(sorted(order[list(j.members)].tolist())) for j in there]
