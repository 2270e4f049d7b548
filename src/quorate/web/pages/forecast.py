"""The predicted cost of a campaign (`plan`) for the pages: few samples, one at a time, remembered."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import cast

import numpy as np
from fastapi import Request

from quorate.campaign.settings import Settings
from quorate.campaign.state import State
from quorate.campaign.views import Stage
from quorate.lab.plan import PLANNED, Forecast, Plan, PlanRequest, make_plan
from quorate.mechanism import Randomised, Threshold
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import MILLIONTHS, Money
from quorate.policy import Assured, AssuredJoint
from quorate.web.context import Context
from quorate.web.pages.expected import HIGH, LOW, Expected
from quorate.web.pages.explained import above_the_cap
from quorate.web.problems import Stop, problem

SAMPLES = 6
# A campaign of the joint policy takes seconds to simulate.
JOINT_SAMPLES = 2
MOST_REMEMBERED = 64
# Under both a true price is the best bid. For the joint policy one of them takes long enough to simulate.
COMPARED = (Threshold.name, Randomised.name)


@dataclass(frozen=True)
class Asked:
    """The fields that a prediction depends on; `prices` are given once bids are open.

    `payments` beyond the first are there to compare.
    """

    workers: int
    target: float
    confidence: float
    horizon: int
    cap: Money
    policy: str
    pool: int | None
    payments: tuple[str, ...]
    price_range: tuple[Money, Money]
    quality_range: tuple[float, float] = (LOW, HIGH)
    prices: tuple[Money, ...] = ()
    truth_share: float = 1.0

    def request(self) -> PlanRequest:
        return PlanRequest(
            self.workers,
            self.target,
            self.confidence,
            self.horizon,
            np.array(self.prices, dtype=np.int64) if self.prices else None,
            self.price_range,
            self.quality_range,
            self.cap,
            self.policy,
            self.pool,
            self.payments,
            JOINT_SAMPLES if self.policy == AssuredJoint.name else SAMPLES,
            truth_share=self.truth_share,
        )


@dataclass(frozen=True)
class Shown:
    """A plan for a template: under the first payment, and beside it the other one. Money in units."""

    plan: Plan

    @property
    def chosen(self) -> Forecast:
        return self.plan.forecasts[0]

    @property
    def other(self) -> Forecast | None:
        return self.plan.forecasts[1] if len(self.plan.forecasts) > 1 else None

    @property
    def above_the_cap(self) -> str:
        """What the chosen payment may pay for one answer, if that is more than can be bid."""
        cap = self.plan.request.cap
        return "" if cap is None else above_the_cap(self.chosen.payment, cap, None, "")

    @property
    def samples(self) -> int:
        return self.plan.request.samples

    @property
    def lowest(self) -> float:
        """What the cheapest simulated campaign paid: so few samples have no tails to speak of."""
        return min(campaign.paid for campaign in self.chosen.campaigns) / MILLIONTHS

    @property
    def highest(self) -> float:
        return max(campaign.paid for campaign in self.chosen.campaigns) / MILLIONTHS


class Forecasts:
    """Plans made in a thread, one at a time, so that typing in a form cannot occupy the machine."""

    def __init__(self) -> None:
        self._known: OrderedDict[Asked, Shown] = OrderedDict()
        self._turn = asyncio.Lock()

    async def plan(self, here: Context, request: Request, asked: Asked) -> Shown:
        """Raises QuorateError as `make_plan` does, and Stop for a caller who has gone while waiting for its turn."""
        if asked in self._known:
            return self._known[asked]
        async with self._turn:
            if asked not in self._known:
                if await request.is_disconnected():
                    raise Stop(problem("unavailable", "nobody waits for this prediction any more; ask again"))
                self._known[asked] = await here.blocking(_plan, asked)
            found = self._known[asked]
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
            return found


def forecasts_of(request: Request) -> Forecasts:
    """Those of this application; `mount` makes them."""
    return cast(Forecasts, request.app.state.forecasts)


def _plan(asked: Asked) -> Shown:
    return Shown(make_plan(asked.request()))


def compared(policy: str, payment: str) -> tuple[str, ...]:
    """The payment, and while another may still be chosen that one too."""
    other = [name for name in COMPARED if name != payment and policy == Assured.name]
    return (payment, *other)


def asked_of(state: State) -> Asked | None:
    """For a campaign whose bids are open; None where no plan is made for its policy."""
    settings, auction = state.settings, state.auction
    if settings is None or auction is None or not _planned(settings):
        return None
    prices = tuple(int(bid) for bid in auction.sealed.bids)
    return _asked(settings, len(prices), (settings.payment.name,), (0, settings.cap), prices=prices)


def asked_before(state: State, expected: Expected, bidders: int | None = None) -> Asked | None:
    """Before bids are open: with what is expected, or with so many bidders instead. No bid is looked at, so that no
    prediction can tell one. None where no plan is made for the policy.
    """
    settings = state.settings
    if settings is None or not _planned(settings):
        return None
    payment = settings.payment.name
    payments = compared(settings.policy.name, payment) if state.stage is Stage.DRAFT else (payment,)
    # A price above the cap is not bid.
    low, high = (min(price, settings.cap) for price in expected.price_range)
    workers = expected.workers if bidders is None else bidders
    return _asked(settings, workers, payments, (low, high), expected.quality_range)


def _asked(
    settings: Settings,
    workers: int,
    payments: tuple[str, ...],
    price_range: tuple[Money, Money],
    quality_range: tuple[float, float] = (LOW, HIGH),
    prices: tuple[Money, ...] = (),
) -> Asked:
    return Asked(
        workers,
        settings.target,
        settings.confidence,
        settings.horizon,
        settings.cap,
        settings.policy.name,
        settings.policy.pool,
        payments,
        price_range,
        quality_range,
        prices,
        settings.truth_share,
    )


def _planned(settings: Settings) -> bool:
    """The planner knows policies and payments by their names, with their usual parameters."""
    rule, payment = settings.policy, settings.payment
    usual = rule.model is None and rule.kappa is None and rule.stopping is None
    return rule.name in PLANNED and usual and payment.one_in in (None, DEFAULT_ONE_IN)
