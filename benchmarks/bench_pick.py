"""`quorate pick`: the search over 200 million juries, small families, reading and pivoting 10^6 labels; peak memory.

Each case runs in a process of its own: once to compile and warm up, then a few times; the table has the median of the
wall times (and of the processor times, which a busy machine does not inflate), and the largest resident size,
beside their limits. `coin` is the worst case: everybody is right half the time, so hardly a jury can be ruled out.
"""

import argparse
import gzip
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.recorded import absent, matrix

REPEATS = 5
MEMORY_LIMIT = 1024.0
KIBIBYTES_PER_MEBIBYTE = 1024.0
RECORDED = "llmbar"

# Name: (what it does, limit in seconds).
CASES = {
    "recorded-cheapest": ("419 x 123 recorded, sizes 1, 3, 5: cheapest at .75", 5.0),
    "recorded-refusal": ("419 x 123 recorded: refusal at .95, with the best", 5.0),
    "recorded-frontier": ("419 x 123 recorded: the whole frontier", 5.0),
    "coin-frontier": ("419 x 123, coins: the whole frontier", 5.0),
    "missing-frontier": ("419 x 123, a fifth of the answers missing: the whole frontier", 5.0),
    "weighted-frontier": ("419 x 123, weighted juries too: the whole frontier", 5.0),
    "small-pick": ("2740 x 13, pick at .9", 0.2),
    "small-frontier": ("2740 x 13, a tenth missing: the whole frontier", 0.2),
    "read-csv": ("10^6 labels, CSV: read and pivot", 2.0),
    "read-gzip": ("10^6 labels, CSV in gzip: read and pivot", 2.0),
    "read-parquet": ("10^6 labels, Parquet: read and pivot", 2.0),
}


def recorded(**options: Any) -> Any:
    """A search on the recorded matrix, or on a simulated one of its shape where it is absent."""
    from quorate.certify import make_search, read_gold

    folder = matrix(RECORDED)
    if folder is not None:
        gold = read_gold(folder / "labels.csv.gz", folder / "truth.csv")
        return make_search(gold, folder / "costs.csv", **options)
    return simulated(419, 123, 0.52, 0.88, 0.003, **options)


def simulated(tasks: int, workers: int, worst: float, best: float, missing: float, **options: Any) -> Any:
    import numpy as np

    from quorate.certify import GoldMatrix, make_search

    random = np.random.default_rng(5)
    right = random.random((workers, tasks)) < np.linspace(worst, best, workers)[:, None]
    gold = GoldMatrix.from_booleans(random.random((workers, tasks)) >= missing, right)
    return make_search(gold, random.integers(1, 10**4, workers) / 100.0, **options)


def label_files(folder: Path, kind: str) -> tuple[Path, Path]:
    """10^6 labels of 200 workers on 50,000 tasks, and their truth."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(5)
    pairs = random.choice(50_000 * 200, 10**6, replace=False)
    labels = pl.DataFrame({"t": pairs // 200, "w": pairs % 200, "label": random.integers(0, 2, 10**6)}).select(
        task=pl.format("task-{}", "t"), worker=pl.format("worker-{}", "w"), label="label"
    )
    truth = pl.DataFrame({"task": [f"task-{i}" for i in range(50_000)], "truth": random.integers(0, 2, 50_000)})
    truth.write_csv(folder / "truth.csv")
    file = folder / {"csv": "labels.csv", "gzip": "labels.csv.gz", "parquet": "labels.parquet"}[kind]
    if kind == "parquet":
        labels.write_parquet(file)
    else:
        text = labels.write_csv().encode()
        file.write_bytes(gzip.compress(text) if kind == "gzip" else text)
    return file, folder / "truth.csv"


def work(case: str, folder: Path) -> Callable[[], object]:
    """What is timed; everything before it is not."""
    from quorate.certify import answer, read_gold
    from quorate.certify.frontier import EVERYTHING

    group, what = case.split("-")
    if group == "read":
        labels, truth = label_files(folder, what)
        return lambda: read_gold(labels, truth)
    search = {
        "recorded": recorded,
        "coin": lambda: simulated(419, 123, 0.5, 0.5, 0.0),
        "missing": lambda: simulated(419, 123, 0.8, 0.8, 0.2),
        "weighted": lambda: simulated(419, 123, 0.6, 0.9, 0.0, vote="weighted"),
        "small": lambda: simulated(2740, 13, 0.6, 0.85, 0.0 if what == "pick" else 0.1),
    }[group]()
    targets = {"cheapest": 0.75, "refusal": 0.95, "pick": 0.9}
    if what in targets:
        return lambda: answer(search, targets[what])
    return lambda: search.frontier(EVERYTHING)


def measure(case: str) -> dict[str, float]:
    """Seconds and mebibytes of one case, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        task = work(case, Path(folder))
        task()
        wall, processor = [], []
        for _ in range(REPEATS):
            start, busy = time.perf_counter(), time.process_time()
            task()
            wall.append(time.perf_counter() - start)
            processor.append(time.process_time() - busy)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIBIBYTES_PER_MEBIBYTE
    return {"wall": statistics.median(wall), "processor": statistics.median(processor), "peak": peak}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=CASES, help="measure one case, here, and print JSON")
    wanted = parser.parse_args(arguments)
    if wanted.case:
        print(json.dumps(measure(wanted.case)))
        return
    print(__doc__)
    if matrix(RECORDED) is None:
        print(f"{absent(RECORDED)}. A simulated one of its shape stands in for it.\n")
    print(f"{'case':<64} {'wall, s':>8} {'cpu, s':>8} {'limit, s':>8} {'of limit':>8} {'MiB':>6} {'of 1 GiB':>8}")
    for case, (name, limit) in CASES.items():
        command = [sys.executable, "-m", "benchmarks.bench_pick", "--case", case]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(
            f"{name:<64} {found['wall']:>8.3f} {found['processor']:>8.3f} {limit:>8.1f} {found['wall'] / limit:>8.2f}"
            f" {found['peak']:>6.0f} {found['peak'] / MEMORY_LIMIT:>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
