"""From settings to the policy and payment that run: checked when drafted, fixed when opened."""

from dataclasses import dataclass, replace
from fractions import Fraction

from quorate.campaign.labels import check_labels
from quorate.campaign.pricing import jury_prices
from quorate.campaign.settings import DAY, END_OF_TIME, LONGEST, PaymentRule, PolicyRule, Settings
from quorate.errors import InvalidInput, UnknownName
from quorate.mechanism import Pairing, Payment, Randomised, admit, payment_named, stopping_for
from quorate.model.error import ErrorModel, error_model
from quorate.model.problem import Problem
from quorate.policy import (
    PAPER_POLICIES,
    Assured,
    AssuredJoint,
    EpsilonGreedy,
    Policy,
    Stopping,
    assured_policy,
    paper_policy,
)
from quorate.policy.assured import DEFAULT_POOL
from quorate.policy.assured_joint import DEFAULT_JOINT_POOL, DEFAULT_MAX_SIZE
from quorate.policy.pool import DEFAULT_KAPPA, stopping_rule
from quorate.select.base import selector

LONGEST_TITLE = 200
MOST_AT_ONCE = 1_000_000
# Workers of the trial run that checks whether a payment can price a policy's juries.
TRIED = 3


@dataclass(frozen=True, eq=False)
class Rules:
    """What the settings mean."""

    problem: Problem
    policy: Policy
    payment: Payment
    pairing: Pairing


def build(settings: Settings, seed: int = 0) -> Rules:
    """Raises InvalidInput or NotTruthful: what was given, the rule, the remedy. `seed` tosses a policy's own coins."""
    _check_plain(settings)
    problem = Problem(settings.target, settings.confidence, settings.horizon, settings.cap, settings.slack)
    payment = _payment(settings.payment)
    policy = _policy(settings.policy, problem, payment, seed)
    pairing = admit(policy, payment, accept_untruthful=settings.accept_untruthful)
    _check_priceable(policy, payment)
    return Rules(problem, policy, payment, pairing)


def check_draft(settings: Settings) -> None:
    """What a new draft must obey beyond `build`. Ledgers from before these rules stand, and are built without them."""
    check_labels(settings.labels)
    for name, span in (("answer_within", settings.answer_within), ("truth_within", settings.truth_within)):
        if span is not None and span > LONGEST:
            raise InvalidInput(f"{name} {span} is more than {LONGEST} milliseconds, ten years; give {DAY} for a day")
    if settings.bids_until is not None and settings.bids_until >= END_OF_TIME:
        raise InvalidInput(
            f"bids_until {settings.bids_until} is not before the year 9999; give milliseconds since 1970, or leave it "
            f"out and close the auction yourself"
        )


def _check_priceable(policy: Policy, payment: Payment) -> None:
    """A payment that cannot price this policy's juries must say so now, not when the first one is chosen."""
    sealed = payment.seal([0] * TRIED, policy.problem.cap, 0)
    start = policy.start(sealed.seen, 0)
    pool = tuple(policy.ask(start).jury.tolist())
    jury_prices(payment, sealed, policy, start, pool, pool[:1], frozenset())


def _payment(rule: PaymentRule) -> Payment:
    found = payment_named(rule.name)
    if rule.one_in is None:
        return found
    if not isinstance(found, Randomised):
        raise InvalidInput(f"one_in {rule.one_in} has no use with the payment {rule.name!r}, only with 'randomised'")
    return replace(found, one_in=rule.one_in)


def _policy(rule: PolicyRule, problem: Problem, payment: Payment, seed: int) -> Policy:
    if rule.name == Assured.name:
        _refuse(rule, "selector", "max_size")
        return assured_policy(
            problem,
            model=_model(rule),
            pool=DEFAULT_POOL if rule.pool is None else rule.pool,
            kappa=_kappa(rule),
            stopping=_stopping(rule, payment),
        )
    if rule.name == AssuredJoint.name:
        _refuse(rule, "selector", "model")
        return AssuredJoint(
            problem,
            DEFAULT_JOINT_POOL if rule.pool is None else rule.pool,
            DEFAULT_MAX_SIZE if rule.max_size is None else rule.max_size,
            _kappa(rule),
            _stopping(rule, payment),
        )
    if rule.name not in PAPER_POLICIES:
        known = ", ".join((Assured.name, AssuredJoint.name, *PAPER_POLICIES))
        raise UnknownName(f"no policy is called {rule.name!r}; there are {known}")
    _refuse(rule, "pool", "max_size", "kappa", "stopping")
    chosen = None if rule.selector is None else selector(rule.selector)
    policy = paper_policy(rule.name, problem, model=_model(rule), selector=chosen)
    return replace(policy, coin_seed=seed) if isinstance(policy, EpsilonGreedy) else policy


def _model(rule: PolicyRule) -> ErrorModel | None:
    """Whoever decides by the verdicts is told that they err no more than promised, so the model must bound that."""
    if rule.model is None:
        return None
    found = error_model(rule.model)
    if not found.bounds_the_vote:
        raise InvalidInput(
            f"the error model {found.name!r} does not bound how often a verdict is wrong (docs/glossary.md), so a live "
            f"campaign could promise nothing with it; use 'log-odds'"
        )
    return found


def _kappa(rule: PolicyRule) -> Fraction:
    return DEFAULT_KAPPA if rule.kappa is None else rule.kappa


def _stopping(rule: PolicyRule, payment: Payment) -> Stopping:
    """What makes the payment truthful, unless another is named."""
    return stopping_for(payment) if rule.stopping is None else stopping_rule(rule.stopping)


def _refuse(rule: PolicyRule, *names: str) -> None:
    for name in names:
        if getattr(rule, name) is not None:
            raise InvalidInput(f"{name} {getattr(rule, name)!r} is no parameter of policy {rule.name!r}; leave it out")


def _check_plain(settings: Settings) -> None:
    """What neither the problem nor the policy looks at."""
    title = settings.title
    if not isinstance(title, str) or not 0 < len(title.strip()) <= LONGEST_TITLE or not title.isprintable():
        raise InvalidInput(f"a title has 1 to {LONGEST_TITLE} printable characters; {title!r:.80} does not")
    if not settings.currency.isprintable():
        raise InvalidInput(f"the currency {settings.currency!r:.80} is not printable; give a short name such as EUR")
    words = settings.labels
    if len(words) != 2 or not all(_is_word(word) for word in words) or words[0] == words[1]:
        raise InvalidInput(f"labels {words!r} are not two different words for answers 0 and 1; try ('no', 'yes')")
    _check_whole("answer_within", settings.answer_within, "milliseconds")
    _check_whole("exploring_at_once", settings.exploring_at_once, "tasks", MOST_AT_ONCE)
    _check_whole("at_once", settings.at_once, "tasks", MOST_AT_ONCE)
    if settings.truth_within is not None:
        _check_whole("truth_within", settings.truth_within, "milliseconds")
    if settings.bids_until is not None:
        _check_whole("bids_until", settings.bids_until, "milliseconds since 1970")
    share = settings.truth_share
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 < share <= 1.0:
        raise InvalidInput(f"truth_share {share!r} is not in (0, 1]; without any truth nothing can be learned: try 1.0")


def _is_word(word: object) -> bool:
    return isinstance(word, str) and bool(word.strip()) and word.isprintable()


def _check_whole(name: str, value: object, unit: str, most: int = 2**53) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInput(f"{name} {value!r} is not a whole number of {unit} from 1 to {most}")
