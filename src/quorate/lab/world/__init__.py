"""Worlds: who could be asked, how good they are, what they ask, how their errors hang together (paper, section 6.3)."""

from quorate.lab.world.base import World, WorldKind
from quorate.lab.world.beta import Beta
from quorate.lab.world.common_factor import CommonFactor, CommonFactorWorld
from quorate.lab.world.correlated import Correlated
from quorate.lab.world.paper import Paper
from quorate.lab.world.recorded import Record, RecordedWorld
from quorate.lab.world.spammers import Spammers
from quorate.lab.world.stars import Stars

WORLDS: dict[str, type[WorldKind]] = {
    kind.name: kind for kind in (Paper, Correlated, Spammers, Stars, Beta, RecordedWorld, CommonFactorWorld)
}


__all__ = [
    "WORLDS",
    "Beta",
    "CommonFactor",
    "CommonFactorWorld",
    "Correlated",
    "Paper",
    "Record",
    "RecordedWorld",
    "Spammers",
    "Stars",
    "World",
    "WorldKind",
]
