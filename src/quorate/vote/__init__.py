"""From answers to a verdict (paper, Definition "Aggregate"; MATHS 2)."""

from quorate.vote.log_odds import log_odds_weights, weighted_error, weighted_verdict
from quorate.vote.majority import majority_verdict

__all__ = ["log_odds_weights", "majority_verdict", "weighted_error", "weighted_verdict"]
