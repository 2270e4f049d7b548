"""Whole runs, compiled: bit for bit the decisions of `quorate.policy.play` on the same realization (MATHS 5 and 6).

A policy, selector, error model, interval or realization of another kind than those that have a kernel is played
plainly.
"""

from collections.abc import Callable

from numpy.typing import ArrayLike

from quorate._kernel_cache import is_stored
from quorate.engine.answers import answers_of
from quorate.engine.assured import assured_kernel, run_assured
from quorate.engine.ccb_ns import ccb_ns_kernel, run_ccb_ns
from quorate.engine.ccb_s import ccb_s_kernel, run_ccb_s
from quorate.engine.ccb_s_exact import ccb_s_exact_kernel, run_ccb_s_exact
from quorate.engine.ccb_se import ccb_se_kernel, run_ccb_se
from quorate.engine.epsilon_greedy import epsilon_greedy_kernel, run_epsilon_greedy
from quorate.engine.result import Run, from_play
from quorate.engine.rules import rules_of
from quorate.engine.setting import Setting
from quorate.model.problem import check_bids, check_qualities, check_seed
from quorate.model.realization import Realization, Recorded
from quorate.policy import CCBNS, CCBS, CCBSE, Assured, EpsilonGreedy
from quorate.policy.base import LearningPolicy, Policy
from quorate.policy.play import play
from quorate.select.base import Exact, Greedy

# What is compiled, by the exact types of policy and selector: a subclass may decide otherwise.
COMPILED: dict[tuple[type, type], Callable[[Setting], Run | None]] = {
    (CCBNS, Greedy): run_ccb_ns,
    (CCBS, Greedy): run_ccb_s,
    (CCBS, Exact): run_ccb_s_exact,
    (CCBSE, Greedy): run_ccb_se,
    (EpsilonGreedy, Greedy): run_epsilon_greedy,
    (Assured, Exact): run_assured,
}
# What each of them compiles; with all that it calls, seconds of work where nothing is stored yet.
KERNELS: dict[tuple[type, type], object] = {
    (CCBNS, Greedy): ccb_ns_kernel,
    (CCBS, Greedy): ccb_s_kernel,
    (CCBS, Exact): ccb_s_exact_kernel,
    (CCBSE, Greedy): ccb_se_kernel,
    (EpsilonGreedy, Greedy): epsilon_greedy_kernel,
    (Assured, Exact): assured_kernel,
}


def is_ready(policy: Policy) -> bool:
    """Whether a run of the policy would begin at once, without compiling for seconds."""
    kernel = KERNELS.get((type(policy), type(policy.selector))) if isinstance(policy, LearningPolicy) else None
    return kernel is None or is_stored(kernel)


def run(
    policy: Policy, field: Realization, bids: ArrayLike, *, seed: int = 0, qualities: ArrayLike | None = None
) -> Run:
    """Run the policy over its whole horizon, as `play` does; every truth is revealed at once."""
    if isinstance(policy, LearningPolicy):
        compiled = COMPILED.get((type(policy), type(policy.selector)))
        setting = _setting(policy, field, bids, seed, qualities)
        done = compiled(setting) if compiled is not None and setting is not None else None
        if done is not None:
            return done
    return from_play(play(policy, field, bids, seed=seed, qualities=qualities))


def _setting(
    policy: LearningPolicy, field: Realization, bids: ArrayLike, seed: int, qualities: ArrayLike | None
) -> Setting | None:
    """The run's checked arguments, or None for `play` to take, or refuse, in its own way."""
    checked = check_bids(bids, policy.problem.cap)
    rules = rules_of(policy, policy.problem.mu / len(checked))
    answers = answers_of(field)
    if rules is None or answers is None or field.workers != len(checked):
        return None
    if isinstance(field, Recorded) and field.matrix.shape[1] < policy.problem.horizon:
        return None
    known = None if qualities is None else check_qualities(qualities, len(checked))
    return Setting(policy, rules, answers, checked, check_seed(seed), known)


__all__ = ["Run", "is_ready", "run"]
