"""`pick` from the outside: a few lines in a notebook, honest refusals, and what recorded matrices should give."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchmarks.recorded import absent, matrix
from quorate.certify import GoldMatrix, Pick, Search, Vote, make_search, pick, words
from quorate.certify.bounds import lower_bound
from quorate.certify.frontier import BEST
from quorate.errors import InvalidInput

FIELDS = {
    "feasible", "jury", "price", "certified_accuracy", "empirical_accuracy", "assumption", "considered", "tasks",
    "dropped_tasks", "best_single", "effective_votes", "best_certifiable", "more_gold_tasks",
}  # fmt: skip


def world(tasks: int = 400, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Labels [tasks, 5] and truth; the workers are right on about .95, .9, .85, .85, .6."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, tasks)
    right = random.random((tasks, 5)) < np.array([0.95, 0.9, 0.85, 0.85, 0.6])
    return np.where(right, truth[:, None], 1 - truth[:, None]), truth


def recorded(name: str, **options: object) -> Pick:
    folder = matrix(name)
    if folder is None:
        pytest.skip(absent(name))
    prices = folder / "costs.csv"
    return pick(
        folder / "labels.csv.gz",
        folder / "truth.csv",
        prices if prices.exists() else None,
        **options,  # type: ignore[arg-type]
    )


def test_arrays_polars_and_pandas_give_the_same_pick() -> None:
    labels, truth = world()
    names = list("abcde")
    prices = dict(zip(names, [10, 3, 2, 2, 1], strict=True))
    from_arrays = pick(labels, truth, prices, target=0.85, workers=names)
    tasks = [str(i) for i in range(len(truth))]
    wide = pl.DataFrame({"task": tasks, **{name: labels[:, i] for i, name in enumerate(names)}})
    gold = pl.DataFrame({"task": tasks, "truth": truth})
    from_polars = pick(wide, gold, prices, target=0.85)
    long = wide.unpivot(index="task", variable_name="worker", value_name="label")
    from_pandas = pick(
        pd.DataFrame(long.to_dict(as_series=False)), pd.DataFrame(gold.to_dict(as_series=False)), prices, target=0.85
    )
    assert from_arrays.to_dict() == from_polars.to_dict() == from_pandas.to_dict()
    assert from_arrays.feasible


def test_the_certificate_can_be_checked_by_hand() -> None:
    labels, truth = world()
    found = pick(labels, truth, target=0.85, max_size=3)
    assert found.chosen is not None
    members = [int(name) for name in found.jury]
    right = int(((labels[:, members] == truth[:, None]).sum(axis=1) * 2 > len(members)).sum())
    level = 0.05 / 2 / {1: 5, 3: 10}[len(members)]
    assert found.chosen.right == right
    assert found.certified_accuracy == pytest.approx(float(lower_bound(right, 400, level)), abs=1e-9)
    assert found.empirical_accuracy == right / 400
    assert found.price == len(members)


def test_numbers_of_numpy_are_numbers() -> None:
    labels, truth = world(100)
    plain = pick(labels, truth, target=0.75, confidence=0.5, max_size=3, seed=2)
    found = pick(
        labels,
        truth,
        target=np.float64(0.75),
        confidence=np.float32(0.5),
        max_size=np.int64(3),  # type: ignore[arg-type]
        min_answers=np.int32(1),  # type: ignore[arg-type]
        seed=np.uint64(2),  # type: ignore[arg-type]
    )
    assert found.to_dict() == plain.to_dict()
    json.dumps(found.to_dict())


def test_which_tasks_teach_does_not_depend_on_how_rows_are_sorted() -> None:
    labels, truth = world()
    tasks = [f"t{i}" for i in range(len(truth))]
    wide = pl.DataFrame({"task": tasks, **{str(i): labels[:, i] for i in range(5)}})
    gold = pl.DataFrame({"task": tasks, "truth": truth})
    found = [
        pick(rows, gold, target=0.85, vote="weighted")
        for rows in (wide, wide.sample(fraction=1.0, shuffle=True, seed=3))
    ]
    assert found[0].to_dict() == found[1].to_dict()
    first, second = (one.search.learned for one in found)
    assert first is not None
    assert second is not None
    assert first.certifying.rights.tolist() == second.certifying.rights.tolist()


def test_dearer_workers_are_bought_only_where_they_are_needed() -> None:
    labels, truth = world()
    frugal = pick(labels, truth, np.array([10.0, 3.0, 2.0, 2.0, 1.0]), target=0.8)
    rich = pick(labels, truth, np.array([1.0, 3.0, 2.0, 2.0, 1.0]), target=0.8)
    assert rich.jury == ("0",)
    assert "0" not in frugal.jury
    assert frugal.feasible


def test_the_json_has_its_fields_and_is_json() -> None:
    labels, truth = world(60)
    for target in (0.6, 0.99):
        value = pick(labels, truth, target=target).to_dict()
        assert set(value) >= FIELDS
        assert json.loads(json.dumps(value, allow_nan=False)) == value


def test_a_refusal_says_what_could_be_certified_and_what_it_would_take() -> None:
    labels, truth = world(60)
    refused = pick(labels, truth, target=0.97)
    value = refused.to_dict()
    assert (value["feasible"], value["jury"], value["price"], value["certified_accuracy"]) == (False, [], None, None)
    assert refused.best is not None
    best = refused.best.certified_accuracy
    assert 0.8 < best < 0.97
    # What it names can indeed be certified, and no more can.
    assert pick(labels, truth, target=best).feasible
    assert not pick(labels, truth, target=best + 1e-6).feasible
    assert refused.more_gold_tasks is not None
    copies = -(-(60 + refused.more_gold_tasks) // 60)
    assert pick(np.tile(labels, (copies, 1)), np.tile(truth, copies), target=0.97).feasible


def test_gold_cannot_help_where_nobody_was_right_often_enough() -> None:
    labels, truth = world(200)
    assert pick(labels[:, 4:], truth, target=0.9).more_gold_tasks is None


def test_too_few_common_tasks_are_an_honest_refusal() -> None:
    truth = np.ones(90)
    labels = np.full((90, 3), np.nan)
    for worker in range(3):
        labels[30 * worker : 30 * worker + 30, worker] = 1
    found = pick(labels, truth, target=0.95)
    assert not found.feasible
    assert found.best is not None
    assert len(found.best.jury) == 1
    assert found.best.tasks == 30
    assert found.to_dict()["missing_answers"] == 180


def test_nothing_at_all_can_be_certified_of_workers_who_are_never_right() -> None:
    found = pick(np.zeros((20, 2)), np.ones(20), target=0.6)
    assert (found.feasible, found.best, found.more_gold_tasks, found.effective_votes) == (False, None, None, None)
    assert found.best_single.certified_accuracy == 0.0


def test_independence_promises_more_and_says_so() -> None:
    labels, truth = world(100)
    nothing = pick(labels, truth, target=0.6).to_dict()
    independent = pick(labels, truth, target=0.6, assume="independent").to_dict()
    assert (nothing["assumption"], independent["assumption"]) == ("nothing", "independent")
    refused = pick(labels, truth, target=0.97, assume="independent")
    assert not refused.feasible
    assert refused.best is not None
    more = refused.more_gold_tasks
    assert more is not None
    copies = -(-(100 + more) // 100)
    assert pick(np.tile(labels, (copies, 1)), np.tile(truth, copies), target=0.97, assume="independent").feasible


@pytest.mark.parametrize("assume", ["nothing", "independent"])
def test_weighted_juries_come_with_their_weights(assume: str) -> None:
    random = np.random.default_rng(5)
    truth = random.integers(0, 2, 4000)
    right = random.random((4000, 4)) < np.array([0.9, 0.8, 0.8, 0.8])
    labels = np.where(right, truth[:, None], 1 - truth[:, None])
    # Ties to the heaviest make four worth more than any three.
    best = pick(labels, truth, target=0.99, assume=assume, max_size=4, vote="weighted").best
    assert best is not None
    assert (best.vote, len(best.jury)) == (Vote.WEIGHTED, 4)
    assert best.weights is not None
    assert max(best.weights) == best.weights[0]
    majority = max(
        ((labels[:, trio] == truth[:, None]).sum(axis=1) >= 2).mean() for trio in map(list, combinations(range(4), 3))
    )
    assert best.empirical_accuracy is not None
    assert best.empirical_accuracy > majority


def test_the_seed_decides_which_tasks_teach() -> None:
    labels, truth = world()
    searches = [pick(labels, truth, target=0.6, vote="weighted", seed=seed).search for seed in (1, 1, 2)]
    taught = [search.learned.certifying.answered.tobytes() for search in searches if search.learned]
    assert taught[0] == taught[1] != taught[2]
    learned = searches[0].learned
    assert learned is not None
    assert (learned.teaching, learned.certifying.tasks) == (100, 300)


BAD = {
    "target": ({"target": 0.5}, "target is 0.5; the accuracy to certify lies above 1/2"),
    "high target": ({"target": 1.0}, "target is 1.0"),
    "nan target": ({"target": float("nan")}, "target is nan"),
    "confidence": ({"confidence": 1.0}, "confidence is 1.0; it is a probability between 0 and 1"),
    "max_size": ({"max_size": 0}, "max_size is 0; a jury has at least 1 member"),
    "even max_size": ({"max_size": 4}, "a largest jury of 4 is not odd, .*: give max_size 3 or 5"),
    "assume": ({"assume": "hope"}, "assume is 'hope'; choose 'nothing' or 'independent'"),
    "vote": ({"vote": "x"}, "vote is 'x'; choose 'majority' or 'weighted'"),
    "seed": ({"seed": -1}, "seed -1 is not a whole number in "),
    "a fraction as seed": ({"seed": 1.5, "vote": "weighted"}, r"seed 1\.5 is not a whole number in "),
    "a target in quotes": ({"target": "0.9"}, "target is '0.9'; .*: give a number such as 0.9"),
    "a confidence in words": ({"confidence": "x"}, "confidence is 'x'; .*: give a number such as 0.9"),
    "a target that is true": ({"target": True}, "target is True; the accuracy to certify"),
    "a fraction of a member": ({"max_size": 3.5}, r"max_size is 3\.5; .*: give a whole number \(an int\)"),
    "a float as max_size": ({"max_size": 3.0}, r"max_size is 3\.0; .*: give a whole number \(an int\)"),
    "a fraction of an answer": ({"min_answers": 1.5}, r"min_answers is 1\.5; .*: give a whole number \(an int\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_questions(case: str) -> None:
    options, message = BAD[case]
    labels, truth = world(20)
    with pytest.raises(InvalidInput, match=message):
        pick(labels, truth, **options)  # type: ignore[arg-type]


def test_weights_make_even_juries_possible() -> None:
    labels, truth = world()
    assert max(group.size for group in pick(labels, truth, target=0.6, max_size=4, vote="weighted").search.groups) == 4


def test_missing_answers_are_said_as_the_assumption_treats_them() -> None:
    labels, truth = world()
    holes = labels.astype(float)
    holes[0, 0] = np.nan
    said = {
        assume: words.missing(pick(holes, truth, target=0.6, assume=assume)) for assume in ("nothing", "independent")
    }
    assert "judged on the gold tasks that all its members answered" in str(said["nothing"])
    assert "Each worker is judged on the gold tasks that it answered" in str(said["independent"])
    assert "members" not in str(said["independent"])


def test_a_hopeless_family_is_refused_before_it_is_searched() -> None:
    random = np.random.default_rng(1)
    labels, truth = random.integers(0, 2, (10, 3000)), random.integers(0, 2, 10)
    with pytest.raises(
        InvalidInput, match=r"3000 workers make .* juries of up to 5, .* none was searched; lower --max-size to 3, or"
    ):
        pick(labels, truth)


@pytest.mark.parametrize("max_size", [5, 7])
def test_a_refusal_with_larger_juries_does_not_search_sizes_that_cannot_be_the_best(max_size: int) -> None:
    # 10^11 juries of 7: before, each size was searched for its own best jury, though even a perfect one of 7 is
    # certified at less than what 3 reach.
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 60)
    labels = np.where(random.random((60, 130)) < 0.8, truth[:, None], 1 - truth[:, None])
    search = pick(labels, truth, target=0.95, max_size=max_size).search
    small = pick(labels, truth, target=0.95, max_size=3)
    assert small.best is not None
    assert len(search.best_by_group()) == len(search.groups)
    assert search.best_by_group()[-1] == ()
    best = search.frontier(BEST)[-1]
    assert len(best.members) == len(small.best.jury) == 3
    assert best.right == small.best.right


def who_was_right(pattern: list[float], vote: str = "weighted") -> Search:
    random = np.random.default_rng(0)
    right = random.random((len(pattern), 200)) < np.array(pattern)[:, None]
    return make_search(GoldMatrix.from_booleans(np.ones_like(right), right), vote=vote, max_size=5)


def test_levels_share_the_error_probability_in_a_way_that_does_not_look_at_who_was_right() -> None:
    searches = [who_was_right([0.9] * able + [0.3] * (6 - able)) for able in (6, 5, 4, 3)]
    for search in searches:
        # Five sizes: 1, 3 and 5 by majority, 4 and 5 by weight. A size that nobody can fill keeps its share.
        levels = {(group.size, group.vote): group.level * group.juries for group in search.groups}
        assert all(level == pytest.approx(0.05 / 5) for level in levels.values())
        assert sum(levels.values()) <= 0.05 * (1 + 1e-12)
    assert [len(search.groups) for search in searches] == [5, 5, 4, 3]
    majorities = [[group for group in search.groups if group.vote is Vote.MAJORITY] for search in searches]
    assert all(groups == majorities[0] for groups in majorities)


def test_more_gold_is_asked_of_the_whole_family_where_answers_are_missing() -> None:
    truth = np.arange(100) % 2
    labels = np.full((100, 2), np.nan)
    labels[:, 0] = truth
    labels[:10, 0] = 1 - truth[:10]
    labels[50:62, 1] = truth[50:62]
    found = pick(labels, truth, target=0.95)
    assert found.best is not None
    assert found.best.jury == ("0",), "right on 90 of 100, certified at the most today"
    # Worker 1 was right on 12 of 12; all right on n certify level ** (1/n) with level = .05 / 2 (two workers, one
    # size), and it answers 12 of 100 gold tasks.
    share = np.log(0.025) / np.log(0.95)
    assert found.more_gold_tasks == int(np.ceil(share * 100 / 12)) - 100
    assert words.more_gold(found) == (
        "About 500 more gold tasks, answered by the same workers as accurately as so far, would certify 95%."
    )


def test_a_refusal_that_gold_cannot_mend_says_why() -> None:
    labels, truth = world(100)
    found = pick(labels, truth, target=0.999)
    assert found.more_gold_tasks is None
    assert "no jury was right on more than 99.9% of the gold tasks there are." in str(words.more_gold(found))
    holes = labels.astype(float)
    holes[0, 0] = np.nan
    assert "of the gold tasks that all its members answered." in str(words.more_gold(pick(holes, truth, target=0.999)))
    assumed = pick(labels, truth, target=0.9999, assume="independent")
    assert "no jury computes to more than 99.99%" in str(words.more_gold(assumed))


def test_mvh_cue_conflict_has_a_certified_jury_at_95_percent() -> None:
    found = recorded("mvh_cue_conflict", target=0.95)
    assert found.feasible
    assert len(found.jury) <= 5
    assert found.certified_accuracy is not None
    assert found.certified_accuracy >= 0.95
    assert found.to_dict()["considered"] == 19 + 969 + 11_628


def test_llmbar_the_cheapest_jury_at_75_percent_is_not_the_most_accurate() -> None:
    found = recorded("llmbar", target=0.75)
    assert found.feasible
    assert found.certified_accuracy is not None
    assert found.certified_accuracy >= 0.75
    assert found.price is not None
    # Prices matter: the most accurate worker costs more than twice as much.
    assert found.price < 0.5 * found.best_single.price
    assert found.best_single.certified_accuracy > found.certified_accuracy


def test_llmbar_refuses_95_percent_and_names_the_best() -> None:
    found = recorded("llmbar", target=0.95)
    assert not found.feasible
    assert found.best is not None
    assert 0.8 < found.best.certified_accuracy < 0.83
    # Nobody was right that often, so gold alone cannot help; and nine judges are not nine votes.
    assert found.more_gold_tasks is None
    assert found.dependence.contradicted
    assert found.dependence.effective < 5


def test_llmbar_independence_would_promise_what_is_not_there() -> None:
    found = recorded("llmbar", target=0.9, assume="independent")
    assert found.chosen is not None
    assert found.chosen.empirical_accuracy is not None
    assert found.chosen.empirical_accuracy < 0.88
    assert found.dependence.contradicted
