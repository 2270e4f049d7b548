"""The columns of a study's results, fixed by the study alone: every cell, and every machine, writes the same."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from quorate.lab.cell import Row
from quorate.lab.parameter import Kind, rules
from quorate.lab.study import Promise, Study

PROMISE = tuple(rules(Promise))
_TYPES = {Kind.WHOLE: pl.Int64(), Kind.REAL: pl.Float64(), Kind.MONEY: pl.Int64(), Kind.WORD: pl.String()}

# Money is in millionths.
_OUTCOMES: dict[str, pl.DataType] = {
    "sample": pl.Int64(),
    "seed": pl.UInt64(),
    "world_seed": pl.UInt64(),
    "realization_seed": pl.UInt64(),
    "total_cost": pl.Int64(),
    "exploration_tasks": pl.Int64(),
    "exploration_cost": pl.Int64(),
    "exploitation_cost_per_task": pl.Float64(),
    "stop": pl.Int64(),
    "jury_size": pl.Int64(),
    "model_violations": pl.Int64(),
    "vote_violations": pl.Int64(),
    "vote_violations_then": pl.Int64(),
    "wrong_verdicts": pl.Int64(),
    "greedy_cost_per_task": pl.Int64(),
    "exact_cost_per_task": pl.Int64(),
    "regret_greedy": pl.Int64(),
    "regret_exact": pl.Int64(),
}


def schema(study: Study) -> dict[str, pl.DataType]:
    """Names and types: the world and its parameters, the policy and its own, the promise, then what happened."""
    return {
        "world": pl.String(),
        **_parameters("world.", study.worlds),
        "policy": pl.String(),
        **_parameters("policy.", study.policies),
        **_parameters("", [Promise()]),
        **_OUTCOMES,
        **_payments(study.payments),
    }


def fits(rows: object, columns: Mapping[str, pl.DataType], samples: Iterable[int]) -> bool:
    """Whether rows from a file are those of these samples: every outcome, and nothing that the study does not have."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return False
    named = all(_OUTCOMES.keys() <= row.keys() <= columns.keys() for row in rows)
    return named and [row["sample"] for row in rows] == list(samples)


def frame(rows: list[Row], columns: dict[str, pl.DataType]) -> pl.DataFrame:
    """Rows as a frame; a parameter that a row's kind does not have is null."""
    return pl.DataFrame(
        {name: pl.Series(name, [row.get(name) for row in rows], dtype=kind) for name, kind in columns.items()}
    )


def _payments(names: Iterable[str]) -> dict[str, pl.DataType]:
    found: dict[str, pl.DataType] = {}
    for name in names:
        paid = f"payment.{name}"
        found |= {paid: pl.Int64(), f"{paid}.cost": pl.Int64(), f"{paid}.truthful": pl.Boolean()}
    return found


def _parameters(prefix: str, kinds: Iterable[Any]) -> dict[str, pl.DataType]:
    found: dict[str, pl.DataType] = {}
    for kind in dict.fromkeys(type(instance) for instance in kinds):
        for name, rule in rules(kind).items():
            found.setdefault(f"{prefix}{name}", _TYPES[rule.kind])
    return found
