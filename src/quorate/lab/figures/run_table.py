"""One row per sample and policy of a race."""

import numpy as np
import polars as pl

from quorate.lab.figures.race import NEVER, Race


def run_table(race: Race) -> pl.DataFrame:
    """Money in millionths; `stop` is null where learning never ended."""
    samples, policies = race.stop.shape

    def per_run(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> pl.Series:
        return pl.Series(values.reshape(samples * policies))

    stop = per_run(race.stop)
    return pl.DataFrame(
        {
            "sample": np.repeat(np.arange(samples), policies),
            "policy": list(race.names) * samples,
            "total_cost": per_run(race.total),
            "optimum_per_task": np.repeat(race.optimum, policies),
            "slack_optimum_per_task": np.repeat(race.slack_optimum, policies),
            "stop": stop.replace(NEVER, None),
            "exploration_tasks": per_run(race.explored),
            "jury_size": per_run(race.jury_size),
            "model_violations": per_run(race.model_violations),
            "vote_violations": per_run(race.vote_violations),
        }
    )
