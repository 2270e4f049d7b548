"""Dawid and Skene's aggregation over everybody, by crowd-kit where it is installed (the extra `baselines`)."""

import numpy as np
from numpy.typing import NDArray

ITERATIONS = 100


def dawid_skene(answered: NDArray[np.bool_], labels: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """One verdict per task from all recorded answers at once; None where crowd-kit is missing.

    It sees what no live policy does: every answer to every task, before the first verdict.
    """
    try:
        from crowdkit.aggregation import DawidSkene
    except ImportError:
        return None
    import pandas as pd

    worker, task = np.nonzero(answered)
    frame = pd.DataFrame({"task": task, "worker": worker, "label": labels[worker, task].astype(int)})
    found = DawidSkene(n_iter=ITERATIONS).fit_predict(frame)
    verdicts = np.zeros(answered.shape[1], dtype=np.bool_)
    verdicts[found.index.to_numpy()] = found.to_numpy() == 1
    return verdicts
