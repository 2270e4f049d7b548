"""A campaign driven by `quorate campaign ...`, on a store or at a service."""

import csv
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from quorate.cli.main import run

NEW = [
    "new", "--title", "Is it clean?", "--target", "0.6", "--confidence", "0.6", "--horizon", "5000", "--cap", "2",
    "--labels", "clean,dirty",
]  # fmt: skip
NAMES = ("ada", "bob", "cem")


@dataclass
class Shell:
    """`where` says how the campaigns are reached; `operator` what more a command needs to draft one."""

    capsys: pytest.CaptureFixture[str]
    where: list[str]
    folder: Path
    operator: list[str] = field(default_factory=list)
    requester: list[str] = field(default_factory=list)
    workers: dict[str, str] = field(default_factory=dict)
    err: str = ""

    def ask(self, *arguments: str, code: int = 0) -> str:
        """Standard output of one command; `err` has the rest. Nobody's rights are added."""
        self.capsys.readouterr()
        done = run(["campaign", *arguments, *self.where])
        said = self.capsys.readouterr()
        self.err = said.err
        assert done == code, (arguments, said)
        assert "Traceback" not in said.err
        if code == 2:
            assert said.out == ""
            assert len(said.err.splitlines()) == 1, said.err
            assert said.err.startswith("quorate: ")
        return said.out

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """As the requester."""
        return self.ask(*arguments, *self.requester, code=code)

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", code=code))

    def by(self, worker: str, *arguments: str, code: int = 0) -> str:
        """As a worker, by its own token."""
        return self.ask(*arguments, "--token", self.workers[worker], code=code)

    def write(self, text: str) -> str:
        file = self.folder / "given.csv"
        file.write_text(text)
        return str(file)

    def draft(self, *more: str) -> str:
        """The campaign's name; from now on this shell has its requester's token."""
        made = json.loads(self.ask(*NEW, *more, *self.operator, "--json"))
        self.requester = ["--token", made["token"]]
        return str(made["campaign"])

    def invite(self, *names: str) -> list[dict[str, str]]:
        rows = list(csv.DictReader(io.StringIO(self("workers", *names))))
        self.workers |= {row["name"]: row["token"] for row in rows}
        return rows

    def auction(self, *more: str) -> str:
        """Opened, everybody invited, everybody's bid placed."""
        name = self.draft("--open", *more)
        self.invite(*NAMES)
        for at, worker in enumerate(NAMES):
            self.by(worker, "bid", f"0.{at + 3}")
        return name

    def running(self, tasks: int = 2, *more: str) -> str:
        name = self.auction(*more)
        self("close-auction")
        self("tasks", self.write("".join(f"t{at},question {at}\n" for at in range(tasks))))
        return name
