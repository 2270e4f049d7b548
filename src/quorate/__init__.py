"""quorate: enough of the right voters are present.

Whom to ask, what the verdict is, when enough has been learned, and what to pay so that asking one's true price is best.
Names load on first use, so `import quorate` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from quorate.model import Problem
    from quorate.model.realization import Field, Recorded
    from quorate.policy import assured_policy, paper_policy, play

_HOMES = {
    "Problem": "quorate.model",
    "Field": "quorate.model.realization",
    "Recorded": "quorate.model.realization",
    "assured_policy": "quorate.policy",
    "paper_policy": "quorate.policy",
    "play": "quorate.policy",
}

__all__ = ["Field", "Problem", "Recorded", "assured_policy", "paper_policy", "play"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'quorate' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
