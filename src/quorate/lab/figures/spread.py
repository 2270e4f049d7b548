"""Many independent parts of one work, on an executor, their results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from typing import TypeVar

from quorate.errors import QuorateError
from quorate.lab.execution import Workplace

Part = TypeVar("Part")
Result = TypeVar("Result")


def spread(place: Workplace, work: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
    """`work(part)` for every part, in the order of the parts; only as many at a time as the place has slots."""
    waiting: deque[Future[Result]] = deque()
    try:
        for part in parts:
            waiting.append(place.executor.submit(work, part))
            if len(waiting) >= place.slots:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenExecutor as error:
        raise QuorateError(
            "a worker process ended by itself, perhaps for want of memory; try again with fewer --processes"
        ) from error
