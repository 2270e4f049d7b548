"""What a study's numbers may depend on besides the study itself."""

import platform
from functools import cache
from importlib.metadata import version

from quorate import __version__


@cache
def versions() -> dict[str, str]:
    """quorate, Python and the libraries that decide bits."""
    libraries = {name: version(name) for name in ("numpy", "numba", "scipy", "polars")}
    return {"quorate": __version__, "python": platform.python_version(), **libraries}
