"""One explicit case: a small world written out, and the bids of one worker to try in it (`quorate audit --case`,
docs/counterexamples.md).
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.mechanism import Payment, Randomised, payment_named
from quorate.mechanism.audit.expected import check_money
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.model.constraint import Constraint
from quorate.model.error import Linear, error_model
from quorate.model.interval import interval
from quorate.model.problem import Problem, check_seed, complement
from quorate.money import Money, show
from quorate.policy import PAPER_POLICIES, POLICIES, Assured, AssuredJoint, Policy, Stopping
from quorate.policy.assured_joint import DEFAULT_MAX_SIZE
from quorate.policy.pool import DEFAULT_KAPPA
from quorate.select.base import selector

# `Problem` wants a target; under a bare requirement no accuracy is promised and nothing looks at this one.
NO_TARGET = 0.9
# Error models that see a jury by its sum(2q - 1) (hoeffding also by its size): a bare requirement makes sense for them.
MARGINAL = ("linear", "margin", "hoeffding")
DEFAULT_MU = 0.1
# What a policy would silently pass over.
UNREAD = {
    **dict.fromkeys(PAPER_POLICIES, ("pool", "kappa", "eliminates", "stopping", "max_size")),
    Assured.name: ("max_size",),
    AssuredJoint.name: ("requirement", "error", "epsilon", "selector", "interval", "eliminates"),
}


def payment_of(name: str, one_in: int) -> Payment:
    """The payment of that name; `one_in` is mode R's."""
    return Randomised(one_in) if name == Randomised.name else payment_named(name)


@dataclass(frozen=True, eq=False)
class Case:
    """What happens to `vary`, and to all others, for each of its bids in `grid`, over one realization.

    With `requirement` M the jury must reach sum(2q - 1) >= M (the optimistic one M + slack) and intervals are clipped
    to [1/2, 1]; with `target` the error model `error` is used at 1 - target (the optimistic one at 1 - target -
    slack); of these `linear` supposes qualities of 1/2 + `epsilon`. Money is in millionths. `pool` None: everybody
    takes part. `seed` draws the tie keys. `rows[i, t]`: worker i is right on task t. With `payment` the worker's true
    `cost` is known, and the grid holds it: does a lie gain? Under `randomised` with one bid in `one_in` resampled, on
    average over the coins; the grid is then all of money. With `coins`, their seed, what they give is settled instead:
    truth need not be best under them, but nobody may be paid less than its bid.
    """

    bids: NDArray[np.int64]
    cap: Money
    rows: NDArray[np.bool_]
    vary: int
    grid: NDArray[np.int64]
    requirement: Decimal | None = None
    target: float | None = None
    error: str = "linear"
    epsilon: float = Linear().epsilon
    slack: Decimal = Decimal(0)
    mu: float = DEFAULT_MU
    policy: str = "ccb-s"
    selector: str = "greedy"
    interval: str = "hoeffding"
    pool: int | None = None
    kappa: Fraction = DEFAULT_KAPPA
    eliminates: bool = True
    stopping: Stopping = Stopping.PRICE_GAP
    max_size: int = DEFAULT_MAX_SIZE
    seed: int = 0
    payment: str | None = None
    cost: Money | None = None
    one_in: int = DEFAULT_ONE_IN
    coins: int | None = None

    def __post_init__(self) -> None:
        if (self.requirement is None) == (self.target is None):
            raise InvalidInput(
                "a case needs either `requirement` (on the sum of 2q - 1) or `target` (an accuracy), not both"
            )
        if self.requirement is not None and self.policy == AssuredJoint.name:
            raise InvalidInput(
                "'assured-joint' judges juries as wholes and reads no `requirement` on sum(2q - 1); give a `target`"
            )
        if self.slack < 0:
            raise InvalidInput(f"`slack` is {self.slack}; the optimistic problem asks for more: give 0 or more")
        if self.pool is not None and self.policy in PAPER_POLICIES:
            raise InvalidInput(f"{self.policy!r} asks everybody and has no `pool`; leave it out, or take 'assured'")
        check_seed(self.seed)
        # Asked of its complement, which is what the problem is about: a mu of 1e-30 leaves none.
        if not 0.0 < complement(self.mu) < 1.0:
            raise InvalidInput(
                f"`mu` is {self.mu:g}; the chance that the intervals miss lies between 0 and 1, and not at an end: try "
                f"{DEFAULT_MU:g}"
            )
        if self.epsilon != Linear().epsilon and (self.error != Linear.name or self.target is None):
            raise InvalidInput(
                f"`epsilon` is {self.epsilon:g}, what 'linear' supposes of qualities where there is a `target`; leave "
                f"it out"
            )
        if self.requirement is not None and self.error not in MARGINAL:
            raise InvalidInput(
                f"a `requirement` is on the sum of 2q - 1, which the error model {self.error!r} does not use; "
                f"give a `target`, or one of {', '.join(MARGINAL)}"
            )
        if len(self.bids) != len(self.rows):
            raise InvalidInput(
                f"{len(self.bids)} bids and {len(self.rows)} rows of the realization; give one row per bid"
            )
        if not 0 <= self.vary < len(self.bids):
            raise InvalidInput(f"`vary` is {self.vary}; workers are counted from 0 to {len(self.bids) - 1}")
        payment = self.paying()
        if (payment is None) != (self.cost is None):
            raise InvalidInput("`payment` and `cost` go together: whether a lie gains depends on both")
        if self.coins is not None:
            check_seed(self.coins)
            if self.payment != Randomised.name:
                raise InvalidInput(
                    "`coins` are those of the payment 'randomised', and no other tosses any; leave it out"
                )
        if self.averages:
            check_money(self.grid.tolist(), self.cap)
        if self.cost is not None and self.cost not in self.grid.tolist():
            raise InvalidInput(f"the true cost {show(self.cost)} is not in `grid`; the honest bid must be tried too")
        if len(self.grid) == 0:
            raise InvalidInput("`grid` is empty; give at least one bid to try")
        outside = [
            *self.bids[(self.bids < 0) | (self.bids > self.cap)],
            *self.grid[(self.grid < 0) | (self.grid > self.cap)],
        ]
        if outside:
            raise InvalidInput(
                f"bid {show(int(outside[0]))} is outside [0, {show(self.cap)}]; bids lie between 0 and `cap`"
            )
        # The parts refuse what they cannot be made of.
        self.build()

    @property
    def workers(self) -> int:
        return len(self.bids)

    @property
    def horizon(self) -> int:
        return int(self.rows.shape[1])

    def problem(self) -> Problem:
        target = NO_TARGET if self.target is None else self.target
        slack = float(self.slack) if self.requirement is None else 0.0
        return Problem(target, complement(self.mu), self.horizon, self.cap, slack)

    def constraints(self) -> tuple[Constraint, Constraint]:
        """(pessimistic, optimistic)."""
        if self.requirement is not None:
            hoped = self.requirement + self.slack
            return Constraint.reaching(float(self.requirement)), Constraint.reaching(float(hoped))
        problem = self.problem()
        model = Linear(self.epsilon) if self.error == Linear.name else error_model(self.error)
        return Constraint.below(model, problem.alpha), Constraint.below(model, problem.optimistic_alpha)

    def build(self) -> Policy:
        """The real policy that the case is about."""
        problem, pool = self.problem(), self.workers if self.pool is None else self.pool
        if self.policy == AssuredJoint.name:
            return AssuredJoint(problem, pool, self.max_size, self.kappa, self.stopping)
        chosen, bounds = selector(self.selector), interval(self.interval)
        certain, hoped = self.constraints()
        if self.policy in PAPER_POLICIES:
            return PAPER_POLICIES[self.policy](problem, certain, hoped, chosen, bounds)
        if self.policy != Assured.name:
            raise InvalidInput(f"no policy is called {self.policy!r}; there are {', '.join(POLICIES)}")
        return Assured(
            problem,
            certain,
            hoped,
            chosen,
            bounds,
            pool=pool,
            kappa=self.kappa,
            stopping=self.stopping,
            eliminates=self.eliminates,
        )

    @property
    def averages(self) -> bool:
        """Whether what a bid earns is its mean over mode R's coins."""
        return self.payment == Randomised.name and self.coins is None

    def paying(self) -> Payment | None:
        """The real payment, if the case has one."""
        return None if self.payment is None else payment_of(self.payment, self.one_in)

    def bidding(self, bid: int) -> NDArray[np.int64]:
        """All bids, with the varied worker's replaced."""
        bids = self.bids.copy()
        bids[self.vary] = bid
        return bids

    def with_grid(self, grid: list[int]) -> "Case":
        return replace(self, grid=np.array(grid, dtype=np.int64))
