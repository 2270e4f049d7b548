"""Many orders of one recording: the table of `quorate replay`, with medians and ranges.

Was the promise kept? It says that verdicts are right with probability `target`, surely `confidence`. Over N random
orders, the share of orders in which at least the target's share of all tasks got a right verdict is held against the
confidence, less one standard error of a share of N,

    share >= confidence - sqrt(confidence (1 - confidence) / N).

A task without a verdict counts as not right: a recording cannot say what the missing answers would have been, and a
rule that leaves most tasks undecided must not be called as good as its few verdicts. The orders shuffle one recording:
the share is of them, not of other recordings that might have been made.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.errors import InvalidInput
from quorate.lab.policies import AssuredJointPolicy, AssuredPolicy, PolicyKind, policy_kind
from quorate.lab.replay import Line, Recording, baselines, marks, orders, replay
from quorate.lab.spread import Spread
from quorate.mechanism import Pairing, Payment, pair, stopping_for
from quorate.model.problem import Problem, check_seed
from quorate.money import MILLIONTHS, Money
from quorate.policy import Policy


@dataclass(frozen=True)
class Row:
    """One rule over all orders. `accuracy`: of all tasks, those `undecided` included; `kept`: the share of orders in
    which it was at least the target; `unfinished`: the orders in which exploration never ended; `running`: the cost of
    the work after so many tasks.
    """

    name: str
    spent: Spread
    paid: Spread | None
    accuracy: Spread
    accuracy_after: Spread | None
    explored: Spread
    short: Spread
    undecided: Spread
    kept: float
    unfinished: int
    running: tuple[tuple[int, Spread], ...]

    @classmethod
    def of(cls, lines: list[Line], target: float) -> "Row":
        tasks = lines[0].tasks
        after = [line.accuracy_after for line in lines if line.accuracy_after is not None]
        paid = [line.paid / MILLIONTHS for line in lines if line.paid is not None]
        costs = np.array([line.running for line in lines]).T / MILLIONTHS
        return cls(
            name=lines[0].name,
            spent=Spread.of([line.spent / MILLIONTHS for line in lines]),
            paid=Spread.of(paid) if paid else None,
            accuracy=Spread.of([line.accuracy for line in lines]),
            accuracy_after=Spread.of(after) if after else None,
            explored=Spread.of([float(line.explored) for line in lines]),
            short=Spread.of([float(line.short) for line in lines]),
            undecided=Spread.of([float(line.undecided) for line in lines]),
            kept=float(np.mean([line.accuracy >= target for line in lines])),
            unfinished=sum(line.explored == tasks for line in lines),
            running=tuple((at, Spread.of(cost)) for at, cost in zip(marks(tasks), costs.tolist(), strict=True)),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "spent": _range(self.spent),
            "paid": None if self.paid is None else _range(self.paid),
            "accuracy": _range(self.accuracy),
            "accuracy_after_exploring": None if self.accuracy_after is None else _range(self.accuracy_after),
            "exploration_tasks": _range(self.explored),
            "tasks_with_a_missing_answer": _range(self.short),
            "tasks_without_a_verdict": _range(self.undecided),
            "kept": self.kept,
            "never_ended": self.unfinished,
            "running_cost": [{"tasks": at, **_range(cost)} for at, cost in self.running],
        }


def _range(values: Spread) -> dict[str, float]:
    return {"median": values.median, "p10": values.low, "p90": values.high}


@dataclass(frozen=True)
class Replays:
    """The policy's row first, then the baselines'. `pool`: how many workers the policy asked at first.

    `cap`: the highest bid allowed, and `highest_price` what the dearest worker asks, in millionths; `rounded_by`: the
    largest share by which a recorded price was changed to make it whole millionths.
    """

    pairing: Pairing
    target: float
    confidence: float
    tasks: int
    workers: int
    pool: int
    orders: int
    rows: tuple[Row, ...]
    cap: Money
    highest_price: Money
    rounded_by: float

    @property
    def least_share(self) -> float:
        """The share of orders from which on the promise counts as kept."""
        return max(0.0, self.confidence - math.sqrt(self.confidence * (1.0 - self.confidence) / self.orders))

    @property
    def kept(self) -> bool:
        """Whether the policy reached the target in as large a share of the orders as it was sure of."""
        return self.rows[0].kept >= self.least_share

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `quorate replay`: stable names."""
        return {
            "policy": self.pairing.policy,
            "payment": self.pairing.payment,
            "truthful": self.pairing.truthful,
            "why": self.pairing.why,
            "target": self.target,
            "confidence": self.confidence,
            "tasks": self.tasks,
            "workers": self.workers,
            "pool": self.pool,
            "orders": self.orders,
            "kept": self.kept,
            "orders_at_target": self.rows[0].kept,
            "least_orders_at_target": self.least_share,
            "cap": self.cap / MILLIONTHS,
            "highest_price": self.highest_price / MILLIONTHS,
            "prices_rounded_by": self.rounded_by,
            "rows": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True)
class Choice:
    """The policy that was asked for; an option that it would not look at is refused, not ignored.

    `assume` "nothing" makes `assured` certify whole juries, which is `assured-joint`. None: not said.
    """

    policy: str
    assume: str | None = None
    pool: int | None = None
    max_size: int | None = None
    slack: float = 0.0

    def __post_init__(self) -> None:
        kind = policy_kind(self.policy)
        if self.assume not in (None, "nothing", "independent"):
            raise InvalidInput(f"--assume {self.assume!r} is neither 'nothing' nor 'independent'")
        if self.assume == "nothing" and kind not in (AssuredPolicy, AssuredJointPolicy):
            raise InvalidInput(
                f"--assume nothing does not go with {self.policy}, which takes errors to be independent; take --policy"
                " assured-joint"
            )
        if self.assume == "independent" and kind is AssuredJointPolicy:
            raise InvalidInput(
                "--assume independent does not go with assured-joint, which assumes nothing of errors; take --policy"
                " assured"
            )
        if self.max_size is not None and self._kind is not AssuredJointPolicy:
            raise InvalidInput(
                f"--max-size {self.max_size} does not go with {self.policy}, whose juries have no largest size; leave"
                " it out, or take --policy assured-joint"
            )
        if self.pool is not None and kind not in (AssuredPolicy, AssuredJointPolicy):
            raise InvalidInput(
                f"--pool {self.pool} does not go with {self.policy}, in which everybody takes part; leave it out, or"
                " take --policy assured"
            )
        if self.slack and kind in (AssuredPolicy, AssuredJointPolicy):
            raise InvalidInput(
                f"--slack {self.slack:g} does not go with {self.policy}, which needs none; leave it out, or take a"
                " policy of the paper"
            )

    @property
    def _kind(self) -> type[PolicyKind]:
        joint = self.assume == "nothing" and self.policy == AssuredPolicy.name
        return AssuredJointPolicy if joint else policy_kind(self.policy)

    def build(self, problem: Problem, payment: Payment, *, coins: int) -> Policy:
        """The policy; the assured ones stop by the rule with which the payment is truthful (MATHS 6)."""
        parameters: dict[str, Any] = {}
        if self._kind in (AssuredPolicy, AssuredJointPolicy):
            given = {"pool": self.pool, "max_size": self.max_size}
            parameters = {"stopping": stopping_for(payment).value, **{k: v for k, v in given.items() if v is not None}}
        return self._kind(**parameters).build(problem, coins)


def _check_seeds(seed: int, count: int) -> None:
    """Each order has a seed of its own, from `seed` on."""
    if check_seed(seed) + count > 2**64:
        raise InvalidInput(
            f"seed {seed} leaves no room for {count} orders, whose seeds are the numbers from it on, below 2^64; give"
            f" one of at most {2**64 - count}"
        )


def replay_many(
    recording: Recording,
    policy: Policy,
    payment: Payment,
    *,
    count: int,
    seed: int,
    advance: Callable[[float], None] = lambda amount: None,
) -> Replays:
    """The policy and every baseline on the same `count` orders of the tasks."""
    _check_seeds(seed, count)
    passes: list[list[Line]] = []
    pool = 0
    for number, order in enumerate(orders(recording, seed, count)):
        played = replay(recording, policy, payment, order, seed=seed + number)
        rest = baselines(recording, order, explored=played.line.explored, pool=played.pool, seed=seed + number)
        passes.append([played.line, *rest])
        pool = len(played.pool)
        advance(1)
    problem = policy.problem
    rows = tuple(Row.of(list(lines), problem.target) for lines in zip(*passes, strict=True))
    return Replays(
        pairing=pair(policy, payment),
        target=problem.target,
        confidence=problem.confidence,
        tasks=recording.tasks,
        workers=len(recording.workers),
        pool=pool,
        orders=count,
        rows=rows,
        cap=problem.cap,
        highest_price=int(recording.prices.max()),
        rounded_by=recording.rounded_by,
    )
