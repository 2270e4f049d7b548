"""What a policy's parameters mean to compiled code, and a worker's worth under them: scalar for scalar as `model`
rounds it.
"""

import math
from typing import NamedTuple

from quorate._jit import inline, kernel
from quorate.model.error import Linear, LogOdds, Margin
from quorate.model.error.log_odds import log_odds_value
from quorate.model.fixed_point import BILLIONTHS, LARGEST_VALUE
from quorate.model.interval import AnytimeInterval, HoeffdingInterval
from quorate.model.interval.anytime import anytime_lower, anytime_upper
from quorate.model.interval.hoeffding import hoeffding_radius
from quorate.policy.base import LearningPolicy


class Rules(NamedTuple):
    """`certain` and `possible` are the requirements of the pessimistic and of the optimistic problem, in billionths.

    `log_term` is what the interval's formula takes of its level: ln(2 / level) for Hoeffding, ln(1 / level) for
    anytime.
    """

    anytime: bool
    log_odds: bool
    log_term: float
    floor: float
    certain: int
    possible: int


def rules_of(policy: LearningPolicy, level: float) -> Rules | None:
    """The policy's rules with each worker's interval at this level, or None where the engine has no such rules.

    Exact types only: a subclass may mean something else.
    """
    model, interval = policy.pessimistic.model, policy.interval
    known = type(model) in (Linear, Margin, LogOdds) and type(interval) in (HoeffdingInterval, AnytimeInterval)
    if not known or policy.optimistic.model != model:
        return None
    certain, possible = policy.pessimistic.requirement, policy.optimistic.requirement
    if certain < 1 or possible < certain:
        return None
    anytime = isinstance(interval, AnytimeInterval)
    return Rules(
        anytime=anytime,
        log_odds=isinstance(model, LogOdds),
        log_term=math.log(1.0 / level) if anytime else math.log(2.0 / level),
        floor=policy.floor,
        certain=certain,
        possible=possible,
    )


@inline
def hoeffding_lower(rules: Rules, right: int, asked: int) -> float:
    return min(1.0, max(rules.floor, right / asked - hoeffding_radius(asked, rules.log_term)))


@inline
def hoeffding_upper(rules: Rules, right: int, asked: int) -> float:
    return max(rules.floor, min(1.0, right / asked + hoeffding_radius(asked, rules.log_term)))


@inline
def margin(quality: float) -> float:
    """2q - 1, nothing from 1/2 down: the value under the models of the paper's problem (9)."""
    return max(0.0, 2.0 * quality - 1.0)


@kernel
def _anytime_lower(rules: Rules, right: int, asked: int) -> float:
    return min(1.0, max(rules.floor, anytime_lower(right, asked, rules.log_term)))


@kernel
def _anytime_upper(rules: Rules, right: int, asked: int) -> float:
    return max(rules.floor, anytime_upper(right, asked, rules.log_term))


@inline
def lower_end(rules: Rules, right: int, asked: int) -> float:
    """The pessimistic quality of a worker asked at least once."""
    return _anytime_lower(rules, right, asked) if rules.anytime else hoeffding_lower(rules, right, asked)


@inline
def upper_end(rules: Rules, right: int, asked: int) -> float:
    """The optimistic quality of a worker asked at least once."""
    return _anytime_upper(rules, right, asked) if rules.anytime else hoeffding_upper(rules, right, asked)


@inline
def value(rules: Rules, quality: float) -> float:
    """What a worker of this quality brings to a jury."""
    if rules.log_odds:
        return max(0.0, log_odds_value(quality))
    return margin(quality)


@inline
def rounded_down(worth: float) -> int:
    """floor(worth * 10^9), at most the largest value."""
    return math.floor(min(worth * BILLIONTHS, float(LARGEST_VALUE)))


@inline
def rounded_up(worth: float) -> int:
    """ceil(worth * 10^9), at most the largest value."""
    return math.ceil(min(worth * BILLIONTHS, float(LARGEST_VALUE)))
