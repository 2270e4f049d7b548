"""What a study costs: linear in samples, tasks and workers, and what a cell costs beyond its samples.

Growth is shown as time per unit, and for the last step as a power of the size: 1 is linear. Small sizes cost what does
not depend on size.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from quorate.lab.cell import run_cell
from quorate.lab.execution import workplace
from quorate.lab.policies import POLICY_KINDS
from quorate.lab.results import ResultDirectory
from quorate.lab.run_study import run_study
from quorate.lab.study import Cell, Promise, Study
from quorate.lab.versions import versions
from quorate.lab.world import Paper

SLACK = 0.05
SEED = 7
# The least of so many: other work on the machine only adds.
REPEATS = 3


def seconds(policy: str, *, workers: int, tasks: int, samples: int) -> float:
    """One cell, as a worker process runs it."""
    promise = Promise(horizon=tasks, slack=SLACK)
    cell = Cell(0, Paper(workers), promise, POLICY_KINDS[policy](), (), SEED, 0, samples)
    return run_cell(cell, versions()).seconds


def growth(title: str, policy: str, sizes: list[int], measure: Callable[[int], float]) -> None:
    measure(sizes[0])  # compiled, or read from the cache
    times = [min(measure(size) for _ in range(REPEATS)) for size in sizes]
    print(f"\n{title}, {policy}")
    for size, taken in zip(sizes, times, strict=True):
        print(f"{size:>10,} {taken:>9.3f} s {taken / size * 1e6:>11.2f} us a unit")
    power = math.log(times[-1] / times[-2]) / math.log(sizes[-1] / sizes[-2])
    print(f"  last step: size x {sizes[-1] / sizes[-2]:g}, time x {times[-1] / times[-2]:.1f}, power {power:.2f}")


def overhead(cells: int, processes: int) -> float:
    """Seconds a cell of a study whose samples take no time to speak of: sending, writing, moving, reading again."""
    study = Study((Paper(2),), (Promise(horizon=1),), (POLICY_KINDS["ccb-s"](),), samples=cells, chunk=1)
    with tempfile.TemporaryDirectory() as out, workplace(processes) as place:
        directory = ResultDirectory(Path(out), study)
        # The first cells start the worker processes.
        waiting = directory.unfinished()
        run_study(directory, waiting[:4], place)
        start = time.perf_counter()
        run_study(directory, waiting[4:], place)
        directory.finish()
        return (time.perf_counter() - start) / (cells - 4)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", nargs="*", default=["assured", "ccb-se", "ccb-ns"])
    parser.add_argument("--most-workers", type=int, default=100_000)
    parser.add_argument("--most-tasks", type=int, default=100_000)
    given = parser.parse_args(arguments)
    for policy in given.policies:
        growth(
            "samples (1,100 workers, 2,000 tasks)",
            policy,
            [2, 4, 8, 16],
            lambda samples, policy=policy: seconds(policy, workers=1_100, tasks=2_000, samples=samples),
        )
        growth(
            "tasks (1,100 workers, 2 samples)",
            policy,
            [size for size in (1_000, 10_000, 100_000) if size <= given.most_tasks],
            lambda tasks, policy=policy: seconds(policy, workers=1_100, tasks=tasks, samples=2),
        )
        growth(
            "workers (2,000 tasks, 2 samples)",
            policy,
            [size for size in (100, 1_000, 10_000, 100_000) if size <= given.most_workers],
            lambda workers, policy=policy: seconds(policy, workers=workers, tasks=2_000, samples=2),
        )
    print("\noverhead of a cell")
    for processes in (1, 2):
        print(f"{processes} process{'es' if processes > 1 else ''}: {overhead(300, processes) * 1000:.2f} ms")


if __name__ == "__main__":
    main()
