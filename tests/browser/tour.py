"""Every page there is, in the states in which it looks different: for tests that hold for all of them."""

from dataclasses import dataclass

from tests.browser import played
from tests.browser.people import Person
from tests.browser.site import OPERATOR, Site


@dataclass(frozen=True)
class Stop:
    """A page: the link by which its reader comes in (empty: nobody in particular), and the path from there."""

    name: str
    link: str
    path: str = ""
    status: int = 200

    def visit(self, person: Person) -> None:
        if self.link:
            person.enter(self.link)
        base = "" if not self.link or self.path.startswith("/new") else person.page.url.removesuffix("/")
        if self.path:
            if self.status >= 400:
                person.expect(self.status)
            person.go(base + self.path)
        person.settle()


def stops(site: Site) -> list[Stop]:
    """Campaigns are played for it, one for each stage."""
    operator = f"{site.address}/enter#{OPERATOR}"
    drafted = played.drafted(site)
    bidding = played.bidding(site, payment=played.RANDOMISED)
    exploring = played.exploring(site).answer_all().post(3)
    site.service.withdraw(exploring.name, "Gus")
    exploiting = played.exploiting(site).post(20).answer_all().post(3)
    site.service.order_payouts(exploiting.name)
    first = site.service.statement(exploiting.name).workers[0].payouts[0]
    site.service.confirm_payout(exploiting.name, first.payout, "transfer 17")
    closed = played.exploiting(site, payment=played.RANDOMISED).close()
    nobody = played.opened(site)
    return [
        Stop("enter", "", "/enter"),
        Stop("campaigns", operator),
        Stop("new", operator, "/new"),
        Stop("drafted", drafted.requester, "/drafted"),
        Stop("draft", drafted.requester),
        Stop("bidding", bidding.requester),
        Stop("bidding-nobody", nobody.requester, "/workers"),
        Stop("bidding-workers", bidding.requester, "/workers"),
        Stop("exploring", exploring.requester),
        Stop("exploring-workers", exploring.requester, "/workers"),
        Stop("exploring-tasks", exploring.requester, "/tasks"),
        Stop("exploiting", exploiting.requester),
        Stop("exploiting-tasks", exploiting.requester, "/tasks"),
        Stop("exploiting-pay", exploiting.requester, "/pay"),
        Stop("exploiting-plan", exploiting.requester, "/plan"),
        Stop("exploiting-ledger", exploiting.requester, "/ledger"),
        Stop("closed", closed.requester),
        Stop("closed-pay", closed.requester, "/pay"),
        Stop("worker-bid", bidding.workers[0]),
        Stop("worker-link", bidding.workers[0], "/link"),
        Stop("worker-link-spent", "", "/w/some/spent", 401),
        Stop("worker-task", exploring.workers[0]),
        Stop("worker-idle", exploring.workers[-1]),
        Stop("worker-pay", exploiting.workers[0], "/pay"),
        Stop("worker-closed", closed.workers[0]),
        Stop("worker-coins", closed.workers[0], "/pay"),
        Stop("auditor", closed.auditor),
        Stop("no-such-page", "", "/nowhere", 404),
    ]
