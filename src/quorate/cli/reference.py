"""The commands' help as one Markdown page: `python -m quorate.cli.reference > docs/cli.md`. A test compares the two."""

import contextlib
import io
import os
import sys

from quorate.cli.main import command_names, run

HEAD = """# Commands

Generated from the commands' own help by `make reference`. Every command has `--json` for machines, and a progress bar
on a terminal. Exit codes: 0 done, 1 an honest negative answer (infeasible, a violation found), 2 wrong usage or bad
input.
"""


def page() -> str:
    """The whole page, at a fixed width."""
    os.environ["COLUMNS"] = "100"
    parts = [HEAD]
    for name in command_names():
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            run([*name.split(), "--help"])
        help_text = "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())
        parts.append(f"## quorate {name}\n\n```text\n{help_text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())
