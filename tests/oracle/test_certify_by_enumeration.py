"""The exact search against trying every jury: random small matrices with ties and missing answers."""

from itertools import combinations

import numpy as np
import pytest

from quorate.certify.bounds import certified, fewest_right, fewest_tasks
from quorate.certify.frontier import BEST, EVERYTHING, Aim
from quorate.certify.matrix import GoldMatrix
from quorate.certify.more_gold import needed
from quorate.certify.search import Search
from quorate.certify.terms import Assume, Vote
from quorate.model.philox import tie_keys
from tests.oracle import naive_certify as naive

MATRICES = 1000
TARGETS = (0.51, 0.6, 0.7, 0.8, 0.9)


def drawn(seed: int) -> tuple[Search, list[naive.Juror]]:
    """A small search: few prices, so that exact ties are common; none, some or half of the answers missing."""
    random = np.random.default_rng(seed)
    workers, tasks = int(random.integers(1, 8)), int(random.integers(1, 45))
    right = random.random((workers, tasks)) < random.uniform(0.4, 1.0, (workers, 1))
    if workers > 2 and random.random() < 0.3:
        right[1] = right[0]
    answered = random.random((workers, tasks)) >= random.choice([0.0, 0.1, 0.5])
    prices = random.integers(0, random.choice([2, 4, 100]), workers)
    search = Search(
        gold=GoldMatrix.from_booleans(answered, right),
        prices=prices,
        keys=tie_keys(seed, workers),
        max_size=int(random.integers(1, 8)),
        confidence=float(random.choice([0.5, 0.9, 0.95])),
    )
    pool = [
        naive.Juror(int(price), int(key), tuple(bool(r) if a else None for r, a in zip(row, there, strict=True)))
        for price, key, row, there in zip(prices, search.keys, right, answered, strict=True)
    ]
    return search, pool


@pytest.fixture(params=["whole", "pruned"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small families are taken whole; large ones by thresholds, in parts and in buffers that fill up."""
    if request.param == "pruned":
        monkeypatch.setattr("quorate.certify.scan.BATCH", 0)
        monkeypatch.setattr("quorate.certify.scan.PART", 6)
        monkeypatch.setattr("quorate.certify.counting_scan.BATCH", 3)
        monkeypatch.setattr("quorate.certify.independent.BATCH", 3)
    return str(request.param)


@pytest.mark.usefixtures("path")
def test_the_search_finds_what_trying_every_jury_finds() -> None:
    feasible = 0
    for seed in range(MATRICES):
        search, pool = drawn(seed)
        juries = naive.majority_juries(pool, search.max_size, search.mu)
        assert search.considered == len(juries)

        target = TARGETS[seed % len(TARGETS)]
        aim = Aim(target=round(target * 10**9))
        found, wanted = aim.answer(search.frontier(aim)), naive.cheapest(juries, target)
        assert (found is None) == (wanted is None), seed
        if found is not None and wanted is not None:
            feasible += 1
            assert (found.price, found.members) == (wanted.price, wanted.members), seed
            assert (found.right, found.tasks) == (wanted.right, wanted.tasks), seed

        every = naive.frontier(juries)
        assert [(jury.price, jury.certified) for jury in search.frontier(EVERYTHING)] == every, seed
        best = search.frontier(BEST)
        assert [(jury.price, jury.certified) for jury in best[-1:]] == every[-1:], seed
    # Both answers must be common, or the comparison shows nothing.
    assert 200 < feasible < 900


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("vote", list(Vote))
def test_independent_juries(vote: Vote) -> None:
    feasible = 0
    for seed in range(200):
        drawn_search, pool = drawn(seed)
        search = Search(
            drawn_search.gold, drawn_search.prices, drawn_search.keys, drawn_search.max_size, drawn_search.confidence,
            assume=Assume.INDEPENDENT, vote=vote,
        )  # fmt: skip
        juries = naive.independent_juries(pool, search.max_size, search.mu, majority=vote is Vote.MAJORITY)
        assert search.considered == len(juries)
        target = TARGETS[seed % len(TARGETS)]
        aim = Aim(target=round(target * 10**9))
        found, wanted = aim.answer(search.frontier(aim)), naive.cheapest(juries, target)
        assert (found is None) == (wanted is None), seed
        if found is not None and wanted is not None:
            feasible += 1
            assert found.price == wanted.price, seed
            assert abs(found.certified - naive.billionths(wanted)) <= 1, seed
        every = naive.frontier(juries)
        best = search.frontier(BEST)[-1:]
        assert all(abs(jury.certified - value) <= 1 for jury, (_, value) in zip(best, every[-1:], strict=True)), seed
    assert 30 < feasible < 190


@pytest.mark.usefixtures("path")
def test_weighted_juries_on_the_tasks_that_did_not_teach() -> None:
    outvoted = 0
    for seed in range(200):
        drawn_search, pool = drawn(seed)
        search = Search(
            drawn_search.gold, drawn_search.prices, drawn_search.keys, drawn_search.max_size, drawn_search.confidence,
            vote=Vote.WEIGHTED, seed=seed,
        )  # fmt: skip
        learned = search.learned
        assert learned is not None
        kept = np.unpackbits(learned.certifying.answered.view(np.uint8), axis=1, bitorder="little")
        rest = [
            naive.Juror(j.price, j.key, tuple(ok if bit else None for ok, bit in zip(j.right, row, strict=False)))
            for j, row in zip(pool, kept, strict=True)
        ]
        juries = []
        for group in search.groups:
            able = range(len(pool)) if group.vote is Vote.MAJORITY else np.flatnonzero(learned.weight).tolist()
            for members in combinations(able, group.size):
                if group.vote is Vote.MAJORITY:
                    juries.append(naive.tried(pool, members, group.level))
                    continue
                weights, rank = (
                    [learned.weight.tolist()[i] for i in members],
                    [learned.rank.tolist()[i] for i in members],
                )
                juries.append(naive.tried(rest, members, group.level, weights, rank))
                outvoted += 2 * max(weights) > sum(weights) - max(weights)
        assert search.considered == len(juries)
        assert [(jury.price, jury.certified) for jury in search.frontier(EVERYTHING)] == naive.frontier(juries), seed
        target = TARGETS[seed % len(TARGETS)]
        aim = Aim(target=round(target * 10**9))
        found, wanted = aim.answer(search.frontier(aim)), naive.cheapest(juries, target)
        assert (found and found.members) == (wanted and wanted.members), seed
    assert outvoted > 100


@pytest.mark.usefixtures("path")
def test_more_gold_is_the_least_that_any_jury_of_the_family_needs() -> None:
    somebody = 0
    for seed in range(200):
        search, pool = drawn(seed)
        target = TARGETS[seed % len(TARGETS)]
        aim = Aim(target=round(target * 10**9))
        if aim.answer(search.frontier(aim)) is not None:
            continue
        gold = search.gold.tasks
        needs = []
        for group in search.groups:
            for members in combinations(range(len(pool)), group.size):
                right, tasks = naive.votes([pool[i] for i in members], [1.0] * group.size, list(range(group.size)))
                if right > target * tasks:
                    needs.append(fewest_tasks(right, tasks, group.level, round(target * 10**9), gold))
        wanted = min((need for need in needs if need is not None), default=None)
        assert needed(search, [target]) == [wanted], seed
        # Several targets at once do not disturb each other.
        assert needed(search, [0.99, target])[1] == wanted, seed
        somebody += wanted is not None
    assert somebody > 30


def test_clopper_pearson_is_where_the_binomial_tail_meets_the_level() -> None:
    random = np.random.default_rng(4)
    for _ in range(300):
        tasks = int(random.integers(1, 60))
        right, level = int(random.integers(0, tasks + 1)), float(10.0 ** -random.uniform(0.3, 9.0))
        exact = naive.lower_bound(right, tasks, level) * 10**9
        assert exact - 1.001 <= int(certified(right, tasks, level)) <= exact + 0.001


def test_fewest_right_is_the_exact_inverse() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        tasks, level = random.integers(0, 60, 10), float(10.0 ** -random.uniform(0.3, 9.0))
        target = int(random.integers(1, 10**9))
        for n, k in zip(tasks.tolist(), fewest_right(tasks, level, target).tolist(), strict=True):
            enough = [right for right in range(n + 1) if certified(right, n, level) >= target]
            assert k == (enough[0] if enough else n + 1)
