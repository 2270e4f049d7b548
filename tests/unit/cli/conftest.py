"""A shell on a store of its own, or at a real service: what the tests of `quorate campaign` run on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.cli.campaign.where import TOKEN_VARIABLE, URL_VARIABLE
from tests.served import OPERATOR, Served
from tests.unit.cli.shell import Shell


@pytest.fixture(autouse=True)
def no_rights_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(f"sqlite:///{tmp_path_factory.mktemp('served')}/x.db") as served:
        yield served


@pytest.fixture
def on_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys, ["--store", f"sqlite:///{tmp_path}/x.db"], tmp_path)


@pytest.fixture
def at_service(served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys, ["--url", f"http://127.0.0.1:{served.port}"], tmp_path, ["--token", OPERATOR])


@pytest.fixture(params=["on_store", "at_service"])
def shell(request: pytest.FixtureRequest) -> Shell:
    found: Shell = request.getfixturevalue(request.param)
    return found
