"""Whom to ask next (paper, sections 4, 5 and 6; MATHS 5 and 6), and the registry of policies.

Paper mode (`ccb-ns`, `ccb-s`, `ccb-se`, `epsilon-greedy`) does what the paper says, its looseness included; `assured`
is what a requester should use.
"""

from dataclasses import replace
from fractions import Fraction

from quorate.errors import InvalidInput, UnknownName
from quorate.model.constraint import Constraint
from quorate.model.error import ErrorModel, Linear, LogOdds
from quorate.model.interval import AnytimeInterval, HoeffdingInterval, Interval
from quorate.model.problem import Problem
from quorate.policy.assured import DEFAULT_POOL, Assured
from quorate.policy.assured_joint import AssuredJoint
from quorate.policy.base import Ask, LearningPolicy, Phase, Policy, State
from quorate.policy.ccb_ns import CCBNS
from quorate.policy.ccb_s import CCBS
from quorate.policy.ccb_se import CCBSE
from quorate.policy.epsilon_greedy import EpsilonGreedy
from quorate.policy.play import Play, play
from quorate.policy.pool import DEFAULT_KAPPA, Stopping
from quorate.select.base import SELECTORS, Selector

PAPER_POLICIES: dict[str, type[LearningPolicy]] = {
    policy.name: policy for policy in (CCBNS, CCBS, CCBSE, EpsilonGreedy)
}
POLICIES: dict[str, type[LearningPolicy] | type[AssuredJoint]] = {
    **PAPER_POLICIES,
    Assured.name: Assured,
    AssuredJoint.name: AssuredJoint,
}


def paper_policy(
    name: str,
    problem: Problem,
    *,
    model: ErrorModel | None = None,
    selector: Selector | None = None,
    interval: Interval | None = None,
    coin_seed: int | None = None,
) -> LearningPolicy:
    """One of the paper's four, with the paper's choices where none is given: `linear` at 1/6, GA, Hoeffding.

    `coin_seed` is for `epsilon-greedy`, which alone tosses coins.
    """
    if name not in PAPER_POLICIES:
        raise UnknownName(f"no policy of the paper is called {name!r}; there are {', '.join(PAPER_POLICIES)}")
    chosen = model or Linear()
    policy = PAPER_POLICIES[name](
        problem,
        Constraint.below(chosen, problem.alpha),
        Constraint.below(chosen, problem.optimistic_alpha),
        selector or SELECTORS["greedy"],
        interval or HoeffdingInterval(),
    )
    if coin_seed is None:
        return policy
    if not isinstance(policy, EpsilonGreedy):
        raise InvalidInput(f"coin_seed {coin_seed} has no use with {name!r}: only 'epsilon-greedy' tosses coins")
    return replace(policy, coin_seed=coin_seed)


def assured_policy(
    problem: Problem,
    *,
    model: ErrorModel | None = None,
    pool: int = DEFAULT_POOL,
    kappa: Fraction = DEFAULT_KAPPA,
    stopping: Stopping = Stopping.PRICE_GAP,
) -> Assured:
    """`assured` with its defaults: log-odds, exact selection, anytime nested intervals."""
    chosen = model or LogOdds()
    if not chosen.bounds_the_vote:
        raise InvalidInput(
            f"the error model {chosen.name!r} does not bound how often a verdict is wrong, so 'assured' could promise "
            f"nothing with it; use 'log-odds' or 'linear'"
        )
    return Assured(
        problem,
        Constraint.below(chosen, problem.alpha),
        Constraint.below(chosen, problem.optimistic_alpha),
        SELECTORS["exact"],
        AnytimeInterval(),
        pool=pool,
        kappa=kappa,
        stopping=stopping,
    )


__all__ = [
    "CCBNS",
    "CCBS",
    "CCBSE",
    "PAPER_POLICIES",
    "POLICIES",
    "Ask",
    "Assured",
    "AssuredJoint",
    "EpsilonGreedy",
    "LearningPolicy",
    "Phase",
    "Play",
    "Policy",
    "State",
    "Stopping",
    "assured_policy",
    "paper_policy",
    "play",
]
