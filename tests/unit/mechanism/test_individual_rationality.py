"""A payment that is broken on purpose: who bids its cost and loses by it is found, made small, written and replayed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate.cli.main import run
from quorate.errors import InvalidInput
from quorate.mechanism import Allocation, Randomised, Sealed, Settlement, Threshold
from quorate.mechanism.audit import checks
from quorate.mechanism.audit import report as report_module
from quorate.mechanism.audit import search as search_module
from quorate.mechanism.audit.case_file import case_to_json, parse_case, replay_to_json
from quorate.mechanism.audit.replay import replay
from quorate.policy import Policy

# One worker, always asked, whose bid of 4 is the cap.
AT_THE_CAP: dict[str, Any] = {
    "bids": [4],
    "cap": 4,
    "target": 0.9,
    "realization": [[1, 1, 1]],
    "vary": 0,
    "grid": [4],
    "policy": "assured",
    "stopping": "head-count",
    "payment": "threshold",
    "cost": 4,
}


def break_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A millionth less for each task, by the payment and by the audit's kernel."""
    honest = Threshold.settle

    def short(payment: Threshold, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        settled = honest(payment, sealed, policy, allocation)
        lines = [tuple(replace(line, bonus=-1) for line in payout.lines) for payout in settled.payouts]
        payouts = zip(settled.payouts, lines, strict=True)
        return replace(settled, payouts=tuple(replace(payout, lines=less) for payout, less in payouts))

    monkeypatch.setattr(Threshold, "settle", short)
    monkeypatch.setitem(search_module.CHECKS, "threshold", checks.THRESHOLD_LESS_ONE)


def break_randomised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever should have a bonus loses a millionth by it."""
    honest = Randomised.settle

    def short(payment: Randomised, sealed: Sealed, policy: Policy, allocation: Allocation) -> Settlement:
        return honest(payment, replace(sealed, bonus=np.where(sealed.bonus > 0, -1, 0)), policy, allocation)

    monkeypatch.setattr(Randomised, "settle", short)
    monkeypatch.setattr(report_module, "COIN_DRAWS", 200)
    monkeypatch.setattr(report_module, "BID_DRAWS", 1_000)


def test_a_case_that_pays_below_the_bid_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    case = parse_case(json.dumps(AT_THE_CAP))
    assert replay(case).passed
    assert replay_to_json(case, replay(case))["paid_below_bid"] == []
    break_threshold(monkeypatch)
    replayed = replay(case)
    assert replayed.monotone
    assert replayed.best_lie is None
    assert not replayed.passed
    assert replay_to_json(case, replayed)["paid_below_bid"] == [4]


def test_a_case_says_so_to_people_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(AT_THE_CAP))
    assert run(["audit", "--case", str(path)]) == 0
    break_threshold(monkeypatch)
    assert run(["audit", "--case", str(path)]) == 1
    said = capsys.readouterr().out
    assert "Not individually rational: worker 0 asks 4 a task and is paid 11.999997 for 3 under threshold" in said


def test_a_loss_is_found_made_small_written_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    break_threshold(monkeypatch)
    search = ["audit", "--policy", "assured", "--payment", "threshold", "--instances", "60", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["below_cost"] > 0
    losses = [found for found in told["found"] if "paid_below_bid" in found]
    assert losses
    for found in losses:
        assert found["confirmed"]
        assert found["case"].endswith("-loss.json")
        assert len(json.loads(Path(found["case"]).read_text())["bids"]) == 1
        assert run(["audit", "--case", found["case"], "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["paid_below_bid"] == found["paid_below_bid"]
    monkeypatch.undo()
    assert all(run(["audit", "--case", found["case"], "--json"]) == 0 for found in losses)


def test_coins_that_pay_below_the_bid_are_found_made_small_written_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    break_randomised(monkeypatch)
    search = ["audit", "--policy", "assured", "--payment", "randomised", "--instances", "30", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["coins"]["paid_below_bid"] > 0
    (found,) = told["found"]
    assert found["confirmed"]
    assert found["case"].endswith("-0-coins.json")
    assert run(["audit", "--case", found["case"]]) == 1
    assert "under randomised with the coins" in capsys.readouterr().out
    monkeypatch.undo()
    assert run(["audit", "--case", found["case"]]) == 0
    assert "No bid of the grid is paid less than it asks under these coins." in capsys.readouterr().out


def test_given_coins_are_settled_and_nothing_is_averaged() -> None:
    """Under coins that resample it, a worker of cost 0 is paid the cap eight times over, and no lie is spoken of."""
    text = json.dumps({**AT_THE_CAP, "payment": "randomised", "stopping": "price-gap", "cost": 0, "grid": [0]})
    cases = [parse_case(text.replace('"cost"', f'"coins": {seed}, "cost"')) for seed in range(40)]
    pays = {replay_to_json(case, replay(case))["results"][0]["pay"] for case in cases}
    assert pays == {0, 3 * 4 * 8}
    told = replay_to_json(cases[0], replay(cases[0]))
    assert told["coins"] == 0
    assert "lie" not in told
    assert parse_case(case_to_json(cases[7])).coins == 7
    with pytest.raises(InvalidInput, match="no other tosses any"):
        parse_case(json.dumps({**AT_THE_CAP, "coins": 1}))


def test_an_identity_without_a_standard_error_is_null_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "COIN_DRAWS", 2)
    monkeypatch.setattr(report_module, "BID_DRAWS", 100)
    honest = report_module.sample_coins

    def always_off(*given: Any, **options: Any) -> Any:
        sampled = honest(*given, **options)
        return replace(sampled, identity=replace(sampled.identity, mean=1.0, error=0.0))

    monkeypatch.setattr(report_module, "sample_coins", always_off)
    search = ["audit", "--policy", "assured", "--payment", "randomised", "--instances", "30", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    coins = json.loads(capsys.readouterr().out)["coins"]
    assert (coins["largest_z"], coins["largest_z_in_world"]) == (None, 0)


def test_lies_that_gain_in_the_coins_drawn_are_looked_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the exact mean over the coins shows no gain, the draws and it contradict each other: that is said."""
    monkeypatch.setattr(report_module, "COIN_DRAWS", 2)
    monkeypatch.setattr(report_module, "BID_DRAWS", 100)
    honest = report_module.sample_coins

    def always_gains(*given: Any, **options: Any) -> Any:
        sampled = honest(*given, **options)
        return replace(sampled, gain=replace(sampled.gain, mean=1.0, error=0.0))

    monkeypatch.setattr(report_module, "sample_coins", always_gains)
    search = ["audit", "--policy", "assured", "--payment", "randomised", "--instances", "30", "--out", str(tmp_path)]
    assert run([*search, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["coins"]["lies_that_gain"] == 30
    assert [(found["world"], found["confirmed"]) for found in told["found"]] == [(0, False), (1, False), (2, False)]
    assert all("not confirmed by the plain policies" in found["text"] for found in told["found"])
