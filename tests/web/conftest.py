"""One service for all tests of a file; every test drafts campaigns of its own."""

from collections.abc import Iterator

import pytest

from tests.web_api import Api


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("service")) as made:
        yield made
