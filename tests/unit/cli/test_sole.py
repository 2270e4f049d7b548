"""One process at a time holds a SQLite file, whoever that is and however it ends."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quorate.cli.main import run
from quorate.cli.sole import SERVICE, sole
from quorate.errors import InvalidInput
from tests.served import SECRET, Served
from tests.unit.cli.shell import NEW

HOLD = """
import sys, time
from pathlib import Path
from quorate.cli.sole import sole
with sole(Path(sys.argv[1]), "a command of the shell"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


def test_a_service_is_named_at_once_with_the_way_to_it(database: Path) -> None:
    with sole(database, f"{SERVICE}http://127.0.0.1:8080"):
        said = r"in use by the service at http://127\.0\.0\.1:8080; reach it there \(--url http://127\.0\.0\.1:8080\)"
        with pytest.raises(InvalidInput, match=said), sole(database, "another"):
            pass


def test_a_command_is_waited_for(database: Path) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with sole(database, "a command of the shell"):
            held.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    said = "in use by a command of the shell; wait until it has ended"
    with pytest.raises(InvalidInput, match=said), sole(database, "another", patience=0.0):
        pass
    threading.Timer(0.2, release.set).start()
    with sole(database, "another", patience=60.0):
        assert not holder.is_alive() or release.is_set()
    holder.join()


def test_after_a_holder_the_next_one_is_named(database: Path) -> None:
    with sole(database, "somebody with a long name"):
        pass
    with sole(database, "next"), pytest.raises(InvalidInput, match="in use by next;"), sole(database, "x", patience=0):
        pass


def test_a_killed_holder_leaves_nothing_that_holds(database: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(database)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(InvalidInput, match="a command of the shell"), sole(database, "x", patience=0.0):
                pass
        finally:
            holder.kill()
    with sole(database, "x", patience=0.0):
        pass


def test_a_database_that_needs_no_lock_gets_none(tmp_path: Path) -> None:
    with sole(None, "x"), sole(None, "y"):
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="check the folder"), sole(tmp_path / "no" / "x.db", "x"):
        pass


def test_two_services_do_not_share_a_file(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUORATE_SECRET", SECRET)  # the service's own: a database keeps to one
    url = f"sqlite:///{database}"
    with Served(url) as served:
        for command in (["serve", "--port", "0"], ["demo", "--port", "0"], ["campaign", "status"]):
            assert run([*command, "--store", url]) == 2
            said = capsys.readouterr()
            assert said.out == ""
            assert said.err.splitlines() == [
                f"quorate: {database} is in use by the service at http://127.0.0.1:{served.port}; reach it there "
                f"(--url http://127.0.0.1:{served.port}), or end it: only one process writes to a SQLite file"
            ]
        served.kill()
        assert run(["campaign", *NEW, "--store", url]) == 0
