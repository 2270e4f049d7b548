"""The jury now in use, and why it and not a cheaper one: for the requester's dashboard."""

from functools import lru_cache

import numpy as np

from quorate.campaign.flow import asks_now
from quorate.campaign.fold import auction_of, learned_of, rules_of
from quorate.campaign.leaving import certified_error
from quorate.campaign.pricing import jury_prices
from quorate.campaign.state import State
from quorate.campaign.views import JuryView
from quorate.money import Money, show
from quorate.policy import Assured, AssuredJoint, EpsilonGreedy, Stopping
from quorate.policy.base import Ask, LearningPolicy, Phase, Workers, members
from quorate.wording import counted

# Saying what each member saves takes one exact search a member.
MEMBERS_EXPLAINED = 12
# Decimals of amounts in sentences.
SHOWN = 2
# States whose hoped jury is remembered: one page asks for it several times, and so does whoever polls.
REMEMBERED = 16


def jury_view(state: State) -> JuryView | None:
    """None before the auction is closed, and where nobody can be asked any more."""
    if state.learned is None:
        return None
    ask = asks_now(state)
    if len(ask.jury) == 0:
        return None
    numbers, learned = auction_of(state).workers, learned_of(state)
    hoped = _hoped(state)
    bids = int(learned.bids[ask.jury].sum())
    allowance = _allowance(state)
    gap = None if hoped is None or ask.phase is Phase.EXPLORE else bids - int(learned.bids[hoped].sum())
    needed = tuple(_without_each(state, ask))
    return JuryView(
        jury=state.current,
        phase=ask.phase.value,
        workers=tuple(numbers[position] for position in ask.jury.tolist()),
        price=_price(state, ask),
        bids=bids,
        certified_error=certified_error(rules_of(state).policy, learned, ask),
        hoped=None if hoped is None else tuple(numbers[position] for position in hoped.tolist()),
        gap=gap,
        allowance=allowance,
        why=(*_why(state, ask, hoped, allowance), *needed),
        needed=needed,
    )


def hopeless(state: State) -> bool:
    """Whether no jury of those left would reach the target, even were all as good as what is known still allows.

    Never once exploration has ended: it ends with a certified jury.
    """
    if state.learned is None or state.ended:
        return False
    policy, family = rules_of(state).policy, state.learned.family
    if isinstance(policy, EpsilonGreedy):
        return False
    if isinstance(policy, AssuredJoint):
        return family is not None and not bool((family.upper > policy.problem.target).any())
    return isinstance(policy, LearningPolicy) and len(_left(state)) > 0 and _hoped(state) is None


def _price(state: State, ask: Ask) -> Money:
    auction, rules, jury = auction_of(state), rules_of(state), tuple(ask.jury.tolist())
    if ask.phase is Phase.EXPLORE:
        return sum(auction.prices[position] for position in jury)
    return sum(
        jury_prices(rules.payment, auction.sealed, rules.policy, learned_of(state), auction.pool, jury, state.withdrawn)
    )


def _left(state: State) -> Workers:
    learned = learned_of(state)
    pool = [position for position in auction_of(state).pool if position not in state.withdrawn]
    return np.array([position for position in pool if learned.alive[position]], dtype=np.int64)


@lru_cache(maxsize=REMEMBERED)
def _hoped(state: State) -> Workers | None:
    """W: the cheapest jury if everybody were as good as still possible."""
    policy, learned, left = rules_of(state).policy, learned_of(state), _left(state)
    if not isinstance(policy, LearningPolicy) or len(left) == 0:
        return None
    found = policy.selector.select(
        learned.bids[left], learned.upper[left], policy.optimistic, learned.keys[left], optimistic=True
    )
    return left[members(found)] if found.feasible else None


def _allowance(state: State) -> Money | None:
    policy = rules_of(state).policy
    return policy.allowance(learned_of(state)) if isinstance(policy, Assured) else None


def _why(state: State, ask: Ask, hoped: Workers | None, allowance: Money | None) -> list[str]:
    policy, learned = rules_of(state).policy, learned_of(state)
    if ask.phase is Phase.EXPLORE:
        return _why_everybody(state, ask, hoped, allowance)
    found = []
    error = certified_error(policy, learned, ask)
    if error is None:
        found.append("It is the cheapest jury on what is estimated of the workers; nothing certifies it.")
    else:
        found.append(
            f"At the qualities that its members surely have, its verdicts err with probability at most {error:.4f}; "
            f"{policy.problem.alpha:g} was promised."
        )
        left = counted(len(_left(state)), "worker")
        found.append(f"No cheaper jury of the {left} left can be certified: the search is exact.")
    return found


def _why_everybody(state: State, ask: Ask, hoped: Workers | None, allowance: Money | None) -> list[str]:
    """One sentence for a manager, and then the details."""
    policy, truths = rules_of(state).policy, learned_of(state).round
    found = [_learning(len(ask.jury), truths)]
    if hopeless(state):
        found.append("Even if everybody were as good as still possible, no jury would reach the target.")
    if hoped is None:
        return found
    bids = show(int(learned_of(state).bids[hoped].sum()), SHOWN)
    found.append(
        f"If everybody were as good as still possible, {counted(len(hoped), 'worker')} would do, for bids of {bids} a "
        f"task; that is not certain yet."
    )
    if allowance is not None and isinstance(policy, Assured):
        unit = "it" if policy.stopping is Stopping.PRICE_GAP else "it, each worker more counted at the exploring price"
        found.append(
            f"Exploring ends when a jury that is surely good enough costs at most {show(allowance, SHOWN)} a task more "
            f"than {unit}. This margin grows with every truth."
        )
    return found


def _learning(asked: int, truths: int) -> str:
    if asked == 1:
        return f"The campaign learns how good its one worker is, from {counted(truths, 'truth')} so far."
    return (
        f"The campaign learns who is how good: {asked} workers answer every task until it is known which of them are "
        f"enough. It has learned from {counted(truths, 'truth')} so far."
    )


def _without_each(state: State, ask: Ask) -> list[str]:
    """What the cheapest certified jury without a member would cost: what makes the member worth asking."""
    policy, learned, left = rules_of(state).policy, learned_of(state), _left(state)
    if ask.phase is Phase.EXPLORE or not isinstance(policy, LearningPolicy) or len(ask.jury) > MEMBERS_EXPLAINED:
        return []
    price, found = int(learned.bids[ask.jury].sum()), []
    for position in ask.jury.tolist():
        name = state.workers[auction_of(state).workers[position]].name
        others = left[left != position]
        other = policy.selector.select(
            learned.bids[others], learned.lower[others], policy.pessimistic, learned.keys[others], optimistic=False
        )
        if other.feasible:
            instead = f"{show(other.price, SHOWN)}, not {show(price, SHOWN)}"
            found.append(f"Without {name} the bids of the cheapest would be {instead}.")
        else:
            found.append(f"Without {name} no jury could be certified.")
    return found
