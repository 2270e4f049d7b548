"""Write the database that a release leaves behind for `test_migrations`: run once when a schema is first released.

    python -m tests.unit.store.make_asset

One finished campaign with coins, and one whose auction is still open, so that sealed bids are among what must go on.
"""

import gzip
import tempfile
from itertools import count
from pathlib import Path

from quorate.campaign import commands
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService
from quorate.store import open_store, open_vault
from quorate.store.schema import HEAD_REVISION
from tests.campaigns import RANDOMISED, UNIT, small

ASSETS = Path(__file__).parent / "assets"
BIDS = (3, 5, 8, 13)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        url = f"sqlite:///{path}"
        clock = count(1_700_000_000_000)
        store = open_store(url)
        service = CampaignService(store, open_vault(url), clock=lambda: next(clock))
        _auction(service, "finished")
        service.close_auction("finished")
        service.post_tasks("finished", [commands.TaskSpec(gold=number % 2) for number in range(5)])
        for task in range(5):
            for worker in range(len(BIDS)):
                service.answer("finished", worker, task, int(worker != 3) * (task % 2))
        service.close_campaign("finished", force=True)
        _auction(service, "running")
        service.close()
        store.close()
        for name in ("x.db", "x.db.secret"):
            target = ASSETS / f"{name.replace('x.db', f'schema-{HEAD_REVISION}.db')}.gz"
            target.write_bytes(gzip.compress((Path(folder) / name).read_bytes(), mtime=0))


def _auction(service: CampaignService, name: str) -> None:
    service.draft(small(payment=RANDOMISED), campaign=name)
    service.open(name)
    for number, bid in enumerate(BIDS):
        service.enrol(name, f"w{number}")
        service.bid(name, number, Bid(bid * UNIT))


if __name__ == "__main__":
    main()
