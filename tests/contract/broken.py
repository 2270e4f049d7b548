"""Runs one promise of a contract suite on a plug-in that breaks it: a suite that cannot fail promises nothing."""

from collections.abc import Iterable

import pytest

# An assertion, or `pytest.raises` that saw nothing raised.
FAILED = (AssertionError, pytest.fail.Exception)


def run_contract(suite: type, promise: str, *fixtures: object) -> None:
    """The promise as pytest would run it, with the plug-in (and what else it takes) in place of the fixtures."""
    try:
        getattr(suite(), promise)(*fixtures)
    except pytest.skip.Exception as skipped:
        raise RuntimeError(f"{promise} was skipped, so it controls nothing: {skipped.msg}") from skipped


def promises(suite: type) -> set[str]:
    return {name for name in dir(suite) if name.startswith("test_")}


def check_every_promise_has_a_control(suite: type, controlled: Iterable[str]) -> None:
    assert promises(suite) == set(controlled)
