"""One decision (ask and tell) of each plain policy at n = 1100 on the paper's workers, exploring and exploiting.

Limits: 300 microseconds exploring, 5 exploiting. `epsilon-greedy` never stops learning, so each of its greedy
rounds is a whole decision too and is held to the first limit. `assured` asks its pool of 60 only.
"""

import gc
import statistics
import time
from dataclasses import dataclass, field

from quorate.lab.world.paper import Paper
from quorate.model import Problem
from quorate.policy import Phase, Policy, assured_policy, paper_policy

EXPLORING_LIMIT, EXPLOITING_LIMIT = 300.0, 5.0
WARM_UP = 20
ROUNDS = {"ccb-ns": 2500, "ccb-s": 1500, "ccb-se": 1500, "epsilon-greedy": 400, "assured": 600}
MICROSECONDS = 1e6


@dataclass
class Times:
    """Microseconds per decision, by the phase of the round that was decided upon."""

    exploring: list[float] = field(default_factory=list)
    exploiting: list[float] = field(default_factory=list)


def policies() -> list[Policy]:
    cap = Paper().draw(0).cap
    problem = Problem(target=0.9, confidence=0.9, horizon=10_000, cap=cap)
    with_slack = Problem(target=0.9, confidence=0.9, horizon=10_000, cap=cap, slack=0.05)
    paper = [paper_policy(name, with_slack) for name in ("ccb-ns", "ccb-s", "ccb-se", "epsilon-greedy")]
    return [*paper, assured_policy(problem)]


def measure(policy: Policy, seed: int = 1) -> Times:
    """A campaign; only `ask` and `tell` are on the clock."""
    world = Paper().draw(seed)
    realization = world.realization(seed)
    state, times = policy.start(world.prices, seed), Times()
    gc.disable()
    for task in range(ROUNDS[policy.name]):
        start = time.perf_counter()
        ask = policy.ask(state)
        middle = time.perf_counter()
        right = realization.right(task, ask.jury)
        again = time.perf_counter()
        state = policy.tell(state, ask.jury, right)
        spent = (middle - start + time.perf_counter() - again) * MICROSECONDS
        if task >= WARM_UP:
            (times.exploring if ask.phase is Phase.EXPLORE else times.exploiting).append(spent)
    gc.enable()
    return times


def line(name: str, phase: str, spent: list[float], limit: float) -> str:
    if not spent:
        return f"{name:<15} {phase:<10} {'none':>8}"
    median, worst = statistics.median(spent), statistics.quantiles(spent, n=20)[-1]
    return (
        f"{name:<15} {phase:<10} {len(spent):>8,} {median:>11.2f} {worst:>11.2f} {limit:>7.0f} {median / limit:>8.2f}"
    )


def main() -> None:
    print(__doc__)
    print(
        f"{'policy':<15} {'phase':<10} {'rounds':>8} {'median, us':>11} {'95 %, us':>11} {'limit':>7} {'of limit':>8}"
    )
    for policy in policies():
        times = measure(policy)
        stops = policy.name != "epsilon-greedy"
        print(line(policy.name, "exploring", times.exploring, EXPLORING_LIMIT))
        print(
            line(policy.name, "exploiting", times.exploiting, EXPLOITING_LIMIT if stops else EXPLORING_LIMIT),
            flush=True,
        )


if __name__ == "__main__":
    main()
