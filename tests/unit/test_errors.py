"""The exceptions: one root, and each also a ValueError, so that callers may know nothing of quorate."""

import pytest

from quorate import errors


@pytest.mark.parametrize("name", ["InvalidInput", "OutsideDomain", "NotTwoValued", "UnknownName"])
def test_every_public_exception_is_quorates_and_a_value_error(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, errors.QuorateError)
    assert issubclass(kind, ValueError)
    assert kind.__doc__
