"""Before the auction closes no bid is in any answer, header, log line, event or document; afterwards it is."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from quorate.money import to_millionths
from tests import written
from tests.web_api import BIDS, OPERATOR, Api, Run


class Everything(logging.Handler):
    """All that was ever shown to somebody."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter("%(message)s %(name)s").format(record) + repr(record.args))

    def add(self, response: httpx.Response) -> httpx.Response:
        self.texts.append(f"{response.url}\n{response.headers}\n{response.text}")
        return response

    def holds(self, bid: str) -> bool:
        return any(written.holds(text, to_millionths(bid)) for text in self.texts)


@pytest.fixture
def seen() -> Iterator[Everything]:
    found = Everything()
    root = logging.getLogger()
    level = root.level
    root.addHandler(found)
    root.setLevel(logging.DEBUG)
    yield found
    root.removeHandler(found)
    root.setLevel(level)


READS = (
    "",
    "/terms",
    "/settings",
    "/jury",
    "/workers",
    "/workers/w0",
    "/workers/w0/statement",
    "/workers/w0/coins",
    "/workers/w0/assignments",
    "/workers/w0/bid",
    "/tasks",
    "/statement",
    "/notes",
    "/events",
    "/verify",
    "/export",
    "/tokens",
    "/hooks",
    "/hooks/deliveries",
)


def look_everywhere(run: Run, seen: Everything) -> None:
    """As everybody but the first worker itself."""
    for token in (run.requester, run.auditor, run.workers[1], "", OPERATOR):
        for path in READS:
            seen.add(run.ask("GET", path, token))
    seen.add(run.api.ask("GET", "/api/v1/openapi.json"))


def wrong_bids(run: Run, seen: Everything) -> None:
    """What a typing error may hold: it must not come back in an error."""
    token, bid = run.workers[0], BIDS[0]
    bodies: list[dict[str, Any]] = [
        {"json": {"bid": bid + "00001"}},
        {"json": {"bid": "-" + bid}},
        {"json": {"bid": float(bid)}},
        {"json": {"bid": [bid]}},
        {"json": {"bid": bid, bid: bid}},
        {"json": {"price": bid}},
        {"json": bid},
        {"content": f'{{"bid": "{bid}"'},
        {"content": f"bid={bid}", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    ]
    for body in bodies:
        assert seen.add(run.ask("PUT", "/workers/me/bid", token, **body)).status_code in (415, 422)
    assert seen.add(run.ask("PUT", "/workers/me/bid", token, json={"bid": f"9{bid}"})).status_code == 422


def test_nobody_reads_a_bid_before_the_close(tmp_path: Path, seen: Everything) -> None:
    with Api(tmp_path) as api:
        run = api.draft().open()
        for at, bid in enumerate(BIDS):
            token = run.invited(f"w{at}")
            run.workers.append(token)
            seen.add(run.ask("PUT", "/workers/me/bid", token, json={"bid": bid}, headers={"Idempotency-Key": f"k{at}"}))
            again = run.ask("PUT", "/workers/me/bid", token, json={"bid": "7.7"}, headers={"Idempotency-Key": f"k{at}"})
            assert seen.add(again).json()["code"] == "key-reused"
        wrong_bids(run, seen)
        run.tasks()
        look_everywhere(run, seen)
        before = {bid: seen.holds(bid) for bid in BIDS}
        own = run.get("/workers/me/bid", run.workers[0])
        run.close_auction()
        look_everywhere(run, seen)
    assert before == dict.fromkeys(BIDS, False)
    assert own["amount"] == BIDS[0]
    assert seen.texts
    # The same search finds them all once the auction is closed: it would have found one before.
    assert {bid: seen.holds(bid) for bid in BIDS} == dict.fromkeys(BIDS, True)


def test_a_worker_never_reads_another_ones_bid(api: Api, seen: Everything) -> None:
    run = api.running()
    for path in READS:
        seen.add(run.ask("GET", path, run.workers[1]))
    assert not seen.holds(BIDS[0])
    assert not seen.holds(BIDS[2])


def another_token(run: Run, seen: Everything, issuer: str) -> str:
    """Of the first worker, made by somebody else after it has bid."""
    made = seen.add(run.ask("POST", "/tokens", issuer, json={"role": "worker", "worker": "w0"}))
    assert made.status_code == 201
    token: str = made.json()["token"]
    return token


def read_with(run: Run, seen: Everything, token: str) -> Any:
    return seen.add(run.ask("GET", "/workers/me/bid", token)).json()


@pytest.mark.parametrize("exchanged", [False, True], ids=["as issued", "exchanged"])
@pytest.mark.parametrize("role", ["requester", "operator"])
def test_whoever_issues_a_worker_token_reads_no_bid_with_it(
    api: Api, seen: Everything, role: str, exchanged: bool
) -> None:
    run = api.auction()
    token = another_token(run, seen, run.requester if role == "requester" else OPERATOR)
    if exchanged:
        token = run.post("/workers/me/token", token=token)["token"]
    closed = read_with(run, seen, token)
    assert (closed["amount"], closed["salt"]) == (None, None)
    assert not seen.holds(BIDS[0])
    assert read_with(run, seen, run.workers[0])["amount"] == BIDS[0]
    run.close_auction()
    assert read_with(run, seen, token)["amount"] == BIDS[0]


def test_an_invitation_reads_no_bid_not_even_one_placed_with_it(api: Api, seen: Everything) -> None:
    """The requester was shown it too."""
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    assert seen.add(run.ask("PUT", "/workers/me/bid", invitation, json={"bid": BIDS[0]})).status_code == 200
    assert read_with(run, seen, invitation)["amount"] is None
    private = run.post("/workers/me/token", token=invitation)["token"]
    assert read_with(run, seen, private)["amount"] is None
    assert not seen.holds(BIDS[0])


def test_an_invitation_is_exchanged_once(api: Api) -> None:
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    private = run.post("/workers/me/token", token=invitation)["token"]
    assert run.ask("POST", "/workers/me/token", invitation).status_code == 401
    assert run.ask("GET", "/terms", invitation).status_code == 401
    assert run.ask("POST", "/workers/me/token", private).status_code == 403
    assert run.ask("GET", "/terms", private).status_code == 200


def test_a_lost_token_is_replaced_and_a_new_bid_is_the_new_ones(api: Api, seen: Everything) -> None:
    run = api.auction()
    fresh = run.post("/workers/me/token", token=another_token(run, seen, run.requester))["token"]
    assert run.ask("PUT", "/workers/me/bid", fresh, json={"bid": "2.5"}).status_code == 200
    assert run.get("/workers/me/bid", fresh)["amount"] == "2.5"
    assert run.get("/workers/me/bid", run.workers[0])["amount"] is None


def test_amounts_cannot_be_tried_under_the_key_of_a_bid(api: Api, seen: Everything) -> None:
    """The right amount under the worker's own key would otherwise be answered, and a wrong one refused."""
    run = api.draft().open()
    run.workers.append(run.invited("w0"))
    key = {"Idempotency-Key": "guessed"}
    placed = run.ask("PUT", "/workers/me/bid", run.workers[0], json={"bid": BIDS[0]}, headers=key).json()
    for bid in BIDS[:2]:
        tried = run.ask(
            "PUT", "/workers/me/bid", another_token(run, seen, run.requester), json={"bid": bid}, headers=key
        )
        assert tried.status_code == 200, "a bid of its own, right or wrong"
        assert tried.json()["commitment"] != placed["commitment"]
    assert run.get("/workers/me/bid", run.workers[0])["amount"] is None, "its worker sees that it was replaced"


def test_a_bid_withdrawn_before_the_close_stays_sealed(api: Api, seen: Everything) -> None:
    run = api.auction()
    assert run.ask("POST", "/workers/me/withdraw", run.workers[0]).status_code == 200
    run.close_auction()
    assert read_with(run, seen, another_token(run, seen, run.requester))["amount"] is None
    assert not seen.holds(BIDS[0])
