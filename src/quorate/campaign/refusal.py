"""Refusals: what was given, the rule, the remedy. Whoever gets one knows that nothing has changed."""

from enum import StrEnum

from quorate.errors import QuorateError


class Code(StrEnum):
    """Why. Stable names: clients branch on them."""

    UNKNOWN_CAMPAIGN = "unknown-campaign"
    UNKNOWN_TASK = "unknown-task"
    UNKNOWN_WORKER = "unknown-worker"
    UNKNOWN_PAYOUT = "unknown-payout"
    # The campaign is in another stage: a bid after close, a task before opening, anything after the end.
    WRONG_STAGE = "wrong-stage"
    INVALID = "invalid"
    DUPLICATE_WORKER = "duplicate-worker"
    DUPLICATE_TASK = "duplicate-task"
    HORIZON_REACHED = "horizon-reached"
    BID_AFTER_CLOSE = "bid-after-close"
    NO_BIDS = "no-bids"
    NOT_ASKED = "not-asked"
    SECOND_ANSWER = "second-answer"
    LEASE_EXPIRED = "lease-expired"
    TASK_DECIDED = "task-decided"
    CONTRADICTING_TRUTH = "contradicting-truth"
    SECOND_TRUTH = "second-truth"
    ALREADY_WITHDRAWN = "already-withdrawn"
    TASKS_IN_FLIGHT = "tasks-in-flight"
    SECOND_CONFIRMATION = "second-confirmation"
    # One idempotency key on two different commands.
    KEY_REUSED = "key-reused"


class Refused(QuorateError):
    """The command breaks a rule of the campaign; the state is as before."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Unavailable(QuorateError):
    """The store cannot take or give anything now (locked, full, restarting): nothing was half-written; try again.

    A command that ended so was not acknowledged. Where the connection broke while committing (`in_doubt`), it may have
    become durable all the same: send it again under the same idempotency key. `passing` says that a moment's waiting
    may help, as it does where a server restarts and does not where a disk is full.
    """

    def __init__(self, message: str, *, in_doubt: bool = False, passing: bool = True) -> None:
        super().__init__(message)
        self.in_doubt = in_doubt
        self.passing = passing


class Tampered(QuorateError):
    """The ledger is not the one that was written: an event, its place or its hash does not fit."""
