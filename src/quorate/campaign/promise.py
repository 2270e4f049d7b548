"""What things do to the promise, in words for the requester, at the moment they happen (MATHS 8).

The promise: with probability `confidence`, every covered verdict is right with probability at least `target`.
"""

from quorate.campaign.events import Note, PromiseNoted
from quorate.money import show


def words(noted: PromiseNoted, task: str | None, worker: str | None) -> str:
    """The note as sentences; `task` and `worker` are the names people know."""
    return _TEXTS[Note(noted.note)].format(task=task, worker=worker, **_shown(noted.facts))


def _shown(facts: dict[str, int]) -> dict[str, str]:
    return {name: show(value) if name.startswith("price") else str(value) for name, value in facts.items()}


_TEXTS: dict[Note, str] = {
    Note.ANSWERS_MISSING_COVERED: (
        "Task {task}: {missing} of its jury did not answer in time. The promise is kept: the {answered} who did are "
        "certified by themselves."
    ),
    Note.ANSWERS_MISSING_SHORT: (
        "Task {task}: {missing} of its jury did not answer in time, and the {answered} who did are not certified by "
        "themselves. The promise does not cover this verdict. Those who did not answer are not paid."
    ),
    Note.ANSWERS_MISSING_REPLACED: (
        "Task {task}: {missing} of its jury did not answer in time. {asked} more were asked instead, chosen by "
        "certified quality and not by price. The promise is kept if they answer; the verdict comes later."
    ),
    Note.NO_ANSWERS: (
        "Task {task}: none of the {missing} who were asked answered in time. There is no verdict, and nobody is paid."
    ),
    Note.TRUTH_OVERDUE: (
        "Task {task}: its truth did not come in time; exploration goes on without it ({awaited} other truths are "
        "awaited). The promise is kept and learning takes longer, as long as which truths are missing does not depend "
        "on the answers."
    ),
    Note.TRUTH_LATE_USED: (
        "Task {task}: its truth came late and is learned from. The promise is kept; exploration took longer than it "
        "had to."
    ),
    Note.TRUTH_LATE_UNUSED: (
        "Task {task}: its truth came after exploration had ended. It is recorded and not learned from: learning after "
        "exploring would break the proof that nobody gains by bidding anything but its cost. The promise is kept."
    ),
    Note.TRUTH_UNASKED: (
        "Task {task}: its truth was not asked for, so it is recorded and not learned from: truths picked after seeing "
        "answers would bias what is known of the workers. The promise is kept."
    ),
    Note.LEFT_OUTSIDE: "Worker {worker} has left, and had no part in this campaign's juries. The promise is kept.",
    Note.LEFT_EXPLORING: (
        "Worker {worker} has left while the campaign explores; {left} are left. The promise is kept if they are good "
        "enough together; the jury will be chosen among them."
    ),
    Note.LEFT_JURY: (
        "Worker {worker} has left the jury; a new one was chosen among the {left} who are left, on what was known when "
        "exploration ended. The promise is kept; a task now costs {price_after} instead of {price_before}."
    ),
    Note.LEFT_SPARE: (
        "Worker {worker} has left, and was not in the jury. The promise is kept; {left} are left to stand in for "
        "members."
    ),
    Note.NOBODY_CERTIFIED: (
        "Worker {worker} has left, and no jury of the {left} who are left is certified. No task is assigned any more, "
        "so that none is decided without cover. Close this campaign and open another with new workers."
    ),
    Note.HORIZON_EXPLORING: (
        "Task {task}, the last of the horizon, was assigned while still exploring, after {rounds} truths: everybody "
        "was asked for every task. The promise rests on everybody together; a longer horizon or a lower target would "
        "have let exploration end."
    ),
}
