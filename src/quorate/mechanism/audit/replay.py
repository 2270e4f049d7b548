"""A case replayed by the plain policies and the real payments: what the audit's kernels are confirmed by."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from quorate.mechanism import Pairing, Payment, Randomised, pair, play_and_pay
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.expected import expect
from quorate.model.realization import Recorded
from quorate.money import Money
from quorate.policy import Play, Policy, play


@dataclass(frozen=True)
class Earning:
    """What the varied worker makes of a bid: tasks, pay, and pay minus true cost. Under `randomised` these are means
    over its coins.
    """

    tasks: Fraction
    pay: Fraction
    utility: Fraction


@dataclass(frozen=True)
class Result:
    """One bid of the grid. `stop`: the first exploitation task (from 1), None if exploration never ends.

    `jury`: whom the last task asked. `earning`: where the case has a payment. Under `randomised` the run is the one in
    which the policy sees the bid as it is.
    """

    bid: Money
    tasks: tuple[int, ...]
    stop: int | None
    jury: tuple[int, ...]
    earning: Earning | None


@dataclass(frozen=True)
class Lie:
    """A bid that earns its worker more than the truth: by how much, and what the truth earns."""

    bid: Money
    gain: Fraction
    honest: Fraction

    @property
    def share(self) -> float | None:
        """The gain as a share of what the truth earns; None where that is nothing."""
        return float(self.gain / self.honest) if self.honest > 0 else None


@dataclass(frozen=True)
class Replay:
    """The whole grid, in its order; with a payment also what is claimed of the pairing. `cost` is None where no bid is
    said to be best: nothing is paid, or coins are given, and truth is best on average over them only.
    """

    results: tuple[Result, ...]
    vary: int
    cost: Money | None
    pairing: Pairing | None

    @property
    def rises(self) -> tuple[tuple[Result, Result], ...]:
        """Neighbours in price of which the higher one got the worker more tasks."""
        ordered = sorted({result.bid: result for result in self.results}.values(), key=lambda result: result.bid)
        return tuple((low, high) for low, high in pairwise(ordered) if high.tasks[self.vary] > low.tasks[self.vary])

    @property
    def monotone(self) -> bool:
        """Raising the bid never got its worker more tasks."""
        return not self.rises

    @property
    def best_lie(self) -> Lie | None:
        """The bid that gains most over bidding the true cost; None if none gains, or nothing is paid."""
        earned = {result.bid: result.earning.utility for result in self.results if result.earning is not None}
        if self.cost is None or not earned:
            return None
        honest = earned[self.cost]
        best = max(earned, key=lambda bid: earned[bid])
        return Lie(best, earned[best] - honest, honest) if earned[best] > honest else None

    @property
    def losses(self) -> tuple[Result, ...]:
        """The bids that are paid less than they ask for the work: whoever asks its true price would lose by it."""
        paid = [(result, result.earning) for result in self.results if result.earning is not None]
        return tuple(result for result, earning in paid if earning.pay < result.bid * earning.tasks)

    @property
    def passed(self) -> bool:
        return self.monotone and self.best_lie is None and not self.losses


def replay(case: Case, advance: Callable[[float], None] = lambda bids: None) -> Replay:
    """Play every bid of the grid over the same realization, by `quorate.policy.play`; `advance` counts them."""
    policy, realization, payment = case.build(), Recorded.of(case.rows), case.paying()
    bids = _counted(case.grid.tolist(), advance)
    if payment is None or case.cost is None:
        runs = [_summary(_play(case, policy, realization, bid), bid, None) for bid in bids]
        return Replay(tuple(runs), case.vary, None, None)
    if isinstance(payment, Randomised) and case.averages:
        results = _on_average(case, policy, realization, payment, case.cost, bids)
    else:
        results = [_settled(case, policy, realization, payment, bid, case.cost) for bid in bids]
    cost = case.cost if case.coins is None else None
    return Replay(tuple(results), case.vary, cost, pair(policy, payment))


def _counted(grid: list[Money], advance: Callable[[float], None]) -> Iterator[Money]:
    """The bids of a grid, each counted once it has been played."""
    for bid in grid:
        yield bid
        advance(1)


def _play(case: Case, policy: Policy, realization: Recorded, bid: Money) -> Play:
    return play(policy, realization, case.bidding(bid), seed=case.seed)


def _on_average(
    case: Case, policy: Policy, realization: Recorded, payment: Randomised, cost: Money, bids: Iterator[Money]
) -> list[Result]:
    """Every bid that the allocation may see, and what each earns over the coins."""
    grid = case.grid.tolist()
    played = [_play(case, policy, realization, bid) for bid in bids]
    means = expect(grid, [int(run.counts[case.vary]) for run in played], payment.one_in)
    earnings = [Earning(mean.tasks, mean.pay, mean.pay - cost * mean.tasks) for mean in means]
    return [_summary(run, bid, earning) for run, bid, earning in zip(played, grid, earnings, strict=True)]


def _settled(case: Case, policy: Policy, realization: Recorded, payment: Payment, bid: Money, cost: Money) -> Result:
    """One run, and what the payment gives for it."""
    coins = case.coins or 0
    paid = play_and_pay(policy, payment, realization, case.bidding(bid), seed=case.seed, coins=coins)
    payout = paid.settlement.payouts[case.vary]
    tasks, total = Fraction(payout.tasks), Fraction(payout.total)
    return _summary(paid.play, bid, Earning(tasks, total, total - cost * tasks))


def _summary(played: Play, bid: Money, earning: Earning | None) -> Result:
    return Result(bid, tuple(played.counts.tolist()), played.stop, tuple(played.juries[-1].tolist()), earning)
