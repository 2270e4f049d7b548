"""Two services on one database, asked in turn: what one acknowledged, the other knows at the next request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web_api import Api, Run

TASKS = 3


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[Run, Run]]:
    """One campaign, drafted, as its requester reaches it through either."""
    with Api(tmp_path, alone=False) as first, Api(tmp_path, alone=False) as second:
        run = first.draft()
        yield run, Run(second, run.name, run.requester)


def test_every_other_request_goes_to_the_other(replicas: tuple[Run, Run]) -> None:
    first, second = replicas
    assert second.get("")["stage"] == "draft"
    first.open()
    second.enrol()
    first.workers = second.workers
    first.close_auction()
    assert second.get("")["stage"] == "running"
    first.tasks(TASKS)
    for number, token in enumerate(second.workers):
        answers = [{"task": f"t{at}", "label": 1} for at in range(TASKS)]
        run, other = (second, first) if number % 2 == 0 else (first, second)
        assert len(other.get("/workers/me/assignments", token)["items"]) == TASKS
        assert run.post("/answers", {"answers": answers}, token)["refused"] == 0
        assert other.get("/workers/me/assignments", token)["items"] == []
    assert first.post("/truths", {"truths": [{"task": f"t{at}", "truth": 1} for at in range(TASKS)]})["refused"] == 0
    assert second.get("")["decided"] == TASKS


def test_what_is_earned_is_ordered_and_confirmed_through_either(replicas: tuple[Run, Run]) -> None:
    first, second = replicas
    first.open().enrol().close_auction().tasks(1)
    assert second.get("/tasks/t0")["answers"] == {}
    first.post("/tasks/t0/answer", {"label": 1}, first.workers[0])
    for _ in range(2):
        response = second.ask("POST", "/payouts", headers={"Idempotency-Key": "pay"})
        assert [payout["worker"] for payout in response.json()["payouts"]] == [0]
    first.post(f"/payouts/{response.json()['payouts'][0]['payout']}/confirm", {"reference": "bank"})
    assert second.get("/statement")["confirmed"] != "0"
