"""The audit's kernels against `play` with the real policies and payments, to the bit, on thousands of runs."""

from dataclasses import replace

import numpy as np
import pytest

from quorate.mechanism import payment_named, play_and_pay
from quorate.mechanism.audit.checks import THRESHOLD, check_world
from quorate.mechanism.audit.replay import replay
from quorate.mechanism.audit.runs import rounds_of
from quorate.mechanism.audit.search import Question, search
from quorate.mechanism.audit.small_run import run_small, world_of
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, world_case
from quorate.model.realization import Recorded
from quorate.policy import Stopping

HEADS = Stopping.HEAD_COUNT
PAPER = [
    Variant(policy, selector, slack=slack, horizon=60, mu=0.9)
    for policy in ("ccb-s", "ccb-se", "ccb-ns")
    for selector in ("greedy", "exact")
    for slack in (False, True)
]
OURS = [
    Variant("assured", pool=pool, slack=slack, eliminates=eliminates, horizon=60, mu=0.9)
    for pool in (False, True)
    for slack in (False, True)
    for eliminates in (False, True)
]
HEAD_COUNTS = [Variant("assured", pool=pool, stopping=HEADS, horizon=60, mu=0.9) for pool in (False, True)]
OTHERS = [
    Variant("assured", pool=True, error="log-odds", interval="anytime", horizon=60, mu=0.9),
    Variant("assured-joint", pool=True, horizon=60, mu=0.9),
    Variant("assured-joint", pool=True, stopping=HEADS, horizon=60, mu=0.9),
]
ALL = [*PAPER, *OURS, *HEAD_COUNTS, *OTHERS]
WORLDS = 16
BIDS = (0, 7, 10, 11, 20)


@pytest.mark.parametrize("variant", ALL, ids=lambda variant: variant.name)
def test_every_decision_of_the_small_world_is_that_of_play(variant: Variant) -> None:
    audited = family(variant)
    stopped = 0
    for number in range(WORLDS):
        case = world_case(audited, 11, number).with_grid([bid * variant.unit for bid in BIDS])
        fast, slow = run_small(case, audited.scale), replay(case)
        for at, result in enumerate(slow.results):
            jury = int(fast.juries[at])
            assert tuple(fast.tasks[at].tolist()) == result.tasks
            assert (int(fast.explored[at]) + 1 if jury >= 0 else None) == result.stop
            if jury >= 0:
                stopped += 1
                assert tuple(i for i in range(case.workers) if jury >> i & 1) == result.jury
    assert stopped > 0, "no run ended exploration, so nothing was compared"


PAID = [
    Variant("ccb-s", "exact", horizon=60, mu=0.9),
    Variant("ccb-se", "greedy", horizon=60, mu=0.9),
    Variant("ccb-ns", "exact", horizon=60, mu=0.9),
    Variant("assured", pool=True, horizon=60, mu=0.9),
    *HEAD_COUNTS,
    OTHERS[-1],
]


@pytest.mark.parametrize("variant", PAID, ids=lambda variant: variant.name)
def test_the_gain_found_by_the_check_is_what_the_real_threshold_payment_pays(variant: Variant) -> None:
    audited = family(variant)
    payment = payment_named("threshold")
    gains = 0
    for number in range(12):
        case = world_case(audited, 12, number).with_grid([bid * variant.unit for bid in (3, 9, 16)])
        policy, realization = case.build(), Recorded.of(case.rows)
        earned = []
        for bid in case.grid.tolist():
            paid = play_and_pay(policy, payment, realization, case.bidding(bid), seed=case.seed)
            earned.append((paid.settlement.payouts[case.vary].total, int(paid.play.counts[case.vary])))
        best = max(
            (pay - cost * tasks) - (earned[at][0] - cost * earned[at][1])
            for at, cost in enumerate(case.grid.tolist())
            for pay, tasks in earned
        )
        out = np.empty(5)
        world = world_of(case)
        found = check_world(world, audited.scale, rounds_of(world, audited.scale), case.grid, THRESHOLD, 2, out)
        assert out[0] == best
        assert bool(found) == (best > 0)
        gains += best > 0
    truthful = variant.stopping is HEADS
    assert (gains == 0) == truthful


def test_the_named_worlds_are_the_ones_that_fail() -> None:
    """The search's worlds, made again alone in Python, fail one by one, and their neighbours do not."""
    question = Question(Variant("ccb-s", "greedy"))
    audited = family(question.variant)
    tally = search(question, 1_000)
    named = {violation.world for violation in tally.named}
    assert tally.violating == len(named)
    for number in range(1_000):
        tasks = run_small(world_case(audited, 1, number), audited.scale).tasks
        vary = world_case(audited, 1, number).vary
        assert bool((np.diff(tasks[:, vary]) > 0).any()) == (number in named)


def test_a_scale_serves_shorter_horizons_and_other_requirements() -> None:
    variant = OTHERS[0]
    audited = family(variant)
    case = world_case(audited, 4, 2)
    shorter = replace(case, rows=np.ascontiguousarray(case.rows[:, :37]))
    assert np.array_equal(run_small(shorter, audited.scale).tasks, run_small(shorter).tasks)
