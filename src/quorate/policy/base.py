"""What a policy is: whom to ask next, given who was right so far (MATHS 5)."""

import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.model.constraint import Constraint
from quorate.model.interval import Interval
from quorate.model.philox import tie_keys
from quorate.model.problem import Problem, check_bids
from quorate.select.base import Selector, check_pair
from quorate.select.knapsack import Selection

Workers = NDArray[np.int64]


class Phase(StrEnum):
    EXPLORE = "explore"
    EXPLOIT = "exploit"


@dataclass(frozen=True, eq=False)
class Ask:
    """Whom to ask for the next task, in which phase, and how to weigh the answers (None: plain majority)."""

    jury: Workers
    phase: Phase
    weights: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class FamilyEvidence:
    """What is known of each jury of a family as a whole (MATHS 7): verdicts seen, right ones, bounds on its
    accuracy.
    """

    asked: NDArray[np.int64]
    right: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """All that a policy knows; a frozen value that `tell` replaces. Positions are workers; `jury` is sorted.

    `round` counts the truths told while learning; `stop` is the first round (counted from 1) of exploitation, once
    known.
    """

    bids: NDArray[np.int64]
    keys: NDArray[np.int64]
    asked: NDArray[np.int64]
    right: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    alive: NDArray[np.bool_]
    round: int
    ask: Ask
    stop: int | None = None
    family: FamilyEvidence | None = None

    def to_json(self) -> str:
        """The state as JSON; floats keep every bit."""
        return json.dumps(asdict(self), default=lambda array: array.tolist())

    @classmethod
    def from_json(cls, text: str) -> "State":
        try:
            given: dict[str, Any] = json.loads(text)
            ask, family = given.pop("ask"), given.pop("family")
            weights = None if ask["weights"] is None else np.array(ask["weights"], dtype=np.int64)
            made = cls(
                **_arrays(given),
                ask=Ask(np.array(ask["jury"], dtype=np.int64), Phase(ask["phase"]), weights),
                family=None if family is None else FamilyEvidence(**_arrays(family)),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"this is not a policy's state as to_json() writes it ({error!r:.80})") from error
        each = (made.keys, made.asked, made.right, made.lower, made.upper, made.alive)
        if any(len(array) != len(made.bids) for array in each):
            raise InvalidInput("this state lacks something of some worker; give it whole, as to_json() wrote it")
        return made


def _arrays(fields: dict[str, Any]) -> dict[str, Any]:
    """Lists of a JSON object as arrays: bounds are floats, `alive` is boolean, all else counts."""
    kinds = {"lower": np.float64, "upper": np.float64, "alive": np.bool_}
    return {
        name: np.array(value, dtype=kinds.get(name, np.int64)) if isinstance(value, list) else value
        for name, value in fields.items()
    }


@runtime_checkable
class Policy(Protocol):
    """Ask/tell over frozen states.

    Contract (checked by `quorate.testing.PolicyContract`):
    - pure: the same state and the same answers give the same next state, to the bit; nothing else is looked at;
    - `ask` names a non-empty sorted jury of distinct workers; the first asks everybody who takes part;
    - `tell` takes one task's outcome: who of `jury` was right. Truths may come late and out of order;
    - once a state exploits for good (`stop` is set), `tell` changes nothing.
    """

    @property
    def name(self) -> str: ...

    @property
    def problem(self) -> Problem: ...

    @property
    def pessimistic(self) -> Constraint: ...

    @property
    def truthful(self) -> bool:
        """Whether the allocation is proved ex-post monotone, so that a truthful payment exists for it."""
        ...

    def start(self, bids: ArrayLike, seed: int) -> State: ...

    def ask(self, state: State) -> Ask: ...

    def tell(self, state: State, jury: Workers, right: NDArray[np.bool_]) -> State: ...


@dataclass(frozen=True)
class LearningPolicy(ABC):
    """What the paper's policies share: counts, intervals, and a decision after every revealed truth.

    `pessimistic` is the constraint at 1 - alpha, `optimistic` the one at 1 - alpha + xi.
    """

    problem: Problem
    pessimistic: Constraint
    optimistic: Constraint
    selector: Selector
    interval: Interval

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for constraint in (self.pessimistic, self.optimistic):
            check_pair(self.selector, constraint)

    def start(self, bids: ArrayLike, seed: int) -> State:
        """Before the first task: everybody is asked (Algorithm 1, `initialize`). `seed` draws the tie keys."""
        checked = check_bids(bids, self.problem.cap)
        return self._first(checked, tie_keys(seed, len(checked)), np.ones(len(checked), dtype=np.bool_))

    def ask(self, state: State) -> Ask:
        return state.ask

    def tell(self, state: State, jury: Workers, right: NDArray[np.bool_]) -> State:
        """One more revealed truth: count, bound, decide (Algorithm 1, up to `selected_set`)."""
        if state.stop is not None:
            return state
        return self.decide(self.bound(counted(state, jury, right)))

    def bound(self, state: State) -> State:
        """The intervals that the counts give."""
        lower, upper = self.interval.bounds(state.right, state.asked, self.level(state), self.floor)
        return replace(state, lower=lower, upper=upper)

    def level(self, state: State) -> float:
        """mu / n: what each worker's interval may miss, so that all hold with probability 1 - mu (union bound)."""
        return self.problem.mu / len(state.bids)

    @property
    def floor(self) -> float:
        """Where intervals are clipped: the paper starts Algorithm 1 from q- = 1/2, whatever the error model.

        Clipping at the floor of `linear` instead, 2/3, makes CCB-NS a sixth cheaper in the paper's setting
        (docs/paper.md).
        """
        return 0.5

    @property
    @abstractmethod
    def truthful(self) -> bool:
        """Whether the allocation is proved ex-post monotone."""

    @abstractmethod
    def decide(self, state: State) -> State:
        """The next jury and phase, from counts and intervals."""

    def cheapest_optimistic(self, state: State) -> Selection:
        """argmin C(S) such that f_S(q+) < alpha - xi (Algorithm 1, `selected_set`)."""
        return self.selector.select(state.bids, state.upper, self.optimistic, state.keys, optimistic=True)

    def explore(self, state: State, jury: Workers) -> State:
        return replace(state, ask=Ask(jury, Phase.EXPLORE))

    def exploit(self, state: State, jury: Workers) -> State:
        return replace(state, ask=Ask(jury, Phase.EXPLOIT), stop=state.round + 1)

    def _first(self, bids: NDArray[np.int64], keys: NDArray[np.int64], alive: NDArray[np.bool_]) -> State:
        workers = len(bids)
        return State(
            bids=bids,
            keys=keys,
            asked=np.zeros(workers, dtype=np.int64),
            right=np.zeros(workers, dtype=np.int64),
            lower=np.full(workers, self.floor),
            upper=np.ones(workers),
            alive=alive,
            round=0,
            ask=Ask(np.flatnonzero(alive), Phase.EXPLORE),
        )


def members(selection: Selection) -> Workers:
    return np.array(selection.members, dtype=np.int64)


def counted(state: State, jury: Workers, right: NDArray[np.bool_]) -> State:
    """One more revealed truth in the workers' counts."""
    if len(right) != len(jury):
        raise InvalidInput(f"{len(right)} outcomes were told for a jury of {len(jury)}; tell one per member, in order")
    if len(jury) == 0:
        raise InvalidInput("a jury of nobody was told, which teaches nothing; tell of the jury that was asked")
    if right.dtype != np.bool_:
        raise InvalidInput(
            f"outcomes of type {right.dtype} were told; tell True for who was right, False for who was not"
        )
    if len(jury) and (jury[0] < 0 or jury[-1] >= len(state.bids) or bool((jury[1:] <= jury[:-1]).any())):
        raise InvalidInput(
            f"the jury told is not a sorted list of different workers from 0 to {len(state.bids) - 1}; "
            f"tell the jury that was asked"
        )
    asked, successes = state.asked.copy(), state.right.copy()
    asked[jury] += 1
    successes[jury] += right
    return replace(state, asked=asked, right=successes, round=state.round + 1)
