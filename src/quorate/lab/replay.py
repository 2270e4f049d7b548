"""A recorded label matrix as a live stream: tasks in random order, one policy, one payment, and what people use today.

A worker that has no answer recorded for a task does not answer when asked: it is not paid, and the verdict is that of
those who do. Where nobody who was asked has one there is no verdict, which counts as not right: the task was not done.
Every truth is revealed at once. Nothing is assumed of how errors depend on each other: the answers are
the recorded ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.lab.dawid_skene import dawid_skene
from quorate.lab.seeds import Seeds
from quorate.mechanism import Allocation, Payment
from quorate.model.problem import check_names
from quorate.money import Money
from quorate.policy import Policy
from quorate.policy.base import Ask, Phase
from quorate.policy.play import verdict_is_right
from quorate.vote import majority_verdict

Bits = NDArray[np.bool_]
RANDOM_SIZES = (3, 5)
BEST_SIZES = (1, 3, 5)
# Places along the stream at which the running cost is noted.
POINTS = 50


@dataclass(frozen=True, eq=False)
class Recording:
    """Who answered and was right on which task [workers, tasks], each task's true answer, and prices in millionths.

    `rounded_by`: the largest share of a price by which rounding to millionths changed one.
    """

    workers: tuple[str, ...]
    answered: Bits
    right: Bits
    truths: Bits
    prices: NDArray[np.int64]
    rounded_by: float = 0.0

    def __post_init__(self) -> None:
        check_names(self.workers)
        shape = (len(self.workers), len(self.truths))
        if self.answered.shape != shape or self.right.shape != shape or self.prices.shape != shape[:1] or not shape[1]:
            raise InvalidInput(
                f"a recording of {shape[0]} workers and {shape[1]} tasks needs tables of that shape and one price a "
                f"worker; it has {self.answered.shape}, {self.right.shape} and {self.prices.shape}"
            )

    @property
    def tasks(self) -> int:
        return len(self.truths)

    def answering(self, task: int, jury: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the jury who have an answer."""
        there: NDArray[np.int64] = jury[self.answered[jury, task]]
        return there

    def labels(self, task: int, jury: NDArray[np.int64]) -> Bits:
        """True where the member's answer is the second class."""
        return np.asarray(self.right[jury, task] == self.truths[task], dtype=np.bool_)


@dataclass(frozen=True)
class Line:
    """One row of the table, over one order of the tasks. Money in millionths.

    `spent` is what the work costs at the recorded prices, `paid` what the payment gives (None: not paid by a
    mechanism); `right` verdicts on `tasks` tasks, `right_after` of them once exploration had ended; `explored` tasks of
    learning; `short` tasks on which somebody asked had no answer, `undecided` those on which nobody asked had one.
    """

    name: str
    spent: Money
    paid: Money | None
    tasks: int
    right: int
    right_after: int
    explored: int
    short: int
    undecided: int
    running: tuple[Money, ...]

    @property
    def accuracy(self) -> float:
        """The share of all tasks that got a right verdict."""
        return self.right / self.tasks

    @property
    def accuracy_after(self) -> float | None:
        """The same once exploration had ended; None if it never did."""
        return self.right_after / (self.tasks - self.explored) if self.explored < self.tasks else None


@dataclass(frozen=True, eq=False)
class Played:
    """The policy's row of the table, and the workers whom it asked on its first task."""

    line: Line
    pool: NDArray[np.int64]


def orders(recording: Recording, seed: int, count: int) -> Iterator[NDArray[np.int64]]:
    """`count` random orders of the tasks, each a pure function of (seed, its number)."""
    for number in range(count):
        yield _stream(seed, number).permutation(recording.tasks)


def _stream(seed: int, number: int) -> np.random.Generator:
    """A generator of its own for each pair. (A list would become floats where the seed is large, and seeds alike.)"""
    return np.random.Generator(np.random.Philox(key=np.array([seed, number], dtype=np.uint64)))


def marks(tasks: int) -> tuple[int, ...]:
    """The numbers of tasks after which the running cost is noted, the last of them all."""
    steps = min(POINTS, tasks)
    return tuple(-(-tasks * step // steps) for step in range(1, steps + 1))


def replay(recording: Recording, policy: Policy, payment: Payment, order: NDArray[np.int64], *, seed: int) -> Played:
    """The policy over the tasks in this order, as if live; the payment settles at the end."""
    if policy.problem.horizon != recording.tasks:
        raise InvalidInput(
            f"the policy plans for {policy.problem.horizon} tasks and {recording.tasks} are recorded; make them equal"
        )
    seeds = Seeds.of(seed, 0)
    sealed = payment.seal(recording.prices, policy.problem.cap, seeds.coins)
    state = policy.start(sealed.seen, seeds.ties)
    pool = policy.ask(state).jury
    tally = _Tally(recording, len(order))
    for task in order.tolist():
        asked = policy.ask(state)
        present = recording.answering(task, asked.jury)
        tally.add(len(asked.jury), present, _verdict(recording, task, asked, present), asked.phase)
        if len(present):
            state = policy.tell(state, present, recording.right[present, task])
    jury = state.ask.jury if tally.phase is Phase.EXPLOIT else np.empty(0, dtype=np.int64)
    allocation = Allocation(tally.explored, tally.exploited, jury, state.lower, state.keys, state.family)
    return Played(tally.line(policy.name, payment.settle(sealed, policy, allocation).spend), pool)


def baselines(
    recording: Recording, order: NDArray[np.int64], *, explored: int, pool: NDArray[np.int64], seed: int
) -> list[Line]:
    """What people use today, on the same order; those that learn, learn from the same tasks and workers as the
    policy.
    """
    everybody = np.arange(len(recording.workers))
    draws = _stream(seed, len(order))

    def at_random(size: int) -> Callable[[int], NDArray[np.int64]]:
        def choose(task: int) -> NDArray[np.int64]:
            there = recording.answering(task, everybody)
            return np.sort(draws.choice(there, min(size, len(there)), replace=False))

        return choose

    lines = [_fixed(recording, order, "everybody, majority", lambda task: everybody)]
    lines += [_fixed(recording, order, f"{size} at random, majority", at_random(size)) for size in RANDOM_SIZES]
    ranked = most_accurate(recording, order[:explored], pool)
    for size in BEST_SIZES:
        name = "best single after exploring" if size == 1 else f"majority of the {size} best after exploring"
        lines.append(_after_exploring(recording, order, name, pool, explored, np.sort(ranked[:size])))
    found = dawid_skene(recording.answered, recording.right == recording.truths)
    if found is not None:
        right = int((found == recording.truths)[recording.answered.any(axis=0)].sum())
        lines.append(replace(lines[0], name="everybody, Dawid-Skene", right=right, right_after=right))
    return lines


def most_accurate(recording: Recording, tasks: NDArray[np.int64], pool: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pool by accuracy on these tasks, best first; ties to the cheaper, then to the first named."""
    answered = recording.answered[pool][:, tasks].sum(axis=1)
    right = (recording.answered & recording.right)[pool][:, tasks].sum(axis=1)
    accuracy = right / np.maximum(answered, 1)
    return pool[np.lexsort((pool, recording.prices[pool], -accuracy))]


def _verdict(recording: Recording, task: int, asked: Ask, present: NDArray[np.int64]) -> bool | None:
    """Whether the verdict of those present is right; None if nobody answered."""
    if len(present) == 0:
        return None
    weights = None if asked.weights is None else asked.weights[np.isin(asked.jury, present)]
    return verdict_is_right(
        Ask(present, asked.phase, weights), recording.right[present, task], bool(recording.truths[task])
    )


def _fixed(
    recording: Recording, order: NDArray[np.int64], name: str, choose: Callable[[int], NDArray[np.int64]]
) -> Line:
    """A rule that does not learn."""
    tally = _Tally(recording, len(order))
    for task in order.tolist():
        jury = choose(task)
        present = recording.answering(task, jury)
        tally.add(len(jury), present, _majority(recording, task, present), Phase.EXPLOIT)
    return tally.line(name, None)


def _after_exploring(
    recording: Recording,
    order: NDArray[np.int64],
    name: str,
    pool: NDArray[np.int64],
    explored: int,
    jury: NDArray[np.int64],
) -> Line:
    """The pool by majority while exploring, then the jury."""
    tally = _Tally(recording, len(order))
    for number, task in enumerate(order.tolist()):
        exploring = number < explored
        asked = pool if exploring else jury
        present = recording.answering(task, asked)
        verdict = _majority(recording, task, present)
        tally.add(len(asked), present, verdict, Phase.EXPLORE if exploring else Phase.EXPLOIT)
    return tally.line(name, None)


def _majority(recording: Recording, task: int, present: NDArray[np.int64]) -> bool | None:
    if len(present) == 0:
        return None
    return majority_verdict(recording.labels(task, present)) == bool(recording.truths[task])


class _Tally:
    """Counts one pass over the tasks."""

    def __init__(self, recording: Recording, tasks: int) -> None:
        self._prices = recording.prices
        self._marks = set(marks(tasks))
        self.explored = np.zeros(len(recording.workers), dtype=np.int64)
        self.exploited = np.zeros(len(recording.workers), dtype=np.int64)
        self.phase = Phase.EXPLORE
        self._seen = self._spent = self._exploring = self._short = self._undecided = 0
        self._right = {Phase.EXPLORE: 0, Phase.EXPLOIT: 0}
        self._running: list[Money] = []

    def add(self, asked: int, present: NDArray[np.int64], right: bool | None, phase: Phase) -> None:
        self.phase = phase
        counts = self.explored if phase is Phase.EXPLORE else self.exploited
        counts[present] += 1
        self._spent += int(self._prices[present].sum())
        self._seen += 1
        self._exploring += phase is Phase.EXPLORE
        self._short += len(present) < asked
        self._undecided += right is None
        self._right[phase] += bool(right)
        if self._seen in self._marks:
            self._running.append(self._spent)

    def line(self, name: str, paid: Money | None) -> Line:
        return Line(
            name=name,
            spent=self._spent,
            paid=paid,
            tasks=self._seen,
            right=sum(self._right.values()),
            right_after=self._right[Phase.EXPLOIT],
            explored=self._exploring,
            short=self._short,
            undecided=self._undecided,
            running=tuple(self._running),
        )
