"""Certified juries: the cheapest jury that gold-labelled answers can certify, with or without assuming independence.

    from quorate.certify import pick

    found = pick(labels, truth, prices, target=0.9, confidence=0.95)
    found.jury, found.price, found.certified_accuracy

Names load on first use, so that the command line's help does not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.certify.dependence import Dependence, measure
    from quorate.certify.labels import read_gold
    from quorate.certify.matrix import GoldMatrix
    from quorate.certify.picking import Certified, Pick, answer, make_search, pick
    from quorate.certify.report import report_html, write_report
    from quorate.certify.search import Search
    from quorate.certify.terms import Assume, Vote

_HOMES = {
    "Assume": "quorate.certify.terms",
    "Certified": "quorate.certify.picking",
    "Dependence": "quorate.certify.dependence",
    "GoldMatrix": "quorate.certify.matrix",
    "Pick": "quorate.certify.picking",
    "Search": "quorate.certify.search",
    "Vote": "quorate.certify.terms",
    "answer": "quorate.certify.picking",
    "make_search": "quorate.certify.picking",
    "measure": "quorate.certify.dependence",
    "pick": "quorate.certify.picking",
    "read_gold": "quorate.certify.labels",
    "report_html": "quorate.certify.report",
    "write_report": "quorate.certify.report",
}

__all__ = [
    "Assume",
    "Certified",
    "Dependence",
    "GoldMatrix",
    "Pick",
    "Search",
    "Vote",
    "answer",
    "make_search",
    "measure",
    "pick",
    "read_gold",
    "report_html",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'quorate.certify' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
