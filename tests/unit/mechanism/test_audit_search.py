"""The search counts alike however it is cut up, resumes, and says what it cannot do."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.mechanism.audit import report as report_module
from quorate.mechanism.audit.findings import investigate
from quorate.mechanism.audit.report import audit
from quorate.mechanism.audit.search import CHUNK, Question, code_of, forget, search
from quorate.mechanism.audit.shrink import even_row, shrink_rise
from quorate.mechanism.audit.small_run import run_small, world_of
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, full_grid, pack, unpack, world_case
from quorate.model.interval import HoeffdingInterval
from quorate.policy import Stopping

GREEDY = Question(Variant("ccb-s", "greedy"))
WORLDS = 3 * CHUNK + 500


def test_counts_do_not_depend_on_threads_or_on_where_the_range_is_cut() -> None:
    whole = search(GREEDY, WORLDS, threads=2)
    assert whole == search(GREEDY, WORLDS, threads=1)
    parts = search(GREEDY, 2_300).plus(search(GREEDY, WORLDS - 2_300, first=2_300))
    assert parts.violating == whole.violating > 0
    assert [found.world for found in parts.named] == [found.world for found in whole.named]


def test_a_search_resumes_after_a_kill(tmp_path: Path) -> None:
    log = tmp_path / "chunks.jsonl"
    whole = search(GREEDY, WORLDS, done=log)
    lines = log.read_text().splitlines(keepends=True)
    # Killed in the middle of writing its third line, after another question used the same file.
    other = search(Question(Variant("ccb-s", "exact")), CHUNK, done=tmp_path / "other")
    log.write_text((tmp_path / "other").read_text() + lines[0] + lines[1] + lines[2][: len(lines[2]) // 2])
    steps: list[int] = []
    assert search(GREEDY, WORLDS, done=log, advance=steps.append) == whole
    assert sum(steps) == WORLDS
    assert other.violating == 0
    # The line cut short was searched again; the two whole ones were not; and the third run has nothing to do.
    finished = log.read_text()
    assert [line.endswith("}") for line in finished.splitlines()] == [True, True, True, False, True, True]
    assert search(GREEDY, WORLDS, done=log) == whole
    assert log.read_text() == finished


@pytest.mark.parametrize("line", ["{}", "[]", "7", "\x00", '{"question": "QUESTION", "chunk": [0], "tally": {}}'])
def test_a_line_of_another_shape_is_passed_over(line: str, tmp_path: Path) -> None:
    log = tmp_path / "chunks.jsonl"
    log.write_text(line.replace("QUESTION", GREEDY.key.replace('"', '\\"')) + "\n")
    assert search(GREEDY, CHUNK, done=log) == search(GREEDY, CHUNK)
    assert len(log.read_text().splitlines()) == 2


def test_forgetting_one_question_leaves_the_others(tmp_path: Path) -> None:
    log = tmp_path / "chunks.jsonl"
    exact = Question(Variant("ccb-s", "exact"))
    search(exact, CHUNK, done=log)
    before = log.read_text()
    search(GREEDY, CHUNK, done=log)
    forget(GREEDY, log)
    assert log.read_text() == before
    forget(exact, log)
    assert log.read_text() == ""


def test_a_finished_search_is_only_read(tmp_path: Path) -> None:
    log = tmp_path / "chunks.jsonl"
    whole = search(GREEDY, CHUNK, done=log)
    entry = json.loads(log.read_text())
    entry["tally"]["violating"] = 12345
    log.write_text(json.dumps(entry) + "\n")
    assert search(GREEDY, CHUNK, done=log).violating == 12345 != whole.violating


def test_what_other_code_finished_is_searched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "chunks.jsonl"
    whole = search(GREEDY, CHUNK, done=log)
    entry = json.loads(log.read_text())
    entry["tally"]["violating"] = 12345
    log.write_text(json.dumps(entry | {"code": "that of another day"}) + "\n")
    assert search(GREEDY, CHUNK, done=log) == whole
    before = code_of(family(GREEDY.variant))
    assert before == code_of(family(GREEDY.variant)) != code_of(family(Variant("ccb-s", "exact")))
    # Code that is no kernel's shows in the tables.
    plain = HoeffdingInterval.bounds
    monkeypatch.setattr(HoeffdingInterval, "bounds", lambda self, *given: plain(self, *given[:2], 0.5, given[3]))
    assert code_of(family(GREEDY.variant)) != before
    assert search(GREEDY, CHUNK, done=log) != whole


def test_a_world_is_a_function_of_its_number() -> None:
    audited = family(GREEDY.variant)
    case = world_case(audited, 1, 77)
    again = world_case(family(GREEDY.variant), 1, 77)
    assert np.array_equal(case.rows, again.rows)
    assert np.array_equal(case.bids, again.bids)
    assert not np.array_equal(case.rows, world_case(audited, 2, 77).rows)
    workers = {world_case(audited, 1, number).workers for number in range(60)}
    assert workers == {3, 4, 5, 6}


def test_rows_survive_packing() -> None:
    rows = np.random.default_rng(0).random((4, 150)) < 0.5
    assert np.array_equal(unpack(pack(rows)[:4], 150), rows)


def test_a_rule_is_named_by_what_it_does_not_share_with_others() -> None:
    assert Variant("ccb-s", "greedy").name == "ccb-s, greedy, no slack"
    assert Variant("ccb-s", "greedy", error="linear").name == "ccb-s, greedy, no slack, linear/hoeffding"
    assert Variant("assured").name == "assured, price-gap, elimination, everybody, no slack, margin/hoeffding"
    assert Variant("assured-joint").name == "assured-joint, price-gap, everybody, no slack"


def test_every_bid_is_in_the_grid() -> None:
    assert full_grid(Variant("ccb-s", unit=1)).tolist() == list(range(21))


def test_shrinking_keeps_the_violation_and_simplifies() -> None:
    violation = search(GREEDY, WORLDS).named[0]
    original = world_case(family(GREEDY.variant), 1, violation.world)
    small = shrink_rise(original)
    tasks = run_small(small).tasks[:, small.vary]
    assert tasks[1] > tasks[0]
    assert len(small.grid) == 2
    assert small.workers <= original.workers
    assert small.horizon <= original.horizon
    assert shrink_rise(small) is not None
    assert run_small(shrink_rise(small)).tasks.tolist() == run_small(small).tasks.tolist()


def test_a_case_without_a_violation_is_left_alone() -> None:
    case = world_case(family(Variant("ccb-s", "exact")), 1, 0)
    assert shrink_rise(case) is case


@pytest.mark.parametrize(
    "question",
    [
        GREEDY,
        Question(Variant("ccb-s", "exact"), "threshold"),
        Question(Variant("assured", pool=True), "pay-as-bid"),
        Question(Variant("ccb-s", "greedy", unit=1), "randomised"),
    ],
    ids=lambda question: str(question.payment),
)
def test_what_is_found_is_confirmed_by_the_plain_policies(question: Question) -> None:
    finding = investigate(question, search(question, CHUNK).named[0])
    assert finding.confirmed
    assert "worker" in finding.text


def test_a_whole_report_of_a_truthful_pairing_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "COIN_DRAWS", 2_000)
    monkeypatch.setattr(report_module, "BID_DRAWS", 10_000)
    stages: dict[str, list[float]] = {}

    @contextmanager
    def watch(stage: str, total: float) -> Iterator[Callable[[float], None]]:
        stages[stage] = []
        yield stages[stage].append
        assert sum(stages[stage]) == total

    report = audit(Question(Variant("assured", pool=True, unit=1), "randomised"), 300, watch=watch)
    assert list(stages) == ["Searching worlds", "Drawing coins", "Settling random bids"]
    assert report.passed
    assert report.pairing is not None
    assert report.pairing.truthful
    assert report.coins is not None
    assert len(report.coins.sampled) == 100
    assert report.coins.below.count == 0
    low, high = report.coins.interval(report.coins.best_lie)
    assert low <= 0.0 <= report.coins.best_lie.mean <= high


def test_a_report_on_a_lie_fails_and_shows_it() -> None:
    report = audit(Question(Variant("assured", pool=True, stopping=Stopping.PRICE_GAP), "threshold"), 200)
    assert not report.passed
    assert report.pairing is not None
    assert not report.pairing.truthful
    assert all(finding.confirmed for finding in report.findings)


def test_even_rows_are_the_papers_exact_arithmetic() -> None:
    row = even_row(Fraction(55, 100), 200)
    assert row.sum() == 110
    assert [int(right) for right in row[:9]] == [0, 1, 0, 1, 0, 1, 0, 1, 0]


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no small worlds exist for 'epsilon-greedy'"):
        Variant("epsilon-greedy", "greedy")
    with pytest.raises(InvalidInput, match="elimination is an option of 'assured' alone"):
        Variant("ccb-s", "greedy", eliminates=False)
    with pytest.raises(
        InvalidInput, match=r"no check exists for the payment 'vcg'; there are randomised, threshold, pay-as-bid$"
    ):
        Question(Variant("ccb-s"), "vcg")
    with pytest.raises(InvalidInput, match="use unit=1"):
        Question(Variant("ccb-s"), "randomised")
    with pytest.raises(InvalidInput, match="ask for at least one"):
        search(GREEDY, 0)
    big = world_case(family(GREEDY.variant), 1, 0)
    rows = np.zeros((7, 150), dtype=np.bool_)
    with pytest.raises(InvalidInput, match="replay the case plainly"):
        world_of(replace(big, bids=np.zeros(7, dtype=np.int64), rows=rows, vary=0))
