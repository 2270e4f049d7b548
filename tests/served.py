"""Real `quorate serve` processes on loopback, and a plain client for them: for tests and benchmarks."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
OPERATOR = "qr_operator_for-real-processes"
SECRET = "5e" * 32
START_SECONDS = 60.0
STOP_SECONDS = 30.0
PATIENCE_SECONDS = 30.0
API = "/api/v1"

# Connecting, sending or reading failed: what a client sees of a service that dies.
GONE = (OSError, http.client.HTTPException)


class Served:
    """One service process; `start` again after a death gives another at the same store, on another port.

    `before` is Python that runs in the process first: what a test breaks on purpose. `options` are those of
    `quorate serve`.
    """

    def __init__(self, store: str, before: str = "", *options: str) -> None:
        self.store = store
        self.before = before
        self.options = options
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self.process is None:
            raise RuntimeError("the service was not started")
        return self.process.pid

    def launch(self) -> "Served":
        """Begin to start; `ready` waits for it."""
        script = f"{self.before}\nfrom quorate.cli.main import main\nmain()"
        given = ["serve", "--store", self.store, "--port", "0", "--json", *self.options]
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *given],
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": path,
                "QUORATE_OPERATOR_TOKEN": OPERATOR,
                "QUORATE_SECRET": SECRET,
            },
        )
        return self

    def ready(self) -> "Served":
        """Wait until it answers. The address is printed when it listens; requests wait until it serves."""
        process = self.process
        if process is None or process.stdout is None:
            raise RuntimeError("the service was not started")
        said = b""
        while not said.endswith(b"}\n"):
            line = process.stdout.readline()
            if not line:
                status = process.wait(STOP_SECONDS)
                self._end(signal.SIGKILL)
                raise RuntimeError(f"the service ended with status {status} before it said its address")
            said += line
        self.port = urlsplit(json.loads(said)["address"]).port or 0
        return self

    def start(self) -> "Served":
        return self.launch().ready()

    def kill(self) -> None:
        """As a power cut would, but for the disk's cache. Returns when it is dead."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """As an administrator would; its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None
        return status

    def __enter__(self) -> "Served":
        return self.start()

    def __exit__(self, *error: object) -> None:
        self._end(signal.SIGKILL if error[0] else signal.SIGTERM)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """One kept connection, for one thread. A request that fails raises one of GONE, and the next one connects anew."""

    port: int
    token: str
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body), "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            self._connection.request(method, API + path, data, headers)
            response = self._connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        except GONE:
            self.close()
            raise

    def get(self, path: str) -> Any:
        return self._good("GET", path, None, None)

    def post(self, path: str, body: Any = None, key: str | None = None) -> Any:
        return self._good("POST", path, body, key)

    def put(self, path: str, body: Any, key: str | None = None) -> Any:
        return self._good("PUT", path, body, key)

    def _good(self, method: str, path: str, body: Any, key: str | None) -> Any:
        answer = self.ask(method, path, body, key)
        if not answer.good:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.body[:500]!r}")
        return answer.json() if answer.body else None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def wait_until(true: Any, seconds: float = PATIENCE_SECONDS, pause: float = 0.01) -> None:
    """Until `true()` is; raises when the time is over."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s in vain")
        time.sleep(pause)
