"""Every payment can be told to whoever pays it."""

import pytest

from quorate.mechanism import PAYMENTS, pair
from quorate.mechanism.in_words import BEST, in_words
from quorate.model.problem import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Stopping, assured_policy

PROBLEM = Problem(target=0.9, confidence=0.9, horizon=100, cap=MILLIONTHS)


@pytest.mark.parametrize("name", PAYMENTS)
def test_every_payment_has_words(name: str) -> None:
    told = in_words(name, truthful=False)
    assert told.says == f"{name.capitalize()}; the true price need not be the best bid"
    assert told.why.endswith(".")


def test_so_has_every_one_under_which_the_truth_is_best() -> None:
    policy = assured_policy(PROBLEM, stopping=Stopping.HEAD_COUNT)
    assert set(BEST) == {name for name, payment in PAYMENTS.items() if pair(policy, payment).truthful}
    assert in_words("threshold", truthful=True).says == "Threshold; the true price is the best bid"
    assert in_words("randomised", truthful=True).says.endswith("the best bid, on average over the coins")
