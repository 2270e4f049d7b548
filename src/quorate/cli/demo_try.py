"""A small campaign beside the demo's own, open for bids: whoever watches may be its worker and its requester.

The simulated workers answer faster than a person could, and not in this one.
"""

from typing import Any

from quorate.cli.demo_live import begin
from quorate.cli.reach import Reach, Session

NAME = "try"
WORKER = "you"
# With what is true, so that the campaign learns without being told.
QUESTIONS = (
    ("Is 91 a prime number?", 0),
    ("Is a kilometre longer than a mile?", 0),
    ("Is Lisbon west of Madrid?", 1),
    ("Do whales breathe air?", 1),
    ("Is a tomato a fruit, to a botanist?", 1),
    ("Is the Moon larger than Mars?", 0),
    ("Does sound travel faster in water than in air?", 1),
    ("Was 1900 a leap year?", 0),
    ("Is gold denser than lead?", 1),
    ("Do spiders have six legs?", 0),
)


def settings() -> dict[str, Any]:
    return {
        "title": "Try it: yes or no?",
        "target": 0.9,
        "confidence": 0.9,
        "horizon": len(QUESTIONS),
        "cap": "1",
    }


def open_for_bids(reach: Reach, operator: Session) -> tuple[str, str]:
    """Its tasks wait for the auction to close; the worker's invitation and the requester's link."""
    requester, link = begin(reach, operator, NAME, settings())
    tasks = [{"key": f"q{at}", "payload": asked, "gold": truth} for at, (asked, truth) in enumerate(QUESTIONS, 1)]
    requester.post("/tasks", {"tasks": tasks})
    worker: dict[str, Any] = requester.post("/workers", {"name": WORKER})
    return worker["link"], link
