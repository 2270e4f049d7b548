"""pytest is for those who test: nothing in quorate but `quorate.testing` loads it."""

import subprocess
import sys


def test_quorate_runs_without_pytest() -> None:
    code = (
        "import sys, quorate, quorate.policy, quorate.engine, quorate.cli.main;"
        "sys.exit(any(name.split('.')[0] in ('pytest', '_pytest', 'hypothesis') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_suites_load_it() -> None:
    """Negative control of the test above."""
    code = "import sys, quorate.testing; sys.exit('pytest' not in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
