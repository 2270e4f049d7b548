"""`quorate figures`: "all" among others, and what a Ctrl-C says is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from quorate.cli.figures import figures
from quorate.lab.figures import make
from quorate.lab.figures.make import FIGURES, Order

app = typer.Typer()
app.command()(figures)


def _interrupted(order: Order, *_: object) -> Iterator[object]:
    """Says what was ordered, then is stopped."""
    typer.echo(" ".join(order.names))
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("names", "drawn", "said"),
    [
        (
            ["2", "all"],
            FIGURES,
            "what is finished of 4, payments is kept in out: run the same command again to go on (",
        ),
        (["4"], ("4",), "what is finished of 4 is kept in out: run the same command again to go on\n"),
        (["2", "3"], ("2", "3"), "nothing is kept of an unfinished run of these figures: the same command starts anew"),
        ([], ("2", "3", "4"), "run the same command again to go on (2, 3 start anew)"),
    ],
)
def test_what_is_drawn_and_what_a_ctrl_c_keeps(
    names: list[str], drawn: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(make, "make_figures", _interrupted)
    found = CliRunner().invoke(app, [*names, "--out", "out", "--processes", "1"])
    assert found.exit_code == 130
    assert found.stdout == " ".join(drawn) + "\n"
    assert said in found.stderr
