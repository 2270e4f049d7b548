"""Files of tasks, answers and truths: every form, and one line with the place for what is wrong."""

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.cli.campaign import files
from quorate.errors import InvalidInput

LABELS = ("clean", "dirty")
TASKS = [{"key": "t1", "payload": "one, two", "gold": 0}, {"key": "t2", "payload": {"image": "x.png"}, "gold": None}]
ANSWERS = [{"task": "t1", "worker": "ada", "label": 0}, {"task": "t2", "worker": "17", "label": 1}]
OWN = [{"task": "t1", "label": 0}, {"task": "t2", "label": 1}]
TRUTHS = [{"task": "t1", "truth": 1}, {"task": "t2", "truth": 0}]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        (tmp_path / "given").write_text(text, "utf-8")
        return tmp_path / "given"

    return write


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (files.tasks, 'key,question,gold\nt1,"one, two",clean\nt2,"{""image"": ""x.png""}",\n', TASKS),
        (files.tasks, 't1,"one, two",0\n\nt2,"{""image"": ""x.png""}"', TASKS),
        (files.tasks, '{"key": "t1", "question": "one, two", "gold": "clean"}\n'
         '{"key": "t2", "payload": {"image": "x.png"}}\n', TASKS),
        (files.tasks, "just a question\n", [{"key": None, "payload": "just a question", "gold": None}]),
        (files.answers, "task,worker,label\nt1,ada,clean\nt2,17,dirty\n", ANSWERS),
        (files.answers, "worker,label,task\nada,CLEAN,t1\n17,1,t2\n", ANSWERS),
        (files.answers, "t1,ada,0\nt2,17,1\n", ANSWERS),
        (files.answers, '{"task": "t1", "worker": "ada", "label": 0}\n'
         '{"task": "t2", "worker": "17", "label": 1}', ANSWERS),
        (files.answers, '{"task": "t1", "worker": 3, "label": "dirty"}', [{"task": "t1", "worker": 3, "label": 1}]),
        (files.answers, "task,label\nt1,clean\nt2,dirty\n", OWN),
        (files.answers, "t1,clean\nt2,dirty\n", OWN),
        (files.truths, "task,truth\nt1,dirty\nt2,clean\nt3,\n", TRUTHS),
        (files.truths, "key,truth,question\nt1,1,what?\nt2,0,why?\n", TRUTHS),
        (files.truths, '{"task": "t1", "truth": 1}\n{"key": "t2", "truth": "clean"}\n', TRUTHS),
    ],
)  # fmt: skip
def test_every_form(write: Callable[[str], Path], parse: Any, text: str, expected: Any) -> None:
    assert parse(write(text), LABELS) == expected
    assert parse(write("\ufeff" + text.replace("\n", "\r\n")), LABELS) == expected, "as a spreadsheet writes it"


def test_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"task,worker,label\nt1,ada,clean\nt2,17,dirty\n"
    zipped = tmp_path / "any-name"
    zipped.write_bytes(gzip.compress(text))
    assert files.answers(zipped, LABELS) == ANSWERS
    for given in (text, gzip.compress(text)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        assert files.answers(Path("-"), LABELS) == ANSWERS


@pytest.mark.parametrize(
    ("parse", "data", "said"),
    [
        (files.tasks, b"", "there is no task"),
        (files.answers, b"task,worker,label\n", "there is no answer"),
        (files.answers, b"t1,ada,maybe\n", "line 1: 'maybe' is neither 0 nor 1, nor “clean” nor “dirty”"),
        (files.answers, b"id,who,label\nt1,ada,0\n", "columns must be task, worker, label"),
        (files.answers, b"a,b\nt1,0\n", "line 1: 'b' is neither 0 nor 1"),
        (files.answers, b"a,b\nt1,0\n", "columns must be task, worker, label"),
        (files.answers, b'{"a": "t1", "b": 0}\n', "the fields task, worker, label and no others"),
        (files.answers, b"t1,ada,0\nt2,ada\n", "line 2"),
        (files.answers, b",ada,0\n", "lacks its task or its label"),
        (files.answers, b"t1,ada,0,9\n", "has 4 columns"),
        (files.answers, b'{"task": "t1", "label": 0, "price": 3}\n', "no others"),
        (files.answers, b'{"task": "t1", "label": 0}\n[1]\n', "line 2"),
        (files.truths, b"t1\n", "line 1"),
        (files.truths, b'{"task": "t1"', "line 1 is not JSON"),
        (files.tasks, b"\xff\xfe\x00", "not UTF-8"),
        # Without the time of day: the bytes name the test, and all who collect it must find the same name.
        (files.tasks, gzip.compress(b"question", mtime=0)[:-4], "gzip"),
        (files.tasks, b"\x1f\x8b\x00\x00", "gzip"),
    ],
)
def test_what_is_wrong_says_where(tmp_path: Path, parse: Any, data: bytes, said: str) -> None:
    file = tmp_path / "given"
    file.write_bytes(data)
    with pytest.raises(InvalidInput) as raised:
        parse(file, LABELS)
    assert str(file) in str(raised.value)
    assert said in str(raised.value)
