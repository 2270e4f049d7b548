"""One command being decided: its events so far, and the state after them."""

from typing import Any

from quorate.campaign.commands import TaskRef, WorkerRef
from quorate.campaign.events import Event, Note, PromiseNoted
from quorate.campaign.fold import fold
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.settings import Millis, Settings
from quorate.campaign.state import State
from quorate.campaign.views import Stage

_NAMES = {
    Stage.DRAFT: "is a draft",
    Stage.AUCTION: "is open for bids",
    Stage.RUNNING: "is running",
    Stage.CLOSED: "is closed",
}


class Step:
    """Every event is folded as it is emitted, so that the next decision sees it. Thrown away after one command.

    `again`: as `decide` says.
    """

    __slots__ = ("again", "events", "now", "state")

    def __init__(self, state: State, now: Millis, *, again: bool = False) -> None:
        self.state = state
        self.now = now
        self.again = again
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.state = fold(self.state, event)
        self.events.append(event)

    def note(self, note: Note, *, task: int | None = None, worker: int | None = None, **facts: int) -> None:
        """Say to the requester, now, what something did to the promise."""
        self.emit(PromiseNoted(note.value, task, worker, facts))

    @property
    def settings(self) -> Settings:
        if self.state.settings is None:
            raise Refused(
                Code.UNKNOWN_CAMPAIGN, f"there is no campaign {self.state.campaign!r}; draft one, or check the name"
            )
        return self.state.settings

    def require(self, wish: str, *stages: Stage) -> None:
        """Refuse what the campaign's stage does not allow."""
        _ = self.settings
        if self.state.stage not in stages:
            raise Refused(
                Code.WRONG_STAGE,
                f"{wish} is not possible: the campaign {_NAMES[self.state.stage]}; "
                f"it is possible while the campaign {' or '.join(_NAMES[stage] for stage in stages)}",
            )

    def worker(self, ref: WorkerRef) -> int:
        """The worker's number."""
        number = self.state.names.get(ref) if isinstance(ref, str) else ref
        if number is None or not 0 <= number < len(self.state.workers):
            raise Refused(
                Code.UNKNOWN_WORKER, f"there is no worker {ref!r} in this campaign; enrol it first, or check the name"
            )
        return number

    def task(self, ref: TaskRef) -> int:
        """The task's number."""
        number = self.state.keys.get(ref) if isinstance(ref, str) else ref
        if number is None or not 0 <= number < len(self.state.tasks):
            raise Refused(
                Code.UNKNOWN_TASK, f"there is no task {ref!r} in this campaign; post it first, or check its key"
            )
        return number


def whole(what: str, value: Any) -> int:
    """An answer or a truth: 0 or 1."""
    if not isinstance(value, int) or value not in (0, 1):
        raise Refused(Code.INVALID, f"{what} {value!r:.40} is neither 0 nor 1; give one of the two")
    return int(value)


def text(what: str, value: Any, longest: int = 200) -> str:
    """A name or key that people gave."""
    if not isinstance(value, str) or not 0 < len(value.strip()) <= longest or not value.isprintable():
        raise Refused(
            Code.INVALID, f"{what} {value!r:.80} is not a text of 1 to {longest} printable characters; give another"
        )
    return value
