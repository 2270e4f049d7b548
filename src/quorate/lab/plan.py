"""What a campaign will cost before it starts: exploration, exploitation and payments, by simulation (MATHS 6).

Whether mode R (randomised) or mode D (threshold) buys the promise cheaper depends on the world, so both are played on
the same simulated workers and answers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput, UnknownName
from quorate.lab.comparison import Comparison, compare
from quorate.lab.payment import settle
from quorate.lab.seeds import Seeds
from quorate.lab.spread import Spread
from quorate.lab.study import MOST_TASKS
from quorate.lab.world import Correlated, World
from quorate.lab.world.base import MOST_WORKERS, generator, units
from quorate.lab.world.common_factor import DependentWorld
from quorate.mechanism import PAYMENTS, Payment, Settlement, cheapest_known, pair, payment_named, stopping_for
from quorate.model.problem import Problem, check_bids, check_seed
from quorate.money import LARGEST, MILLIONTHS, Money, show
from quorate.policy import Assured, AssuredJoint, Policy, assured_policy
from quorate.policy.assured import DEFAULT_POOL
from quorate.policy.assured_joint import DEFAULT_JOINT_POOL
from quorate.policy.base import Phase

DEFAULT_SAMPLES = 40
FEWEST_COMPARED = 2
PLANNED = (Assured.name, AssuredJoint.name)


@dataclass(frozen=True, eq=False)
class PlanRequest:
    """What is known before the first task. Money in millionths.

    `prices`: known asking prices, one per worker; without them they are uniform on `price_range`. Qualities are
    uniform on `quality_range`, independent of prices. `cap`: the highest price allowed; None: the top of the range, or
    of the prices. `pool`: None stands for the policy's usual one. `payments`: names; none stands for every payment
    under which truth is a best bid. `truth_share`: of how many tasks the truth becomes known; the others are answered
    by everybody too while exploring, and teach nothing. `correlation`: of the errors of two equally good workers in
    the simulation; whatever it is, `assured` promises for 0 alone.
    """

    workers: int
    target: float
    confidence: float
    horizon: int = 10_000
    prices: NDArray[np.int64] | None = None
    price_range: tuple[Money, Money] = (units(1) // 2, units(1) * 3 // 2)
    quality_range: tuple[float, float] = (0.6, 0.95)
    cap: Money | None = None
    policy: str = Assured.name
    pool: int | None = None
    payments: tuple[str, ...] = ()
    samples: int = DEFAULT_SAMPLES
    seed: int = 1
    truth_share: float = 1.0
    correlation: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= MOST_WORKERS:
            raise InvalidInput(f"{self.workers} workers are not from 1 to {MOST_WORKERS}")
        if not 1 <= self.horizon <= MOST_TASKS:
            raise InvalidInput(f"a horizon of {self.horizon:,} tasks is not possible; give 1 to {MOST_TASKS:,}")
        check_seed(self.seed)
        if self.samples < 1:
            raise InvalidInput(
                f"{self.samples} simulated campaigns say nothing; take 1 or more, such as {DEFAULT_SAMPLES}"
            )
        if self.prices is not None and len(self.prices) != self.workers:
            raise InvalidInput(f"{len(self.prices)} prices were given for {self.workers} workers; give one per worker")
        if not 0.0 < self.truth_share <= 1.0:
            raise InvalidInput(f"truth_share {self.truth_share!r} is not in (0, 1]; without truths nothing is learned")
        if not 0.0 <= self.correlation <= 1.0:
            raise InvalidInput(f"a correlation of errors of {self.correlation!r} is not in [0, 1]; 0 is independent")
        if self.policy not in PLANNED:
            raise UnknownName(f"no plan is made for the policy {self.policy!r}; there are {', '.join(PLANNED)}")
        self.paying()

    @property
    def exploring(self) -> int:
        """How many lowest bidders explore, if there are so many."""
        if self.pool is not None:
            return self.pool
        return DEFAULT_JOINT_POOL if self.policy == AssuredJoint.name else DEFAULT_POOL

    def paying(self) -> tuple[Payment, ...]:
        """The payments named, or every one under which truth is a best bid."""
        cap = self.world(0).cap
        named = tuple(payment_named(name) for name in self.payments) or tuple(PAYMENTS.values())
        truthful = [payment for payment in named if pair(_policy(self, payment, cap), payment).truthful]
        return named if self.payments else tuple(truthful)

    def world(self, seed: int) -> World:
        """One draw of what is not known."""
        low, high = self.quality_range
        if self.prices is not None:
            qualities = generator(seed).uniform(*_ordered("quality", low, high), self.workers)
            prices, highest = self.prices, int(self.prices.max())
        else:
            drawn = Correlated(self.workers, *self.price_range, low, high, correlation=0.0).draw(seed)
            qualities, prices, highest = drawn.qualities, drawn.prices, drawn.cap
        cap = highest if self.cap is None else self.cap
        if cap < highest:
            raise InvalidInput(
                f"--cap {show(cap)} is below the highest price there may be, {show(highest)}; give at least that"
            )
        if self.correlation:
            return DependentWorld(qualities, check_bids(prices, cap), cap, math.sqrt(self.correlation))
        return World(qualities, check_bids(prices, cap), cap)


def _ordered(what: str, low: float, high: float) -> tuple[float, float]:
    if not 0.0 <= low <= high <= 1.0:
        raise InvalidInput(
            f"the {what} range {low:g} to {high:g} is not in order within [0, 1]; give the lower end first"
        )
    return low, high


@dataclass(frozen=True)
class Campaign:
    """One simulated campaign under one payment; `true_cost` is what the work cost its workers, `cheapest` what the
    cheapest jury on every task costs with everything known; None where none meets the target.
    """

    certified: bool
    exploration_tasks: int
    jury: int
    exploration_paid: Money
    exploitation_paid: Money
    true_cost: Money
    cheapest: Money | None

    @property
    def paid(self) -> Money:
        return self.exploration_paid + self.exploitation_paid


@dataclass(frozen=True)
class Forecast:
    """What a campaign costs under one payment; money in units. `certified` campaigns of all ended their exploration.

    `cheapest`: over those in which some jury meets the target at the true qualities; None if in none.
    """

    payment: str
    truthful: bool
    stopping: str
    certified: int
    campaigns: tuple[Campaign, ...] = field(repr=False)
    exploration_tasks: Spread
    exploration_paid: Spread
    paid_per_task_then: Spread | None
    paid: Spread
    true_cost: Spread
    cheapest: Spread | None
    mean_paid: float


@dataclass(frozen=True)
class WithoutLearning:
    """The cheapest workers, taken as no better than the worst quality thought possible: no exploration, same promise.

    The promise then rests on nobody being worse than that, and on independence. Truthful pay is the first price outside
    the jury, to each member on each task (the cap if nobody is outside). Money in units.
    """

    jury: int
    total_as_asked: Spread
    total_truthful: Spread


@dataclass(frozen=True)
class Plan:
    """`compared`: the two truthful payments with the lowest mean spend, None where fewer than two end exploration in
    time.
    """

    request: PlanRequest = field(repr=False)
    forecasts: tuple[Forecast, ...]
    compared: Comparison | None
    without_learning: WithoutLearning | None
    assumptions: tuple[str, ...]

    @property
    def cheaper(self) -> str | None:
        """The payment that is cheaper by more than chance explains."""
        return None if self.compared is None else self.compared.cheaper

    @property
    def possible(self) -> bool:
        """Whether any simulated campaign certified a jury."""
        return any(forecast.certified for forecast in self.forecasts)


def make_plan(request: PlanRequest, advance: Callable[[float], None] = lambda campaigns: None) -> Plan:
    """Play `samples` campaigns under each payment. A pure function of the request; `advance` only counts."""
    forecasts = []
    for payment in request.paying():
        campaigns = []
        for sample in range(request.samples):
            campaigns.append(_campaign(request, payment, Seeds.of(request.seed, sample)))
            advance(1)
        forecasts.append(_forecast(request, payment, tuple(campaigns)))
    return Plan(request, tuple(forecasts), _compared(forecasts), _without_learning(request), _assumptions(request))


def _compared(forecasts: Sequence[Forecast]) -> Comparison | None:
    contenders = [forecast for forecast in forecasts if forecast.truthful and forecast.certified]
    if len(contenders) < FEWEST_COMPARED:
        return None
    first, second = sorted(contenders, key=lambda forecast: forecast.mean_paid)[:FEWEST_COMPARED]
    paid, other = ([campaign.paid / MILLIONTHS for campaign in forecast.campaigns] for forecast in (first, second))
    return compare(first.payment, paid, second.payment, other)


def _policy(request: PlanRequest, payment: Payment, cap: Money) -> Policy:
    problem = Problem(request.target, request.confidence, request.horizon, cap)
    if request.policy == AssuredJoint.name:
        return AssuredJoint(problem, pool=request.exploring, stopping=stopping_for(payment))
    return assured_policy(problem, pool=request.exploring, stopping=stopping_for(payment))


def _campaign(request: PlanRequest, payment: Payment, seeds: Seeds) -> Campaign:
    world = request.world(seeds.world)
    policy = _policy(request, payment, world.cap)
    settled = settle(policy, payment, world, world.realization(seeds.realization), seeds)
    done, horizon = settled.allocation, request.horizon
    # Those who stay to the end of exploration are asked in all of it. It ends after so many truths.
    truths = int(done.explored.max())
    explored = min(horizon, math.ceil(truths / request.truth_share))
    certified = len(done.jury) > 0 and explored < horizon

    def exploring(amount: Money) -> Money:
        return amount * explored // truths if truths else amount

    def exploiting(amount: Money) -> Money:
        return amount * (horizon - explored) // (horizon - truths) if truths < horizon else amount

    return Campaign(
        certified=certified,
        exploration_tasks=explored,
        jury=len(done.jury) if certified else 0,
        exploration_paid=exploring(_paid(settled.settlement, Phase.EXPLORE)),
        exploitation_paid=exploiting(_paid(settled.settlement, Phase.EXPLOIT)),
        true_cost=exploring(int(done.explored @ world.prices)) + exploiting(int(done.exploited @ world.prices)),
        cheapest=cheapest_known(policy, world.prices, world.qualities),
    )


def _paid(settlement: Settlement, phase: Phase) -> Money:
    return sum(line.total for payout in settlement.payouts for line in payout.lines if line.phase is phase)


def _forecast(request: PlanRequest, payment: Payment, campaigns: tuple[Campaign, ...]) -> Forecast:
    policy = _policy(request, payment, request.world(0).cap)
    then = [
        campaign.exploitation_paid / (request.horizon - campaign.exploration_tasks)
        for campaign in campaigns
        if campaign.certified
    ]
    cheapest = [campaign.cheapest for campaign in campaigns if campaign.cheapest is not None]
    return Forecast(
        payment=payment.name,
        truthful=pair(policy, payment).truthful,
        stopping=stopping_for(payment).value,
        certified=sum(campaign.certified for campaign in campaigns),
        campaigns=campaigns,
        exploration_tasks=Spread.of([float(campaign.exploration_tasks) for campaign in campaigns]),
        exploration_paid=_in_units([campaign.exploration_paid for campaign in campaigns]),
        paid_per_task_then=_in_units(then) if then else None,
        paid=_in_units([campaign.paid for campaign in campaigns]),
        true_cost=_in_units([campaign.true_cost for campaign in campaigns]),
        cheapest=_in_units(cheapest) if cheapest else None,
        mean_paid=sum(campaign.paid for campaign in campaigns) / len(campaigns) / MILLIONTHS,
    )


def _without_learning(request: PlanRequest) -> WithoutLearning | None:
    """The k cheapest, k the fewest that meet the target if all are as bad as the range allows; None where none do."""
    constraint = assured_policy(Problem(request.target, request.confidence, request.horizon, LARGEST)).pessimistic
    value = int(constraint.values(np.array([request.quality_range[0]]), optimistic=False)[0])
    jury = -(-constraint.requirement // value) if value > 0 else request.workers + 1
    if jury > request.workers:
        return None
    asked, truthful = [], []
    for sample in range(request.samples):
        world = request.world(Seeds.of(request.seed, sample).world)
        prices = np.append(np.sort(world.prices), world.cap)
        asked.append(int(prices[:jury].sum()) * request.horizon)
        truthful.append(jury * int(prices[jury]) * request.horizon)
    return WithoutLearning(jury, _in_units(asked), _in_units(truthful))


def _assumptions(request: PlanRequest) -> tuple[str, ...]:
    """In plain words, everything that the figures rest on."""
    low, high = request.quality_range
    bids = (
        f"prices are the {request.workers:,} given ones"
        if request.prices is not None
        else f"prices are uniform from {show(request.price_range[0])} to {show(request.price_range[1])}"
    )
    cap, pool = show(request.world(0).cap), min(request.exploring, request.workers)
    return (
        f"{request.workers:,} workers; {bids}; no price above {cap} is allowed",
        f"qualities are uniform from {low:g} to {high:g}, unknown at the start, and have nothing to do with prices",
        f"a worker's quality does not change; {_errors(request)}",
        f"the {pool} lowest bidders explore, and {_told(request.truth_share)}",
        "while exploring, the whole pool together is right often enough",
        "workers answer as well as they can, and ask their true price",
    )


def _errors(request: PlanRequest) -> str:
    """How errors hang together in the simulation, and what the promise makes of it."""
    joint = request.policy == AssuredJoint.name
    if request.correlation:
        simulated = f"equally good workers' errors have a correlation of {request.correlation:g}"
        return simulated if joint else f"{simulated}, though the promise holds for independent errors alone"
    if joint:
        return (
            "errors are simulated as independent between workers: the promise does not need that, but where they "
            "depend on each other exploring takes longer, and may never end"
        )
    return "errors are independent between workers"


def _told(share: float) -> str:
    if share == 1.0:
        return "each task's truth becomes known then"
    return (
        f"the truth of {100 * share:.3g}% of the tasks becomes known then, drawn beforehand: exploring takes "
        f"{1 / share:.3g} times as many tasks"
    )


def _in_units(amounts: Sequence[float]) -> Spread:
    return Spread.of([amount / MILLIONTHS for amount in amounts])
