"""Contract suites: what the Protocols' docstrings ask, as pytest classes that the author of a plug-in can run.

    from quorate.testing import ErrorModelContract

    class TestMine(ErrorModelContract):
        @pytest.fixture
        def model(self):
            return Mine()

Each suite needs one fixture: `model`, `interval`, `selector`, `policy`, `payment` or `open_store`. They need pytest,
which quorate itself does not: nothing else in quorate imports this package.
"""

import pytest

for _suite in ("error_model", "interval", "payment", "policy", "selector", "store"):
    pytest.register_assert_rewrite(f"quorate.testing.{_suite}")

from quorate.testing.error_model import ErrorModelContract  # noqa: E402
from quorate.testing.interval import IntervalContract  # noqa: E402
from quorate.testing.payment import PaymentContract  # noqa: E402
from quorate.testing.policy import PolicyContract  # noqa: E402
from quorate.testing.selector import SelectorContract  # noqa: E402
from quorate.testing.store import StoreContract  # noqa: E402

__all__ = [
    "ErrorModelContract",
    "IntervalContract",
    "PaymentContract",
    "PolicyContract",
    "SelectorContract",
    "StoreContract",
]
