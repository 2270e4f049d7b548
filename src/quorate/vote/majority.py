"""The majority vote with the paper's tie rule (paper, equation (1))."""

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput


def majority_verdict(labels: NDArray[np.bool_]) -> bool:
    """Answer 1 if strictly more than half say 1, otherwise 0: a tie, and the empty jury, say 0."""
    check_labels(labels)
    return 2 * int(np.count_nonzero(labels)) > len(labels)


def check_labels(labels: NDArray[np.bool_]) -> None:
    """Numbers would be taken for positions, or anything but 0 for 1."""
    if labels.dtype != np.bool_:
        raise InvalidInput(f"labels of type {labels.dtype} are not answers; give True for answer 1, False for answer 0")
