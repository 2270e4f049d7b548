"""What a requester fixes when a campaign opens: the promise, the policy, the payment, and how long things may take."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from quorate.errors import InvalidInput
from quorate.money import Money

# Milliseconds since 1970-01-01 UTC: the ledger's times.
Millis = int

HOUR: Millis = 60 * 60 * 1000
DAY: Millis = 24 * HOUR
MOST_HOURS = 10 * 365 * 24
LONGEST: Millis = MOST_HOURS * HOUR
# 9999-01-01 UTC: calendars, and what is counted from such a time, end soon after it.
END_OF_TIME: Millis = 253_370_764_800_000


def from_hours(hours: float, name: str) -> Millis:
    """A length of time as people give it; a refusal calls it by `name`."""
    if not 0 < hours <= MOST_HOURS:
        raise InvalidInput(f"{name} {hours:g} is not above 0 and at most {MOST_HOURS:,} hours; give hours such as 24")
    # No length of time is none.
    return max(1, round(hours * HOUR))


@dataclass(frozen=True)
class PolicyRule:
    """A policy by name with its parameters; None takes the policy's own default (campaign.rules).

    `stopping` defaults to what makes the payment truthful: "head-count" for `threshold`, "price-gap" for others.
    """

    name: str = "assured"
    model: str | None = None
    selector: str | None = None
    pool: int | None = None
    max_size: int | None = None
    kappa: Fraction | None = None
    stopping: str | None = None


@dataclass(frozen=True)
class PaymentRule:
    """A payment by name; `one_in` is mode R's 1 / g."""

    name: str = "threshold"
    one_in: int | None = None


@dataclass(frozen=True)
class Settings:
    """Checked by `campaign.rules.build` and `check_draft` when drafted; fixed when opened.

    `labels` are the words for answers 0 and 1. `answer_within`: an assignment is a lease that long. `truth_within`: a
    truth later than that after the verdict frees its place among the tasks explored at once (None: never).
    `truth_share`: the share of tasks whose truth will be asked for, drawn without looking at bids or answers.
    `exploring_at_once`: while learning, tasks assigned whose truth is still to come; 1 makes exactly the decisions of
    `play`, more is faster and overshoots exploration by at most that many tasks. `at_once`: tasks assigned and
    undecided. `bids_until`: the auction closes by itself then.
    """

    title: str
    target: float
    confidence: float
    horizon: int
    cap: Money
    slack: float = 0.0
    policy: PolicyRule = PolicyRule()
    payment: PaymentRule = PaymentRule()
    accept_untruthful: bool = False
    labels: tuple[str, str] = ("no", "yes")
    currency: str = ""
    answer_within: Millis = DAY
    truth_within: Millis | None = None
    truth_share: float = 1.0
    exploring_at_once: int = 8
    at_once: int = 1_000
    bids_until: Millis | None = None


def to_json(settings: Settings) -> dict[str, Any]:
    """JSON's own types; kappa as "1/4"."""
    found = asdict(settings)
    kappa = settings.policy.kappa
    found["policy"]["kappa"] = None if kappa is None else str(kappa)
    found["labels"] = list(settings.labels)
    return found


def from_json(given: dict[str, Any]) -> Settings:
    """The inverse of `to_json`."""
    policy, payment = dict(given["policy"]), dict(given["payment"])
    if policy["kappa"] is not None:
        policy["kappa"] = Fraction(policy["kappa"])
    negative, positive = given["labels"]
    rest = {name: value for name, value in given.items() if name not in ("policy", "payment", "labels")}
    return Settings(policy=PolicyRule(**policy), payment=PaymentRule(**payment), labels=(negative, positive), **rest)
