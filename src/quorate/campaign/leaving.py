"""When people leave or stay silent: whom to ask instead, and whether those who answered carry the promise (MATHS 8).

Everything rests on frozen pessimistic values. A jury that meets the target at the values known before its answers are
seen keeps the promise, whoever it is made of, as long as nobody was taken in or left out because of an answer.
Truthfulness is proved without leavers only: who leaves, or stays silent, to change others' pay is outside the proofs
(MATHS 6).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.model.error import LogOdds
from quorate.model.family import families
from quorate.model.fixed_point import BILLIONTHS
from quorate.policy import Assured, AssuredJoint
from quorate.policy.base import Ask, LearningPolicy, Phase, Policy, Workers, members
from quorate.policy.base import State as Learned
from quorate.vote import log_odds_weights

# The quality that brings nothing, by every error model's values.
WORTHLESS = 0.5
# Counts that leave a worker of the paper's policies no quality above 1/2.
NEVER_RIGHT = 2**40

Weights = NDArray[np.int64]
NOBODY: Workers = np.empty(0, dtype=np.int64)


def effective(ask: Ask, gone: frozenset[int]) -> Ask:
    """The policy's ask without those who left."""
    if not gone:
        return ask
    stay = np.array([worker not in gone for worker in ask.jury.tolist()], dtype=np.bool_)
    if stay.all():
        return ask
    return Ask(ask.jury[stay], ask.phase, None if ask.weights is None else ask.weights[stay])


def without(policy: Policy, learned: Learned, gone: frozenset[int], pool: tuple[int, ...]) -> Learned:
    """What is known once these positions have left, and whom to ask from now on."""
    left = np.array([worker for worker in pool if worker not in gone], dtype=np.int64)
    frozen = _worthless(policy, learned, gone, left)
    if learned.stop is None:
        # Whose vote counts while everybody is asked rests on a certified jury, which the leaver may have been in.
        return policy.decide(frozen) if isinstance(policy, AssuredJoint) else frozen
    if gone.isdisjoint(learned.ask.jury.tolist()):
        return frozen
    return replace(frozen, ask=_cheapest(policy, frozen, left))


def _worthless(policy: Policy, learned: Learned, gone: frozenset[int], left: Workers) -> Learned:
    """Leavers bring nothing from now on, and dominate nobody: whoever was eliminated because of them is back."""
    positions = np.array(sorted(gone), dtype=np.int64)
    if isinstance(policy, AssuredJoint):
        return _without_juries(policy, learned, positions)
    lower, upper = learned.lower.copy(), learned.upper.copy()
    lower[positions] = upper[positions] = WORTHLESS
    changed = replace(learned, lower=lower, upper=upper)
    if learned.stop is not None:
        return changed
    if isinstance(policy, Assured):
        alive = np.zeros_like(learned.alive)
        alive[left] = True
        return replace(changed, alive=alive)
    if isinstance(policy, LearningPolicy):
        asked, right = learned.asked.copy(), learned.right.copy()
        asked[positions], right[positions] = NEVER_RIGHT, 0
        return replace(changed, asked=asked, right=right)
    return changed


def _without_juries(policy: AssuredJoint, learned: Learned, gone: Workers) -> Learned:
    """A jury with a leaver in it is neither certain nor possible any more, and stays so: intervals are nested."""
    if learned.family is None:
        return learned
    broken = _juries_with(policy, learned, gone)
    lower, upper = learned.family.lower.copy(), learned.family.upper.copy()
    lower[broken] = upper[broken] = 0.0
    return replace(learned, family=replace(learned.family, lower=lower, upper=upper))


def _juries_with(policy: AssuredJoint, learned: Learned, some: Workers) -> NDArray[np.bool_]:
    pool = np.flatnonzero(learned.alive)
    here = np.isin(pool, some)
    return np.concatenate([here[family.members].any(axis=1) for family in families(len(pool), policy.max_size)])


def _cheapest(policy: Policy, learned: Learned, left: Workers) -> Ask:
    """Re-solve on frozen pessimistic values over who is left; an empty jury if none of them is certified."""
    nobody = Ask(NOBODY, Phase.EXPLOIT)
    if isinstance(policy, AssuredJoint):
        best = policy.cheapest_certified(learned)
        return nobody if best is None else Ask(best, Phase.EXPLOIT)
    if not isinstance(policy, LearningPolicy) or len(left) == 0:
        return nobody
    chosen = policy.selector.select(
        learned.bids[left], learned.lower[left], policy.pessimistic, learned.keys[left], optimistic=False
    )
    if not chosen.feasible:
        return nobody
    jury = left[members(chosen)]
    return Ask(jury, Phase.EXPLOIT, _weights(policy, learned, jury))


def _certified_juries(policy: AssuredJoint, learned: Learned) -> list[Workers]:
    if learned.family is None:
        return []
    pool = np.flatnonzero(learned.alive)
    certain = learned.family.lower > policy.problem.target
    found: list[Workers] = []
    for family in families(len(pool), policy.max_size):
        found.extend(pool[jury] for jury in family.members[certain[family.part]])
    return found


def _weights(policy: LearningPolicy, learned: Learned, jury: Workers) -> Weights | None:
    """Log-odds weights where the policy votes with them: `assured` under the log-odds model."""
    if isinstance(policy, Assured) and isinstance(policy.pessimistic.model, LogOdds):
        return log_odds_weights(learned.lower[jury])
    return None


def certified(policy: Policy, learned: Learned, ask: Ask) -> bool:
    """Whether the vote that the ask prescribes meets the target on what is known now."""
    if len(ask.jury) == 0:
        return False
    if isinstance(policy, AssuredJoint):
        return _bound(policy, learned, ask) is not None
    if isinstance(policy.pessimistic.model, LogOdds) and ask.weights is None:
        return False
    return policy.pessimistic.meets(learned.lower[ask.jury])


def cover(policy: Policy, learned: Learned, answered: Workers) -> tuple[bool, Weights | None]:
    """Whether those who answered carry the promise by themselves, and with what weights.

    The weights look at other tasks' truths only, so they are fixed before this task's answers are counted.
    """
    if isinstance(policy, AssuredJoint):
        inside = [jury for jury in _certified_juries(policy, learned) if np.isin(jury, answered).all()]
        if not inside:
            return False, None
        best = min(inside, key=lambda jury: (len(jury), int(learned.keys[jury].sum())))
        return True, np.where(np.isin(answered, best), BILLIONTHS, 0).astype(np.int64)
    if not isinstance(policy, LearningPolicy) or len(answered) == 0:
        return False, None
    weights = _weights(policy, learned, answered)
    ask = Ask(answered, Phase.EXPLOIT, weights)
    return (True, weights) if certified(policy, learned, ask) else (False, None)


def substitutes(policy: Policy, learned: Learned, answered: Workers, spare: Workers) -> Workers | None:
    """Whom of `spare` to ask so that they and those who answered carry the promise; None if nobody can.

    The fewest heads, the best first: bids are not looked at, so nobody buys itself this work (docs/campaigns.md).
    """
    if isinstance(policy, AssuredJoint):
        usable = np.concatenate([answered, spare])
        ready = [jury for jury in _certified_juries(policy, learned) if np.isin(jury, usable).all()]
        if not ready:
            return None
        best = min(ready, key=lambda jury: (int((~np.isin(jury, answered)).sum()), int(learned.keys[jury].sum())))
        return np.asarray(best[~np.isin(best, answered)])
    order = spare[np.lexsort((learned.keys[spare], -learned.lower[spare]))]
    for heads in range(1, len(order) + 1):
        extra = order[:heads]
        if cover(policy, learned, np.sort(np.concatenate([answered, extra])))[0]:
            return np.sort(extra)
    return None


def certified_error(policy: Policy, learned: Learned, ask: Ask) -> float | None:
    """The bound on the verdict's error that the certificate gives, where there is one."""
    if not certified(policy, learned, ask):
        return None
    if not isinstance(policy, AssuredJoint):
        qualities = learned.lower[ask.jury]
        inside = bool((qualities >= policy.pessimistic.model.floor).all())
        return policy.pessimistic.model.error(qualities) if inside else None
    bound = _bound(policy, learned, ask)
    return None if bound is None else 1.0 - bound


def _bound(policy: AssuredJoint, learned: Learned, ask: Ask) -> float | None:
    """What is certified of those whose votes count: the lower bound of their jury, if it is above the target."""
    voters = ask.jury if ask.weights is None else ask.jury[ask.weights > 0]
    if learned.family is None or (ask.weights is None and ask.phase is Phase.EXPLORE):
        return None
    pool = np.flatnonzero(learned.alive)
    for family in families(len(pool), policy.max_size):
        if family.size == len(voters):
            here = (pool[family.members] == voters).all(axis=1)
            found = float(learned.family.lower[family.part][here].max(initial=0.0))
            return found if found > policy.problem.target else None
    return None


__all__ = [
    "certified",
    "certified_error",
    "cover",
    "effective",
    "substitutes",
    "without",
]
