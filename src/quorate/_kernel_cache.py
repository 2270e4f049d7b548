"""A kernel's cache on disk, fresh only while everything that was compiled into it is.

numba keeps a compiled kernel for as long as the kernel's own file is the same. But a kernel holds the code of every
kernel it calls, whatever file that one is in, and the constants they name: after an upgrade it could run last
version's code. So the stamp here covers the whole tree of calls: the source of every file in it, and every constant.

And numba numbers a kernel's stored versions in the order in which they come. Two processes that compile for different
types at once can take the same number: then the index leads to the other's code, and every later call fails. So here a
stored version is named by what it is.
"""

import hashlib
import pickle
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import is_jitted

# What is stored under another naming is not looked at.
NAMING = "by key"


class KernelFiles(IndexDataCacheFile):
    """The stored versions of one kernel. Of two that are stored at once one may be lost, never mistaken."""

    def save(self, key: Any, data: Any) -> None:
        """The code before the index that leads to it, with the stamp of what it was compiled from."""
        digest = hashlib.sha256(self._dump(key)).hexdigest()  # type: ignore[no-untyped-call]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest[:16]}.nbc"
        self._save_data(name, (self._source_stamp, data))  # type: ignore[no-untyped-call]
        self._save_index({**self._load_index(), key: name})  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        found = super().load(key)  # type: ignore[no-untyped-call]
        if found is None:
            return None
        stamp, data = found
        return data if stamp == self._source_stamp else None


class TreeCache(FunctionCache):
    """numba's cache of one kernel, with a stamp for all that the kernel was compiled from."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Only now: when the kernel was decorated, kernels that it calls may not have been defined yet. numba asks for
        # a stored version before it compiles and stores a new one, so this comes before every use of the index.
        self._cache_file = self.files()
        return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]

    def files(self) -> KernelFiles:
        """The versions stored of the kernel as it is now."""
        return KernelFiles(  # type: ignore[no-untyped-call]
            cache_path=self.cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=(NAMING, self._impl.locator.get_source_stamp(), stamp(self._py_func)),
        )


def is_stored(kernel: Any) -> bool:
    """Whether a kernel need not be compiled: some version of it, as it is now, is on the disk."""
    compiled = is_jitted(kernel)  # not under NUMBA_DISABLE_JIT
    return not compiled or bool(kernel._cache.files()._load_index())


def stamp(function: FunctionType) -> bytes:
    """A digest of all that is compiled into a kernel: the same for the same sources, whatever the machine."""
    tree = {function}
    waiting = [function]
    while waiting:
        for callee in _parts(waiting.pop())[1]:
            if callee not in tree:
                tree.add(callee)
                waiting.append(callee)
    return hashlib.sha256(b"".join(sorted(_parts(member)[0] for member in tree))).digest()


@cache
def _parts(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    """A digest of a kernel's own file and constants, and the kernels that it names."""
    own = hashlib.sha256(_source(function.__code__))
    callees: list[Any] = []
    for name, value in _named(function):
        if is_jitted(value):
            callees.append(value.py_func)
        elif isinstance(value, type):  # a tuple with names, or an enumeration
            fields = getattr(value, "_fields", getattr(value, "__members__", ""))
            own.update(f"{name}={value.__qualname__}{fields}".encode())
        elif not hasattr(value, "__name__"):  # not a function of a library
            own.update(name.encode() + pickle.dumps(value, protocol=5))
    return own.digest(), tuple(callees)


@cache
def _source(code: CodeType) -> bytes:
    try:
        with open(code.co_filename, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    except OSError:  # no file, as in a frozen program: then what was compiled from it
        return code.co_code + repr(code.co_consts).encode()


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function's names may mean, those of the functions inside it too: in its module, around it, or in a module
    of its own package that it names."""
    names = set(_names(function.__code__))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    package = function.__module__.partition(".")[0]
    modules: list[ModuleType] = []
    places = [function.__globals__, dict(zip(function.__code__.co_freevars, cells, strict=True))]
    for place in places:
        for name in sorted(names & place.keys()):
            value = place[name]
            if not isinstance(value, ModuleType):
                yield name, value
            elif value.__name__.partition(".")[0] == package and value not in modules:
                modules.append(value)
                places.append(vars(value))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
