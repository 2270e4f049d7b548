"""The two choices a certificate rests on, spelled as in the command line."""

from enum import StrEnum


class Assume(StrEnum):
    """What is assumed of workers' errors."""

    # The jury itself is tested on the gold tasks, so its members' errors may hang together in any way.
    NOTHING = "nothing"
    # Workers err independently of each other given the truth, and as often on either answer (who errs more on one of
    # them shares its hard tasks with the others): each is tested alone, and the jury is computed.
    INDEPENDENT = "independent"


class Vote(StrEnum):
    """How a jury's answers become its verdict."""

    MAJORITY = "majority"
    # By weights: learned on a part of the gold tasks, or, where independence is assumed, the log-odds of the lower
    # bounds.
    WEIGHTED = "weighted"
