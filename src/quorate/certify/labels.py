"""LABELS and TRUTH, read, checked and pivoted into the gold matrix; every kind of bad input is one line."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from quorate.certify.asked import check_count
from quorate.certify.matrix import WORD, GoldMatrix, words_for
from quorate.certify.sources import (
    ROW,
    Frame,
    Table,
    canonical,
    labels_from_array,
    listed,
    read_table,
    truth_from_values,
)
from quorate.errors import InvalidInput

Labels: TypeAlias = "Frame | np.ndarray[Any, Any]"
Truth: TypeAlias = "Frame | Sequence[object] | np.ndarray[Any, Any]"

LONG = ("task", "worker", "label")
UNNAMED = ""


def read_gold(
    labels: Labels, truth: Truth, *, workers: Sequence[str] | None = None, min_answers: int = 1
) -> GoldMatrix:
    """The gold matrix of LABELS (rows task, worker, label; or wide: a column `task` and one per worker) and TRUTH.

    Also from arrays: labels [tasks, workers] and one truth per task, with `workers` as the columns' names. Workers
    with fewer than `min_answers` answers on gold tasks are left out: a rule that looks at who answered, never at who
    was right or what anyone costs, so certificates stay valid where answering has nothing to do with being right.
    """
    min_answers = check_count(min_answers, "min_answers", "a worker without a gold answer cannot be judged")
    if isinstance(labels, np.ndarray):
        labels, truth = _from_arrays(labels, truth, workers)
    elif workers is not None:
        raise InvalidInput("worker names were given for labels that already name them; leave `workers` out")
    table = _long(read_table(labels, "LABELS"))
    if isinstance(truth, np.ndarray | list | tuple):
        raise InvalidInput(
            "TRUTH is a bare sequence, which only goes with an array of labels; give columns task and truth"
        )
    gold = _truths(read_table(truth, "TRUTH"))
    answers, dropped = _join(table, gold)
    classes = _two_classes(table, gold)
    return _pivot(table, answers, classes, dropped, min_answers)


def _from_arrays(labels: Any, truth: Any, workers: Sequence[str] | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    frame = labels_from_array(labels, workers)
    values = np.asarray(truth)
    if values.ndim != 1 or len(values) != frame.height:
        raise InvalidInput(
            f"LABELS has {frame.height} rows and TRUTH has shape {values.shape}; give labels as [tasks, workers] and"
            " one truth per task"
        )
    return frame, truth_from_values(truth)


def _long(table: Table) -> Table:
    """Rows (row, task, worker, label) of the answers that are there."""
    columns = table.frame.columns
    numbered = table.numbered()
    if set(LONG) <= set(columns):
        rows = numbered.select(ROW, *LONG)
    elif "task" in columns and len(columns) > 1 and not {"worker", "label"} & set(columns):
        if "truth" in columns:
            raise table.wrong(None, "it has a column truth, which would pass for a worker; keep truths in TRUTH alone")
        if UNNAMED in columns:
            raise table.wrong(
                None,
                "it has a column without a name, which would pass for a worker; name it, or leave it out (of what"
                " pandas writes it is the index: write it with index=False)",
            )
        rows = numbered.unpivot(index=[ROW, "task"], variable_name="worker", value_name="label")
    else:
        raise table.wrong(
            None,
            f"its columns are {listed(columns)}; rows need the columns task, worker and label (or, wide, a"
            " column task and one column per worker), separated by commas",
        )
    for column in ("task", "worker"):
        empty = rows.filter(pl.col(column).is_null())
        if empty.height:
            raise table.wrong(empty[ROW][0], f"the {column} is empty; every answer needs one")
    rows = rows.filter(pl.col("label").is_not_null())
    if not rows.height:
        raise table.wrong(None, "it has no answers; give at least one row with a label")
    return Table(table.name, rows)


def _truths(table: Table) -> Table:
    """Rows (row, task, truth), one per task that has a truth."""
    columns = table.frame.columns
    if not {"task", "truth"} <= set(columns):
        raise table.wrong(None, f"its columns are {listed(columns)}; it needs task and truth, separated by commas")
    rows = table.numbered().select(ROW, "task", "truth")
    empty = rows.filter(pl.col("task").is_null())
    if empty.height:
        raise table.wrong(empty[ROW][0], "the task is empty; every truth needs one")
    again = rows.filter(~pl.col("task").is_first_distinct())
    if again.height:
        task = again["task"][0]
        first = rows.filter(pl.col("task") == task)
        raise table.wrong(
            again[ROW][0],
            f"task {task!r} has a second truth, {again['truth'][0]!r} after {first['truth'][0]!r} in data row"
            f" {first[ROW][0] + 1}; keep one row per task",
        )
    return Table(table.name, rows.filter(pl.col("truth").is_not_null()))


def _join(labels: Table, truth: Table) -> tuple[pl.DataFrame, int]:
    """The answers on gold tasks, and how many tasks of either table could not be used."""
    answers = labels.frame.join(truth.frame.select("task", "truth"), on="task", how="inner", maintain_order="left")
    if not answers.height:
        here = ", ".join(repr(t) for t in labels.frame["task"].unique(maintain_order=True)[:2])
        there = ", ".join(repr(t) for t in truth.frame["task"][:2]) or "none with a truth"
        raise InvalidInput(
            f"no task is in both {labels.name} ({here}, ...) and {truth.name} ({there}, ...); the names of tasks must"
            " agree letter for letter"
        )
    used = answers["task"].n_unique()
    return answers, labels.frame["task"].n_unique() + truth.frame.height - 2 * used


def _two_classes(labels: Table, truth: Table) -> tuple[str, str]:
    """The two labels; whoever brings a third is named."""
    seen: list[str] = []
    for table, column in ((truth, "truth"), (labels, "label")):
        for value in table.frame[column].unique(maintain_order=True).to_list():
            label = canonical(value)
            if label in seen:
                continue
            if len(seen) == 2:
                row = table.frame.filter(pl.col(column) == value).row(0, named=True)
                whose = (
                    f"worker {row['worker']!r} on task {row['task']!r}"
                    if column == "label"
                    else f"task {row['task']!r}"
                )
                raise table.wrong(
                    row[ROW],
                    f"{column} {value!r} of {whose} is a third one after {seen[0]!r} and {seen[1]!r}; a task has two"
                    " possible answers (leave a cell empty where there is no answer)",
                )
            seen.append(label)
    ordered = sorted(seen) + ["(never seen)"] * (2 - len(seen))
    return ordered[0], ordered[1]


def _pivot(table: Table, answers: pl.DataFrame, classes: tuple[str, str], dropped: int, min_answers: int) -> GoldMatrix:
    """Bits [workers, words]: workers in the order in which LABELS first names them, tasks in that of their names.

    So what is drawn of the tasks does not depend on how rows are sorted. (t2 comes before t10: shorter names first.)
    """
    names = table.frame["worker"].unique(maintain_order=True)
    tasks = answers.select("task").unique().sort(pl.col("task").str.len_bytes(), "task")["task"]
    coded = answers.join(pl.DataFrame({"worker": names}).with_row_index("w"), on="worker", maintain_order="left").join(
        pl.DataFrame({"task": tasks}).with_row_index("t"), on="task", maintain_order="left"
    )
    worker = coded["w"].to_numpy().astype(np.int64)
    task = coded["t"].to_numpy().astype(np.int64)
    pairs = np.sort(worker * len(tasks) + task)
    if np.any(pairs[1:] == pairs[:-1]):
        raise _twice(table, coded)
    counts = np.bincount(worker, minlength=len(names))
    stays = counts >= min_answers
    if not stays.any():
        raise table.wrong(
            None,
            f"no worker has {min_answers} answers on tasks with a truth (the most is {counts.max()}); lower"
            " min_answers or collect more",
        )
    code = np.cumsum(stays) - 1
    inside = stays[worker]
    truth = _codes(coded["truth"], classes)
    right = _codes(coded["label"], classes) == truth
    positive = np.unique(task[truth == 1])
    shape = (int(stays.sum()), words_for(len(tasks)))
    return GoldMatrix(
        workers=tuple(names.filter(pl.Series(stays)).to_list()),
        tasks=len(tasks),
        answered=_bits(shape, code[worker[inside]], task[inside]),
        right=_bits(shape, code[worker[inside & right]], task[inside & right]),
        classes=classes,
        dropped_tasks=dropped,
        left_out=tuple(names.filter(pl.Series(~stays)).to_list()),
        truths=_bits((1, shape[1]), np.zeros_like(positive), positive)[0],
    )


def _codes(column: pl.Series, classes: tuple[str, str]) -> Any:
    spelled = {value: classes.index(canonical(value)) for value in column.unique().to_list()}
    return column.replace_strict(spelled, return_dtype=pl.Int8).to_numpy()


def _bits(shape: tuple[int, int], worker: Any, task: Any) -> Any:
    words = np.zeros(shape, dtype=np.uint64)
    # Every (worker, task) comes once, so adding sets bits.
    np.add.at(words, (worker, task // WORD), np.uint64(1) << (task % WORD).astype(np.uint64))
    return words


def _twice(table: Table, coded: pl.DataFrame) -> InvalidInput:
    again = coded.filter(~pl.struct("w", "t").is_first_distinct()).row(0, named=True)
    same = (pl.col("worker") == again["worker"]) & (pl.col("task") == again["task"])
    first = coded.filter(same)[ROW][0]
    return table.wrong(
        again[ROW],
        f"worker {again['worker']!r} answers task {again['task']!r} a second time (first in data row {first + 1}); keep"
        " one answer per worker and task",
    )
