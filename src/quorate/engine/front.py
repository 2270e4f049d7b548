"""The first workers in an order that changes a little every round.

Selection reads only the start of an order (by price per value, or by pessimistic quality), and a round changes few
keys, or all of them slightly. So a run keeps the start sorted, and an edge: whoever is not in the front comes after
the edge. Sorting a nearly sorted front by insertion costs about as many steps as it has members; nobody sorts all n
workers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.select.order import insertion_sort, sort_front

# Up to this length a nearly sorted front is put in order by insertion; beyond, by a quicksort, lest it be quadratic.
INSERTION = 512
# A front this many times longer than what is read of it is cut.
SPARE = 2
LEAST = 8


class Front(NamedTuple):
    """`ids[:size[0]]` are the workers up to the edge (`edge_key[0]`, `edge_id[0]`), by (key, index) once settled."""

    key: NDArray[np.float64]
    ids: NDArray[np.int64]
    inside: NDArray[np.bool_]
    size: NDArray[np.int64]
    edge_key: NDArray[np.float64]
    edge_id: NDArray[np.int64]


@inline
def new_front(workers: int) -> Front:
    """An empty front; `widen` fills it once the keys are set."""
    return Front(
        np.zeros(workers),
        np.empty(workers, dtype=np.int64),
        np.zeros(workers, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
        np.full(1, -np.inf),
        np.full(1, -1, dtype=np.int64),
    )


@inline
def _set_edge(front: Front) -> None:
    last = front.ids[front.size[0] - 1]
    front.edge_key[0] = front.key[last]
    front.edge_id[0] = last


@kernel
def widen(front: Front, wanted: int) -> None:
    """Build the front anew, at least `wanted` long (or everybody)."""
    workers = len(front.key)
    for i in range(workers):
        front.ids[i] = i
        front.inside[i] = False
    size = sort_front(front.key, front.ids, 0, workers, wanted)
    for place in range(size):
        front.inside[front.ids[place]] = True
    front.size[0] = size
    if size == workers:
        front.edge_key[0] = np.inf
        front.edge_id[0] = workers
    else:
        _set_edge(front)


@kernel
def _sort_long(front: Front) -> None:
    sort_front(front.key, front.ids, 0, front.size[0], front.size[0])


@inline
def _beyond(front: Front, worker: int) -> bool:
    key = front.key[worker]
    return bool(key > front.edge_key[0] or (key == front.edge_key[0] and worker > front.edge_id[0]))


@inline
def rekey(front: Front, worker: int, key: float) -> None:
    """A worker's new key; whoever comes before the edge joins. `settle` must follow before the front is read."""
    front.key[worker] = key
    if not front.inside[worker] and not _beyond(front, worker):
        front.inside[worker] = True
        front.ids[front.size[0]] = worker
        front.size[0] += 1


@inline
def rekeyed(front: Front) -> None:
    """The same after all keys were set: whoever comes before the edge joins."""
    for i in range(len(front.key)):
        # The first comparison decides for nearly everybody; a tie at the edge goes by index.
        if front.key[i] <= front.edge_key[0] and not front.inside[i] and not _beyond(front, i):
            front.inside[i] = True
            front.ids[front.size[0]] = i
            front.size[0] += 1


@inline
def settle(front: Front) -> None:
    """Put the front in order and drop whoever has moved beyond the edge."""
    size = front.size[0]
    if size <= INSERTION:
        insertion_sort(front.key, front.ids, 0, size)
    else:
        _sort_long(front)
    while size > 0 and _beyond(front, front.ids[size - 1]):
        size -= 1
        front.inside[front.ids[size]] = False
    front.size[0] = size


@inline
def refresh(front: Front) -> None:
    """Set up a front whose keys were all set: anew if it is empty, else from what it was."""
    if front.size[0] == 0:
        widen(front, LEAST)
    else:
        rekeyed(front)
        settle(front)


@inline
def trim(front: Front, read: int) -> None:
    """Cut a front of which only the first `read` were needed and which has grown far longer."""
    size = front.size[0]
    if size <= SPARE * (read + LEAST):
        return
    kept = (read + LEAST) * 5 // 4
    for place in range(kept, size):
        front.inside[front.ids[place]] = False
    front.size[0] = kept
    _set_edge(front)


@inline
def closed_up(front: Front, stays: NDArray[np.bool_], place: NDArray[np.int64], kept: int) -> Front:
    """The front of the `kept` workers who stay; `place[i]` is how many of them come before worker i.

    Keys and marks move with their workers, and nobody changes places: the order, and what lies beyond the edge, stay.
    """
    for i in range(len(stays)):
        if stays[i]:
            front.key[place[i]] = front.key[i]
            front.inside[place[i]] = front.inside[i]
    size = 0
    for position in range(front.size[0]):
        worker = front.ids[position]
        if stays[worker]:
            front.ids[size] = place[worker]
            size += 1
    front.size[0] = size
    edge = front.edge_id[0]
    if 0 <= edge < len(stays):
        front.edge_id[0] = place[edge] if stays[edge] else place[edge] - 1
    return Front(front.key[:kept], front.ids[:kept], front.inside[:kept], front.size, front.edge_key, front.edge_id)
