"""Late and missing truths and answers, and leavers: what is decided, and what the requester is told (MATHS 8)."""

from fractions import Fraction

import pytest

from quorate.campaign import commands, projection
from quorate.campaign.events import Note, PromiseNoted
from quorate.campaign.leaving import certified_error
from quorate.campaign.promise import words
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.settings import PolicyRule
from quorate.campaign.snapshot import from_bytes, to_bytes
from quorate.campaign.views import Keeping
from tests.campaigns import RANDOMISED, UNIT, Drive, exploiting, running, small

TICK = commands.TickDeadlines()


def late(drive: Drive, by: int = 1_001) -> Drive:
    drive.now += by
    drive.do(TICK)
    return drive


def test_nothing_happens_before_a_deadline() -> None:
    drive = running().post(1)
    drive.now = 1_000
    before = drive.state
    drive.do(TICK)
    assert drive.state is before


def test_missing_answers_while_exploring_leave_a_verdict_that_is_not_covered() -> None:
    drive = running().post(2)
    drive.answer(0, {0: 1, 1: 1, 2: 1})
    late(drive)
    task = drive.state.tasks[0]
    assert (task.verdict, task.basis) == (1, "short")
    assert drive.notes() == [Note.ANSWERS_MISSING_SHORT]
    assert drive.state.workers[3].missed == 1
    assert drive.state.workers[3].earned == 0
    assert projection.status(drive.state).keeping is Keeping.PARTLY


def test_only_those_who_answered_are_learned_from() -> None:
    drive = running().post(1)
    drive.answer(0, {0: 1, 1: 0})
    late(drive)
    drive.truth(0, 1)
    assert drive.state.learned.asked.tolist() == [1, 1, 0, 0]
    assert drive.state.learned.right.tolist() == [1, 0, 0, 0]


def test_a_task_that_nobody_answers_has_no_verdict() -> None:
    drive = running().post(2)
    late(drive)
    task = drive.state.tasks[0]
    assert task.decided
    assert task.verdict is None
    assert drive.notes() == [Note.NO_ANSWERS]
    drive.truth(0, 1)
    assert drive.state.learned.round == 0, "there is nothing to learn from"
    assert drive.state.counts.right + drive.state.counts.wrong == 0
    assert drive.state.open == (1,)


def test_missing_answers_of_a_jury_are_replaced_by_others_at_the_exploration_price() -> None:
    drive = exploiting((3, 5, 8, 13, 13, 13))
    drive.post(1)
    task = drive.state.open[0]
    jury = drive.jury(task)
    silent, *rest = jury
    drive.answer(task, dict.fromkeys(rest, 1))
    late(drive)
    assert drive.notes() == [Note.ANSWERS_MISSING_REPLACED]
    substitutes = drive.pending(task)
    assert substitutes
    assert not set(substitutes) & set(jury)
    earned = drive.state.workers[substitutes[0]].earned
    items = drive.all_say(task, 1)
    assert items[0].price == drive.state.auction.prices[substitutes[0]] == 20 * UNIT
    assert drive.state.workers[substitutes[0]].earned == earned + 20 * UNIT
    assert drive.state.tasks[task].basis == "certified"
    late_answer = drive.answer(task, {silent: 1})[0]
    assert late_answer.code == "lease-expired"


def test_substitutes_are_chosen_by_quality_and_not_by_bid() -> None:
    """Whoever is asked instead must not be able to buy the work with a lower bid."""

    def first_substitute(bids: tuple[int, ...]) -> tuple[int, ...]:
        drive = exploiting(bids)
        drive.post(1)
        task = drive.state.open[0]
        late(drive)
        return drive.pending(task)

    assert first_substitute((3, 5, 8, 13, 14, 15)) == first_substitute((3, 5, 8, 15, 14, 13))


def test_if_nobody_can_stand_in_the_verdict_is_not_covered() -> None:
    drive = exploiting((3, 5, 8))
    drive.post(1)
    task = drive.state.open[0]
    for _ in range(4):
        if drive.state.tasks[task].decided:
            break
        late(drive)
    assert drive.state.tasks[task].verdict is None
    assert Note.NO_ANSWERS in drive.notes()


def test_an_overdue_truth_frees_its_place_and_is_used_if_it_still_comes() -> None:
    drive = running(settings=small(truth_within=5_000)).post(3)
    drive.all_say(0, 1)
    assert drive.state.open == ()
    drive.now = 5_000
    drive.do(TICK)
    assert drive.state.open == (), "the truth may still come in time"
    drive.now = 5_001
    drive.do(TICK)
    assert drive.notes() == [Note.TRUTH_OVERDUE]
    assert drive.state.open == (1,)
    assert drive.truth(0, 1).used
    assert drive.notes() == [Note.TRUTH_OVERDUE, Note.TRUTH_LATE_USED]
    assert drive.state.learned.round == 1


def test_without_a_time_for_truths_exploration_waits() -> None:
    drive = running().post(2)
    drive.all_say(0, 1)
    late(drive, 10**12)
    assert drive.state.open == ()
    assert drive.notes() == []


def test_a_truth_after_exploration_is_recorded_and_not_learned_from() -> None:
    drive = running(settings=small(exploring_at_once=2, policy=PolicyRule(kappa=Fraction(100)))).post(1)
    drive.post(300, gold=1)
    drive.all_say(0, 1)
    while not drive.state.ended:
        drive.all_say(drive.state.open[0], 1)
    learned = drive.state.learned
    taken = drive.truth(0, 1)
    assert not taken.used
    assert drive.state.learned is learned
    assert drive.notes() == [Note.TRUTH_LATE_UNUSED]
    assert drive.state.tasks[0].truth == 1


def test_a_truth_that_was_not_asked_for_is_not_learned_from() -> None:
    drive = running(settings=small(truth_share=0.000001)).post(1)
    drive.all_say(0, 1)
    assert not drive.truth(0, 1).used
    assert drive.state.learned.round == 0
    assert drive.notes() == [Note.TRUTH_UNASKED]


def test_a_task_whose_truth_is_not_asked_for_holds_no_place_once_decided() -> None:
    drive = running(settings=small(truth_share=0.000001)).post(3)
    drive.all_say(0, 1)
    assert drive.state.open == (1,)


def test_leaving_while_exploring_ends_the_leases_and_goes_on_among_the_rest() -> None:
    drive = running().post(2)
    drive.answer(0, {0: 1, 1: 1, 2: 1})
    left = drive.do(commands.WithdrawWorker("w3", "no time"))
    assert left.leases_ended == 1
    assert drive.notes()[0] == Note.LEFT_EXPLORING
    assert drive.state.tasks[0].decided
    drive.truth(0, 1)
    assert drive.jury(1) == (0, 1, 2)
    items = drive.answer(0, {3: 1})
    assert items[0].code == "lease-expired"


def test_who_left_does_not_dominate_those_who_stay() -> None:
    """A cheap and surely good worker eliminates dearer ones; once it leaves they are needed again (MATHS 6 and 8)."""
    drive = running((1, 18, 19), small(payment=RANDOMISED, policy=PolicyRule(kappa=Fraction(1, 10**6))))
    drive.post(400, gold=1)
    while drive.state.learned.alive.all() and not drive.state.ended:
        task = drive.state.open[0]
        drive.answer(task, {worker: int(worker < 2 or task % 2) for worker in drive.pending(task)})
    assert not drive.state.ended
    gone = drive.do(commands.WithdrawWorker(0))
    assert gone.leases_ended == 1
    assert drive.state.learned.alive.tolist() == [False, True, True]


def test_leaving_the_jury_re_solves_on_what_was_known() -> None:
    drive = exploiting((3, 5, 8, 13, 13))
    drive.post(3)
    task = drive.state.open[0]
    member = drive.jury(task)[0]
    lower = drive.state.learned.lower.copy()
    drive.do(commands.WithdrawWorker(member))
    assert drive.notes()[0] == Note.LEFT_JURY
    drive.post(1)
    for open_task in drive.state.open:
        assert member not in drive.pending(open_task)
    others = [position for position in range(5) if position != member]
    assert drive.state.learned.lower[others].tolist() == lower[others].tolist(), "nothing is learned while exploiting"
    for open_task in list(drive.state.open):
        drive.all_say(open_task, 1)
    assert drive.state.counts.short == 0
    assert drive.state.juries[drive.state.current].certified


def test_leaving_without_being_in_the_jury_changes_nothing_for_tasks() -> None:
    drive = exploiting((3, 5, 8, 13, 13))
    drive.post(1)
    outside = max(set(range(5)) - set(drive.jury(drive.state.open[0])))
    jury = drive.jury(drive.state.open[0])
    drive.do(commands.WithdrawWorker(outside))
    assert drive.notes() == [Note.LEFT_SPARE]
    drive.post(1)
    assert drive.jury(drive.state.open[-1]) == jury


def test_if_no_certified_jury_is_left_tasks_wait_and_none_is_decided_without_cover() -> None:
    drive = exploiting((3, 5, 8))
    for worker in range(3):
        drive.do(commands.WithdrawWorker(worker))
    drive.post(2)
    assert drive.notes()[-1] == Note.NOBODY_CERTIFIED
    assert projection.status(drive.state).keeping is Keeping.STALLED
    assert drive.state.next_task < len(drive.state.tasks)


def test_who_is_outside_the_pool_leaves_without_a_trace_in_the_juries() -> None:
    drive = running((9, 3, 5), small(policy=PolicyRule(pool=2))).post(1)
    drive.do(commands.WithdrawWorker(0))
    assert drive.notes() == [Note.LEFT_OUTSIDE]
    assert drive.jury(0) == (1, 2)


def test_nobody_leaves_twice() -> None:
    drive = running()
    drive.do(commands.WithdrawWorker(0))
    with pytest.raises(Refused) as caught:
        drive.do(commands.WithdrawWorker("w0"))
    assert caught.value.code is Code.ALREADY_WITHDRAWN


def test_a_horizon_that_ends_while_exploring_is_said() -> None:
    drive = running(settings=small(horizon=2)).post(2, gold=1)
    drive.all_say(0, 1)
    assert drive.notes() == [Note.HORIZON_EXPLORING]


def test_a_truth_is_awaited_until_it_cannot_be_learned_from_any_more() -> None:
    drive = running(settings=small(truth_within=500)).post(3)
    for task in range(3):
        drive.all_say(task, 1)
        if task == 0:
            assert projection.awaited(drive.state) == [0]
            late(drive, 501)
            assert drive.state.counts.overdue == 1
    assert projection.awaited(drive.state) == [0, 1], "late, and it would be learned from all the same"
    drive.truth(0, 1)
    assert [projection.task(drive.state, task).awaited for task in range(3)] == [False, True, False]
    drive.close(force=True)
    assert projection.awaited(drive.state) == []
    assert not any(projection.task(exploiting().state, task).awaited for task in range(10))


def test_every_note_has_words_and_all_its_facts() -> None:
    facts = {
        "missing": 1,
        "answered": 2,
        "asked": 3,
        "awaited": 4,
        "left": 5,
        "rounds": 6,
        "price_before": 1_500_000,
        "price_after": 2_000_000,
    }
    for note in Note:
        text = words(PromiseNoted(note.value, 1, 2, facts), "question 7", "ada")
        assert "{" not in text
        assert "question 7" in text or "ada" in text
    moved = words(PromiseNoted(Note.LEFT_JURY.value, None, 2, facts), None, "ada")
    assert "2 instead of 1.5" in moved


def test_notes_carry_the_facts_their_words_need() -> None:
    for drive in (late(running().post(1)), late(exploiting((3, 5, 8, 13, 13)).post(1))):
        for event in drive.events:
            if isinstance(event, PromiseNoted):
                assert words(event, "t", "w")


def test_the_joint_policy_re_solves_and_replaces_too() -> None:
    settings = small(target=0.7, policy=PolicyRule("assured-joint", pool=6, max_size=3), payment=RANDOMISED)
    drive = exploiting((3, 5, 8, 13, 13, 13), settings)
    drive.post(2)
    task = drive.state.open[0]
    jury = drive.jury(task)
    late(drive)
    assert Note.ANSWERS_MISSING_REPLACED in drive.notes()
    drive.all_say(task, 1)
    assert drive.state.tasks[task].basis == "certified"
    drive.do(commands.WithdrawWorker(jury[0]))
    drive.post(1)
    assert jury[0] not in drive.pending(drive.state.open[-1])
    assert Note.LEFT_JURY in drive.notes()


def certified_while_exploring() -> tuple[Drive, list[int]]:
    """Exploring goes on, and a trio's vote decides already: everybody answers, its three votes count."""
    rule = PolicyRule("assured-joint", pool=5, max_size=3, kappa=Fraction(0))
    drive = running((1, 1, 1, 9, 9), small(target=0.8, policy=rule, payment=RANDOMISED))
    for task in range(400):
        weights = drive.state.learned.ask.weights
        if weights is not None:
            return drive, [worker for worker in range(5) if weights[worker]]
        # One of the first three is wrong every time, so that no worker is good enough alone.
        drive.post(1, gold=1).answer(task, {worker: int(worker != task % 5) for worker in range(5)})
    raise AssertionError("no jury was certified")


def test_who_leaves_a_jury_that_is_certified_already_takes_its_certificate_along() -> None:
    drive, trio = certified_while_exploring()
    assert len(trio) == 3
    drive.do(commands.WithdrawWorker(trio[0]))
    drive.post(1)
    task = drive.state.next_task - 1
    jury = drive.state.juries[drive.state.tasks[task].jury]
    voters = [member for member, weight in zip(jury.members, jury.weights or (), strict=False) if weight]
    assert trio[0] not in jury.members
    assert jury.certified == (len(voters) in (1, 3))
    drive.all_say(task, 1)
    assert drive.state.tasks[task].basis == ("certified" if jury.certified else "everybody")
    error = certified_error(drive.state.rules.policy, drive.state.learned, drive.state.learned.ask)
    assert (error is not None) == jury.certified


def test_asking_for_some_truths_only_is_said_from_the_opening_on() -> None:
    assert projection.status(Drive(small()).open().state).why == ()
    assert projection.status(Drive(small(truth_share=0.3)).state).why == ()
    (said,) = projection.status(Drive(small(truth_share=0.3)).open().state).why
    assert "for 30% of the tasks" in said
    assert "about 3.33 times as many tasks" in said


def test_from_the_first_gold_task_on_it_is_said_what_they_must_be_like() -> None:
    drive = running().post(1)
    assert projection.status(drive.state).why == ()
    drive.post(1, gold=1)
    (said,) = projection.status(drive.state).why
    assert "not picked for being easy or hard" in said
    assert projection.status(from_bytes(to_bytes(drive.state))).why == (said,)


def test_an_error_model_with_a_floor_says_what_it_takes_for_granted() -> None:
    """`linear` is proved only where everybody is right two thirds of the time."""
    policy = PolicyRule("assured", model="linear", kappa=Fraction(3))
    drive = exploiting((3,) * 9, small(target=0.6, policy=policy)).post(1)
    drive.all_say(drive.state.next_task - 1, 1)
    why = " ".join(projection.status(drive.state).why)
    assert "rests on every worker being right 66.7% of the time at least, as the settings assume" in why
    assert "as the settings assume" not in " ".join(projection.status(exploiting().post(1).state).why)
