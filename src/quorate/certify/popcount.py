"""Counting bits: how many of 64 tasks at a time."""

import numpy as np
from numba.core import config

from quorate._jit import inline

_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_56 = np.uint64(56)
_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The last step below overflows on purpose, which NumPy's scalars report.
    def popcount(x: np.uint64) -> np.uint64:
        return np.uint64(int(x).bit_count())

else:

    @inline
    def popcount(x: np.uint64) -> np.uint64:
        """The number of ones. The compiler knows this idiom: one instruction, and eight words at once where it can."""
        x = x - ((x >> _1) & _PAIRS)
        x = (x & _FOURS) + ((x >> _2) & _FOURS)
        x = (x + (x >> _4)) & _BYTES
        return (x * _SUM) >> _56
