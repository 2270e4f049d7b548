"""The paper's bounds, by their labels in its source: how many rounds may go to a jury that is not the best one.

All of them rest on Delta, the smallest distance of any jury's error from alpha, and on h, the error model's smoothness:
`separation` gives the first, `reach` = h^-1(Delta) how far qualities may move before some jury crosses alpha. Natural
logarithms throughout; mu is the chance that the promise does not hold.
"""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from quorate.errors import InvalidInput
from quorate.model.error.base import ErrorModel
from quorate.model.problem import check_qualities

# 2^20 juries take seconds to half a minute, depending on the error model.
MOST_WORKERS = 20


def separation(model: ErrorModel, qualities: ArrayLike, alpha: float) -> float:
    """Delta = min over all juries S of |f_S(q) - alpha| (Definition "Delta-Separated Property"), by trying all 2^n.

    The empty jury counts, as in the paper's "S subset of N". With many workers some jury comes close to alpha
    whatever alpha is, so Delta is about 0 and the bounds say nothing (MATHS 5; docs/bounds.md).
    """
    _check_alpha(alpha)
    known = check_qualities(qualities)
    if len(known) > MOST_WORKERS:
        raise InvalidInput(
            f"{len(known)} workers form 2^{len(known)} juries, too many to try; give at most {MOST_WORKERS} "
            f"(with more, Delta is about 0 and the bounds say nothing)"
        )
    return min(
        abs(model.error(known[list(jury)]) - alpha)
        for size in range(len(known) + 1)
        for jury in combinations(range(len(known)), size)
    )


@dataclass(frozen=True)
class Bounds:
    """The bounds for one problem: n workers, the chance mu, and `reach` = h^-1(Delta), in [0, 1/2].

    At 0, where some jury errs exactly alpha, they are infinite.
    """

    workers: int
    mu: float
    reach: float

    def __post_init__(self) -> None:
        _check_workers(self.workers, self.mu)
        _check_reach(self.reach)

    @classmethod
    def of(cls, model: ErrorModel, qualities: ArrayLike, alpha: float, mu: float) -> "Bounds":
        """For true qualities that are known: a study, not a campaign."""
        known = check_qualities(qualities)
        delta = separation(model, known, alpha)
        return cls(len(known), mu, model.smoothness_inverse(delta, len(known)))

    @property
    def answers(self) -> float:
        """l = 2 ln(2n/mu) / h^-1(Delta)^2 (Lemmas `lemma1_non_strat`, `lemma1_non_unif`).

        After so many answers of every worker each interval is narrower than h^-1(Delta), and no jury is taken for
        what it is not, with probability 1 - mu.
        """
        return answers_for(self.reach, self.workers, self.mu)

    @property
    def bad_rounds(self) -> float:
        """`thm:bad_rounds`: CCB-S asks a jury other than the best in at most l rounds, with probability 1 - mu.

        As stated. Its proof takes the intervals to hold with probability 1 - mu in every round. The paper's do so at
        any one fixed round, while exploration ends at a round that depends on the data, where they need not: at
        q = 1/2, n = 1100 and mu = .1 one misses at some round up to 10^4 with probability .333 (docs/paper.md).
        """
        return self.answers

    @property
    def bad_rounds_ns(self) -> float:
        """`thm:bad_rounds_ns`: for CCB-NS, which does not ask everybody, n l rounds, with probability 1 - mu.

        As stated, with the same gap as `bad_rounds`.
        """
        return self.workers * self.answers

    def bad_rounds_with_slack(self, reach_of_slack: float) -> float:
        """With the slack xi (section 6.3), `reach_of_slack` = h^-1(xi): min(2 / h^-1(xi)^2 ln(2n/mu), l).

        The paper prints 1/16 for the first 2, which is too small by a factor 32. The optimistic jury passes the
        pessimistic check once the whole interval, 2 sqrt(ln(2n/mu) / (2 n_i)) wide, is within h^-1(xi): that is the 2.
        A single worker with f = 1 - q already needs more than the printed bound allows (`needed_by_one_worker`).
        """
        return min(answers_for(reach_of_slack, self.workers, self.mu), self.answers)

    def printed_bad_rounds_with_slack(self, reach_of_slack: float) -> float:
        """The same with the paper's 1/16: wrong, and here to be compared."""
        return min(answers_for(reach_of_slack, self.workers, self.mu) / 32.0, self.answers)

    def regret(self, horizon: int, cost_of_all: float, loss: float) -> float:
        """The corollary of `thm:bad_rounds` (CCB-S): (1 - 1/T) 2 / h^-1(Delta)^2 ln(2nT) C(N) + L, that is mu = 1/T."""
        return _regret(replace(self, mu=1.0 / _tasks(horizon)).bad_rounds, horizon, cost_of_all, loss)

    def regret_ns(self, horizon: int, cost_of_all: float, loss: float) -> float:
        """The corollary of `thm:bad_rounds_ns` (CCB-NS): n times as many rounds."""
        return _regret(replace(self, mu=1.0 / _tasks(horizon)).bad_rounds_ns, horizon, cost_of_all, loss)


def answers_for(reach: float, workers: int, mu: float) -> float:
    """2 ln(2n/mu) / reach^2: the answers after which the paper's interval is no wider than `reach`."""
    _check_reach(reach)
    _check_workers(workers, mu)
    return math.inf if reach == 0.0 else 2.0 * math.log(2.0 * workers / mu) / reach**2


def needed_by_one_worker(quality: float, alpha: float, workers: int, mu: float) -> float:
    """ln(2n/mu) / (2 (q - 1 + alpha)^2): when q- first passes 1 - alpha, if f = 1 - q and the share right is q.

    The counterexample to the printed slack bound (MATHS 5): q = .97, alpha = .1, xi = .05 needs 102 ln(2n/mu)
    answers where 1 / (16 xi^2) allows 25.
    """
    _check_alpha(alpha)
    _check_workers(workers, mu)
    check_qualities([quality])
    margin = quality - (1.0 - alpha)
    if margin <= 0.0:
        raise InvalidInput(f"a worker of quality {quality} never proves {1.0 - alpha:g}; give one above that")
    return math.log(2.0 * workers / mu) / (2.0 * margin**2)


def lower_bound(reach: float, horizon: int) -> float:
    """`thm:lower_bound` as stated: liminf E[regret] >= ln T / h^-1(Delta)^2.

    Its proof does not give that. (1) The wrong jury of the proof is worker 2, who is *cheaper* (c_1 > c_2) and not good
    enough, so asking it lowers the regret, which counts costs alone: the factor (c_2 - c_1) is negative, and the
    statement drops it together with alpha (1 - alpha). (2) Bounded smoothness gives |q_2 - (1 - alpha)| >=
    h^-1(Delta), so the last step turns a lower bound into something larger; it holds only where h is attained. What the
    proof does show is how often the wrong jury must be asked: `least_wrong_rounds`.
    """
    _check_reach(reach)
    return math.inf if reach == 0.0 else math.log(_tasks(horizon)) / reach**2


def least_wrong_rounds(quality: float, alpha: float, horizon: int) -> float:
    """ln T / kl(q_2, 1 - alpha): tasks that go to a worker of quality q_2 < 1 - alpha, in the long run.

    For two workers, f = 1 - q and a policy that is right in the long run on every instance (the proof of
    `thm:lower_bound`); kl is the divergence of coins. At least alpha (1 - alpha) ln T / (q_2 - (1 - alpha))^2.
    """
    _check_alpha(alpha)
    target = 1.0 - alpha
    if not 0.0 <= quality < target:
        raise InvalidInput(f"quality {quality} is not in [0, {target:g}); the wrong worker misses the target")
    divergence = (1.0 - quality) * math.log((1.0 - quality) / alpha)
    if quality > 0.0:
        divergence += quality * math.log(quality / target)
    return math.log(_tasks(horizon)) / divergence


def _regret(bad_rounds: float, horizon: int, cost_of_all: float, loss: float) -> float:
    return (1.0 - 1.0 / horizon) * bad_rounds * cost_of_all + loss


def _tasks(horizon: int) -> int:
    if horizon < 2:
        raise InvalidInput(f"a horizon of {horizon} has no long run; give at least 2 tasks")
    return horizon


def _check_alpha(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise InvalidInput(f"alpha {alpha} is not strictly between 0 and 1; it is 1 - target: try 0.1")


def _check_workers(workers: int, mu: float) -> None:
    if not isinstance(workers, int | np.integer) or workers < 1:
        raise InvalidInput(f"{workers} workers cannot be bounded; there must be a whole number of at least 1")
    if not 0.0 < mu < 1.0:
        raise InvalidInput(f"mu {mu} is not strictly between 0 and 1; it is 1 - confidence: try 0.1")


def _check_reach(reach: float) -> None:
    if not 0.0 <= reach <= 0.5:
        raise InvalidInput(f"reach {reach} is not in [0, 1/2]; it is smoothness_inverse(separation, workers)")
