"""A campaign driven by hand: commands in, everything kept, for tests of the engine without a store."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from quorate.campaign import commands
from quorate.campaign.decide import decide
from quorate.campaign.events import Event
from quorate.campaign.fold import fold, members_of
from quorate.campaign.sealed import Bid, Opening
from quorate.campaign.settings import PaymentRule, Settings
from quorate.campaign.state import Reply, State
from quorate.mechanism.coins import commitment
from quorate.model.realization import Realization

UNIT = 1_000_000
SALT = bytes(range(16))
COINS = 99
SEED = 7

SETTINGS = Settings(
    title="a campaign under test",
    target=0.9,
    confidence=0.9,
    horizon=1_000,
    cap=20 * UNIT,
    answer_within=1_000,
    exploring_at_once=1,
)
RANDOMISED = PaymentRule("randomised")


def small(**changes: Any) -> Settings:
    """The settings of most tests, with some changed."""
    return replace(SETTINGS, **changes)


class Drive:
    """The state, all events so far, and a clock that moves when told to."""

    def __init__(self, settings: Settings = SETTINGS, campaign: str = "c1") -> None:
        self.state = State(campaign)
        self.events: list[Event] = []
        self.now = 0
        self.do(commands.DraftCampaign(settings))

    def do(self, command: commands.Command) -> Any:
        decision = decide(self.state, command, self.now)
        self.state = decision.state
        self.events.extend(decision.events)
        return decision.result

    def open(self, seed: int = SEED) -> "Drive":
        self.do(commands.OpenCampaign(seed, commitment(COINS, SALT)))
        return self

    def enrol(self, bids: Sequence[int]) -> "Drive":
        """One worker for each bid, in whole units, named w0, w1, ..."""
        for bid in bids:
            number = self.do(commands.EnrolWorker(f"w{len(self.state.workers)}")).worker
            self.do(commands.PlaceBid(number, opening(bid * UNIT)))
        self.bids = [bid * UNIT for bid in bids]
        return self

    def close_auction(self) -> "Drive":
        self.do(commands.CloseAuction({at: opening(bid) for at, bid in enumerate(self.bids)}, COINS))
        return self

    def post(self, count: int, **fields: Any) -> "Drive":
        first = len(self.state.tasks)
        specs = tuple(commands.TaskSpec(f"t{first + at}", **fields) for at in range(count))
        self.do(commands.PostTasks(specs))
        return self

    def answer(self, task: int, labels: dict[int, int]) -> Any:
        """Workers' labels for one task."""
        given = tuple(commands.Answer(task, worker, label) for worker, label in labels.items())
        return self.do(commands.GiveAnswers(given)).items

    def jury(self, task: int) -> tuple[int, ...]:
        """Workers asked for the task, by number."""
        numbers = self.state.auction.workers
        return tuple(numbers[position] for position in members_of(self.state, self.state.tasks[task]))

    def pending(self, task: int) -> tuple[int, ...]:
        replies = self.state.tasks[task].replies
        return tuple(worker for worker, reply in zip(self.jury(task), replies, strict=True) if reply == Reply.PENDING)

    def all_say(self, task: int, label: int) -> Any:
        return self.answer(task, dict.fromkeys(self.pending(task), label))

    def truth(self, task: int, truth: int) -> Any:
        return self.do(commands.RevealTruths((commands.Truth(task, truth),))).items[0]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def notes(self) -> list[str]:
        return [event.note for event in self.events if event.kind == "promise noted"]

    def close(self, *, force: bool = False) -> Any:
        return self.do(commands.CloseCampaign(COINS, SALT, force))


def opening(bid: int) -> Opening:
    return Opening(Bid(bid), bytes(32))


def running(bids: Sequence[int] = (3, 5, 8, 13), settings: Settings = SETTINGS) -> Drive:
    """Opened, enrolled, auction closed."""
    return Drive(settings).open().enrol(bids).close_auction()


def exploiting(bids: Sequence[int] = (3, 5, 8, 13), settings: Settings = SETTINGS) -> Drive:
    """Explored on gold tasks that everybody gets right until there is a certified jury of two."""
    eager = replace(settings, policy=replace(settings.policy, kappa=Fraction(3)))
    drive = running(bids, eager)
    for task in range(500):
        if drive.state.ended:
            break
        drive.post(1, gold=1).all_say(task, 1)
    assert drive.state.ended, "the campaign should have stopped exploring"
    return drive


def answers_of_world(drive: Drive, world: Realization, task: int) -> dict[int, int]:
    """What the members of the task's jury say in a realization; worker numbers are positions."""
    jury = np.array(drive.jury(task), dtype=np.int64)
    truth = world.truth(task)
    said = np.where(world.right(task, jury), truth, not truth)
    return {int(worker): int(label) for worker, label in zip(jury, said, strict=True)}


def refold(events: Iterable[Event], campaign: str = "c1") -> State:
    """The state from events alone."""
    state = State(campaign)
    for event in events:
        state = fold(state, event)
    return state
