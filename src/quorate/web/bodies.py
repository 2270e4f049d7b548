"""What requests hold. Unknown fields are refused; money is a decimal string; a bid is not printed with its model."""

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from quorate.campaign import commands
from quorate.campaign.sealed import Bid
from quorate.campaign.settings import DAY, PaymentRule, PolicyRule, Settings
from quorate.money import to_millionths

LARGEST_WHOLE = 2**53
# Python reads far more as a number: other alphabets' digits, exponents, signs, and underscores.
AMOUNT = r"[0-9]{1,7}(\.[0-9]{1,6})?"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("use printable characters only")
    return text


Printable = Annotated[str, AfterValidator(_printable)]
MoneyIn = Annotated[
    str,
    Field(pattern=f"^{AMOUNT}$", description="a decimal amount in units of currency", examples=["0.25"]),
]
Whole = Annotated[int, Field(strict=True, ge=0, le=LARGEST_WHOLE)]
Count = Annotated[int, Field(strict=True, ge=1, le=LARGEST_WHOLE)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Ratio = Annotated[str, Field(pattern=r"^[0-9]{1,9}(/[1-9][0-9]{0,8}|\.[0-9]{1,9})?$", examples=["1/4"])]
Reference = Annotated[
    Whole | Annotated[str, Field(min_length=1, max_length=200)],
    Field(description="a number in the campaign, or the name (key) that was given"),
]
Label = Annotated[int, Field(strict=True, ge=0, le=1)]


class Body(BaseModel):
    """Strict about what it is given: a typing error must not pass for a default."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class PolicyIn(Body):
    """As quorate.campaign.settings.PolicyRule: null means the policy's own default."""

    name: str = "assured"
    model: str | None = None
    selector: str | None = None
    pool: Whole | None = None
    max_size: Whole | None = None
    kappa: Ratio | None = None
    stopping: str | None = None

    def rule(self) -> PolicyRule:
        kappa = None if self.kappa is None else Fraction(self.kappa)
        return PolicyRule(self.name, self.model, self.selector, self.pool, self.max_size, kappa, self.stopping)


class PaymentIn(Body):
    name: str = "threshold"
    one_in: Whole | None = None


class SettingsIn(Body):
    """What a requester fixes. Times are in milliseconds; `bids_until` since 1970-01-01 UTC."""

    title: str = Field(max_length=200)
    target: Number
    confidence: Number
    horizon: Count
    cap: MoneyIn
    slack: Number = 0.0
    policy: PolicyIn = PolicyIn()
    payment: PaymentIn = PaymentIn()
    accept_untruthful: bool = False
    labels: tuple[str, str] = ("no", "yes")
    currency: str = Field("", max_length=20)
    answer_within: Count = DAY
    truth_within: Count | None = None
    truth_share: Number = 1.0
    exploring_at_once: Count = 8
    at_once: Count = 1_000
    bids_until: Count | None = None

    def settings(self) -> Settings:
        given = {name: getattr(self, name) for name in type(self).model_fields}
        given |= {
            "cap": to_millionths(self.cap, "cap"),
            "policy": self.policy.rule(),
            "payment": PaymentRule(self.payment.name, self.payment.one_in),
        }
        return Settings(**given)


class DraftIn(Body):
    settings: SettingsIn
    campaign: str | None = Field(None, pattern=r"^[A-Za-z0-9_-]{1,64}$", description="its name, if it shall have one")


class InviteIn(Body):
    name: str = Field(min_length=1, max_length=200)


class BidIn(Body):
    """The price asked per answer. Kept as it came, unseen, until the sealed bid is made of it."""

    bid: Any = Field(json_schema_extra={"type": "string", "pattern": f"^{AMOUNT}$"}, repr=False)

    def sealed(self) -> Bid:
        """What is wrong with it is said without it."""
        described = isinstance(self.bid, str) and re.fullmatch(AMOUNT, self.bid) is not None
        return Bid.parse(self.bid if described else None)


class TaskIn(Body):
    """`payload` is any JSON that the worker shall see; `gold` its truth, if known beforehand. Without a `key` its
    number is its key, or the next one that is free.
    """

    key: str | None = Field(None, min_length=1, max_length=200)
    payload: Any = None
    gold: Label | None = None


class TasksIn(Body):
    tasks: list[TaskIn] = Field(min_length=1)

    def specs(self) -> tuple[commands.TaskSpec, ...]:
        return tuple(commands.TaskSpec(task.key, task.payload, task.gold) for task in self.tasks)


class AnswerIn(Body):
    """`worker` is needed from a requester; a worker answers for itself."""

    task: Reference
    label: Label
    worker: Reference | None = None


class AnswersIn(Body):
    answers: list[AnswerIn] = Field(min_length=1)


class LabelIn(Body):
    label: Label


class TruthIn(Body):
    task: Reference
    truth: Label


class TruthsIn(Body):
    truths: list[TruthIn] = Field(min_length=1)

    def all(self) -> tuple[commands.Truth, ...]:
        return tuple(commands.Truth(one.task, one.truth) for one in self.truths)


class WithdrawIn(Body):
    reason: str = Field("", max_length=1_000)


class CloseIn(Body):
    force: bool = False


class PayoutsIn(Body):
    worker: Reference | None = None


class ConfirmIn(Body):
    reference: str = Field("", max_length=200)


class TokenIn(Body):
    role: str = Field(pattern="^(requester|worker|auditor)$")
    worker: Reference | None = Field(None, description="whose token it is; for role worker only")
    label: Printable = Field("", max_length=200)


class HookIn(Body):
    """`secret` signs the messages; without one it is drawn, and shown once."""

    url: str = Field(max_length=2_000, pattern=r"^https?://[!-~]+$")
    topics: list[str] = Field(min_length=1, max_length=10)
    secret: str | None = Field(None, min_length=16, max_length=200, pattern=r"^[!-~]+$", repr=False)
