"""The lab: worlds, studies over them, figures, plans, replays of recorded answers (paper, section 6.3).

    from quorate.lab import replay_labels

    found = replay_labels(labels, truth, prices, target=0.9)
    found.kept, found.rows[0].spent.median

Names load on first use, so that the command line's help does not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.lab.recorded import recording_of, replay_labels
    from quorate.lab.replay import Recording
    from quorate.lab.replays import Replays, Row, replay_many
    from quorate.lab.spread import Spread

_HOMES = {
    "Recording": "quorate.lab.replay",
    "Replays": "quorate.lab.replays",
    "Row": "quorate.lab.replays",
    "Spread": "quorate.lab.spread",
    "recording_of": "quorate.lab.recorded",
    "replay_labels": "quorate.lab.recorded",
    "replay_many": "quorate.lab.replays",
}

__all__ = ["Recording", "Replays", "Row", "Spread", "recording_of", "replay_labels", "replay_many"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'quorate.lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
