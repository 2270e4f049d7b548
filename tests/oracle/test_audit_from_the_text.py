"""The explicit cases of MATHS 6, and mode D, against programs written from the text alone."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quorate.mechanism import payment_named, play_and_pay
from quorate.mechanism.audit.case_file import load_case
from quorate.mechanism.audit.replay import replay
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, world_case
from quorate.model.realization import Recorded
from quorate.policy import Stopping
from tests.oracle.naive_audit import ccb_s_with_greedy, even_row, mode_d

EXAMPLES = Path(__file__).parents[2] / "examples"
SHARES = {
    "loser-raises.json": (Fraction(1), Fraction(55, 100), Fraction(7, 10)),
    "profitable-lie.json": (Fraction(65, 100), Fraction(7, 10), Fraction(1)),
}
STATED = {
    "loser-raises.json": {10: 48, 11: 200},
    "winner-lowers.json": {16: 300, 15: 201},
    "profitable-lie.json": {10: 189} | dict.fromkeys((12, 13, 14), 83) | dict.fromkeys(range(15, 21), 187),
}


@pytest.mark.parametrize("name", list(SHARES))
def test_the_rows_are_those_of_the_formula(name: str) -> None:
    given = json.loads((EXAMPLES / name).read_text())
    assert given["realization"] == [even_row(share, given["horizon"]) for share in SHARES[name]]


def test_the_rows_of_the_winner_who_lowers() -> None:
    given = json.loads((EXAMPLES / "winner-lowers.json").read_text())
    rows = [even_row(Fraction(7, 10), 300), [1] * 300, [1] * 100 + [0] * 200]
    assert given["realization"] == rows


@pytest.mark.parametrize("name", list(STATED))
def test_both_programs_give_the_counts_stated(name: str) -> None:
    case = load_case(EXAMPLES / name)
    for result in replay(case).results:
        bid = result.bid // 1_000_000
        bids = (case.bidding(result.bid) / 1_000_000).tolist()
        tasks, stop = ccb_s_with_greedy(bids, case.rows.astype(int).tolist(), float(case.requirement or 0))
        assert list(result.tasks) == tasks
        assert result.stop == stop
        assert result.tasks[case.vary] == STATED[name].get(bid, result.tasks[case.vary])


def test_mode_d_agrees_with_the_text() -> None:
    """Distinct bids and juries' prices, kappa = 0: what the naive program covers."""
    variant = Variant("assured", pool=True, stopping=Stopping.HEAD_COUNT, horizon=80, mu=0.5)
    audited = family(variant)
    compared = exploited = 0
    for number in range(400):
        case = world_case(audited, 21, number)
        if case.kappa or case.workers > 4:
            continue
        bids = [1_000_000 * bid for bid in (3, 5, 9, 17)[: case.workers]]
        order = np.argsort(case.bids, kind="stable")
        drawn = np.empty(case.workers, dtype=np.int64)
        drawn[order] = bids
        happened = play_and_pay(case.build(), payment_named("threshold"), Recorded.of(case.rows), drawn)
        tasks, pay = mode_d(
            drawn.tolist(),
            case.rows.astype(int).tolist(),
            float(case.requirement or 0),
            case.pool or case.workers,
            case.cap,
            0.5,
        )
        assert happened.play.counts.tolist() == tasks
        assert [payout.total for payout in happened.settlement.payouts] == pay
        compared += 1
        exploited += happened.play.stop is not None
    assert compared >= 30
    assert exploited >= 10
