"""A private PostgreSQL server in a temporary folder, from the system's own binaries; nothing is left behind.

It listens on a Unix socket in that folder and nowhere else. The server refuses to run as root, so root starts it as the
unprivileged user `nobody`. Where the binaries are missing the tests are skipped by name, and with
QUORATE_REQUIRE_ALL=1 (as in continuous integration) that is a failure.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
import pytest

REQUIRE_ALL = "QUORATE_REQUIRE_ALL"
HOW_TO_GET = "install the Debian package `postgresql` (its server does not need to run)"
SYSTEM = Path("/usr/lib/postgresql")
UNPRIVILEGED = "nobody"
USER = "quorate"


def binary(name: str) -> str | None:
    """On the PATH, or where Debian keeps it: the newest version."""
    found = shutil.which(name)
    if found:
        return found
    versions = sorted(SYSTEM.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]), reverse=True)
    return str(versions[0]) if versions else None


class PostgresServer:
    """Started on creation; `stop` ends it and removes its folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="quorate-pg-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._databases = count()
        self._run("initdb", "--no-sync", "-D", str(self.data), "-U", USER, "-A", "trust", "-E", "UTF8")
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=100"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options, "start")

    def shut_down(self, mode: str = "fast") -> None:
        """`immediate` is a crash: what was not on the disk is gone."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "-m", mode, "stop")

    def kill(self) -> None:
        """The whole server at once, as a power cut would; only its own processes."""
        pid = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 30
        # Its children notice that their parent is gone; a new server refuses to start until they have.
        while time.monotonic() < end:
            try:
                self.start()
            except subprocess.CalledProcessError:
                time.sleep(0.2)
            else:
                return
        raise RuntimeError("the server did not come back within 30 s")

    def create_database(self) -> str:
        """The URL of a fresh one."""
        name = f"test_{next(self._databases)}"
        with psycopg.connect(host=str(self.folder), user=USER, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def stop(self) -> None:
        if self.folder.exists():
            subprocess.run(
                self._as_user("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop"),
                check=False,
                capture_output=True,
                cwd=self.folder,
            )
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, *command: str) -> None:
        # pg_ctl's child would hold a pipe open for ever, so its words go to a file.
        with (self.folder / "words").open("a+") as words:
            try:
                subprocess.run(
                    self._as_user(*command), check=True, stdout=words, stderr=words, cwd=self.folder, timeout=120
                )
            except subprocess.CalledProcessError as error:
                words.seek(0)
                error.add_note(words.read()[-2000:])
                raise

    @staticmethod
    def _as_user(name: str, *arguments: str) -> list[str]:
        found = binary(name)
        if found is None:
            raise FileNotFoundError(f"{name} was not found; {HOW_TO_GET}")
        if os.geteuid() != 0:
            return [found, *arguments]
        user = pwd.getpwnam(UNPRIVILEGED)
        switch = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        return [*switch, found, *arguments]


@cache
def shared_server() -> PostgresServer:
    """One server for all tests of a process, stopped at its end."""
    server = PostgresServer()
    atexit.register(server.stop)
    return server


def server_or_skip() -> PostgresServer:
    """The shared server; without the binaries the test is skipped, or fails where everything is required."""
    missing = [name for name in ("initdb", "pg_ctl", "postgres") if binary(name) is None]
    if missing:
        message = f"PostgreSQL's {', '.join(missing)} not found: {HOW_TO_GET}"
        if os.environ.get(REQUIRE_ALL) == "1":
            pytest.fail(message)
        pytest.skip(message)
    return shared_server()
