"""What is said of every pairing, and the guard of a live campaign."""

from pathlib import Path

import pytest

from quorate.errors import NotTruthful
from quorate.mechanism import PAYMENTS, admit, pair, payment_named, stopping_for
from quorate.model.problem import Problem
from quorate.money import MILLIONTHS
from quorate.policy import PAPER_POLICIES, AssuredJoint, Policy, Stopping, assured_policy, paper_policy
from quorate.select.base import SELECTORS

PROBLEM = Problem(0.9, 0.9, 100, 20 * MILLIONTHS)


def policies() -> dict[str, Policy]:
    found: dict[str, Policy] = {
        f"{name}/{selector}": paper_policy(name, PROBLEM, selector=SELECTORS[selector])
        for name in PAPER_POLICIES
        for selector in ("greedy", "exact")
    }
    for stopping in Stopping:
        found[f"assured/{stopping}"] = assured_policy(PROBLEM, stopping=stopping)
        found[f"joint/{stopping}"] = AssuredJoint(PROBLEM, stopping=stopping)
    return found


TRUTHFUL = {
    ("ccb-s/exact", "randomised"),
    ("assured/price-gap", "randomised"),
    ("assured/head-count", "randomised"),
    ("assured/head-count", "threshold"),
    ("joint/price-gap", "randomised"),
    ("joint/head-count", "randomised"),
    ("joint/head-count", "threshold"),
}
# Where docs/proofs.md, which the verdict cites, shows that a higher bid gets no more tasks.
MONOTONE = {
    "ccb-s/exact": "### CCB-S with an exact minimum",
    "assured/price-gap": "## A higher bid never gets more tasks",
    "assured/head-count": "### Under head counts",
    "joint/price-gap": "## A higher bid never gets more tasks",
    "joint/head-count": "### Under head counts",
}


@pytest.mark.parametrize("payment", list(PAYMENTS))
@pytest.mark.parametrize("policy", list(policies()))
def test_exactly_the_proved_pairings_are_called_truthful(policy: str, payment: str) -> None:
    found = pair(policies()[policy], payment_named(payment))
    assert found.truthful == ((policy, payment) in TRUTHFUL)
    assert found.why
    assert ("NOT truthful" in found.label) == (not found.truthful)


def test_whatever_is_said_to_be_monotone_is_proved_on_the_page_cited() -> None:
    randomised = payment_named("randomised")
    truthful = {name for name, policy in policies().items() if pair(policy, randomised).truthful}
    assert truthful == set(MONOTONE)
    assert all("(docs/proofs.md)" in pair(policies()[name], randomised).why for name in truthful)
    headings = (Path(__file__).parents[3] / "docs" / "proofs.md").read_text().splitlines()
    assert set(MONOTONE.values()) <= set(headings)


def test_a_live_campaign_refuses_what_is_not_truthful_unless_asked_to() -> None:
    policy, payment = paper_policy("ccb-s", PROBLEM), payment_named("randomised")
    with pytest.raises(NotTruthful, match="use the selector 'exact'"):
        admit(policy, payment)
    assert not admit(policy, payment, accept_untruthful=True).truthful


@pytest.mark.parametrize("name", ["randomised", "threshold"])
def test_a_payment_goes_with_a_rule_of_stopping_under_which_truth_is_best(name: str) -> None:
    payment = payment_named(name)
    assert pair(assured_policy(PROBLEM, stopping=stopping_for(payment)), payment).truthful
    assert pair(AssuredJoint(PROBLEM, stopping=stopping_for(payment)), payment).truthful


def test_a_truthful_pairing_needs_no_opting_in() -> None:
    assert admit(assured_policy(PROBLEM, stopping=Stopping.HEAD_COUNT), payment_named("threshold")).truthful
