"""Finding tasks among thousands: those of one kind, or by their keys."""

from collections.abc import Callable, Sequence

from quorate.campaign import projection
from quorate.campaign.events import Basis
from quorate.campaign.state import State

ALL = "all"
# As an address calls the kind, and as the page does.
KINDS: dict[str, str] = {ALL: "All", "awaited": "Truth awaited", "wrong": "Wrong", "uncertified": "Not certified"}


def found(state: State, kind: str, key: str) -> Sequence[int]:
    """Tasks of one of KINDS (of an unknown one: all) whose key holds `key`, in the order of posting."""
    numbers = OF_KIND.get(kind, _all)(state)
    sought = key.casefold()
    return [number for number in numbers if sought in state.tasks[number].key.casefold()] if sought else numbers


def _all(state: State) -> Sequence[int]:
    return range(len(state.tasks))


def _wrong(state: State) -> Sequence[int]:
    """Whose verdict is not the truth, as far as that is known."""
    return [
        number
        for number, task in enumerate(state.tasks)
        if task.verdict is not None and (task.gold if task.truth is None else task.truth) not in (None, task.verdict)
    ]


def _uncertified(state: State) -> Sequence[int]:
    return [number for number, task in enumerate(state.tasks) if task.decided and task.basis != Basis.CERTIFIED]


OF_KIND: dict[str, Callable[[State], Sequence[int]]] = {
    "awaited": projection.awaited,
    "wrong": _wrong,
    "uncertified": _uncertified,
}
