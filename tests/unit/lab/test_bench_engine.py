"""The benchmark of the engine says which limit is met, by the sums, and its plain Python peer compiles nothing."""

import pytest

from benchmarks.bench_engine import LIMITS, PLAIN, PLAY, TRANSCRIPTION, Times, interpreted, ratios, report
from quorate.lab.figures.settings import Settings


def _found(transcription: float) -> dict[str, Times]:
    return {
        "ccb-s": Times(engine=[2.0, 4.0], transcription=[transcription, transcription], play=[100.0, 200.0]),
        "assured": Times(engine=[1.0, 1.0], play=[50.0, 50.0]),
    }


def test_each_peer_is_compared_with_the_engine_on_its_own_samples() -> None:
    by_policy = ratios(_found(transcription=60.0), {"ccb-s": 1800.0, "assured": 300.0})
    assert by_policy["ccb-s"][TRANSCRIPTION].times == 20.0
    assert by_policy["ccb-s"][PLAY].times == 50.0
    # The first sample alone: 2 ms of the engine, not the mean of 3.
    assert by_policy["ccb-s"][PLAIN].times == 900.0
    assert TRANSCRIPTION not in by_policy["assured"]


@pytest.mark.parametrize(
    ("transcription", "plain", "verdicts"),
    [(30.0, 600.0, ("met", "met")), (29.0, 600.0, ("NOT MET", "met")), (30.0, 590.0, ("met", "NOT MET"))],
)
def test_a_limit_that_is_not_met_is_said(
    transcription: float, plain: float, verdicts: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    met = report(ratios(_found(transcription), {"ccb-s": plain, "assured": 300.0}))
    said = [line for line in capsys.readouterr().out.splitlines() if ", limit " in line]
    assert [line.partition(":")[0] for line in said] == list(verdicts)
    assert [float(line.rpartition(" ")[2]) for line in said] == list(LIMITS.values())
    assert met == (verdicts == ("met", "met"))


def test_compiled_code_does_not_pass_for_plain_python() -> None:
    with pytest.raises(SystemExit, match="set NUMBA_DISABLE_JIT=1"):
        interpreted(Settings(samples=1, workers=11, tasks=5))
