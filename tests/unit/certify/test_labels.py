"""Reading LABELS and TRUTH: what is accepted, and one clear line for each kind of bad input."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from quorate.certify.labels import read_gold
from quorate.certify.matrix import GoldMatrix, unpack
from quorate.errors import InvalidInput

ROWS = [("t1", "ann", "1"), ("t2", "ann", "0"), ("t1", "bob", "0"), ("t3", "bob", "1"), ("t9", "bob", "1")]
LABELS = pl.DataFrame(ROWS, schema=["task", "worker", "label"], orient="row")
TRUTH = pl.DataFrame({"task": ["t1", "t2", "t3", "t4"], "truth": ["1", "1", "1", "0"]})


def as_booleans(gold: GoldMatrix) -> tuple[list[list[bool]], list[list[bool]]]:
    return unpack(gold.answered)[:, : gold.tasks].tolist(), unpack(gold.right)[:, : gold.tasks].tolist()


def check(gold: GoldMatrix) -> None:
    assert gold.workers == ("ann", "bob")
    # Gold tasks in the order of their names: t1, t2, t3; t9 has no truth and t4 no answer.
    assert (gold.tasks, gold.dropped_tasks, gold.missing) == (3, 2, 2)
    assert gold.classes == ("0", "1")
    assert as_booleans(gold) == (
        [[True, True, False], [True, False, True]],
        [[True, False, False], [False, False, True]],
    )
    assert (gold.answers.tolist(), gold.rights.tolist()) == ([2, 2], [1, 1])


def test_polars_and_pandas_frames_give_the_same_matrix() -> None:
    check(read_gold(LABELS, TRUTH))
    check(read_gold(pd.DataFrame(LABELS.to_dict(as_series=False)), pd.DataFrame(TRUTH.to_dict(as_series=False))))


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "parquet.gz"])
def test_files(tmp_path: Path, kind: str) -> None:
    for name, frame in (("labels", LABELS), ("truth", TRUTH)):
        plain = tmp_path / f"{name}.{kind.removesuffix('.gz')}"
        frame.write_parquet(plain) if "parquet" in kind else frame.write_csv(plain)
        if kind.endswith(".gz"):
            (tmp_path / f"{name}.{kind}").write_bytes(gzip.compress(plain.read_bytes()))
    check(read_gold(tmp_path / f"labels.{kind}", str(tmp_path / f"truth.{kind}")))


def test_columns_that_nobody_asked_for_are_ignored() -> None:
    check(read_gold(LABELS.with_columns(seconds=pl.lit(3)), TRUTH.with_columns(source=pl.lit("x"))))


def test_a_wide_matrix_with_holes() -> None:
    wide = pl.DataFrame(
        {"task": ["t1", "t2", "t3", "t9"], "ann": [1, 0, None, None], "bob": [0, None, 1, 1]}, strict=False
    )
    check(read_gold(wide, TRUTH))
    # pandas holds integers with holes as floats: 1.0 is the same label as 1.
    check(read_gold(pd.DataFrame(wide.to_dict(as_series=False)), TRUTH))


def test_the_matrix_does_not_depend_on_how_rows_are_sorted() -> None:
    names = [f"t{i}" for i in range(12)]
    wide = pl.DataFrame({"task": names, "ann": [1, 0] * 6, "bob": [1, 1, 0] * 4})
    truth = pl.DataFrame({"task": names, "truth": [1, 1, 0, 0] * 3})
    gold, turned = read_gold(wide, truth), read_gold(wide[::-1], truth.sort("task"))
    assert as_booleans(turned) == as_booleans(gold)
    assert turned.truths is not None
    assert gold.truths is not None
    assert turned.truths.tolist() == gold.truths.tolist()


def test_a_worker_may_have_any_name() -> None:
    wide = pl.DataFrame({"task": ["t1", "t2"], "#": ["1", "0"], "row": ["1", "1"]})
    truth = pl.DataFrame({"task": ["t1", "t2"], "truth": ["1", "0"], "#": [1, 2]})
    assert read_gold(wide, truth).workers == ("#", "row")


def test_an_index_with_a_name_is_a_column() -> None:
    long = pd.DataFrame(LABELS.to_dict(as_series=False))
    truth = pd.DataFrame(TRUTH.to_dict(as_series=False)).set_index("task")
    check(read_gold(long.set_index(["task", "worker"]), truth))
    # Workers as columns, tasks in the index: what a notebook has after pivot().
    check(read_gold(long.pivot(index="task", columns="worker", values="label"), truth))


def test_arrays_with_nan_or_a_mask_for_missing_answers() -> None:
    labels = np.array([[1.0, 0.0], [0.0, np.nan], [np.nan, 1.0]])
    gold = read_gold(labels, [1, 1, True], workers=["ann", "bob"])
    assert as_booleans(gold) == as_booleans(read_gold(LABELS, TRUTH))
    masked = np.ma.masked_invalid(labels)
    assert as_booleans(read_gold(masked, np.array([1, 1, 1]))) == as_booleans(gold)
    words = np.array([["yes", "no"], ["no", None], [None, "yes"]], dtype=object)
    assert as_booleans(read_gold(words, ["yes", "yes", "yes"])) == as_booleans(gold)


def test_more_tasks_than_a_word_holds() -> None:
    random = np.random.default_rng(1)
    truth, labels = random.integers(0, 2, 200), random.integers(0, 2, (200, 3))
    gold = read_gold(labels, truth)
    assert unpack(gold.right)[:, :200].tolist() == (labels == truth[:, None]).T.tolist()
    assert not unpack(gold.answered)[:, 200:].any()


def test_workers_with_few_gold_answers_can_be_left_out() -> None:
    labels = pl.concat([LABELS, LABELS.clear(), pl.DataFrame({"task": ["t9"], "worker": ["cy"], "label": ["1"]})])
    assert read_gold(labels, TRUTH).left_out == ("cy",)
    with pytest.raises(InvalidInput, match=r"no worker has 3 answers .*the most is 2.*lower"):
        read_gold(labels, TRUTH, min_answers=3)


def add(frame: pl.DataFrame, *row: str | None) -> pl.DataFrame:
    return pl.concat([frame, pl.DataFrame([row], schema=frame.schema, orient="row")])


BAD = {
    "a third label": (
        add(LABELS, "t3", "ann", "2"),
        TRUTH,
        r"LABELS, data row 6: label '2' of worker 'ann' on task 't3' is a third one after '1' and '0'",
    ),
    "a third truth": (LABELS, add(TRUTH, "t9", "maybe"), r"TRUTH, data row 5: truth 'maybe' of task 't9' is a third"),
    "a task with two truths": (
        LABELS,
        add(TRUTH, "t1", "0"),
        r"TRUTH, data row 5: task 't1' has a second truth, '0' after '1' in data row 1; keep one",
    ),
    "a worker twice on one task": (
        add(LABELS, "t1", "ann", "1"),
        TRUTH,
        r"LABELS, data row 6: worker 'ann' answers task 't1' a second time \(first in data row 1\); keep",
    ),
    "an empty intersection": (
        LABELS,
        TRUTH.with_columns(task=pl.col("task") + "x"),
        r"no task is in both LABELS \('t1', 't2', ...\) and TRUTH \('t1x', 't2x', ...\); the names of tasks must agree",
    ),
    "wrong columns in LABELS": (
        LABELS.rename({"worker": "performer"}),
        TRUTH,
        "LABELS: its columns are task, performer",
    ),
    "wrong columns in TRUTH": (
        LABELS,
        TRUTH.rename({"truth": "gold"}),
        "TRUTH: its columns are task, gold; it needs task",
    ),
    "an answer without a worker": (add(LABELS, "t1", None, "1"), TRUTH, "LABELS, data row 6: the worker is empty"),
    "an answer without a task": (add(LABELS, None, "ann", "1"), TRUTH, "LABELS, data row 6: the task is empty"),
    "a truth without a task": (LABELS, add(TRUTH, None, "1"), "TRUTH, data row 5: the task is empty"),
    "truth among the workers of a wide matrix": (
        TRUTH.with_columns(ann=pl.lit("1")),
        TRUTH,
        "LABELS: it has a column truth, which would pass for a worker",
    ),
    "no answers": (LABELS.clear(), TRUTH, "LABELS: it has no answers"),
    "truth for nobody": (LABELS, TRUTH.clear(), r"no task is in both LABELS .* and TRUTH \(none with a truth, ...\)"),
    "nested cells": (LABELS.with_columns(label=pl.struct("label")), TRUTH, "LABELS: column 'label' holds Struct"),
    "bytes that are not text": (
        LABELS.with_columns(label=pl.lit(b"\xff")),
        TRUTH,
        "LABELS: column 'label' holds Binary; give text or numbers",
    ),
    "a truth that is a list": (LABELS, ["1", "0"], "TRUTH is a bare sequence, which only goes with an array"),
    "not a table": (3, TRUTH, "LABELS is a int; give a path to a .csv or .parquet file, or a polars or pandas frame"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_one_line_that_says_where(case: str) -> None:
    labels, truth, message = BAD[case]
    with pytest.raises(InvalidInput, match=message) as caught:
        read_gold(labels, truth)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


GOOD_CSV = b"task,worker,label\nt1,ann,1\n"
BAD_FILES = {
    "gone.csv": (None, r"cannot be read \(No such file or directory\); check the path"),
    "labels.tsv": (b"task\tworker\tlabel\n", r"must end in .csv, .csv.gz, .parquet or .parquet.gz"),
    "labels": (GOOD_CSV, "must end in .csv"),
    "text.csv.gz": (GOOD_CSV, "is not gzip, though its name says so"),
    "zipped.csv": (gzip.compress(GOOD_CSV), "is gzip inside, which its name does not say; rename it to zipped.csv.gz"),
    "cut.csv.gz": (gzip.compress(GOOD_CSV * 100)[:40], "its gzip is damaged or cut short"),
    "parquet.csv": (b"PAR1\x15\x04", "is Parquet inside, though its name says CSV"),
    "text.parquet": (GOOD_CSV, "is not Parquet, though its name says so"),
    "cut.parquet": (b"PAR1\x15\x04\x15", "its Parquet is damaged"),
    "latin.csv": ("task,worker,label\nt1,J\u00f6rg,1\n".encode("latin-1"), r"is not text in UTF-8 \(byte 22\)"),
    "binary.csv": (b"task,worker,label\nt1,\0\0,1\n", "holds binary data"),
    "empty.csv": (b"", "is not well-formed CSV .*header"),
    "ragged.csv": (b"task,worker,label\nt1,ann,1,extra\n", "is not well-formed CSV .*as many fields"),
    "semicolons.csv": (b"task;worker;label\nt1;ann;1\n", "its columns are task;worker;label; .*separated by commas"),
    "twice.csv": (b"task,ann,ann\nt1,1,1\n", "column 'ann' appears twice in the header"),
    "short.csv": (GOOD_CSV + b"t2,ann", "data row 2: it has 2 of the header's 3 fields; if the file was cut short"),
    "quoted.csv": (b'task,worker,label\n"t,1","a""b\nc",1\n\nt2,ann\nt3,ann,1\n', "data row 2: it has 2 of the"),
    "two of a name.csv": (b"task,ann, ann\nt1,1,1\n", "column 'ann' appears twice in the header"),
    "an index.csv": (b",task,ann,bob\n0,t1,1,0\n1,t2,1,0\n", r"a column without a name, .*index=False"),
    "wide.csv": (b"task,ann,bob\nt1,1,0\nt2\n", "data row 2: it has 1 of the header's 3 fields"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_not_what_its_name_says(tmp_path: Path, name: str) -> None:
    content, message = BAD_FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_gold(tmp_path / name, TRUTH)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"LABELS {tmp_path / name}")


def test_empty_fields_are_missing_answers_and_empty_lines_are_nothing(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_bytes(b'task,ann,"b,ob"\r\nt1,1,0\r\nt2,0,\r\n"t3",,"1"\r\n')
    check(replace(read_gold(file, TRUTH), workers=("ann", "bob"), dropped_tasks=2))
    gold = read_gold(file, TRUTH)
    assert (gold.workers, gold.dropped_tasks) == (("ann", "b,ob"), 1)


LONG_CSV = LABELS.write_csv()


@pytest.mark.parametrize(
    "content",
    [
        LONG_CSV + "\n\n",
        LONG_CSV.replace("\n", "\r\n") + "\r\n",
        LONG_CSV.replace("t2", "\n  \nt2"),
        LONG_CSV + ",,\n",
        LONG_CSV.replace(",", ", "),
        "\n".join(f"{i},{row}" if i else f",{row}" for i, row in enumerate(LONG_CSV.splitlines())),
    ],
    ids=["at the end", "of windows", "inside", "commas alone", "spaces after commas", "an index beside rows"],
)
def test_blank_lines_spaces_and_a_column_that_nobody_asked_for_are_no_trouble(tmp_path: Path, content: str) -> None:
    (tmp_path / "labels.csv").write_text(content, newline="")
    check(read_gold(tmp_path / "labels.csv", TRUTH))


def test_a_row_is_counted_without_the_blank_lines_before_it(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("task,worker,label\nt1,ann,1\n\n,ann,1\n")
    with pytest.raises(InvalidInput, match="data row 2: the task is empty"):
        read_gold(tmp_path / "labels.csv", TRUTH)


def test_a_byte_order_mark_and_quoted_commas_are_no_trouble(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_bytes(b'\xef\xbb\xbftask,worker,label\nt1,"Doe, Ann",1\n')
    assert read_gold(file, TRUTH).workers == ("Doe, Ann",)


BAD_ARRAYS = {
    "one dimension": (np.ones(3), [1, 1, 1], None, r"LABELS has 1 dimension\(s\); give an array \[tasks, workers\]"),
    "transposed": (np.ones((2, 5)), [1, 1, 1, 1, 1], None, r"LABELS has 2 rows and TRUTH has shape \(5,\)"),
    "names": (np.ones((2, 3)), [1, 1], ["a", "b"], "2 worker names for 3 columns"),
    "same names": (np.ones((2, 2)), [1, 1], ["a", "a"], "two workers are named 'a'; give each its own name"),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_arrays(case: str) -> None:
    labels, truth, workers, message = BAD_ARRAYS[case]
    with pytest.raises(InvalidInput, match=message):
        read_gold(labels, truth, workers=workers)


def test_options_that_do_not_fit() -> None:
    with pytest.raises(InvalidInput, match="min_answers is 0"):
        read_gold(LABELS, TRUTH, min_answers=0)
    with pytest.raises(InvalidInput, match="leave `workers` out"):
        read_gold(LABELS, TRUTH, workers=["ann", "bob"])
