"""Lines as people paste them: what is a header, what is a task, and what stays in the form."""

import pytest

from quorate.campaign.commands import TaskSpec, Truth
from quorate.errors import InvalidInput
from quorate.web.pages import uploads

LABELS = ("no ship", "ship")


@pytest.mark.parametrize(
    "header",
    [
        "id,text",
        "ID,Text",
        "key,text",
        "question_id,question_text",
        "item no,image",
        "task,label,worker",
        "key,url,gold",
    ],
)
def test_a_header_that_is_not_known_is_no_task(header: str) -> None:
    with pytest.raises(InvalidInput, match=r"columns must be key, question, gold \(if it names none, put a line of"):
        uploads.tasks(f"{header}\n1,Is there a ship in picture 1?\n", LABELS)


def test_a_header_that_is_not_known_is_no_truth() -> None:
    with pytest.raises(InvalidInput, match="columns must be key, truth "):
        uploads.truths("id,label\n1,ship\n", LABELS)


@pytest.mark.parametrize("line", ["t1, cat", "item 7, Is it?", "a1, text", "key: 3, question", "id-17, url", "b, c"])
def test_a_task_is_not_taken_for_a_header(line: str) -> None:
    key, _, asked = line.partition(", ")
    assert uploads.tasks(line, LABELS) == [TaskSpec(key, asked)]


def test_a_task_that_looks_like_a_header_is_one_under_a_header() -> None:
    lines = "key,question\nitem a,cat\n"
    assert uploads.tasks(lines, LABELS) == [TaskSpec("item a", "cat")]
    with pytest.raises(InvalidInput):
        uploads.tasks("item a,cat\n", LABELS)


def test_a_header_of_one_column_is_one() -> None:
    assert uploads.tasks("question\nIs it?\n", LABELS) == [TaskSpec(None, "Is it?")]


@pytest.mark.parametrize(
    "refused",
    [
        [TaskSpec("t1", 'A "ship", here?'), TaskSpec(None, "so"), TaskSpec("t2", "two\nlines", 1)],
        [TaskSpec("t1", {"image": "a.png"}), TaskSpec("t2", "text", 0)],
        [TaskSpec("t1", "{no JSON"), TaskSpec("t2", [1, 2])],
        [TaskSpec("id", "text"), TaskSpec("t2", "Is it?")],
        [TaskSpec("task", "question"), TaskSpec("t2", "Is it?", 1)],
        [TaskSpec("{a}", "Is it?")],
        [TaskSpec("t1", None), TaskSpec("t2", "Is it?"), TaskSpec("t3", "")],
        [TaskSpec(None, ""), TaskSpec("t2", " Is it? ")],
        [TaskSpec("t1", {"said": "one\u2028two"})],
    ],
)
def test_what_was_refused_is_read_as_the_same_again(refused: list[TaskSpec]) -> None:
    assert uploads.tasks(uploads.again(refused, LABELS), LABELS) == refused


def test_refused_truths_are_read_as_the_same_again() -> None:
    refused = [Truth("id", 0), Truth("a, b", 1), Truth("{c}", 1)]
    assert uploads.truths(uploads.again(refused, LABELS), LABELS) == refused


def test_nothing_refused_is_no_line() -> None:
    assert uploads.again([], LABELS) == ""


def test_half_a_character_stays_in_the_form_as_it_was_escaped() -> None:
    refused = [TaskSpec("a", "cut: \ud83d"), TaskSpec("b", "grün")]
    lines = uploads.again(refused, LABELS)
    assert lines.encode()
    assert "grün" in lines
    assert uploads.tasks(lines, LABELS) == refused


def test_an_answer_that_may_stand_for_both_is_not_guessed() -> None:
    for labels in (("1", "0"), ("a", "A")):
        with pytest.raises(InvalidInput, match="line 1: its answer may stand for both"):
            uploads.truths(f"x,{labels[0]}", labels)
    assert uploads.truths("x,Ship ", LABELS) == [Truth("x", 1)]
    assert uploads.truths('{"key": "x", "truth": " SHIP "}', LABELS) == [Truth("x", 1)]
