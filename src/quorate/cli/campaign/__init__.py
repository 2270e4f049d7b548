"""`quorate campaign`: what the service and its pages do, from the shell; over HTTP, or directly on a database."""

import typer

from quorate.cli.campaign.drafting import new
from quorate.cli.campaign.pay import coins, confirm, payouts, statement
from quorate.cli.campaign.people import assignments, bid, leave, workers
from quorate.cli.campaign.stages import close, close_auction, names, notes, open_campaign, status
from quorate.cli.campaign.tokens import issue, revoke, tokens
from quorate.cli.campaign.work import answers, jury, tasks, truths, verdicts

app = typer.Typer(
    name="campaign",
    help="Run a campaign from the shell: at a service (--url and --token), or directly on a database (--store). "
    "docs/campaigns.md has one from beginning to end.",
    rich_markup_mode=None,
)
# In the order in which a campaign needs them.
for _function, _name in (
    (new, "new"),
    (names, "list"),
    (open_campaign, "open"),
    (workers, "workers"),
    (bid, "bid"),
    (close_auction, "close-auction"),
    (tasks, "tasks"),
    (assignments, "assignments"),
    (answers, "answers"),
    (truths, "truths"),
    (verdicts, "verdicts"),
    (jury, "jury"),
    (status, "status"),
    (notes, "notes"),
    (leave, "leave"),
    (statement, "statement"),
    (payouts, "payouts"),
    (confirm, "confirm"),
    (close, "close"),
    (coins, "coins"),
    (tokens, "tokens"),
    (issue, "issue"),
    (revoke, "revoke"),
):
    app.command(_name)(_function)
