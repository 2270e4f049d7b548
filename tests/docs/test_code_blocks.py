"""Every code block of the documentation runs, and shows what it really prints.

- ```python blocks of a page run in order in one namespace; a ```text output block shows what those before it printed;
- ```console blocks: each `$ quorate ...` line runs (all blocks of a page share one folder), and what it prints is
  compared with what the page shows, `...` standing for anything; other commands (make, git, python) are read, not
  run, and must be known;
- ```toml and ```json blocks parse. A ```text block is prose or a picture and is not code.
"""

import contextlib
import io
import json
import os
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from quorate.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*(?: output)?)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KNOWN_KINDS = {"python", "console", "toml", "json", "text", "text output"}
READ_ONLY = {"make", "git", "python", "pip", "cd", "dask", "."}


@dataclass(frozen=True)
class Command:
    words: list[str]
    shown: str


def commands(block: str) -> list[Command]:
    """The commands of a console block, each with the output that the page shows under it."""
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(shlex.split(line[2:], comments=True), ""))
        else:
            found[-1] = Command(found[-1].words, found[-1].shown + line + "\n")
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether `printed` is what the page shows; `...` stands for anything, and spaces at line ends do not count."""
    tidy = "\n".join(line.rstrip() for line in shown.strip().splitlines())
    real = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    pattern = ".*?".join(re.escape(part) for part in tidy.split("..."))
    return re.fullmatch(pattern, real, re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    examples = ROOT / "examples"
    if examples.exists():
        os.symlink(examples, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "docs"}
    printed = io.StringIO()
    for kind, text in BLOCK.findall(page.read_text()):
        assert kind in KNOWN_KINDS, f"a block of kind {kind!r}; use one of {sorted(KNOWN_KINDS)}"
        if kind == "python":
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(page), "exec"), namespace)
        elif kind == "text output":
            assert matches(text, printed.getvalue()), f"printed:\n{printed.getvalue()}\nthe page shows:\n{text}"
            printed = io.StringIO()
        elif kind == "toml":
            tomllib.loads(text)
        elif kind == "json":
            json.loads(text)
        elif kind == "console":
            for command in commands(text):
                check_command(command)


def check_command(command: Command) -> None:
    name, *arguments = command.words
    if name != "quorate":
        assert name in READ_ONLY, f"{name!r} is neither quorate nor one of {sorted(READ_ONLY)}"
        return
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        run(arguments)
    assert matches(command.shown, out.getvalue() + err.getvalue()), (
        f"`{shlex.join(command.words)}` printed:\n{out.getvalue()}{err.getvalue()}\nthe page shows:\n{command.shown}"
    )


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a ... z\n", "a b\nc z\n")
    assert not matches("a ... z\n", "a b\nc y\n")
    with pytest.raises(AssertionError):
        check_command(Command(["quorate", "--version"], "quorate 0.0.0\n"))
