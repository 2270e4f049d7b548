"""docs/cli.md is what the commands say of themselves."""

import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_is_up_to_date() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "quorate.cli.reference"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert PAGE.read_text() == said, "docs/cli.md is out of date; run `make reference`"
