"""Kernels first, each in a process of its own that then ends.

A process that has compiled all five policies keeps what the compiler took, half a gigabyte; side by side two of them
would need more than the whole race does.
"""

from dataclasses import replace

from quorate.engine import is_ready
from quorate.lab.execution import Workplace
from quorate.lab.figures.settings import Settings
from quorate.lab.seeds import Seeds

# Types alone decide what is compiled; so few workers still reach the paper's target.
WORKERS, TASKS = 110, 4


def compile_first(settings: Settings, place: Workplace) -> None:
    """Store what the race will need and nobody has compiled yet; the last entrant, `assured`, takes longest."""
    small, seeds = replace(settings, samples=1, workers=WORKERS, tasks=TASKS), Seeds.of(settings.seed, 0)
    world = small.world.draw(seeds.world)
    missing = [entrant for entrant in small.entrants if not is_ready(entrant.policy(world, seeds))]
    if place.fresh is None or not missing:
        return
    with place.fresh() as executor:
        for running in [executor.submit(entrant.run, world, seeds) for entrant in reversed(missing)]:
            running.result()
