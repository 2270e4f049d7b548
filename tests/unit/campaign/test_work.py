"""Tasks, answers and truths of a running campaign: what is taken, and every explicit refusal."""

import json
from typing import Any

import pytest

from quorate.campaign import commands
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.views import Stage
from tests.campaigns import RANDOMISED, UNIT, Drive, exploiting, running, small


def code(item: object) -> str:
    return getattr(item, "code", "accepted")


def test_everybody_in_the_pool_is_asked_first() -> None:
    drive = running().post(3)
    assert drive.jury(0) == (0, 1, 2, 3)
    assert drive.state.open == (0,), "one task at a time is explored, as play does"


def test_more_tasks_are_explored_at_once_if_the_requester_wants() -> None:
    drive = running(settings=small(exploring_at_once=3)).post(5)
    assert drive.state.open == (0, 1, 2)


def test_tasks_posted_before_the_close_wait_for_it() -> None:
    drive = Drive().open().enrol([3, 5]).post(2)
    assert drive.state.open == ()
    drive.close_auction()
    assert drive.state.open == (0,)


def test_a_verdict_follows_the_last_answer_and_a_truth_lets_the_next_task_go() -> None:
    drive = running().post(2)
    items = drive.answer(0, {0: 1, 1: 1, 2: 0})
    assert [item.decided for item in items] == [False, False, False]
    assert drive.answer(0, {3: 1})[0].decided
    assert drive.state.tasks[0].verdict == 1
    assert drive.state.open == (), "the second task waits for the first one's truth"
    taken = drive.truth(0, 1)
    assert taken.right is True
    assert taken.used is True
    assert drive.state.open == (1,)
    assert drive.state.learned.right.tolist() == [1, 1, 0, 1]


def test_an_answer_earns_its_price_at_once() -> None:
    drive = running().post(1)
    assert drive.answer(0, {2: 1})[0].price == 20 * UNIT, "all four are in the pool, so the cap is paid"
    assert drive.state.workers[2].earned == 20 * UNIT
    assert drive.state.workers[0].earned == 0


def test_in_mode_r_an_answer_earns_the_bid_or_the_bid_and_the_bonus() -> None:
    drive = running(range(1, 12), small(payment=RANDOMISED)).post(1)
    sealed = drive.state.auction.sealed
    for item in drive.answer(0, dict.fromkeys(range(11), 1)):
        assert item.price == sealed.bids[item.worker] + sealed.bonus[item.worker]


@pytest.mark.parametrize(
    ("task", "worker", "label", "expected"),
    [
        ("t0", "w0", 1, "second-answer"),
        ("t0", "w0", 0, "second-answer"),
        ("t1", "w0", 1, "not-asked"),
        ("t9", "w0", 1, "unknown-task"),
        (99, "w0", 1, "unknown-task"),
        (-1, "w0", 1, "unknown-task"),
        ("t0", "stranger", 1, "unknown-worker"),
        ("t0", 17, 1, "unknown-worker"),
        ("t0", -1, 1, "unknown-worker"),
        ("t0", "w1", 2, "invalid"),
        ("t0", "w1", "yes", "invalid"),
        ("t0", "w4", 1, "not-asked"),
    ],
)
def test_refused_answers(task: object, worker: object, label: object, expected: str) -> None:
    drive = Drive().open().enrol([3, 5, 8, 13])
    drive.do(commands.EnrolWorker("w4"))
    drive.close_auction().post(2)
    drive.answer(0, {0: 1})
    before = drive.state
    given = commands.Answer(task, worker, label)  # type: ignore[arg-type]
    item = drive.do(commands.GiveAnswers((given,))).items[0]
    assert code(item) == expected
    assert len(item.message) > 30
    assert drive.state is before, "a refused answer changes nothing"


def test_one_refused_answer_leaves_the_others_of_its_batch_standing() -> None:
    drive = running().post(1)
    items = drive.answer(0, {0: 1, 1: 1})
    assert [code(item) for item in items] == ["accepted", "accepted"]
    batch = (commands.Answer(0, 1, 0), commands.Answer(0, 2, 1), commands.Answer(0, 2, 1))
    items = drive.do(commands.GiveAnswers(batch)).items
    assert [code(item) for item in items] == ["second-answer", "accepted", "second-answer"]
    assert drive.state.workers[2].answered == 1


def test_a_late_answer_is_refused_even_if_nobody_has_looked_at_the_clock() -> None:
    drive = running().post(1)
    drive.now = 1_001
    assert code(drive.answer(0, {0: 1})[0]) == "lease-expired"
    drive.now = 1_000
    assert code(drive.answer(0, {0: 1})[0]) == "accepted", "the deadline itself is in time"


def test_an_answer_after_the_end_is_refused() -> None:
    drive = running().post(1)
    drive.close(force=True)
    with pytest.raises(Refused) as caught:
        drive.answer(0, {0: 1})
    assert caught.value.code is Code.WRONG_STAGE
    assert drive.state.stage is Stage.CLOSED


def test_truths_that_contradict_or_repeat_are_refused() -> None:
    drive = running().post(2)
    assert code(drive.truth(0, 1)) == "accepted", "a truth may come before the answers"
    assert code(drive.truth(0, 0)) == "contradicting-truth"
    assert code(drive.truth(0, 1)) == "second-truth"
    assert code(drive.truth(7, 1)) == "unknown-task"
    drive.all_say(0, 0)
    assert drive.state.counts.wrong == 1
    assert code(drive.truth(0, 0)) == "contradicting-truth"


def test_gold_is_its_own_truth() -> None:
    drive = running().post(1, gold=1)
    assert code(drive.truth(0, 0)) == "contradicting-truth"
    assert code(drive.truth(0, 1)) == "second-truth"
    drive.all_say(0, 1)
    assert drive.state.tasks[0].source == "gold"
    assert drive.state.learned.round == 1


def test_truths_are_learned_in_the_order_of_tasks() -> None:
    drive = running(settings=small(exploring_at_once=3)).post(3)
    for task in range(3):
        drive.all_say(task, 1)
    drive.do(commands.RevealTruths((commands.Truth(2, 1), commands.Truth(0, 1), commands.Truth(1, 0))))
    told = [event.task for event in drive.events if event.kind == "truth revealed"]
    assert told == [0, 1, 2]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (commands.TaskSpec("t0"), "duplicate-task"),
        (commands.TaskSpec(""), "invalid"),
        (commands.TaskSpec("x", gold=3), "invalid"),
        (commands.TaskSpec("x", payload=float("nan")), "invalid"),
        (commands.TaskSpec("x", payload={"a": object()}), "invalid"),
        (commands.TaskSpec("1", payload={"any": ["json", 1, None]}), "accepted"),
    ],
)
def test_refused_tasks(spec: commands.TaskSpec, expected: str) -> None:
    drive = running().post(1)
    assert code(drive.do(commands.PostTasks((spec,))).items[0]) == expected


def test_no_more_tasks_than_the_horizon() -> None:
    drive = running(settings=small(horizon=2))
    items = drive.do(commands.PostTasks((commands.TaskSpec(), commands.TaskSpec(), commands.TaskSpec()))).items
    assert [code(item) for item in items] == ["accepted", "accepted", "horizon-reached"]


def test_a_payload_is_kept_as_json_and_not_shared() -> None:
    payload = {"text": "?", "choices": ("a", "b")}
    drive = running()
    drive.do(commands.PostTasks((commands.TaskSpec("x", payload),)))
    payload["text"] = "changed"
    assert drive.state.tasks[0].payload == {"text": "?", "choices": ["a", "b"]}


def test_once_certified_a_small_jury_is_asked_and_paid_its_threshold() -> None:
    drive = exploiting()
    drive.post(1)
    task = drive.state.open[0]
    jury = drive.jury(task)
    assert len(jury) < 4
    certified = drive.state.juries[drive.state.tasks[task].jury]
    assert certified.certified
    bids = drive.state.auction.sealed.bids
    for price, position in zip(certified.prices, certified.members, strict=True):
        assert bids[position] <= price <= 20 * UNIT
    assert "exploration ended" in drive.kinds()


def test_no_more_tasks_in_flight_than_allowed() -> None:
    drive = exploiting(settings=small(at_once=5))
    drive.post(20)
    assert len(drive.state.open) == 5
    drive.all_say(drive.state.open[0], 1)
    assert len(drive.state.open) == 5


def test_which_truths_are_asked_for_is_drawn_from_the_seed_alone() -> None:
    settings = small(truth_share=0.5)
    drawn = [
        [task.checked for task in Drive(settings).open(seed).enrol(bids).close_auction().post(200).state.tasks]
        for seed, bids in ((1, (3, 5)), (1, (9, 2, 4)), (2, (3, 5)))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert 60 < sum(drawn[0]) < 140


def nested(levels: int) -> Any:
    return json.loads("[" * levels + "]" * levels)


@pytest.mark.parametrize(
    ("payload", "taken"),
    [
        (nested(32), True),
        (nested(33), False),
        (nested(900), False),
        ({"a": nested(31)}, True),
        ({"a": nested(32)}, False),
        ("x" * (64 * 1024 - 2), True),
        ("x" * (64 * 1024 - 1), False),
        ("é" * 12_000, False),
    ],
)
def test_a_payload_is_neither_deep_nor_large(payload: Any, taken: bool) -> None:
    drive = running()
    (item,) = drive.do(commands.PostTasks((commands.TaskSpec("t", payload),))).items
    assert (code(item) == "accepted") is taken
    if not taken:
        assert code(item) == Code.INVALID
        assert len(drive.state.tasks) == 0


@pytest.mark.parametrize("payload", ["\ud83d", {"\ude00": 1}, [{"a": ["b", "c\ud83d"]}], "\ude00\ud83d"])
def test_half_a_character_is_refused_wherever_it_is(payload: Any) -> None:
    drive = running()
    items = drive.do(commands.PostTasks((commands.TaskSpec("a", payload), commands.TaskSpec("b", "whole")))).items
    assert items[0].code == Code.INVALID
    assert "task 'a' holds half of a character" in items[0].message
    assert "cut text between characters" in items[0].message
    assert items[1].key == "b"


@pytest.mark.parametrize("payload", ["\U0001f600", "\ud83d\ude00", "\\ud83d", "ü"])
def test_whole_characters_are_taken_however_they_are_escaped(payload: str) -> None:
    drive = running().post(1, payload=payload)
    assert drive.state.tasks[0].payload.encode()


def test_a_task_without_a_key_takes_the_next_number_that_is_free() -> None:
    drive = running()
    given = [commands.TaskSpec(key) for key in ("1", "2", "3", "5", None, None, "8", None)]
    posted = drive.do(commands.PostTasks(tuple(given))).items
    assert [item.key for item in posted] == ["1", "2", "3", "5", "4", "6", "8", "7"]
    again = drive.do(commands.PostTasks((commands.TaskSpec(),))).items
    assert again[0].key == "9"
