"""A live campaign over the API decides as `play` does on the same realization, to the bit: juries, phases, verdicts."""

from typing import Any

import numpy as np
import pytest

from quorate.campaign.fold import rules_of
from quorate.model.realization import Field
from quorate.policy.base import Phase
from quorate.policy.play import play
from tests.web_api import Api, Run

QUALITIES = (0.97, 0.95, 0.93, 0.9, 0.75)
BIDS = ("3.1", "2.7", "4.9", "1.3", "0.9")
HORIZON = 160
PAY_AS_BID: dict[str, Any] = {"payment": {"name": "pay-as-bid"}, "accept_untruthful": True}
PAIRINGS: dict[str, dict[str, Any]] = {
    "assured, threshold": {"policy": {"name": "assured", "kappa": "3"}},
    "assured, randomised": {"policy": {"name": "assured", "kappa": "3"}, "payment": {"name": "randomised"}},
    "ccb-s exact, randomised": {
        "policy": {"name": "ccb-s", "selector": "exact"},
        "payment": {"name": "randomised"},
        "target": 0.75,
    },
    "ccb-ns exact, pay as bid": {**PAY_AS_BID, "policy": {"name": "ccb-ns", "selector": "exact"}, "target": 0.75},
    "ccb-se exact, pay as bid": {**PAY_AS_BID, "policy": {"name": "ccb-se", "selector": "exact"}, "target": 0.75},
    "epsilon-greedy, pay as bid": {**PAY_AS_BID, "policy": {"name": "epsilon-greedy", "selector": "exact"}},
    "assured-joint, randomised": {
        "policy": {"name": "assured-joint", "pool": 5, "kappa": "3"},
        "payment": {"name": "randomised"},
    },
}


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_the_same_decisions_to_the_bit(api: Api, pairing: str) -> None:
    settings = {"horizon": HORIZON, "target": 0.8, "cap": "5", "exploring_at_once": 1, **PAIRINGS[pairing]}
    run = api.draft(**settings).open().enrol(BIDS).close_auction().tasks(HORIZON)
    state = api.service.state(run.name)
    assert state.auction is not None
    assert state.auction.workers == tuple(range(len(BIDS)))
    world = Field.of(17, np.array(QUALITIES))
    played = play(rules_of(state).policy, world, state.auction.sealed.seen, seed=state.seed)
    lived = [live_one(run, world, task) for task in range(HORIZON)]
    assert [set(task["workers"]) for task in lived] == [set(jury.tolist()) for jury in played.juries]
    assert [task["phase"] for task in lived] == [phase.value for phase in played.phases]
    right = [task["verdict"] == task["truth"] for task in lived]
    assert right == played.verdicts_right.tolist()
    assert [worker["answered"] for worker in run.get("/workers")["items"]] == played.counts.tolist()
    if pairing.startswith("assured"):
        assert Phase.EXPLOIT in played.phases, "the campaign should learn enough, so that both phases are compared"


def live_one(run: Run, world: Field, task: int) -> dict[str, Any]:
    """Answer one task as the world says, tell its truth; what the API then shows of it."""
    jury = run.get(f"/tasks/t{task}")["workers"]
    truth = int(world.truth(task))
    right = world.right(task, np.array(jury, dtype=np.int64))
    answers = [
        {"task": task, "worker": worker, "label": truth if good else 1 - truth}
        for worker, good in zip(jury, right, strict=True)
    ]
    assert run.post("/answers", {"answers": answers})["refused"] == 0
    run.post("/truths", {"truths": [{"task": task, "truth": truth}]})
    found: dict[str, Any] = run.get(f"/tasks/t{task}")
    return found
