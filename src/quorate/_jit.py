"""numba's `njit`, typed as the identity so that kernels keep their signatures under mypy --strict.

Kernels are compiled without fast-math: the promise that fast and plain paths make the same decisions
to the bit rests on IEEE arithmetic in one fixed order.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

F = TypeVar("F", bound=Callable[..., object])

if TYPE_CHECKING:

    def kernel(function: F) -> F: ...

    def inline(function: F) -> F: ...

    def merge(function: F) -> F: ...

else:
    from numba import njit
    from numba.extending import is_jitted

    from quorate._kernel_cache import TreeCache

    def kernel(function: F) -> F:
        """A compiled kernel: cached on disk, releases the GIL, never raises."""
        return _cached(njit(nogil=True, error_model="numpy")(function))

    def inline(function: F) -> F:
        """A small kernel for other kernels to absorb.

        LLVM must inline it: left as a call, every array argument costs two atomic reference counts, which can be most
        of the time of a function that does a few additions.
        """
        return _cached(njit(nogil=True, error_model="numpy", forceinline=True)(function))

    def merge(function: F) -> F:
        """A kernel that becomes part of its caller before anything is compiled: for one that has few callers.

        numba optimises a kernel's machine code once more in each of its callers, and theirs, with all that it calls
        itself: a deep tree of calls takes minutes to compile, and gigabytes, where this takes half a minute.
        """
        return _cached(njit(nogil=True, error_model="numpy", inline="always")(function))

    def _cached(compiled: F) -> F:
        if is_jitted(compiled):  # not under NUMBA_DISABLE_JIT
            compiled._cache = TreeCache(compiled.py_func)  # what numba's enable_caching does, with its own class
        return compiled
