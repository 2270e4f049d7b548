"""The problem: what is promised, what a jury's error is, what the data says of a worker (paper, section 3)."""

from quorate.model.constraint import Constraint
from quorate.model.problem import Problem, check_bids, check_names, check_qualities

__all__ = ["Constraint", "Problem", "check_bids", "check_names", "check_qualities"]
