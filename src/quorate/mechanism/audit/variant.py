"""What is audited: a policy with its selector, constraint and options, as a family of small worlds."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from quorate.errors import InvalidInput
from quorate.mechanism.audit import runs
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.joint_world import joint_scale
from quorate.mechanism.audit.tables import Scale, shared_scale
from quorate.model.error import Linear
from quorate.money import MILLIONTHS, Money
from quorate.policy import POLICIES, Assured, AssuredJoint, LearningPolicy, Policy, Stopping
from quorate.policy.pool import DEFAULT_KAPPA

# Bids in small worlds are whole multiples of a unit, from none to the cap: every bid of the grid is tried.
LARGEST_BID = 20
# Requirements on sum(2q - 1) that juries of a few workers can be certain to reach within the horizon, and targets
# likewise.
REQUIREMENTS = tuple(Decimal(tenths) / 10 for tenths in range(2, 13))
TARGETS = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
# `linear` asks for sum(2q - 1) >= ln(1/alpha) / epsilon. With the paper's epsilon of 1/6 that is 4.2 or more, of which
# six workers of average quality have 3: no world would ever end exploration, and nothing would be tested. So its
# worlds suppose more of qualities, promise less, and last longer.
LINEAR_EPSILON = 0.4
LINEAR_TARGETS = (0.51, 0.53, 0.55, 0.6, 0.65)
TASKS, LINEAR_TASKS = 150, 600
SLACKS = (Decimal("0.05"), Decimal("0.1"), Decimal("0.2"))
TARGET_SLACKS = (Decimal("0.02"), Decimal("0.05"), Decimal("0.09"))
KAPPAS = (Fraction(0), Fraction(1, 16), Fraction(1, 4), Fraction(1))

RULES = {
    ("ccb-s", "exact"): runs.CCB_S_EXACT,
    ("ccb-s", "greedy"): runs.CCB_S_GREEDY,
    ("ccb-se", "exact"): runs.CCB_SE_EXACT,
    ("ccb-se", "greedy"): runs.CCB_SE_GREEDY,
    ("ccb-ns", "exact"): runs.CCB_NS_EXACT,
    ("ccb-ns", "greedy"): runs.CCB_NS_GREEDY,
}
AUDITED = (*dict.fromkeys(policy for policy, _ in RULES), Assured.name, AssuredJoint.name)


def rule_of(policy: str, selector: str, stopping: Stopping) -> int:
    """The kernels' number of a rule."""
    if policy == AssuredJoint.name:
        return runs.JOINT_HEAD_COUNT if stopping is Stopping.HEAD_COUNT else runs.JOINT_PRICE_GAP
    if policy == Assured.name:
        return runs.ASSURED_HEAD_COUNT if stopping is Stopping.HEAD_COUNT else runs.ASSURED_PRICE_GAP
    if policy not in AUDITED:
        raise InvalidInput(f"no small worlds exist for {policy!r}; there are {', '.join(AUDITED)}")
    if (policy, selector) not in RULES:
        chosen = ", ".join(chosen for name, chosen in RULES if name == policy)
        raise InvalidInput(f"no small worlds exist for {policy!r} with the selector {selector!r}; there are {chosen}")
    return RULES[policy, selector]


def scale_of(policy: Policy) -> Scale:
    """The policy's intervals and values, tabulated."""
    if isinstance(policy, AssuredJoint):
        return joint_scale(policy)
    if isinstance(policy, LearningPolicy):
        return shared_scale(policy)
    raise InvalidInput(f"no small worlds exist for the policy {policy.name!r}; there are {', '.join(POLICIES)}")


def requirements_of(policy: Policy) -> tuple[int, int]:
    """What values must sum to: (pessimistic, optimistic); nothing where juries are judged as wholes."""
    return (
        (policy.pessimistic.requirement, policy.optimistic.requirement)
        if isinstance(policy, LearningPolicy)
        else (0, 0)
    )


@dataclass(frozen=True)
class Menu:
    """One set of parameters that a world may draw."""

    level: Decimal
    slack: Decimal
    kappa: Fraction


@dataclass(frozen=True)
class Variant:
    """`error` 'margin' puts a bare requirement on sum(2q - 1), as MATHS 6 does; another model gets targets.

    `unit` is what bids are whole multiples of, in millionths. `horizon` None: what worlds of the error model need.
    """

    policy: str
    selector: str = "exact"
    error: str = "margin"
    interval: str = "hoeffding"
    slack: bool = False
    pool: bool = False
    eliminates: bool = True
    stopping: Stopping = Stopping.PRICE_GAP
    mu: float = 0.1
    horizon: int | None = None
    unit: Money = MILLIONTHS

    def __post_init__(self) -> None:
        rule_of(self.policy, self.selector, self.stopping)
        if self.pool and not self.assured:
            raise InvalidInput(f"{self.policy!r} asks everybody and has no pool; leave the pool out, or take 'assured'")
        if not self.eliminates and self.policy != Assured.name:
            raise InvalidInput(
                f"elimination is an option of 'assured' alone, not of {self.policy!r}; leave no-elimination out"
            )
        if not self.eliminates and self.stopping is Stopping.HEAD_COUNT:
            raise InvalidInput("head counts eliminate nobody; leave no-elimination out, or take price-gap stopping")

    @property
    def assured(self) -> bool:
        """Whether it is one of ours: it has a pool, kappa and two stopping rules."""
        return self.policy in (Assured.name, AssuredJoint.name)

    @property
    def rule(self) -> int:
        return rule_of(self.policy, self.selector, self.stopping)

    @property
    def name(self) -> str:
        """For tables: what differs from variant to variant."""
        parts = [self.policy, self.selector]
        if self.assured:
            parts = [self.policy, self.stopping.value]
            if self.stopping is Stopping.PRICE_GAP and self.policy == Assured.name:
                parts.append("elimination" if self.eliminates else "no elimination")
            parts.append("pool" if self.pool else "everybody")
        parts.append("slack" if self.slack else "no slack")
        if self.policy == Assured.name or not (self.bare or self.policy == AssuredJoint.name):
            parts.append(f"{self.error}/{self.interval}")
        return ", ".join(parts)

    @property
    def bare(self) -> bool:
        """Whether worlds draw a requirement, not a target."""
        return self.error == "margin" and self.policy != AssuredJoint.name

    @property
    def linear(self) -> bool:
        return self.error == Linear.name and self.policy != AssuredJoint.name

    @property
    def tasks(self) -> int:
        """How many tasks each world has."""
        return self.horizon or (LINEAR_TASKS if self.linear else TASKS)

    @property
    def cap(self) -> Money:
        return LARGEST_BID * self.unit

    def menus(self) -> tuple[Menu, ...]:
        """The parameters that a world draws from, in a fixed order."""
        bare = self.bare
        targets = LINEAR_TARGETS if self.linear else TARGETS
        levels = REQUIREMENTS if bare else tuple(Decimal(str(target)) for target in targets)
        slacks = (Decimal(0),) if not self.slack else SLACKS if bare else TARGET_SLACKS
        kappas = KAPPAS if self.assured else (DEFAULT_KAPPA,)
        return tuple(Menu(level, slack, kappa) for level in levels for slack in slacks for kappa in kappas)

    def fill(self, case: Case, menu: Menu, pool: int | None) -> Case:
        """The case with this variant's policy and the menu's parameters."""
        bare = self.bare
        return replace(
            case,
            requirement=menu.level if bare else None,
            target=None if bare else float(menu.level),
            error="margin" if bare else self.error,
            epsilon=LINEAR_EPSILON if self.linear else case.epsilon,
            slack=menu.slack,
            mu=self.mu,
            policy=self.policy,
            selector=self.selector,
            interval=self.interval,
            pool=pool,
            kappa=menu.kappa,
            eliminates=self.eliminates,
            stopping=self.stopping,
        )
