"""A recorded matrix as a live stream: against `play`, by hand, and from files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from quorate.cli.main import run
from quorate.errors import InvalidInput
from quorate.lab import Recording, Replays, replay_labels
from quorate.lab.replay import Line, baselines, marks, most_accurate, orders, replay
from quorate.lab.replays import Choice, Row, replay_many
from quorate.lab.seeds import Seeds
from quorate.mechanism import Pairing, payment_named
from quorate.model import Problem
from quorate.model.realization import Recorded
from quorate.policy import play

UNIT = 1_000_000


def recording(*, workers: int = 8, tasks: int = 400, missing: float = 0.0, seed: int = 3) -> Recording:
    draws = np.random.Generator(np.random.Philox(seed))
    qualities = np.linspace(0.7, 0.95, workers)
    right = draws.random((workers, tasks)) < qualities[:, None]
    answered = draws.random((workers, tasks)) >= missing
    prices = np.arange(1, workers + 1, dtype=np.int64) * UNIT
    truths = draws.random(tasks) < 0.5
    return Recording(tuple(f"w{i}" for i in range(workers)), answered, right & answered, truths, prices)


@pytest.mark.parametrize("name", ["assured", "assured-joint", "ccb-s", "ccb-ns", "epsilon-greedy"])
def test_with_every_answer_there_it_is_play_on_the_recorded_realization(name: str) -> None:
    recorded = recording()
    payment = payment_named("threshold")
    problem = Problem(0.8, 0.9, recorded.tasks, 8 * UNIT)
    policy = Choice(name, max_size=3 if name == "assured-joint" else None).build(problem, payment, coins=1)
    order = next(orders(recorded, 5, 1))
    line = replay(recorded, policy, payment, order, seed=11).line
    world = Recorded.of(recorded.right[:, order], recorded.truths[order])
    played = play(policy, world, recorded.prices, seed=Seeds.of(11, 0).ties)
    assert line.spent == played.total
    assert line.right == int(played.verdicts_right.sum())
    assert line.tasks == recorded.tasks
    assert line.undecided == 0
    assert line.explored == sum(phase == "explore" for phase in played.phases)
    assert line.running[-1] == line.spent
    assert line.short == 0


def test_whoever_has_no_answer_is_not_paid_and_the_others_decide() -> None:
    recorded = recording(missing=0.4)
    payment = payment_named("pay-as-bid")
    policy = Choice("ccb-s").build(Problem(0.99, 0.9, recorded.tasks, 8 * UNIT), payment, coins=1)
    order = np.arange(recorded.tasks)
    line = replay(recorded, policy, payment, order, seed=1).line
    assert line.explored == recorded.tasks, "this promise is beyond them: everybody is asked to the end"
    assert line.spent == int((recorded.answered * recorded.prices[:, None]).sum()) == line.paid
    assert line.short == int((~recorded.answered.all(axis=0)).sum())


def test_everybody_by_majority_is_what_counting_gives() -> None:
    recorded = recording(missing=0.2)
    order = np.arange(recorded.tasks)
    lines = {line.name: line for line in baselines(recorded, order, explored=100, pool=np.arange(8), seed=1)}
    everybody = lines["everybody, majority"]
    ones = ((recorded.right == recorded.truths) & recorded.answered).sum(axis=0)
    verdicts = 2 * ones > recorded.answered.sum(axis=0)
    assert everybody.right == int((verdicts == recorded.truths).sum())
    assert lines["3 at random, majority"].spent < lines["5 at random, majority"].spent < everybody.spent
    best = lines["best single after exploring"]
    single = most_accurate(recorded, order[:100], np.arange(8))[0]
    explored, after = recorded.answered[:, :100], recorded.answered[single, 100:]
    assert best.undecided == int((~after).sum()) + int((~explored.any(axis=0)).sum())
    assert best.accuracy_after == int(recorded.right[single, 100:].sum()) / 300
    assert best.right_after == int(recorded.right[single, 100:].sum())


def test_a_verdict_on_a_task_that_nobody_answered_is_not_right_by_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever aggregates all answers at once gives every task some verdict."""
    recorded = recording(workers=2, missing=0.6)
    monkeypatch.setattr("quorate.lab.replay.dawid_skene", lambda answered, labels: recorded.truths)
    lines = baselines(recorded, np.arange(400), explored=100, pool=np.arange(2), seed=1)
    dawid_skene = next(line for line in lines if "Dawid-Skene" in line.name)
    answered = int(recorded.answered.any(axis=0).sum())
    assert (dawid_skene.right, dawid_skene.undecided) == (answered, 400 - answered)
    assert answered < 400


@pytest.mark.parametrize("payment", ["threshold", "randomised"])
def test_baselines_learn_from_the_very_workers_whom_the_policy_asked(payment: str) -> None:
    # Equal bids: the pool of one is drawn by the keys, or by what the payment's coins made of the bids.
    recorded = replace(recording(), prices=np.full(8, UNIT))
    rule = payment_named(payment)
    policy = Choice("assured", pool=1).build(Problem(0.6, 0.9, recorded.tasks, 2 * UNIT), rule, coins=1)
    found = replay_many(recorded, policy, rule, count=6, seed=2)
    rows = {row.name: row for row in found.rows}
    assert replace(rows["best single after exploring"], name="assured", paid=found.rows[0].paid) == found.rows[0]


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    recorded = recording()
    payment = payment_named("randomised")
    policy = Choice("assured", pool=6).build(Problem(0.8, 0.9, recorded.tasks, 8 * UNIT), payment, coins=1)
    first = replay_many(recorded, policy, payment, count=3, seed=1)
    assert first == replay_many(recorded, policy, payment, count=3, seed=1)
    assert first != replay_many(recorded, policy, payment, count=3, seed=2)
    assert first.pairing.truthful


LAST_SEED = 2**64 - 1


def test_the_largest_seeds_draw_orders_of_their_own() -> None:
    recorded = recording()
    drawn = [next(orders(recorded, seed, 1)).tolist() for seed in (LAST_SEED, LAST_SEED - 1, LAST_SEED - 2)]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]
    payment = payment_named("threshold")
    policy = Choice("assured", pool=6).build(Problem(0.8, 0.9, recorded.tasks, 8 * UNIT), payment, coins=1)
    assert replay_many(recorded, policy, payment, count=2, seed=LAST_SEED - 1).orders == 2


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (LAST_SEED, rf"seed {LAST_SEED} leaves no room for 2 orders, .* one of at most {LAST_SEED - 1}"),
        (LAST_SEED + 1, r"is not a whole number in \[0, 2\^64\)"),
        (-1, r"seed -1 is not a whole number in \[0, 2\^64\)"),
        (1.5, r"seed 1\.5 is not a whole number in \[0, 2\^64\)"),
    ],
)
def test_a_seed_that_cannot_be_used_is_refused(seed: int, message: str) -> None:
    wide, truth, prices = frames(recording())
    for policy in ("assured", "epsilon-greedy"):
        with pytest.raises(InvalidInput, match=message):
            replay_labels(wide, truth, prices, policy=policy, orders=2, seed=seed)


@pytest.mark.parametrize("count", [0, 2.5, "3"])
def test_a_number_of_orders_that_is_none_is_refused(count: int) -> None:
    wide, truth, prices = frames(recording())
    with pytest.raises(InvalidInput, match=r"orders is .*: give a whole number"):
        replay_labels(wide, truth, prices, orders=count)


def test_a_policy_that_plans_for_other_tasks_is_refused() -> None:
    recorded = recording()
    payment = payment_named("threshold")
    policy = Choice("assured").build(Problem(0.8, 0.9, 7, 8 * UNIT), payment, coins=1)
    with pytest.raises(InvalidInput, match="plans for 7 tasks and 400 are recorded"):
        replay(recorded, policy, payment, np.arange(400), seed=1)


def line(right: int, *, explored: int = 10, undecided: int = 0, costs: tuple[int, ...] = ()) -> Line:
    """One pass over 100 tasks, or over as many as there are costs."""
    running = costs or tuple(range(50))
    return Line("x", 2, None, len(costs) or 100, right, right, explored, undecided, undecided, running)


@pytest.mark.parametrize(
    ("reached", "count", "confidence", "kept"),
    # One standard error of a share of 20 at .95 is .0487, of 100 at .9 it is .03, of 1 at .95 it is .218.
    [(19, 20, 0.95, True), (18, 20, 0.95, False), (87, 100, 0.9, True), (86, 100, 0.9, False), (0, 1, 0.95, False)],
)
def test_kept_is_a_share_of_orders_held_against_the_confidence(
    reached: int, count: int, confidence: float, kept: bool
) -> None:
    lines = [line(95 if number < reached else 70) for number in range(count)]
    row = Row.of(lines, 0.9)
    assert row.kept == reached / count
    assert row.accuracy.median >= 0.9 or reached < count / 2, "the median alone would have called all these kept"
    found = Replays(Pairing("x", "y", True, ""), 0.9, confidence, 100, 3, 3, count, (row,), UNIT, UNIT, 0.0)
    assert found.kept is kept


def test_tasks_without_a_verdict_count_as_not_right() -> None:
    """Of a hundred tasks sixty were decided, all of them right: the promise was not kept on them."""
    row = Row.of([line(60, undecided=40)], 0.9)
    assert row.accuracy.median == 0.6
    assert row.kept == 0.0
    assert row.to_dict()["tasks_without_a_verdict"] == {"median": 40.0, "p10": 40.0, "p90": 40.0}


def test_a_sparse_recording_does_not_make_a_promise_kept() -> None:
    """A jury of one that answered a third of the tasks decides a third of them, however right it is."""
    recorded = recording(workers=4, tasks=1200, missing=0.65)
    recorded = replace(recorded, right=recorded.answered)
    rule = payment_named("threshold")
    policy = Choice("assured-joint", pool=4, max_size=1).build(Problem(0.8, 0.9, 1200, 4 * UNIT), rule, coins=1)
    found = replay_many(recorded, policy, rule, count=2, seed=1)
    first, rows = found.rows[0], {row.name: row for row in found.rows}
    assert first.explored.median < 1200, "it certified somebody, who was right on all that it answered"
    assert first.undecided.median > 400
    assert first.accuracy.median == 1.0 - first.undecided.median / 1200
    assert not found.kept
    assert rows["best single after exploring"].undecided.median > 400
    nobody = int((~recorded.answered.any(axis=0)).sum())
    assert rows["everybody, majority"].undecided.median == nobody


def test_orders_in_which_exploration_never_ended_are_counted() -> None:
    assert Row.of([line(95, explored=100), line(95, explored=99), line(95, explored=100)], 0.9).unfinished == 2


def test_the_running_cost_says_after_how_many_tasks_and_how_far_the_orders_spread() -> None:
    row = Row.of([line(2, costs=(1_000_000, 3_000_000)), line(2, costs=(2_000_000, 3_000_000))], 0.9)
    assert row.to_dict()["running_cost"] == [
        {"tasks": 1, "median": 1.5, "p10": pytest.approx(1.1), "p90": pytest.approx(1.9)},
        {"tasks": 2, "median": 3.0, "p10": 3.0, "p90": 3.0},
    ]
    assert marks(1280)[-1] == 1280
    assert len(marks(1280)) == 50
    assert marks(3) == (1, 2, 3)


def frames(recorded: Recording) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, float]]:
    """LABELS (wide), TRUTH and prices."""
    labels = np.where(recorded.answered, (recorded.right == recorded.truths).astype(float), np.nan)
    tasks = [f"t{i}" for i in range(recorded.tasks)]
    wide = pl.DataFrame({"task": tasks, **dict(zip(recorded.workers, labels, strict=True))})
    prices = dict(zip(recorded.workers, (recorded.prices / UNIT).tolist(), strict=True))
    return wide, pl.DataFrame({"task": tasks, "truth": recorded.truths.astype(int)}), prices


def test_polars_pandas_and_arrays_give_the_table_of_the_recording_itself() -> None:
    recorded = recording(missing=0.1)
    # Tasks are numbered as they are first answered: the first worker answers all.
    recorded.answered[0] = True
    rule = payment_named("threshold")
    policy = Choice("assured").build(Problem(0.8, 0.9, recorded.tasks, 8 * UNIT), rule, coins=1)
    expected = replay_many(recorded, policy, rule, count=2, seed=1)
    wide, truth, prices = frames(recorded)
    asked = {"target": 0.8, "confidence": 0.9, "orders": 2, "seed": 1}
    assert replay_labels(wide, truth, prices, **asked) == expected  # type: ignore[arg-type]
    panda = pd.DataFrame(wide.to_dict(as_series=False)), pd.DataFrame(truth.to_dict(as_series=False))
    assert replay_labels(*panda, prices, **asked) == expected  # type: ignore[arg-type]
    table = wide.drop("task").to_numpy()
    arrays = replay_labels(table, truth["truth"].to_numpy(), prices, workers=list(prices), **asked)  # type: ignore[arg-type]
    assert arrays == expected


def test_prices_finer_than_money_are_rounded_and_said_to_be() -> None:
    """Recorded costs of models often are: nobody chose them as prices."""
    wide, truth, prices = frames(recording())
    assert replay_labels(wide, truth, prices, orders=1).rounded_by == 0.0
    fine = replay_labels(wide, truth, {**prices, "w3": 0.0000125}, orders=1)
    whole = replay_labels(wide, truth, {**prices, "w3": 0.000013}, orders=1)
    assert fine == replace(whole, rounded_by=fine.rounded_by)
    assert fine.rounded_by == pytest.approx(0.04)


def test_a_price_is_not_rounded_to_nothing() -> None:
    wide, truth, prices = frames(recording())
    message = r"the price of worker 'w3', 0.0000004, is nothing to the nearest millionth .* smaller unit"
    with pytest.raises(InvalidInput, match=message):
        replay_labels(wide, truth, {**prices, "w3": 0.0000004})


def test_the_cap_is_fixed_beforehand_and_pays_whoever_has_nobody_outside_the_pool() -> None:
    """All eight explore, so no bid is outside the pool: each task of exploring pays the cap."""
    wide, truth, prices = frames(recording())
    asked = {"target": 0.999, "pool": 8, "orders": 1}
    plain = replay_labels(wide, truth, prices, **asked)  # type: ignore[arg-type]
    high = replay_labels(wide, truth, prices, cap="20", **asked)  # type: ignore[arg-type]
    assert (plain.to_dict()["cap"], high.to_dict()["cap"], high.to_dict()["highest_price"]) == (8.0, 20.0, 8.0)
    assert plain.rows[0].paid is not None
    assert high.rows[0].paid is not None
    assert plain.rows[0].paid.median == 400 * 8 * 8.0
    assert high.rows[0].paid.median == 400 * 8 * 20.0


@pytest.mark.parametrize(
    ("cap", "message"),
    [
        (7.9, r"--cap 7\.9 is below the highest price, 8 of worker 'w7'; give 8 or more, or leave it out"),
        ("much", "--cap 'much' is not a decimal number"),
    ],
)
def test_a_cap_that_somebody_exceeds_is_refused(cap: object, message: str) -> None:
    wide, truth, prices = frames(recording())
    with pytest.raises(InvalidInput, match=message):
        replay_labels(wide, truth, prices, cap=cap)


def test_people_are_told_what_truthful_means_where_the_cap_is_the_highest_price(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["replay", str(files / "labels.csv"), str(files / "truth.csv"), "--prices", str(files / "prices.csv")]
    base += ["--target", "0.8", "--orders", "1"]
    assert run(base) == 0
    assert "is 8, as much as the dearest worker asks: truthful for a cap of 8 fixed" in capsys.readouterr().out
    assert run([*base, "--payment", "pay-as-bid"]) == 0
    assert "is 8, as much as the dearest worker asks.\n" in capsys.readouterr().out
    assert run([*base, "--cap", "12.5"]) == 0
    assert "The cap, the highest bid allowed, is 12.5; the highest price is 8.\n" in capsys.readouterr().out


REFUSED = {
    "independence and ccb-s": (Choice, ("ccb-s", "nothing"), "--assume nothing does not go with ccb-s"),
    "joint and independence": (Choice, ("assured-joint", "independent"), "--assume independent does not go with"),
    "max-size and assured": (Choice, ("assured", None, None, 3), "--max-size 3 does not go with assured,"),
    "max-size, independent": (Choice, ("assured", "independent", None, 3), "--max-size 3 does not go with assured,"),
    "pool and ccb-ns": (Choice, ("ccb-ns", None, 5), "--pool 5 does not go with ccb-ns, in which everybody"),
    "slack and assured": (Choice, ("assured", None, None, None, 0.01), "--slack 0.01 does not go with assured"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_option_that_nothing_would_look_at_is_refused(case: str) -> None:
    kind, arguments, message = REFUSED[case]
    with pytest.raises(InvalidInput, match=message) as caught:
        kind(*arguments)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_options_that_go_together_are_taken() -> None:
    problem, rule = Problem(0.8, 0.9, 100, UNIT), payment_named("threshold")
    joint = Choice("assured", "nothing", 7, 3).build(problem, rule, coins=1)
    assert joint == Choice("assured-joint", None, 7, 3).build(problem, rule, coins=1)
    assert joint.name == "assured-joint"
    with pytest.raises(InvalidInput, match=r"a pool of 123 is too many to .*; take at most 64 \(--pool\)"):
        Choice("assured", "nothing", 123, 1).build(problem, rule, coins=1)
    with pytest.raises(InvalidInput, match="a largest jury of 4 is not odd"):
        Choice("assured-joint", max_size=4).build(problem, rule, coins=1)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    recorded = recording(missing=0.1)
    worker, task = np.nonzero(recorded.answered)
    labels = (recorded.right == recorded.truths)[worker, task].astype(int)
    pl.DataFrame({"task": task, "worker": [f"w{i}" for i in worker], "label": labels}).write_csv(
        tmp_path / "labels.csv"
    )
    pl.DataFrame({"task": np.arange(400), "truth": recorded.truths.astype(int)}).write_csv(tmp_path / "truth.csv")
    prices = {"worker": list(recorded.workers), "price": (recorded.prices / UNIT).tolist()}
    pl.DataFrame(prices).write_csv(tmp_path / "prices.csv")
    return tmp_path


def test_the_command_says_what_was_kept(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["replay", str(files / "labels.csv"), str(files / "truth.csv"), "--prices", str(files / "prices.csv")]
    assert run([*base, "--target", "0.8", "--orders", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kept"] is True
    assert found["truthful"] is True
    assert found["rows"][0]["name"] == "assured"
    assert found["rows"][0]["paid"]["median"] >= found["rows"][0]["spent"]["median"]
    assert run([*base, "--target", "0.8", "--orders", "2", "--assume", "nothing"]) == 0
    assert "assured-joint with threshold: truthful" in capsys.readouterr().out
    assert run([*base, "--target", "0.999", "--orders", "1", "--policy", "ccb-s", "--payment", "pay-as-bid"]) == 1
    out = capsys.readouterr().out
    assert "NOT truthful" in out
    assert "The promise was NOT kept: at least 0.999 of the tasks got a right verdict in 0 of 1 orders" in out
    assert "In 1 of 1 orders exploration never ended: 400 tasks did not show which jury of the 8" in out


def test_for_people_there_is_what_the_work_had_cost_on_the_way(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(files / "labels.csv"), str(files / "truth.csv"), "--target", "0.8", "--orders", "2"]) == 0
    out = capsys.readouterr().out
    assert "The promise was kept: at least 0.8 of the tasks got a right verdict in 2 of 2 orders" in out
    table = out[out.index("Cost of the work after so many tasks") :]
    assert table.splitlines()[2].split() == ["rule", "100", "200", "300", "400"]
    everybody = next(row.split() for row in table.splitlines() if "everybody" in row)
    costs = [float(cost.replace(",", "")) for cost in everybody[2:]]
    assert costs == sorted(costs)
    assert costs[-1] == pytest.approx(0.9 * 8 * 400, rel=0.02)


def test_people_are_told_of_tasks_without_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide, truth, _ = frames(recording(workers=4, tasks=1200, missing=0.65))
    wide.fill_nan(None).write_csv(tmp_path / "labels.csv")
    truth.write_csv(tmp_path / "truth.csv")
    files = [str(tmp_path / "labels.csv"), str(tmp_path / "truth.csv")]
    joint = ["--policy", "assured-joint", "--max-size", "1", "--target", "0.7", "--orders", "1"]
    assert run(["replay", *files, *joint]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "no verdict" in out
    assert "no recorded answer: the verdict rests on those who have one" in out
    assert "of them nobody has: no verdict, which counts as not right" in out
    assert "rest on the others" not in out


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [("--policy", "asured", "assured"), ("--payment", "vickrey", "threshold"), ("--assume", "all", "independent")],
)
def test_a_wrong_word_is_one_line(
    files: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, says: str
) -> None:
    assert run(["replay", str(files / "labels.csv"), str(files / "truth.csv"), option, value]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert value in lines[0]
    assert says in lines[0]
