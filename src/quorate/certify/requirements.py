"""How many right verdicts a certificate needs, looked up by the kernels that count them."""

import numpy as np

from quorate.certify.bounds import certified, fewest_right
from quorate.certify.frontier import Ints


class Requirements:
    """Right verdicts needed, as rows over n = base..tasks, remembered per certified accuracy."""

    def __init__(self, base: int, tasks: int, level: float) -> None:
        self._tasks = np.arange(base, tasks + 1, dtype=np.int64)
        self._level = level
        self._rows: dict[tuple[int, float], Ints] = {}

    def rows(self, values: Ints, times: float = 1.0) -> Ints:
        """One row per certified accuracy, if there were so many times the tasks, as large a share of them right.

        An accuracy of a billionth asks for one right verdict only.
        """
        for value in values.tolist():
            if (value, times) not in self._rows:
                anything = np.ones_like(self._tasks)
                self._rows[value, times] = (
                    anything if value <= 1 else fewest_right(self._tasks, self._level, value, times)
                )
        return np.stack([self._rows[value, times] for value in values.tolist()])


def certified_pairs(right: Ints, tasks: Ints, level: float) -> Ints:
    """`certified` once per distinct pair: juries are many, counts are few."""
    if not len(right):
        return np.zeros(0, dtype=np.int64)
    width = int(tasks.max()) + 1
    pairs, back = np.unique(tasks * width + right, return_inverse=True)
    return certified(pairs % width, pairs // width, level)[back]
