"""A study's results in a line per point: means over samples, money in units."""

import re

import polars as pl

from quorate.lab.table import PROMISE
from quorate.money import MILLIONTHS

PAYMENT = re.compile(r"payment\.([^.]+)")


def summarise(rows: pl.DataFrame) -> pl.DataFrame:
    """One line per world, promise and policy, in the study's order.

    A label names the parameters that vary within its kind. `tasks_below_promise`: tasks per sample, in exploitation,
    whose vote errs too often at the true qualities. `wrong_share`: the measured share of wrong verdicts in
    exploitation, where errors depend on each other and the former is not defined. `work_NAME`: what the work costs that
    `paid_NAME` is paid for; `truthful_NAME`: whether asking one's cost is then a best bid.
    """
    labelled = rows.with_columns(_label(rows, "world"), _label(rows, "policy"), _promise(rows))
    wrong = pl.col("wrong_verdicts").sum()
    promised = (pl.col("horizon") - pl.col("exploration_tasks")).filter(pl.col("wrong_verdicts").is_not_null()).sum()
    means = {
        "samples": pl.len(),
        "total_cost": pl.col("total_cost").mean() / MILLIONTHS,
        "exploration_tasks": pl.col("exploration_tasks").mean(),
        "cost_per_task_then": pl.col("exploitation_cost_per_task").mean() / MILLIONTHS,
        "tasks_below_promise": pl.col("vote_violations_then").mean(),
        "wrong_share": pl.when(promised > 0).then(wrong / promised),
        **_paid(rows),
    }
    return labelled.group_by("world", "promise", "policy", maintain_order=True).agg(**means)


def _paid(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    names = [found[1] for found in map(PAYMENT.fullmatch, rows.columns) if found]
    columns = {
        f"{what}_{name}": f"payment.{name}{end}" for name in names for what, end in (("paid", ""), ("work", ".cost"))
    }
    amounts = {short: pl.col(column).mean() / MILLIONTHS for short, column in columns.items()}
    return amounts | {f"truthful_{name}": pl.col(f"payment.{name}.truthful").all() for name in names}


def _label(rows: pl.DataFrame, kind: str) -> pl.Expr:
    """The kind's name, and name=value of each of its parameters that takes several values within it."""
    label = pl.col(kind)
    for name in (name for name in rows.columns if name.startswith(f"{kind}.")):
        short = name.removeprefix(f"{kind}.")
        varying = rows.group_by(kind).agg(pl.col(name).n_unique() > 1)
        several = varying.filter(pl.col(name))[kind].to_list()
        text = pl.format(f" {short}={{}}", _shown(name))
        label = label + pl.when(pl.col(kind).is_in(several)).then(text).otherwise(pl.lit(""))
    return label.alias(kind)


def _promise(rows: pl.DataFrame) -> pl.Expr:
    """Name=value of each part of the promise that takes several values in one world: where the study asks for several.

    Otherwise a cap that comes from each world's own prices would pass for another promise.
    """
    world = [name for name in rows.columns if name == "world" or name.startswith("world.")]
    varying = rows.group_by(world).agg(pl.col(name).n_unique() > 1 for name in PROMISE)
    parts = [pl.format(f"{name}={{}}", _shown(name)) for name in PROMISE if varying[name].any()]
    return (pl.concat_str(parts, separator=" ") if parts else pl.lit("")).alias("promise")


def _shown(name: str) -> pl.Expr:
    """Money in units."""
    money = name == "cap" or name.endswith("_price")
    return pl.col(name) / MILLIONTHS if money else pl.col(name)
