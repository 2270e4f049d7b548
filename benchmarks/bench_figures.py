"""`quorate figures 2 3`, the whole command in a process of its own: wall time, CPU time of all its processes, memory.

*Cold* is with an empty kernel cache, so that every kernel is compiled first; *warm* follows a run that has filled it.
Limits for 1000 samples on two cores: 20 s warm is aimed at, 45 s at most; 90 s cold; memory under 1 GiB.
Memory is the most that the command and its worker processes held together, looked at ten times a second; a page that
several share counts once. CPU time is theirs as last seen, a tenth of a second before they ended. Both need /proc.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FULL, REDUCED, FEW = 1000, 100, 10
PROC = Path("/proc")
TICK = 0.1
TICKS = os.sysconf("SC_CLK_TCK")
KIBIBYTE = 1024
MEBIBYTE = 1024**2
MILLISECONDS = 1e3


@dataclass(frozen=True)
class Measured:
    """Seconds on the wall and of all cores together; bytes."""

    samples: int
    wall: float
    cpu: float
    peak: int


def measure(samples: int, processes: int | None, kernels: Path | None = None) -> Measured:
    """One run of the command; `kernels` is where compiled kernels are kept, if not where they always are."""
    with tempfile.TemporaryDirectory() as out:
        words = [sys.executable, "-c", "from quorate.cli.main import main; main()", "figures", "2", "3"]
        words += ["--samples", str(samples), "--out", out, "--json"]
        if processes is not None:
            words += ["--processes", str(processes)]
        environment = os.environ if kernels is None else {**os.environ, "NUMBA_CACHE_DIR": str(kernels)}
        start = time.perf_counter()
        command = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        peak = 0
        worked: dict[int, float] = {}
        while command.poll() is None:
            tree = family(command.pid)
            peak = max(peak, sum(map(held, tree)))
            worked |= {pid: seconds for pid in tree if (seconds := cpu(pid)) is not None}
            time.sleep(TICK)
        wall = time.perf_counter() - start
        if command.returncode != 0:
            raise SystemExit(f"`quorate figures` ended with exit code {command.returncode}")
    return Measured(samples, wall, sum(worked.values()), peak)


def family(root: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for place in PROC.glob("[0-9]*"):
        fields = stat(int(place.name))
        if fields:
            children.setdefault(int(fields[1]), []).append(int(place.name))
    tree, waiting = [], [root]
    while waiting:
        tree.append(waiting.pop())
        waiting += children.get(tree[-1], [])
    return tree


def stat(pid: int) -> list[str]:
    """What /proc says of a process after its name, from the state on; nothing once it has ended."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def cpu(pid: int) -> float | None:
    """Seconds of user and system time."""
    fields = stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else None


def held(pid: int) -> int:
    """Bytes in memory, a shared page by its share."""
    try:
        rows = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * KIBIBYTE


def line(kernels: str, found: Measured) -> str:
    return (
        f"{kernels:<8} {found.samples:>8,} {found.wall:>8.1f} {found.cpu:>8.1f} "
        f"{found.wall / found.samples * MILLISECONDS:>13.1f} {found.peak / MEBIBYTE:>12.0f}"
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, nargs="*", default=[REDUCED, FULL])
    parser.add_argument("--processes", type=int, help="default: one per core")
    parser.add_argument("--warm", action="store_true", help="leave out the run with an empty kernel cache")
    given = parser.parse_args(arguments)
    print(__doc__)
    print("Five policies, 1100 workers, 10,000 tasks, pictures and data included")
    print(f"{'kernels':<8} {'samples':>8} {'wall, s':>8} {'CPU, s':>8} {'a sample, ms':>13} {'memory, MiB':>12}")
    with tempfile.TemporaryDirectory() as kernels:
        if not given.warm:
            print(line("cold", measure(max(given.samples), given.processes, Path(kernels))), flush=True)
        else:
            measure(FEW, given.processes, Path(kernels))
        for samples in given.samples:
            print(line("warm", measure(samples, given.processes, Path(kernels))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
