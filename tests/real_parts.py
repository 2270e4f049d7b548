"""Tests that need a real server or browser: without it they are skipped, by name and with the way to get it.

With QUORATE_REQUIRE_ALL=1 (as in continuous integration) that is a failure.
"""

import os
from typing import NoReturn

import pytest

REQUIRE_ALL = "QUORATE_REQUIRE_ALL"


def skip_or_fail(message: str) -> NoReturn:
    """`message` names what is missing and how to get it."""
    if os.environ.get(REQUIRE_ALL) == "1":
        pytest.fail(message)
    pytest.skip(message)
