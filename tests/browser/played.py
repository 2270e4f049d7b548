"""Campaigns brought to some stage through the service: a test of one page need not play all that comes before."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from quorate.campaign import commands
from quorate.campaign.sealed import Bid
from quorate.campaign.settings import PaymentRule, PolicyRule, Settings
from quorate.campaign.tokens import Role, digest
from quorate.money import MILLIONTHS
from tests.browser.site import Site

SETTINGS = Settings(
    title="Is there a ship in the picture?",
    target=0.7,
    confidence=0.8,
    horizon=600,
    cap=2 * MILLIONTHS,
    policy=PolicyRule(pool=6),
    labels=("no ship", "ship"),
    currency="EUR",
    exploring_at_once=8,
)
BATCH = 5
RANDOMISED = PaymentRule("randomised")
# In millionths, and to be found again wherever they are written.
BIDS = (213_171, 430_719, 615_239, 671_313, 731_997, 843_117, 1_131_771, 1_531_119)
NAMES = ("Ada", "Bo", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana")
# Everybody is wrong now and then: worker i on every so many-th task.
WRONG_EVERY = (9, 3, 12, 5, 20, 4, 7, 6)


@dataclass
class Played:
    """One campaign and the links into it."""

    site: Site
    name: str
    requester: str
    auditor: str
    workers: list[str] = field(default_factory=list)

    def enrol(self, bids: Sequence[int] = BIDS, names: Sequence[str] = NAMES) -> "Played":
        for name, bid in zip(names, bids, strict=True):
            worker = self.site.service.enrol(self.name, name).worker
            self.workers.append(self.site.link(self.name, Role.WORKER, worker))
            holder = digest(self.workers[-1].partition("#")[2])
            self.site.service.bid(self.name, worker, Bid(bid), holder=holder)
        return self

    def close_auction(self) -> "Played":
        self.site.service.close_auction(self.name)
        return self

    def post(self, count: int, gold: int | None = None) -> "Played":
        first = self.site.service.status(self.name).posted
        specs = [
            commands.TaskSpec(f"t{first + at}", f"Is there a ship in picture {first + at}?", gold)
            for at in range(count)
        ]
        self.site.service.post_tasks(self.name, specs)
        return self

    def answer_all(self, right: int = 1, *, wrongly: bool = True) -> "Played":
        """Everybody asked answers, now and then wrongly, until nothing is open."""
        while open_tasks := self.site.service.state(self.name).open:
            views = [self.site.service.task(self.name, task) for task in open_tasks]
            self.site.service.answers(
                self.name,
                [
                    commands.Answer(view.task, worker, right ^ (wrongly and is_wrong(worker, view.task)))
                    for view in views
                    for worker in view.workers
                    if worker not in view.answers
                ],
            )
        return self

    def explore(self) -> "Played":
        """On tasks whose truth is known beforehand, until the jury is chosen for good."""
        while not self.site.service.state(self.name).ended:
            self.post(BATCH, gold=1).answer_all()
        return self

    def close(self) -> "Played":
        self.site.service.close_campaign(self.name)
        return self


def is_wrong(worker: int, task: int) -> bool:
    return (task + 5 * worker) % WRONG_EVERY[worker] == 0


def drafted(site: Site, **changes: object) -> Played:
    name = site.service.draft(replace(SETTINGS, **changes))
    return Played(site, name, site.link(name, Role.REQUESTER), site.link(name, Role.AUDITOR))


def opened(site: Site, **changes: object) -> Played:
    made = drafted(site, **changes)
    site.service.open(made.name)
    return made


def bidding(site: Site, **changes: object) -> Played:
    return opened(site, **changes).enrol()


def exploring(site: Site, tasks: int = 4, **changes: object) -> Played:
    return bidding(site, **changes).close_auction().post(tasks)


def exploiting(site: Site, **changes: object) -> Played:
    return bidding(site, **changes).close_auction().explore()
