"""The command `quorate`: one file per command, registered here; errors become one line and an exit code."""

import contextlib
import io
import sys
from typing import Annotated

import typer
from typer.models import CommandInfo

from quorate import __version__
from quorate.cli.audit import audit
from quorate.cli.campaign import app as campaign
from quorate.cli.console import BAD_INPUT, DONE, INTERRUPTED, complain
from quorate.cli.demo import demo
from quorate.cli.figures import figures
from quorate.cli.ledger import app as ledger
from quorate.cli.pick import pick
from quorate.cli.plan import plan
from quorate.cli.replay import replay
from quorate.cli.serve import serve
from quorate.cli.simulate import simulate
from quorate.cli.usage import wrong_usage
from quorate.errors import QuorateError

app = typer.Typer(
    name="quorate",
    help="Whom to ask, what the verdict is, and what to pay: every verdict right with a promised probability, at the "
    "least spend, where asking one's true price is best.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
# A summary that stays whole in the list of commands on 80 columns.
for _function, _summary in (
    (pick, "Find the cheapest jury that labelled data certifies."),
    (plan, "Say what a campaign will cost before it starts."),
    (replay, "Replay a recorded matrix as a live stream."),
    (simulate, "Run a study: worlds by policies by parameters."),
    (figures, "Draw the paper's figures, and what they leave out."),
    (audit, "Search for bids that pay better than the truth."),
    (serve, "Run campaigns: the HTTP API and the pages."),
    (demo, "Play a complete small campaign with simulated workers."),
):
    app.command(short_help=_summary)(_function)
app.add_typer(campaign, name="campaign", short_help="Run a campaign from the shell.")
app.add_typer(ledger, name="ledger", short_help="Check, export and replay a campaign's ledger.")

# Command lines that name no command yet.
GROUPS = [[], *([str(_group.name)] for _group in app.registered_groups)]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"quorate {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Exit codes: 0 done, 1 an honest negative answer (infeasible, a violation found), 2 wrong usage or bad input."""


def run(arguments: list[str]) -> int:
    """Run one command line; return its exit code."""
    if arguments in GROUPS:
        with contextlib.redirect_stdout(sys.stderr):
            app(args=[*arguments, "--help"], prog_name="quorate", standalone_mode=False)
        return BAD_INPUT
    try:
        code = app(args=arguments, prog_name="quorate", standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except typer.TyperException as error:
        complain(f"quorate: {wrong_usage(error)} (see `quorate {_command(arguments)}--help`)")
        return BAD_INPUT
    except (QuorateError, OSError) as error:
        complain(f"quorate: {_explain(error)}")
        return BAD_INPUT
    if code == INTERRUPTED:
        # The framework catches a Ctrl-C inside a command, and says nothing.
        complain("quorate: stopped by Ctrl-C")
    return code if isinstance(code, int) else DONE


def command_names() -> list[str]:
    """Every command, those of a group as "group command"."""
    names = [_name(command) for command in app.registered_commands]
    for group in app.registered_groups:
        if group.typer_instance is not None:
            names += [f"{group.name} {_name(command)}" for command in group.typer_instance.registered_commands]
    return sorted(names)


def _name(command: CommandInfo) -> str:
    return command.name or (command.callback.__name__ if command.callback else "")


def _command(arguments: list[str]) -> str:
    """The command that was meant, or its group, if there is one of that name."""
    known = {*command_names(), *(" ".join(group) for group in GROUPS if group)}
    meant = (" ".join(arguments[:words]) for words in (2, 1))
    return next((f"{name} " for name in meant if name in known), "")


# What is in the way where files are read and written.
REMEDIES: dict[type[OSError], str] = {
    FileExistsError: "it is a file where a folder is needed: give another path",
    NotADirectoryError: "part of it is a file where a folder is needed: give another path",
    IsADirectoryError: "it is a folder where a file is needed: give another path",
}


def _explain(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; {REMEDIES.get(type(error), 'check the path')}"
    return str(error)


def main() -> None:
    # As standard error does by itself. What came from outside may hold what this terminal, or no encoding, can say;
    # half of a character is written as JSON escapes it, so that JSON stays exact.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
