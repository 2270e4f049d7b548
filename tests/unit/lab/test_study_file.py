"""A study file is read as meant, and every wrong one gets one line: the key, the value, what is allowed."""

from pathlib import Path

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.lab.policies import POLICY_KINDS, AssuredPolicy
from quorate.lab.study import Study
from quorate.lab.study_file import parse_study, read_study
from quorate.lab.world import WORLDS, Correlated, Paper, Record, RecordedWorld
from quorate.money import MILLIONTHS

WORLD = '[[world]]\nkind = "paper"\n'
POLICY = '[[policy]]\nname = "ccb-s"\n'
SMALL = WORLD + POLICY
EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.toml"))


def test_defaults_are_the_papers() -> None:
    study = parse_study(SMALL)
    assert study.worlds == (Paper(1100),)
    assert study.promises[0].horizon == 10_000
    assert study.policies[0].build(study.promises[0].problem(20 * MILLIONTHS), 0).pessimistic.model.name == "linear"
    assert (study.samples, study.seed) == (100, 1)


def test_every_list_is_a_grid_and_the_last_key_runs_fastest() -> None:
    study = parse_study(
        """
        samples = 7
        chunk = 3
        [problem]
        horizon = [10, 20]
        slack = 0.05
        [[world]]
        kind = "correlated"
        correlation = [0, 0.5]
        lowest_price = 0.25
        workers = [5, 6]
        [[policy]]
        name = ["ccb-s", "ccb-se"]
        selector = "greedy"
        [[policy]]
        name = "assured"
        kappa = [0.25, 1]
        """
    )
    assert [(world.workers, world.correlation) for world in study.worlds if isinstance(world, Correlated)] == [
        (5, 0.0),
        (5, 0.5),
        (6, 0.0),
        (6, 0.5),
    ]
    assert [policy.name for policy in study.policies] == ["ccb-s", "ccb-se", "assured", "assured"]
    assert study.worlds[0].lowest_price == 250_000  # type: ignore[attr-defined]
    assert study.points == 4 * 2 * 4
    cells = list(study.cells())
    assert [(cell.first, cell.last) for cell in cells[:3]] == [(0, 3), (3, 6), (6, 7)]
    assert sum(cell.samples for cell in cells) == study.rows == 7 * 32
    assert sorted(cell.key for cell in cells) == [cell.key for cell in cells]


def test_the_digest_is_of_what_decides_the_numbers() -> None:
    plain = parse_study(SMALL)
    assert plain.digest == parse_study("# a comment\nseed = 1\n" + SMALL).digest
    others = [
        "seed = 2\n" + SMALL,
        "samples = 99\n" + SMALL,
        'payments = ["pay-as-bid"]\n' + SMALL,
        SMALL + 'interval = "anytime"\n',
        "[problem]\ntarget = 0.8\n" + SMALL,
    ]
    assert len({plain.digest, *(parse_study(text).digest for text in others)}) == 6
    assert parse_study(SMALL, seed=9).seed == 9


WRONG = {
    "samplez = 5\n" + SMALL: "samplez = 5: there is no such key (did you mean 'samples'?); give one of samples, seed,",
    "samples = 0\n" + SMALL: "samples = 0 is not allowed; give a whole number from 1 to 10000000",
    'samples = "many"\n' + SMALL: "samples = 'many' is not allowed; give a whole number from 1 to 10000000",
    "seed = -1\n" + SMALL: "seed = -1 is not allowed; give a whole number from 0 to",
    "chunk = 0.5\n" + SMALL: "chunk = 0.5 is not allowed; give a whole number of at least 1",
    'payments = "threshold"\n' + SMALL: "payments = 'threshold' is not allowed; give a list with any of randomised,",
    'payments = ["treshold"]\n' + SMALL: (
        "payments = 'treshold' is not allowed (did you mean 'threshold'?); give one of randomised, thres"
    ),
    "problem = 3\n" + SMALL: "problem = 3 is not allowed; give a table of keys and values",
    "[problem]\ntraget = 0.9\n" + SMALL: "problem.traget = 0.9: there is no such key (did you mean 'target'?);",
    "[problem]\ntarget = 1\n" + SMALL: "problem.target 1.0 is not above 1/2 and below 1",
    "[problem]\ntarget = 0.9\nslack = [0.05, 0.2]\n" + SMALL: "problem.slack 0.2 is not in [0, 0.1)",
    "[problem]\nhorizon = 0\n" + SMALL: "problem.horizon = 0 is not allowed; give a whole number from 1 to 10000000",
    "[problem]\ncap = -3\n" + SMALL: "problem.cap = -3 is not allowed (price -3 is negative",
    "[problem]\ncap = [25, 15]\n" + SMALL: (
        "problem.cap = 15 is not allowed: prices in world[1] (paper) go up to 20; give at least that, or leave cap out"
    ),
    POLICY: "world is missing; write at least one [[world]]",
    WORLD: "policy is missing; write at least one [[policy]]",
    '[world]\nkind = "paper"\n' + POLICY: "world is a single table; write [[world]], once for each world",
    "world = 3\n" + POLICY: "world is 3; write [[world]], once for each world",
    "world = [3]\n" + POLICY: "world[1] = 3 is not allowed; give a table of keys and values",
    "[[world]]\nworkers = 5\n"
    + POLICY: "world[1].kind is missing; give one of paper, correlated, spammers, stars, beta,",
    '[[world]]\nkind = "papers"\n' + POLICY: (
        "world[1].kind = 'papers' is not allowed (did you mean 'paper'?); give one of paper, correlated,"
    ),
    WORLD
    + "worker = 3\n"
    + POLICY: "world[1].worker = 3: there is no such key (did you mean 'workers'?); give one of workers",
    WORLD
    + "workers = []\n"
    + POLICY: "world[1].workers = [] is not allowed; give a whole number from 2 to 1000000, or a list",
    WORLD + "workers = [11, 11]\n" + POLICY: (
        "world[1].workers = [11, 11] is not allowed: it names 11 twice; name each value once"
    ),
    WORLD + '[[world]]\nkind = "stars"\nstars = 300\n' + POLICY: "world[2].stars = 300 is above workers = 200",
    '[[world]]\nkind = "beta"\nlowest_price = 30\n' + POLICY: "world[1].lowest_price = 30 is above highest_price = 20",
    WORLD
    + '[[policy]]\nname = "asured"\n': "policy[1].name = 'asured' is not allowed (did you mean 'assured'?); give on",
    SMALL + "pool = 60\n": "policy[1].pool = 60: there is no such key; give one of model, selector, interval",
    SMALL + 'model = "quadratic"\n': "policy[1].model = 'quadratic' is not allowed; give one of likelihood, hoeffding,",
    WORLD + '[[policy]]\nname = "assured"\nmodel = "majority"\n': (
        "policy[1].name = 'assured' with model = 'majority', pool = 60, kappa = 0.25, stopping = 'price-gap': "
        "the error model 'majority' is not additive"
    ),
    '[[world]]\nkind = "recorded"\n' + POLICY: "world[1].kind = 'recorded' needs a reader of label files",
    "samples = = 5\n": "it is not TOML: ",
    f"seed = {2**64}\n" + SMALL: f"seed = {2**64} is not allowed; give a whole number from 0 to {2**64 - 1}",
    "samples = true\n" + SMALL: "samples = true is not allowed; give a whole number from 1 to 10000000",
    "chunk = 2020-01-01\n" + SMALL: "chunk = 2020-01-01 is not allowed; give a whole number of at least 1",
    "problem = [true, {a = 1}]\n" + SMALL: "problem = [true, { a = 1 }] is not allowed; give a table of keys",
    "[problem]\nhorizon = 99999999999999999999\n" + SMALL: (
        "problem.horizon = 99999999999999999999 is not allowed; give a whole number from 1 to 10000000"
    ),
    "[problem]\ntarget = nan\n" + SMALL: "problem.target = nan is not allowed; give a number above 1/2 and below 1",
    "[problem]\nconfidence = nan\n" + SMALL: (
        "problem.confidence = nan is not allowed; give a number strictly between 0 and 1"
    ),
    "[problem]\nslack = inf\n" + SMALL: (
        "problem.slack = inf is not allowed; give a number from 0 to below 1 - target"
    ),
    SMALL + POLICY: "policy[2] repeats an earlier one: ccb-s with the same parameters; remove it, or change a",
    WORLD + '[[world]]\nkind = ["stars", "paper"]\nworkers = 1100\n' + POLICY: (
        "world[2] repeats an earlier one: paper with the same parameters; remove it, or change a parameter"
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_a_wrong_file_gets_one_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_study(text)
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_the_file_is_named_and_a_missing_one_is_said(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    with pytest.raises(
        InvalidInput, match=r"mine.toml: it cannot be read \(No such file or directory\); check the path"
    ):
        read_study(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"mine.toml: it is not text \(byte 0 is not UTF-8\)"):
        read_study(file)
    file.write_text("seed = -1\n" + SMALL)
    with pytest.raises(InvalidInput, match=r"mine.toml: seed = -1 is not allowed"):
        read_study(file)


def test_a_recorded_world_is_read_from_the_files_folder(tmp_path: Path) -> None:
    asked: list[object] = []

    def reader(labels: Path, truth: Path, prices: Path | None, column: str) -> Record:
        asked.append((labels, truth, prices, column))
        return Record(("a", "b"), np.array([[True, False], [True, True]]), np.array([1, 2]))

    text = '[[world]]\nkind = "recorded"\nlabels = "l.csv"\n'
    with pytest.raises(InvalidInput, match=r"^world\[1\].truth is missing; a recorded world needs the paths"):
        parse_study(text + POLICY, read_record=reader)
    with pytest.raises(InvalidInput, match=r"^world\[1\].prices = 3 is not allowed; give a word"):
        parse_study(text + 'truth = "t.csv"\nprices = 3\n' + POLICY, read_record=reader)
    with pytest.raises(InvalidInput, match=r"^world\[1\].error = 1: there is no such key \(did you mean 'errors'\?\)"):
        parse_study(text + 'truth = "t.csv"\nerror = 1\n' + POLICY, read_record=reader)
    asked.clear()
    text += 'truth = "t.csv"\nprices = "p.csv"\nprice_column = "cost"\nerrors = ["as-recorded", "independent"]\n'
    study = parse_study(text + POLICY, folder=tmp_path, read_record=reader)
    assert asked == [(tmp_path / "l.csv", tmp_path / "t.csv", tmp_path / "p.csv", "cost")]
    assert [world.errors for world in study.worlds if isinstance(world, RecordedWorld)] == [
        "as-recorded",
        "independent",
    ]
    # The record itself decides numbers, so it is part of the digest.
    other = Record(("a", "b"), np.array([[True, False], [True, False]]), np.array([1, 2]))
    changed = parse_study(text + POLICY, folder=tmp_path, read_record=lambda *paths: other)
    assert changed.digest != study.digest


def test_a_reader_of_labels_speaks_of_the_files_keys() -> None:
    def reader(labels: Path, truth: Path, prices: Path | None, column: str) -> Record:
        raise InvalidInput(
            f"LABELS {labels}: cannot be read; check TRUTH, PRICES p.csv or name the column with --price-column"
        )

    text = '[[world]]\nkind = "recorded"\nlabels = "LABELS.csv"\ntruth = "t.csv"\n' + POLICY
    with pytest.raises(InvalidInput) as refusal:
        parse_study(text, read_record=reader)
    assert str(refusal.value) == (
        "world[1].labels LABELS.csv: cannot be read; check world[1].truth, world[1].prices p.csv or name the column "
        "with world[1].price_column"
    )


def test_one_record_with_other_errors_is_another_world() -> None:
    def reader(*paths: object) -> Record:
        return Record(("a", "b"), np.array([[True, False], [True, True]]), np.array([1, 2]))

    table = '[[world]]\nkind = "recorded"\nlabels = "l.csv"\ntruth = "t.csv"\nerrors = "{}"\n'
    two = parse_study(table.format("as-recorded") + table.format("independent") + POLICY, read_record=reader)
    assert len(two.worlds) == 2
    with pytest.raises(InvalidInput, match=r"^world\[2\] repeats an earlier one: recorded"):
        parse_study(2 * table.format("independent") + POLICY, read_record=reader)


def test_every_kind_and_every_policy_can_be_named() -> None:
    record = Record(("a",), np.array([[True, False]]), np.array([1]))
    for kind in WORLDS:
        files = 'labels = "l"\ntruth = "t"\n' if kind == "recorded" else ""
        text = f'[[world]]\nkind = "{kind}"\n{files}' + POLICY
        assert parse_study(text, read_record=lambda *paths: record).worlds[0].name == kind
    for name in POLICY_KINDS:
        assert parse_study(WORLD + f'[[policy]]\nname = "{name}"\n').policies[0].name == name


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_examples_are_good_studies(file: Path) -> None:
    assert read_study(file).points


def test_a_study_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a study without policies has nothing to run; name at least one"):
        Study((Paper(),), parse_study(SMALL).promises, ())
    assert Study((Paper(),), parse_study(SMALL).promises, (AssuredPolicy(),)).points == 1
