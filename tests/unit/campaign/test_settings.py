"""Settings as people give them: lengths of time, and error models that promise something."""

import math
from datetime import UTC, datetime

import pytest

from quorate.campaign import commands
from quorate.campaign.decide import decide
from quorate.campaign.labels import readings
from quorate.campaign.refusal import Refused
from quorate.campaign.rules import build
from quorate.campaign.settings import DAY, END_OF_TIME, MOST_HOURS, PaymentRule, PolicyRule, from_hours
from quorate.campaign.state import State
from quorate.campaign.wording import LAST, utc
from quorate.errors import InvalidInput
from quorate.model.error import ERROR_MODELS
from tests.campaigns import Drive, small


def test_hours_become_milliseconds() -> None:
    assert from_hours(24, "--answer-hours") == DAY
    assert from_hours(0.5, "--answer-hours") == 30 * 60 * 1000
    assert from_hours(MOST_HOURS, "--answer-hours") == 3650 * DAY


def test_the_shortest_length_of_time_is_not_none() -> None:
    assert from_hours(1e-8, "--answer-hours") == 1


@pytest.mark.parametrize("hours", [0.0, -1.0, 1e308, math.inf, math.nan, MOST_HOURS + 0.1])
def test_other_hours_are_refused(hours: float) -> None:
    with pytest.raises(InvalidInput, match=r"^--answer-hours \S+ is not above 0 and at most 87,600 hours; give"):
        from_hours(hours, "--answer-hours")


@pytest.mark.parametrize("name", sorted(ERROR_MODELS))
def test_a_live_campaign_takes_only_error_models_that_bound_the_verdict(name: str) -> None:
    """24 workers of quality .55 meet `margin` at .9, and their majority errs .31."""
    selector = "exact" if name in ("linear", "log-odds", "margin") else name
    policy = PolicyRule("ccb-s", model=name, selector=selector)
    chosen = small(policy=policy, payment=PaymentRule("pay-as-bid"), accept_untruthful=True)
    if ERROR_MODELS[name].bounds_the_vote:
        assert build(chosen).policy.pessimistic.model.name == name
    else:
        with pytest.raises(InvalidInput, match=f"'{name}' does not bound how often a verdict is wrong"):
            build(chosen)


@pytest.mark.parametrize(
    "labels", [("a", "A"), ("no", " NO "), ("Straße", "STRASSE"), ("1", "0"), ("1", "2"), ("x", " 0")]
)
def test_labels_that_could_be_taken_for_each_other_are_refused(labels: tuple[str, str]) -> None:
    with pytest.raises(Refused, match=r"labels .*; (give two different words|swap them)"):
        Drive(small(labels=labels))
    drafted = decide(State("old"), commands.DraftCampaign(small(labels=labels)), 0, again=True).state
    with pytest.raises(Refused, match="labels"):
        decide(drafted, commands.OpenCampaign(0, ""), 0)


@pytest.mark.parametrize("labels", [("0", "1"), ("no", "yes"), ("10", "01"), ("grade 1", "grade 0")])
def test_a_word_or_a_number_is_read_as_one_answer(labels: tuple[str, str]) -> None:
    assert Drive(small(labels=labels)).state.settings == small(labels=labels)
    for answer in (0, 1):
        for word in (answer, str(answer), labels[answer], f" {labels[answer].upper()}"):
            assert readings(word, labels) == (answer,)
    assert readings("maybe", labels) == ()


def test_labels_of_a_ledger_from_before_are_history_and_are_not_guessed_at() -> None:
    old = commands.DraftCampaign(small(labels=("1", "0")))
    assert decide(State("old"), old, 0, again=True).state.rules is not None
    assert readings("1", ("1", "0")) == (0, 1)


@pytest.mark.parametrize(
    ("name", "last", "rule"),
    [
        ("answer_within", 10 * 365 * DAY, "more than 315360000000 milliseconds, ten years"),
        ("truth_within", 10 * 365 * DAY, "more than 315360000000 milliseconds, ten years"),
        ("bids_until", END_OF_TIME - 1, "not before the year 9999"),
    ],
)
def test_times_that_no_calendar_has_are_refused(name: str, last: int, rule: str) -> None:
    Drive(small(**{name: last}))
    for given in (last + 1, 2**53):
        with pytest.raises(Refused, match=f"{name} {given} is {rule}.*; give"):
            Drive(small(**{name: given}))


def test_time_ends_with_the_calendar() -> None:
    assert utc(END_OF_TIME).isoformat() == "9999-01-01T00:00:00+00:00"
    assert utc(2**53) == utc(LAST) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
