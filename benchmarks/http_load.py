"""The load: a process of its own that sends requests over kept connections, and as little else as it can.

    python -m benchmarks.http_load '{"port": 8080, "campaign": ..., "requester": ..., "workers": {...}, ...}'

A client posts a task, looks who was asked, and those answer, all at once, each over a connection of its own. The
answer that completes the jury says that the task is decided. Prints one line of JSON.
"""

import asyncio
import json
import resource
import sys
import time
from dataclasses import dataclass
from itertools import count
from typing import Any

LARGEST_LINE = 1 << 24


class Connection:
    """HTTP/1.1 as far as this load needs it: one request after another, answers with a length."""

    def __init__(self, port: int, token: str, campaign: str) -> None:
        self._port = port
        self._base = f"/api/v1/campaigns/{campaign}"
        self._headers = (
            f" HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        )
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        """What was answered; anything but success ends the measurement."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=LARGEST_LINE)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        named = "" if key is None else f"Idempotency-Key: {key}\r\n"
        head = f"{method} {self._base}{path}{self._headers}{named}Content-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        received = await reader.readuntil(b"\r\n\r\n")
        length = int(received.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        answer = await reader.readexactly(length)
        if received[9:10] != b"2":
            raise RuntimeError(f"{method} {path}: {received[:12]!r} {answer[:300]!r}")
        return json.loads(answer)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


@dataclass(frozen=True)
class Target:
    """Where the load goes. `workers`: a token for each number. `keyed`: every request has an idempotency key."""

    port: int
    campaign: str
    requester: str
    workers: dict[str, str]
    keyed: bool
    name: str

    def connection(self, token: str) -> Connection:
        return Connection(self.port, token, self.campaign)


async def unbatched(target: Target, clients: int, seconds: float) -> dict[str, Any]:
    """Every client one task after another; what each took from posting to its verdict."""
    end = time.perf_counter() + seconds
    spent: list[float] = []
    requests = count()
    numbers = count()

    async def client() -> None:
        requester = target.connection(target.requester)
        workers = {number: target.connection(token) for number, token in target.workers.items()}
        while time.perf_counter() < end:
            key = f"{target.name}-{next(numbers)}"
            begun = time.perf_counter()
            body = {"tasks": [{"key": key}]}
            await requester.ask("POST", "/tasks", body, key if target.keyed else None)
            jury = (await requester.ask("GET", f"/tasks/{key}"))["workers"]
            answers = await asyncio.gather(
                *(
                    workers[str(worker)].ask(
                        "POST", f"/tasks/{key}/answer", {"label": 1}, f"{key}-{worker}" if target.keyed else None
                    )
                    for worker in jury
                )
            )
            spent.append(time.perf_counter() - begun)
            if not any(answer["decided"] for answer in answers):
                raise RuntimeError(f"the task {key} is not decided: {answers}")
            for _ in range(2 + len(jury)):
                next(requests)
        for connection in (requester, *workers.values()):
            connection.close()

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    elapsed = time.perf_counter() - begun
    return {"seconds": elapsed, "tasks": len(spent), "requests": next(requests), "spent": spent}


async def batched(target: Target, tasks: int, size: int) -> dict[str, Any]:
    """Two requesters, each posting tasks in batches and bringing their juries' answers in batches of the same size."""
    latencies: list[float] = []
    answers = count()

    async def requester(number: int) -> None:
        connection = target.connection(target.requester)
        for batch in range(tasks // size // 2):
            keys = [f"{target.name}-{number}-{batch}-{at}" for at in range(size)]
            posted = await connection.ask("POST", "/tasks", {"tasks": [{"key": key} for key in keys]})
            # One command numbers its tasks without gaps, so a page shows just them.
            first = posted["items"][0]["task"]
            after = f"after={first - 1}&" if first else ""
            page = await connection.ask("GET", f"/tasks?{after}limit={size}")
            given = [
                {"task": task["task"], "worker": worker, "label": 1}
                for task in page["items"]
                for worker in task["workers"]
            ]
            for start in range(0, len(given), size):
                part = given[start : start + size]
                begun = time.perf_counter()
                done = await connection.ask("POST", "/answers", {"answers": part})
                latencies.append(time.perf_counter() - begun)
                if done["refused"]:
                    raise RuntimeError(f"answers were refused: {done['items'][:3]}")
                for _ in part:
                    next(answers)
        connection.close()

    begun = time.perf_counter()
    await asyncio.gather(requester(0), requester(1))
    return {"seconds": time.perf_counter() - begun, "answers": next(answers), "spent": latencies}


def main(given: dict[str, Any]) -> None:
    what, how = given.pop("what"), given.pop("how")
    target = Target(**given)
    run = {"unbatched": unbatched, "batched": batched}[what]
    before = resource.getrusage(resource.RUSAGE_SELF)
    found = asyncio.run(run(target, **how))
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sys.stdout.write(json.dumps({**found, "cpu": cpu}) + "\n")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
