"""What is shown of many samples: the mean, how surely it is known, and where most samples lie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

INSIDE = 0.95
LOW, HIGH = 10.0, 90.0

Samples = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Band:
    """Along the first axis of some samples: `low` to `high` is the 95% confidence interval of the mean (Student's; NaN
    for a single sample), `tenth` to `ninetieth` holds the middle 80% of the samples.
    """

    mean: Samples
    low: Samples
    high: Samples
    tenth: Samples
    ninetieth: Samples

    @classmethod
    def of(cls, samples: Samples) -> "Band":
        count = len(samples)
        mean = samples.mean(axis=0)
        half = np.full_like(mean, np.nan)
        if count > 1:
            half = stdtrit(count - 1, (1.0 + INSIDE) / 2.0) * samples.std(axis=0, ddof=1) / np.sqrt(count)
        tenth, ninetieth = np.percentile(samples, (LOW, HIGH), axis=0)
        return cls(mean, mean - half, mean + half, tenth, ninetieth)

    def columns(self, prefix: str) -> dict[str, Samples]:
        """As columns of a table."""
        return {
            f"{prefix}_mean": self.mean,
            f"{prefix}_ci95_low": self.low,
            f"{prefix}_ci95_high": self.high,
            f"{prefix}_p10": self.tenth,
            f"{prefix}_p90": self.ninetieth,
        }


def share_interval(hits: int, count: int) -> tuple[float, float]:
    """Clopper and Pearson's 95% interval for the chance of a hit."""
    tail = (1.0 - INSIDE) / 2.0
    low = 0.0 if hits == 0 else float(betaincinv(hits, count - hits + 1, tail))
    high = 1.0 if hits == count else float(betaincinv(hits + 1, count - hits, 1.0 - tail))
    return low, high
