"""Every bad value gets an error that names the value, the rule and the remedy."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model import Problem, check_bids, check_names, check_qualities
from quorate.model.problem import check_seed, complement
from quorate.money import LARGEST

GOOD: dict[str, Any] = {"target": 0.9, "confidence": 0.95, "horizon": 1000, "cap": 20_000_000}


def test_a_problem_says_what_is_promised_in_the_papers_symbols() -> None:
    problem = Problem(**GOOD, slack=0.05)
    assert (problem.alpha, problem.mu, problem.optimistic_alpha) == (0.1, 0.05, 0.05)
    assert problem.slack == 0.05


def test_complements_are_what_their_author_wrote() -> None:
    assert complement(0.9) == 0.1
    assert 1 - 0.9 != 0.1
    assert complement(0.95) == 0.05
    assert complement(np.float64(0.9)) == 0.1


@pytest.mark.parametrize(
    ("field", "value", "rule", "remedy"),
    [
        ("target", 1, "above 1/2 and below 1", "try 0.9"),
        ("target", 1.0, "above 1/2 and below 1", "try 0.9"),
        ("target", 0.5, "above 1/2 and below 1", "try 0.9"),
        ("target", -0.1, "above 1/2 and below 1", "try 0.9"),
        ("target", 90, "above 1/2 and below 1", "try 0.9"),
        ("target", math.nan, "above 1/2 and below 1", "try 0.9"),
        ("target", "0.9", "above 1/2 and below 1", "try 0.9"),
        ("target", None, "above 1/2 and below 1", "try 0.9"),
        ("confidence", 0.0, "strictly between 0 and 1", "try 0.95"),
        ("confidence", 1, "strictly between 0 and 1", "try 0.95"),
        ("confidence", math.nan, "strictly between 0 and 1", "try 0.95"),
        ("confidence", True, "strictly between 0 and 1", "try 0.95"),
        ("horizon", 0, "a whole number (an int) of at least 1", "how many tasks"),
        ("horizon", -5, "a whole number (an int) of at least 1", "how many tasks"),
        ("horizon", 10.0, "a whole number (an int) of at least 1", "how many tasks"),
        ("horizon", True, "a whole number (an int) of at least 1", "how many tasks"),
        ("cap", -1, "a whole number (an int) of millionths", f"from 0 to {LARGEST}"),
        ("cap", 0.5, "a whole number (an int) of millionths", f"from 0 to {LARGEST}"),
        ("cap", LARGEST + 1, "a whole number (an int) of millionths", f"from 0 to {LARGEST}"),
        ("slack", 0.1, "in [0, 0.1)", "try 0.05"),
        ("slack", -0.01, "in [0, 0.1)", "try 0.05"),
        ("slack", math.nan, "in [0, 0.1)", "try 0.05"),
    ],
)
def test_a_bad_problem_is_refused(field: str, value: object, rule: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Problem(**{**GOOD, field: value})
    message = str(refusal.value)
    assert message.startswith(f"{field} {value!r}")
    assert rule in message
    assert remedy in message


@pytest.mark.parametrize("field", ["target", "confidence", "horizon", "cap", "slack"])
def test_a_problem_is_a_frozen_value(field: str) -> None:
    problem = Problem(**GOOD)
    assert problem == Problem(**GOOD)
    with pytest.raises(AttributeError):
        setattr(problem, field, getattr(problem, field))


def test_bids_are_whole_millionths_from_0_to_the_cap() -> None:
    taken = check_bids([0, 5, 10], 10)
    assert taken.dtype == np.int64
    assert taken.tolist() == [0, 5, 10]
    assert check_bids(np.array([3], dtype=np.uint8), 10).dtype == np.int64


@pytest.mark.parametrize(
    ("bids", "named", "remedy"),
    [
        ([], "pool of workers is empty", "at least one worker"),
        ([[1, 2]], "2 dimensions", "flat list"),
        (7, "0 dimensions", "flat list"),
        ([1, [2]], "not a list of numbers", "one number per worker"),
        ([1, -2], "worker 1 bids -2, outside [0, 10]", "refuse the bid"),
        ([1, 11], "worker 1 bids 11, outside [0, 10]", "raise the cap"),
        (np.array([2**63], dtype=np.uint64), "worker 0 bids 9223372036854775808", "raise the cap"),
        ([3.0, 1.5], "worker 1 bids np.float64(1.5)", "prices_to_millionths"),
        ([3.0, math.nan], "worker 1 bids np.float64(nan)", "prices_to_millionths"),
        ([1.0], "worker 0 bids np.float64(1.0)", "prices_to_millionths"),
        ([True], "worker 0 bids np.True_", "prices_to_millionths"),
        (["1"], "worker 0 bids np.str_('1')", "prices_to_millionths"),
        ([Decimal("0.25")], "worker 0 bids Decimal('0.25')", "prices_to_millionths"),
        ([None], "worker 0 bids None", "prices_to_millionths"),
    ],
)
def test_bad_bids_are_refused(bids: Any, named: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_bids(bids, 10)
    assert named in str(refusal.value)
    assert remedy in str(refusal.value)


def test_qualities_are_chances_one_per_worker() -> None:
    taken = check_qualities([0, 0.5, 1], workers=3)
    assert taken.dtype == np.float64
    assert taken.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("qualities", "named", "remedy"),
    [
        ([], "pool of workers is empty", "at least one worker"),
        ([[0.5, 0.5]], "2 dimensions", "flat list"),
        ([0.5, [1]], "not a list of numbers", "one number per worker"),
        ([0.5, 1.1], "worker 1 has quality 1.1, outside [0, 1]", "chance of a right answer"),
        ([0.5, -1e-9], "worker 1 has quality -1e-09", "chance of a right answer"),
        ([0.5, math.nan], "worker 1 has quality nan", "chance of a right answer"),
        ([math.inf, 0.5], "worker 0 has quality inf", "chance of a right answer"),
        (["high", "low"], "not numbers", "a number in [0, 1] each"),
        ([0.5, 0.5, 0.5], "3 qualities were given for 2 workers", "one per worker"),
    ],
)
def test_bad_qualities_are_refused(qualities: Any, named: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_qualities(qualities, workers=2)
    assert named in str(refusal.value)
    assert remedy in str(refusal.value)


def test_names_are_texts_that_differ() -> None:
    assert check_names(["ada", "grace"]) == ("ada", "grace")


@pytest.mark.parametrize(
    ("names", "named", "remedy"),
    [
        ([], "pool of workers is empty", "name at least one worker"),
        (["ada", "ada"], "'ada' is named twice", "names must differ"),
        (["ada", ""], "named ''", "not empty"),
        (["ada", 7], "named 7", "a text"),
        ("ada", "'ada' are one text", "a list with one name per worker"),
    ],
)
def test_bad_names_are_refused(names: Any, named: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_names(names)
    assert named in str(refusal.value)
    assert remedy in str(refusal.value)


def test_a_seed_is_64_bits() -> None:
    assert check_seed(2**64 - 1) == 2**64 - 1
    assert type(check_seed(np.uint64(7))) is int  # type: ignore[arg-type]
    for bad in (-1, 2**64, 1.5, "1", None, True):
        with pytest.raises(InvalidInput, match=r"not a whole number in \[0, 2\^64\); give one"):
            check_seed(bad)  # type: ignore[arg-type]
