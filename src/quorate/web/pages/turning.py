"""Long lists in pages: which part is shown, and the ways to the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

IN_TIME = ("First", "Earlier", "Later", "Latest")
IN_ORDER = ("First", "Previous", "Next", "Last")


@dataclass(frozen=True)
class Part:
    """Of a list of `total`, what comes after the first `start`, `size` of it; `words` for the ways to other parts."""

    start: int
    size: int
    total: int
    words: tuple[str, str, str, str] = IN_ORDER

    @property
    def first(self) -> int:
        """Counted from 1."""
        return self.start + 1

    @property
    def last(self) -> int:
        return min(self.start + self.size, self.total)

    @property
    def turns(self) -> list[tuple[str, int]]:
        """Words, and after how many the part begins."""
        first, back, on, last = self.words
        end = max(0, (self.total - 1) // self.size * self.size)
        before = [(first, 0), (back, max(0, self.start - self.size))] if self.start > 0 else []
        after = [(on, self.start + self.size), (last, end)] if self.start + self.size < self.total else []
        return before + after

    def of(self, whole: Sequence[T]) -> Sequence[T]:
        return whole[self.start : self.start + self.size]
