"""Every public exception. A message says what was given, the rule, and what to do about it."""


class QuorateError(Exception):
    """Anything that quorate raises on purpose."""


class InvalidInput(QuorateError, ValueError):
    """A value that breaks a rule of the problem: the message names the value, the rule and the remedy."""


class OutsideDomain(InvalidInput):
    """A quality at which an error model proves nothing (MATHS 2)."""


class NotTwoValued(InvalidInput):
    """A rule that needs a two-valued selector was given one that is not (MATHS 6)."""


class UnknownName(InvalidInput):
    """A name that no registry entry has."""


class NotTruthful(InvalidInput):
    """A pairing of policy and payment under which lying can pay, where only truthful ones are taken (MATHS 6)."""
