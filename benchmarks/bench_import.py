"""What it costs to start: `import quorate` and `quorate --help` beside a bare interpreter, interleaved.

Limit: .3 s over the bare interpreter. The commands run from a directory of their own, each in a new process.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 0.3
COMMANDS = {
    "python -c pass": "pass",
    "import quorate": "import quorate",
    "from quorate import Problem": "from quorate import Problem",
    "quorate --help": "import sys; sys.argv = ['quorate', '--help']; from quorate.cli.main import main; main()",
    "from quorate import play": "from quorate import play",
}
BARE = "python -c pass"
# What needs the kernels must load numba, so no limit is promised for it.
LIMITED = ("import quorate", "quorate --help")


def seconds(code: str, where: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=where)
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args(arguments).repeats
    print(__doc__)
    spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as where:
        for _ in range(repeats + 1):
            for name, code in COMMANDS.items():
                spent[name].append(seconds(code, where))
    # The first round fills the disk's caches.
    medians = {name: statistics.median(times[1:]) for name, times in spent.items()}
    print(f"{'start':<30} {'median, s':>10} {'over bare, s':>13} {'limit':>6} {'of limit':>9}")
    for name, median in medians.items():
        over = median - medians[BARE]
        limit = f"{LIMIT:>6.1f} {over / LIMIT:>9.2f}" if name in LIMITED else ""
        print(f"{name:<30} {median:>10.3f} {over:>13.3f} {limit}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
