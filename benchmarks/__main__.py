"""`make bench`: every benchmark, one process each, one after the other.

`python -m benchmarks select engine` runs some.
"""

import subprocess
import sys
from itertools import takewhile
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main(arguments: list[str]) -> int:
    wanted = list(takewhile(lambda given: not given.startswith("-"), arguments))
    options = arguments[len(wanted) :]
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(names())}")
        return 2
    failed = 0
    for name in wanted or names():
        print(f"\n==== {name} ====", flush=True)
        failed |= subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}", *options], check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
