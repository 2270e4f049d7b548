"""A live campaign makes `play`'s decisions on the same realization, to the bit, and pays as its settlement says."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quorate.campaign import commands
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService
from quorate.campaign.settings import PaymentRule, PolicyRule, Settings
from quorate.mechanism import Allocation
from quorate.model.realization import Field
from quorate.policy import play
from quorate.store import open_store, open_vault
from tests.campaigns import UNIT, Drive, answers_of_world, small

CASES = [
    (PolicyRule(kappa=Fraction(2)), PaymentRule("threshold"), 12, 0.9),
    (PolicyRule(kappa=Fraction(2), pool=5), PaymentRule("threshold"), 12, 0.8),
    (PolicyRule(kappa=Fraction(1, 2)), PaymentRule("randomised"), 12, 0.9),
    (PolicyRule(model="linear", kappa=Fraction(2), pool=30), PaymentRule("randomised", 3), 40, 0.7),
    (PolicyRule("assured-joint", pool=7, kappa=Fraction(2)), PaymentRule("randomised"), 9, 0.8),
    (PolicyRule("assured-joint", pool=7, kappa=Fraction(2)), PaymentRule("threshold"), 9, 0.8),
    (PolicyRule("ccb-s", selector="exact"), PaymentRule("randomised"), 30, 0.8),
    (PolicyRule("ccb-ns"), PaymentRule("pay-as-bid"), 30, 0.8),
    (PolicyRule("ccb-se"), PaymentRule("pay-as-bid"), 30, 0.8),
    (PolicyRule("epsilon-greedy"), PaymentRule("pay-as-bid"), 30, 0.8),
]
TASKS = 250


def world(workers: int) -> tuple[Field, list[int]]:
    generator = np.random.default_rng(workers)
    return Field.of(5, generator.uniform(0.75, 0.99, workers)), generator.integers(1, 20, workers).tolist()


@pytest.mark.parametrize(
    ("policy", "payment", "workers", "target"), CASES, ids=lambda case: getattr(case, "name", case)
)
@pytest.mark.parametrize("gold", [True, False])
def test_live_equals_play(policy: PolicyRule, payment: PaymentRule, workers: int, target: float, gold: bool) -> None:
    """Truths at once, either as gold or told after every verdict."""
    field, bids = world(workers)
    settings = small(target=target, horizon=TASKS, policy=policy, payment=payment, accept_untruthful=True)
    drive = Drive(settings).open().enrol(bids).close_auction()
    specs = tuple(commands.TaskSpec(gold=int(field.truth(task)) if gold else None) for task in range(TASKS))
    drive.do(commands.PostTasks(specs))
    for task in range(TASKS):
        assert drive.state.open[0] == task
        drive.answer(task, answers_of_world(drive, field, task))
        if not gold:
            drive.truth(task, int(field.truth(task)))
    rules, sealed = drive.state.rules, drive.state.auction.sealed
    played = play(rules.policy, field, sealed.seen, seed=drive.state.seed)
    for task, (jury, phase) in enumerate(zip(played.juries, played.phases, strict=True)):
        assert drive.jury(task) == tuple(jury.tolist())
        assert drive.state.juries[drive.state.tasks[task].jury].phase is phase
    right = [task.verdict == task.truth for task in drive.state.tasks]
    assert right == played.verdicts_right.tolist()
    assert drive.state.learned.to_json() == played.final.to_json(), "what is known, to the last bit"
    settlement = rules.payment.settle(sealed, rules.policy, Allocation.from_play(played))
    assert [worker.earned for worker in drive.state.workers] == [payout.total for payout in settlement.payouts]


def test_through_service_and_store_with_a_restart_in_the_middle(tmp_path: Path) -> None:
    field, bids = world(8)
    settings = Settings("live", 0.8, 0.9, 120, 20 * UNIT, policy=PolicyRule(kappa=Fraction(2)), exploring_at_once=1)
    url = f"sqlite:///{tmp_path / 'x.db'}"
    store = open_store(url)
    service = CampaignService(store, open_vault(url, bytes(32)))
    campaign = service.draft(settings)
    service.open(campaign)
    for number, bid in enumerate(bids):
        service.enrol(campaign, f"w{number}")
        service.bid(campaign, number, Bid(bid * UNIT))
    service.close_auction(campaign)
    service.post_tasks(campaign, [commands.TaskSpec(gold=int(field.truth(task))) for task in range(120)])
    for task in range(120):
        if task in (30, 90):
            service.close()
            store.close()
            store = open_store(url)
            service = CampaignService(store, open_vault(url, bytes(32)))
        jury = np.array(service.task(campaign, task).workers, dtype=np.int64)
        truth = field.truth(task)
        given = zip(jury.tolist(), field.right(task, jury).tolist(), strict=True)
        service.answers(campaign, [commands.Answer(task, worker, int(right == truth)) for worker, right in given])
    state = service.state(campaign)
    played = play(state.rules.policy, field, state.auction.sealed.seen, seed=state.seed)
    assert [service.task(campaign, task).workers for task in range(120)] == [
        tuple(jury.tolist()) for jury in played.juries
    ]
    assert state.learned.to_json() == played.final.to_json()
    service.close()
    store.close()


def test_more_tasks_at_once_overshoot_exploration_by_no_more_than_that() -> None:
    """MATHS 8: late truths lengthen exploration and change nothing else."""
    field, bids = world(8)
    stops = {}
    for at_once in (1, 4, 16):
        settings = small(target=0.8, horizon=400, policy=PolicyRule(kappa=Fraction(2)), exploring_at_once=at_once)
        drive = Drive(settings).open().enrol(bids).close_auction()
        drive.do(commands.PostTasks(tuple(commands.TaskSpec(gold=int(field.truth(task))) for task in range(400))))
        while drive.state.open:
            task = drive.state.open[0]
            drive.answer(task, answers_of_world(drive, field, task))
        stops[at_once] = (drive.state.learned.round, drive.state.counts.explored)
        assert drive.state.learned.asked[drive.state.learned.alive].max() == drive.state.learned.round
    assert len({rounds for rounds, _ in stops.values()}) == 1, "answered in order, the same truths are told"
    for at_once, (rounds, explored) in stops.items():
        assert rounds <= explored <= rounds + at_once - 1


def test_a_fraction_of_truths_lengthens_exploration_by_its_inverse() -> None:
    field, bids = world(8)
    rounds, explored = {}, {}
    for share in (1.0, 0.5):
        settings = small(target=0.8, horizon=1_000, policy=PolicyRule(kappa=Fraction(2)), truth_share=share)
        drive = Drive(settings).open().enrol(bids).close_auction()
        drive.do(commands.PostTasks((commands.TaskSpec(),) * 400))
        while drive.state.open:
            task = drive.state.open[0]
            drive.answer(task, answers_of_world(drive, field, task))
            if drive.state.tasks[task].checked:
                drive.truth(task, int(field.truth(task)))
        rounds[share], explored[share] = drive.state.learned.round, drive.state.counts.explored
        assert drive.state.ended
    assert explored[1.0] == rounds[1.0]
    assert 1.6 < explored[0.5] / rounds[0.5] < 2.5
