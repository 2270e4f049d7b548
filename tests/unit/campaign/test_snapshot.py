"""A snapshot is the state: whatever the state, back from bytes it is the same and goes on the same."""

import pytest

from quorate.campaign import commands, snapshot
from quorate.campaign.settings import PolicyRule
from quorate.campaign.snapshot import fingerprint, from_bytes, to_bytes
from quorate.campaign.state import State, Task, evolve
from tests.campaigns import RANDOMISED, Drive, exploiting, running, small


def drives() -> list[Drive]:
    """Every stage, with something unusual in each."""
    left = exploiting((3, 5, 8, 13, 13)).post(3)
    left.do(commands.WithdrawWorker(0, "gone"))
    late = running(settings=small(truth_within=10)).post(2)
    late.all_say(0, 1)
    late.now = 100
    late.do(commands.TickDeadlines())
    replaced = exploiting((3, 5, 8, 13, 13)).post(1)
    replaced.now = 2_000
    replaced.do(commands.TickDeadlines())
    paid = running((3, 5), small(payment=RANDOMISED)).post(1, gold=1)
    paid.all_say(0, 1)
    first = paid.do(commands.OrderPayouts(1)).payouts[0]
    paid.do(commands.ConfirmPayout(first.payout, "bank"))
    paid.close()
    joint = running((3, 5, 8), small(policy=PolicyRule("assured-joint", pool=3, max_size=3))).post(2, gold=1)
    joint.all_say(0, 1)
    mixed = running().post(1, gold=1).post(1, payload={"a": [1, None, "é"]})
    return [Drive(), Drive().open().enrol([3]), left, late, replaced, paid, joint, mixed]


@pytest.mark.parametrize("drive", drives(), ids=lambda drive: f"{drive.state.stage}-{drive.state.seq}")
def test_a_state_comes_back(drive: Drive) -> None:
    again = from_bytes(to_bytes(drive.state))
    assert fingerprint(again) == fingerprint(drive.state)
    assert again.tasks == drive.state.tasks
    assert again.workers == drive.state.workers
    assert again.juries == drive.state.juries
    assert again.payouts == drive.state.payouts
    for worker in drive.state.workers:
        assert again.names.get(worker.name) == drive.state.names.get(worker.name)
    for number, task in enumerate(drive.state.tasks):
        assert again.keys.get(task.key) == number


def test_a_state_goes_on_as_it_would_have() -> None:
    drive = exploiting((3, 5, 8, 13, 13)).post(2)
    other = Drive()
    other.state, other.bids = from_bytes(to_bytes(drive.state)), drive.bids
    for each in (drive, other):
        each.do(commands.WithdrawWorker(0))
        each.post(2)
        each.all_say(each.state.open[0], 1)
    assert fingerprint(other.state) == fingerprint(drive.state)


def test_different_states_have_different_fingerprints() -> None:
    found = [fingerprint(drive.state) for drive in drives()]
    assert len(set(found)) == len(found)
    drive = running().post(1)
    before = fingerprint(drive.state)
    drive.answer(0, {0: 1})
    assert fingerprint(drive.state) != before


@pytest.mark.parametrize("tasks", [0, 1, 3, 4, 5, 9])
def test_any_number_of_tasks_in_lines(tasks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "TASKS_A_LINE", 4)
    drive = running().post(tasks) if tasks else running()
    assert from_bytes(to_bytes(drive.state)).tasks == drive.state.tasks


def test_equal_numbers_of_different_types_stay_apart() -> None:
    state = State("c1")
    for payload in (1, True, 1.0, 0, False, None):
        state = evolve(state, tasks=state.tasks.append(Task(f"t{len(state.tasks)}", payload, None, True)))
    again = from_bytes(to_bytes(state))
    assert [repr(task.payload) for task in again.tasks] == ["1", "True", "1.0", "0", "False", "None"]
