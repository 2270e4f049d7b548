"""Policies as a study names them: frozen values that build the policy once the world's cap is known."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from quorate.errors import UnknownName
from quorate.lab.parameter import check_parameters, real, suggestion, whole, word
from quorate.model.error import ERROR_MODELS, error_model
from quorate.model.interval import INTERVALS, interval
from quorate.model.problem import Problem
from quorate.policy import (
    Assured,
    EpsilonGreedy,
    Policy,
    Stopping,
    assured_policy,
    paper_policy,
)
from quorate.policy.assured import DEFAULT_POOL
from quorate.policy.assured_joint import DEFAULT_JOINT_POOL, DEFAULT_MAX_SIZE, AssuredJoint
from quorate.policy.pool import DEFAULT_KAPPA
from quorate.select.base import SELECTORS

# What `assured` can promise by.
BOUNDS = [name for name, model in ERROR_MODELS.items() if model.bounds_the_vote]


@dataclass(frozen=True)
class PolicyKind(ABC):
    """A policy and its parameters; `coins` seeds whatever the policy tosses for itself."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        check_parameters(self)

    @abstractmethod
    def build(self, problem: Problem, coins: int) -> Policy:
        """The policy; raises InvalidInput where the parameters do not go together."""


@dataclass(frozen=True)
class PaperPolicy(PolicyKind):
    """One of the paper's four, with the paper's choices where none is given."""

    model: str = word("linear", choices=ERROR_MODELS)
    selector: str = word("greedy", choices=SELECTORS)
    interval: str = word("hoeffding", choices=INTERVALS)

    def build(self, problem: Problem, coins: int) -> Policy:
        policy = paper_policy(
            self.name,
            problem,
            model=error_model(self.model),
            selector=SELECTORS[self.selector],
            interval=interval(self.interval),
        )
        return replace(policy, coin_seed=coins) if isinstance(policy, EpsilonGreedy) else policy


@dataclass(frozen=True)
class AssuredPolicy(PolicyKind):
    """Our own: the `pool` lowest bidders, exact selection, anytime nested intervals."""

    model: str = word("log-odds", choices=BOUNDS)
    pool: int = whole(DEFAULT_POOL, lowest=1)
    kappa: float = real(float(DEFAULT_KAPPA), lowest=0.0)
    stopping: str = word(Stopping.PRICE_GAP.value, choices=[rule.value for rule in Stopping])
    name: ClassVar[str] = Assured.name

    def build(self, problem: Problem, coins: int) -> Policy:
        return assured_policy(
            problem,
            model=error_model(self.model),
            pool=self.pool,
            kappa=Fraction(str(self.kappa)),
            stopping=Stopping(self.stopping),
        )


@dataclass(frozen=True)
class AssuredJointPolicy(PolicyKind):
    """`assured` with nothing assumed of how errors depend on each other: it certifies whole juries (MATHS 7)."""

    pool: int = whole(DEFAULT_JOINT_POOL, lowest=1)
    max_size: int = whole(DEFAULT_MAX_SIZE, lowest=1)
    kappa: float = real(float(DEFAULT_KAPPA), lowest=0.0)
    stopping: str = word(Stopping.PRICE_GAP.value, choices=[rule.value for rule in Stopping])
    name: ClassVar[str] = AssuredJoint.name

    def build(self, problem: Problem, coins: int) -> Policy:
        return AssuredJoint(problem, self.pool, self.max_size, Fraction(str(self.kappa)), Stopping(self.stopping))


class CCBNSPolicy(PaperPolicy):
    name: ClassVar[str] = "ccb-ns"


class CCBSPolicy(PaperPolicy):
    name: ClassVar[str] = "ccb-s"


class CCBSEPolicy(PaperPolicy):
    name: ClassVar[str] = "ccb-se"


class EpsilonGreedyPolicy(PaperPolicy):
    name: ClassVar[str] = "epsilon-greedy"


POLICY_KINDS: dict[str, type[PolicyKind]] = {
    kind.name: kind
    for kind in (CCBNSPolicy, CCBSPolicy, CCBSEPolicy, EpsilonGreedyPolicy, AssuredPolicy, AssuredJointPolicy)
}


def policy_kind(name: str) -> type[PolicyKind]:
    """The registered kind of that name."""
    if name not in POLICY_KINDS:
        known = ", ".join(POLICY_KINDS)
        raise UnknownName(f"no policy is called {name!r}{suggestion(name, POLICY_KINDS)}; there are {known}")
    return POLICY_KINDS[name]
