"""Between the engine's thread, the event loop and the socket: nobody waits longer than for the disk."""

import asyncio
import socket
import sys
import threading
from concurrent.futures import Future

import pytest
from fastapi import FastAPI

from quorate.web.handover import Handover
from quorate.web.serving import configured, listen


async def settled_by_another_thread(count: int, handover: Handover) -> list[int | BaseException]:
    """Futures whose outcomes a thread sets all at once; every third one fails."""
    futures: list[Future[int]] = [Future() for _ in range(count)]
    waiting = [asyncio.ensure_future(handover.wait(future)) for future in futures]
    await asyncio.sleep(0)

    def settle() -> None:
        for number, future in enumerate(futures):
            if number % 3:
                future.set_result(number)
            else:
                future.set_exception(ValueError(number))

    thread = threading.Thread(target=settle)
    thread.start()
    thread.join()
    return await asyncio.gather(*waiting, return_exceptions=True)


def test_everything_settled_at_once_comes_over_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[int, list[int | BaseException]]:
        loop, calls = asyncio.get_running_loop(), []
        call = loop.call_soon_threadsafe
        monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *args: (calls.append(args), call(*args))[1])
        return calls, await settled_by_another_thread(200, Handover())

    calls, found = asyncio.run(run())
    assert [one if isinstance(one, int) else str(one) for one in found] == [
        number if number % 3 else str(number) for number in range(200)
    ]
    # The thread was joined while the loop stood still.
    assert len(calls) == 1


def test_rounds_follow_each_other() -> None:
    async def run() -> list[int]:
        handover = Handover()
        return [len(await settled_by_another_thread(5, handover)) for _ in range(3)]

    assert asyncio.run(run()) == [5, 5, 5]


def test_a_caller_who_goes_away_cancels_what_is_not_under_way() -> None:
    async def run() -> bool:
        future: Future[int] = Future()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Handover().wait(future), 0.01)
        return future.cancelled()

    assert asyncio.run(run())


def test_what_is_settled_before_anybody_waits() -> None:
    async def run() -> int:
        future: Future[int] = Future()
        future.set_result(7)
        return await Handover().wait(future)

    assert asyncio.run(run()) == 7


def test_small_answers_are_sent_at_once() -> None:
    """Otherwise the second part of every answer waits for the client's acknowledgement of the first."""

    async def run() -> int:
        heard: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(take, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                found = await heard
                writer.close()
                await writer.wait_closed()
        return found

    assert asyncio.run(run()) != 0


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop is not made for Windows")
def test_requests_are_parsed_and_scheduled_by_compiled_code() -> None:
    """uvicorn falls back in silence to what costs twice as much."""
    config = configured(FastAPI)
    config.load()
    assert config.http_protocol_class.__name__ == "HttpToolsProtocol"
    make = config.get_loop_factory()
    assert make is not None
    loop = make()
    loop.close()
    assert type(loop).__module__ == "uvloop"
