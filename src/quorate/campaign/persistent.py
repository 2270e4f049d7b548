"""Values that change by making a new one, sharing all that stays the same.

A campaign's state is a frozen value, so that a page, a snapshot and a retry each see one consistent state without a
lock. With 10^5 tasks that is affordable only if a new version copies a few dozen pointers, not the whole list.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar
from zlib import crc32

T = TypeVar("T")

BITS = 5
WIDTH = 1 << BITS
MASK = WIDTH - 1
BUCKETS = 1024


class Vector(Generic[T]):
    """A list as a tree of tuples of 32: reading, replacing and appending touch one tuple a level."""

    __slots__ = ("_root", "_shift", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        level: list[Any] = list(items)
        self._size = len(level)
        self._shift = 0
        while len(level) > WIDTH:
            level = [tuple(level[i : i + WIDTH]) for i in range(0, len(level), WIDTH)]
            self._shift += BITS
        self._root: tuple[Any, ...] = tuple(level)

    @classmethod
    def _of(cls, root: tuple[Any, ...], size: int, shift: int) -> "Vector[T]":
        made = cls.__new__(cls)
        made._root, made._size, made._shift = root, size, shift
        return made

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> T:
        if not 0 <= index < self._size:
            raise IndexError(f"position {index} is not from 0 to {self._size - 1}")
        node = self._root
        shift = self._shift
        while shift:
            node = node[(index >> shift) & MASK]
            shift -= BITS
        found: T = node[index & MASK]
        return found

    def __iter__(self) -> Iterator[T]:
        return _walk(self._root, self._shift)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vector) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Vector of {self._size}"

    def set(self, index: int, item: T) -> "Vector[T]":
        """The same with another item at a position that exists."""
        if not 0 <= index < self._size:
            raise IndexError(f"position {index} is not from 0 to {self._size - 1}")
        return self._of(_replaced(self._root, self._shift, index, item), self._size, self._shift)

    def append(self, item: T) -> "Vector[T]":
        if self._size == 1 << (self._shift + BITS):
            root = (self._root, _path(self._shift, item))
            return self._of(root, self._size + 1, self._shift + BITS)
        return self._of(_pushed(self._root, self._shift, self._size, item), self._size + 1, self._shift)

    def since(self, start: int) -> Iterator[T]:
        """The items from a position on."""
        return (self[index] for index in range(start, self._size))


def _walk(node: tuple[Any, ...], shift: int) -> Iterator[Any]:
    if shift == 0:
        yield from node
        return
    for child in node:
        yield from _walk(child, shift - BITS)


def _path(shift: int, item: Any) -> tuple[Any, ...]:
    node: tuple[Any, ...] = (item,)
    while shift:
        node = (node,)
        shift -= BITS
    return node


def _replaced(node: tuple[Any, ...], shift: int, index: int, item: Any) -> tuple[Any, ...]:
    at = (index >> shift) & MASK
    new = list(node)
    new[at] = item if shift == 0 else _replaced(node[at], shift - BITS, index, item)
    return tuple(new)


def _pushed(node: tuple[Any, ...], shift: int, index: int, item: Any) -> tuple[Any, ...]:
    if shift == 0:
        return (*node, item)
    at = (index >> shift) & MASK
    if at == len(node):
        return (*node, _path(shift - BITS, item))
    return (*node[:at], _pushed(node[at], shift - BITS, index, item))


class Index:
    """Texts to numbers; adding copies one small dictionary out of 1,024."""

    __slots__ = ("_buckets", "_size")

    def __init__(self) -> None:
        self._buckets: Vector[dict[str, int]] = Vector([{}] * BUCKETS)
        self._size = 0

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Index":
        """Each text with its position."""
        found: list[dict[str, int]] = [{} for _ in range(BUCKETS)]
        number = -1
        for number, text in enumerate(texts):
            found[_bucket(text)][text] = number
        made = cls()
        made._buckets, made._size = Vector(found), number + 1
        return made

    def __len__(self) -> int:
        return self._size

    def get(self, text: str) -> int | None:
        return self._buckets[_bucket(text)].get(text)

    def add(self, text: str, number: int) -> "Index":
        at = _bucket(text)
        made = Index.__new__(Index)
        made._buckets = self._buckets.set(at, {**self._buckets[at], text: number})
        made._size = self._size + 1
        return made


def _bucket(text: str) -> int:
    return crc32(text.encode()) & (BUCKETS - 1)
