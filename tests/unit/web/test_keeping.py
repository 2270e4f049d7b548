"""The promise at a glance: no green sign before a jury is certified, nor where a verdict is not covered."""

from dataclasses import replace
from typing import Any

import pytest

from quorate.campaign import commands, projection
from quorate.campaign.flow import asks_now
from quorate.campaign.fold import rules_of
from quorate.campaign.juries import hopeless, jury_view
from quorate.campaign.settings import PolicyRule
from quorate.campaign.views import Keeping
from quorate.policy import AssuredJoint
from quorate.policy.base import LearningPolicy
from quorate.web.pages.keeping import kept
from tests.campaigns import Drive, exploiting, running, small


def at_a_glance(drive: Drive) -> tuple[str, str]:
    found = kept(projection.status(drive.state))
    return found.sign, found.title


def wrong_every_second_time(settings_of: dict[str, object]) -> Drive:
    """One worker who is right half of the time, and whose truths are known at once."""
    drive = running((3,), small(target=0.95, confidence=0.8, **settings_of))
    for task in range(20):
        drive.post(1, gold=1).all_say(task, task % 2)
    return drive


@pytest.mark.parametrize("policy", ["assured", "assured-joint", "ccb-s"])
def test_one_worker_who_cannot_reach_the_target_is_no_kept_promise(policy: str) -> None:
    drive = wrong_every_second_time({"policy": PolicyRule(policy), "accept_untruthful": policy == "ccb-s"})
    assert at_a_glance(drive) == ("warn", "No jury of this pool can reach the target")
    status = projection.status(drive.state)
    assert status.keeping is Keeping.OUT_OF_REACH
    assert any("close this campaign and open another" in reason for reason in status.why)
    view = jury_view(drive.state)
    assert view is not None
    assert view.why == (
        "The campaign learns how good its one worker is, from 20 truths so far.",
        "Even if everybody were as good as still possible, no jury would reach the target.",
    )
    drive.close()
    assert at_a_glance(drive) == ("warn", "No jury of this pool could reach the target")
    assert projection.status(drive.state).keeping is Keeping.OUT_OF_REACH


def test_the_hoped_jury_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drive = wrong_every_second_time({})
    policy = rules_of(drive.state).policy
    assert isinstance(policy, LearningPolicy)
    searched, select = [], type(policy.selector).select

    def counted(*given: Any, optimistic: bool) -> Any:
        searched.append(optimistic)
        return select(*given, optimistic=optimistic)

    asked = asks_now(drive.state)
    monkeypatch.setattr("quorate.campaign.juries.asks_now", lambda _: asked)
    monkeypatch.setattr(type(policy.selector), "select", counted)
    for _ in range(2):
        assert projection.status(drive.state).keeping is Keeping.OUT_OF_REACH
        assert jury_view(drive.state) is not None
    assert searched == [True]


def test_what_rests_on_everybody_is_neither_good_nor_bad() -> None:
    drive = running().post(1, gold=1)
    assert at_a_glance(drive)[0] == "wait"
    drive.all_say(0, 1)
    assert projection.status(drive.state).keeping is Keeping.ASSUMED
    assert at_a_glance(drive) == ("even", "Covered, if the pool together is good enough")
    drive.close()
    assert at_a_glance(drive) == ("even", "Covered, if the pool together was good enough")


def test_while_a_jury_is_certified_the_target_is_in_reach() -> None:
    assert not hopeless(exploiting().state)
    assert not hopeless(running(settings=small(policy=PolicyRule(AssuredJoint.name))).state)


def test_verdicts_of_certified_juries_are_good_and_the_first_ones_are_told_apart() -> None:
    drive = exploiting()
    status = projection.status(drive.state)
    assert min(status.verdicts["certified"], status.verdicts["everybody"]) > 0
    assert status.keeping is Keeping.KEPT
    assert kept(status).sign == "good"
    assert "The first ones were everybody's" in kept(status).text
    alone = kept(replace(status, verdicts={**status.verdicts, "everybody": 0}))
    assert (alone.sign, alone.text) == ("good", "Every verdict so far is covered by it.")
    drive.close()
    assert at_a_glance(drive) == ("good", "The promise was kept")


def test_a_jury_that_was_certified_is_not_out_of_reach_because_it_left() -> None:
    drive = exploiting()
    for worker in range(4):
        drive.do(commands.WithdrawWorker(worker))
    assert projection.status(drive.state).keeping is Keeping.STALLED
    drive.close()
    assert projection.status(drive.state).keeping is Keeping.KEPT
