"""What a worker earns by lying: the paper's rule with its bossy selector, the same rule with an exact one, and mode D.

The example is MATHS 6's: bids (b, 17, 20), of which worker 0's is varied; its cost is 10. rho_i(t) = floor(t p_i) -
floor((t-1) p_i) with p = (.65, .7, 1), 200 tasks, Hoeffding intervals clipped to [1/2, 1], mu = .1, constraint sum(2q
- 1) >= .6.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quorate.engine import run
from quorate.lab.figures import captions
from quorate.lab.figures.plot import End, blank, thousands, write_ends
from quorate.lab.figures.product import Picture, Product
from quorate.lab.figures.style import FAINT, LOOKS, Dashes
from quorate.mechanism import PAYMENTS, play_and_pay
from quorate.mechanism.audit.case import Case
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS
from quorate.policy import Stopping

STEM = "lies"
CAP, COST, TASKS = 20, 10, 200
LOWEST_BID = 6
# Bids in steps of a quarter.
STEPS = 4
RESAMPLED = 1.0 / DEFAULT_ONE_IN
SAME = 1e-6
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """A line of the picture."""

    name: str
    words: str
    colour: str
    dashes: Dashes
    case: Case
    payment: str


def _case() -> Case:
    rights = (Fraction(65, 100), Fraction(7, 10), Fraction(1))
    rows = [[int(t * p) - int((t - 1) * p) for t in range(1, TASKS + 1)] for p in rights]
    return Case(
        bids=np.array([COST, 17, 20], dtype=np.int64) * MILLIONTHS,
        cap=CAP * MILLIONTHS,
        rows=np.array(rows, dtype=np.bool_),
        vary=0,
        grid=np.array([COST * MILLIONTHS]),
        requirement=Decimal("0.6"),
        error="margin",
    )


def rules() -> tuple[Rule, ...]:
    case = _case()
    exact = replace(case, selector="exact")
    ours = replace(exact, policy="assured", stopping=Stopping.HEAD_COUNT)
    bossy, calm, assured = (LOOKS[name] for name in ("ccb-s", "ccb-ns", "assured"))
    return (
        Rule("bossy", "CCB-S with GA, mode R", bossy.colour, bossy.dashes, case, "randomised"),
        Rule("two-valued", "CCB-S exact, mode R", calm.colour, calm.dashes, exact, "randomised"),
        Rule("threshold", "assured, mode D", assured.colour, assured.dashes, ours, "threshold"),
    )


def lies_figure() -> Product:
    table = pl.concat(_rows(rule) for rule in rules())
    caption = _caption(table)
    picture = Picture(STEM, _draw(table, caption), caption)
    return Product("lies", STEM, table, table, (picture,), _findings(table))


def _rows(rule: Rule) -> pl.DataFrame:
    tried = [place * MILLIONTHS // STEPS for place in range(LOWEST_BID * STEPS, CAP * STEPS + 1)]
    if rule.payment == "threshold":
        bids, tasks, earned = np.array(tried), *_threshold(rule.case, tried)
    else:
        steps = _steps(rule.case, tried)
        bids = np.unique([*tried, *(steps.starts[1:] - 1), *steps.starts])
        tasks, earned = steps.at(bids), _randomised(steps, bids)
    return pl.DataFrame(
        {
            "rule": [rule.name] * len(bids),
            "mechanism": [rule.words] * len(bids),
            "bid": bids / MILLIONTHS,
            "tasks": tasks,
            "utility": earned,
            "utility_of_truth": np.full(len(bids), earned[bids == COST * MILLIONTHS][0]),
        }
    )


@dataclass(frozen=True, eq=False)
class Steps:
    """A(b), a step function of the bid in millionths: `tasks[k]` from `starts[k]` to just below `starts[k + 1]`."""

    starts: NDArray[np.int64]
    tasks: NDArray[np.int64]

    def at(self, bids: NDArray[np.int64]) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.tasks[np.searchsorted(self.starts, bids, side="right") - 1]
        return found


def _steps(case: Case, tried: Sequence[int]) -> Steps:
    """A is taken as constant between bids that get equally many tasks; where they differ, the step is bisected."""
    known = {bid: _tasks(case, bid) for bid in tried}
    waiting = list(pairwise(tried))
    while waiting:
        low, high = waiting.pop()
        if known[low] != known[high] and high - low > 1:
            middle = (low + high) // 2
            known[middle] = _tasks(case, middle)
            waiting += [(low, middle), (middle, high)]
    ordered = sorted(known)
    first = [ordered[0], *(high for low, high in pairwise(ordered) if known[low] != known[high])]
    return Steps(np.array(first), np.array([known[bid] for bid in first]))


def _tasks(case: Case, bid: int) -> int:
    """A(b): the tasks of the varied worker, over the one realization."""
    return int(run(case.build(), Recorded.of(case.rows), case.bidding(bid), seed=case.seed).counts[case.vary])


def _randomised(steps: Steps, bids: NDArray[np.int64]) -> Numbers:
    """Expected utility over the worker's own coins, while the others' coins leave their bids as they are.

    Mode R pays b A~(b) + integral of A~ from b to C on average, where A~(b) = (1 - g) A(b) + g E A(x), and a resampled
    bid is x = C - (C - b) s with P(s <= v) = v^(1 - g). So u = (1 - g) (b - c) A(b) + (g (b - c) + C - b) E A(x).
    """
    cap, cost = CAP * MILLIONTHS, COST * MILLIONTHS
    resampled = np.empty(len(bids))
    for place, bid in enumerate(bids):
        edges = np.concatenate([[bid], steps.starts[steps.starts > bid], [cap]])
        if bid == cap:  # never resampled
            resampled[place] = steps.at(bids)[place]
            continue
        beyond = ((cap - edges) / (cap - bid)) ** (1.0 - RESAMPLED)
        resampled[place] = (steps.at(edges[:-1]) * -np.diff(beyond)).sum()
    above = bids - cost
    earned = (1.0 - RESAMPLED) * above * steps.at(bids) + (RESAMPLED * above + cap - bids) * resampled
    return earned / MILLIONTHS


def _threshold(case: Case, bids: Sequence[int]) -> tuple[NDArray[np.int64], Numbers]:
    """A(b) and utility under mode D, which has no coins."""
    policy, realization = case.build(), Recorded.of(case.rows)
    tasks, earned = np.empty(len(bids), dtype=np.int64), np.empty(len(bids))
    for place, bid in enumerate(bids):
        paid = play_and_pay(policy, PAYMENTS["threshold"], realization, case.bidding(bid), seed=case.seed)
        payout = paid.settlement.payouts[case.vary]
        tasks[place] = payout.tasks
        earned[place] = payout.total / MILLIONTHS - COST * payout.tasks
    return tasks, earned


def _draw(table: pl.DataFrame, caption: str) -> Figure:
    figure, axes = blank(caption, right=2.0)
    ends = []
    for rule in reversed(rules()):
        rows = table.filter(pl.col("rule") == rule.name)
        best = _best(rows)
        axes.plot(rows["bid"], rows["utility"], color=rule.colour, linestyle=rule.dashes)
        if best.gain > 0:
            axes.annotate(
                f"bidding {best.bid:.4g} earns {best.gain:.0%} more than the truth",
                (best.bid, best.utility),
                xytext=(0, 10),
                textcoords="offset points",
                ha="center",
                size=8,
                color=rule.colour,
            )
        axes.plot(best.bid, best.utility, marker="o", color=rule.colour)
        ends.append(End(rule.words, rule.colour, float(rows["utility"][-1])))
    axes.axvline(COST, color=FAINT, linewidth=1.0, zorder=1)
    axes.set_xlim(LOWEST_BID, CAP)
    axes.margins(y=0.12)
    axes.set_ylim(bottom=0.0)
    axes.set_title("What worker 0, whose cost is 10, earns by its bid")
    axes.set_xlabel("bid of worker 0")
    axes.set_ylabel(f"expected utility over {TASKS} tasks")
    thousands(axes)
    write_ends(axes, ends)
    return figure


@dataclass(frozen=True)
class Best:
    """The bid that earns most, the truth if no other earns more, and how much more than the truth, as a share."""

    bid: float
    utility: float
    truth: float

    @property
    def gain(self) -> float:
        return self.utility / self.truth - 1.0


def _best(rows: pl.DataFrame) -> Best:
    """The lowest of the best bids; sums of fractions differ by less than SAME, which is no gain."""
    truth, utility = float(rows["utility_of_truth"][0]), float(rows["utility"].to_numpy().max())
    if utility - truth <= SAME:
        return Best(COST, truth, truth)
    bid = rows.filter(pl.col("utility") >= utility - SAME)["bid"][0]
    return Best(float(bid), utility, truth)


def _caption(table: pl.DataFrame) -> str:
    return captions.caption(
        f"One realization, followed by hand: ρ_i(t) = ⌊t p_i⌋ − ⌊(t−1) p_i⌋ with p = (.65, .7, 1), {TASKS} tasks, "
        f"bids (b, 17, 20), cap {CAP}, constraint Σ(2q−1) ≥ .6, Hoeffding intervals clipped to [1/2, 1], μ = .1, no "
        f"slack. Under mode R (one bid in {DEFAULT_ONE_IN} resampled) utility is the mean over the worker's own "
        "coins, the others' coins leaving their bids as they are; under mode D there are no coins. Truth is best "
        "where the curve is highest at the grey line.",
        "GA is monotone but bossy: the worker's bid moves the round in which exploration ends without moving its own "
        "place in the jury, which the paper's proposition in section 6.1 overlooks. An exact minimum is two-valued.",
        f"{captions.TIES} {captions.INFEASIBLE} The exact selection, and assured in mode D, break ties by random keys; "
        "assured stops by head counts.",
    )


def _findings(table: pl.DataFrame) -> tuple[str, ...]:
    said = []
    for rule in rules():
        best = _best(table.filter(pl.col("rule") == rule.name))
        other = f"bidding {best.bid:.4g} earns {best.utility:,.1f}, {best.gain:.1%} more"
        said.append(
            f"{rule.words}: the truth earns {best.truth:,.1f}; {other if best.gain > 0 else 'no bid earns more'}"
        )
    return tuple(said)
