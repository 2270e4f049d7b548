"""Two payments on the same simulated campaigns: which is cheaper, and how surely (MATHS 6: measure it).

What mode R pays is a lottery with a long tail, so the means of a few dozen campaigns can lie either way. The
campaigns are paired, workers and answers being the same, which takes out most of the chance but not that of the coins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Of the interval for the mean difference.
LEVEL = 0.95
FEWEST = 2


@dataclass(frozen=True)
class Comparison:
    """What `second` costs more than `first` on average, in units, with the ends of a 95% interval (Student's)."""

    first: str
    second: str
    mean: float
    low: float
    high: float

    @property
    def cheaper(self) -> str | None:
        """The cheaper one, None where the difference is within chance."""
        if self.low > 0.0:
            return self.first
        return self.second if self.high < 0.0 else None


def compare(first: str, paid: Sequence[float], second: str, other: Sequence[float]) -> Comparison | None:
    """Campaign by campaign; None for a single one, which says nothing of chance."""
    if len(paid) < FEWEST:
        return None
    from scipy.stats import t as student

    more = np.array(other) - np.array(paid)
    mean, error = float(more.mean()), float(more.std(ddof=1)) / len(more) ** 0.5
    margin = float(student.ppf(0.5 + LEVEL / 2.0, len(more) - 1)) * error
    return Comparison(first, second, mean, mean - margin, mean + margin)
