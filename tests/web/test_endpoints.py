"""A class per endpoint: anonymous is 401, another campaign's token 404, a wrong role 403, and then the right one."""

import asyncio
import re
from collections import Counter
from typing import Any, ClassVar

import httpx
import pytest

from quorate.campaign.tokens import digest
from quorate.web import Limits
from tests.web_api import OPERATOR, SETTINGS, Api, Run


class Endpoint:
    """What every endpoint of a campaign owes to those who may not use it. Subclasses describe one."""

    method: ClassVar[str] = "GET"
    path: ClassVar[str]
    body: ClassVar[Any] = None
    # Which roles may: of requester, auditor, worker.
    allowed: ClassVar[frozenset[str]]
    stage: ClassVar[str] = "running"
    expected: ClassVar[int] = 200

    @pytest.fixture
    def run(self, api: Api) -> Run:
        return getattr(api, self.stage)()

    def ask(self, run: Run, token: str) -> httpx.Response:
        more = {} if self.body is None else {"json": self.body}
        return run.ask(self.method, self.path, token, **more)

    def test_anonymous(self, api: Api) -> None:
        response = self.ask(Run(api, "nowhere", ""), "")
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert response.json()["code"] == "unauthenticated"

    def test_wrong_tenant(self, api: Api, run: Run) -> None:
        other = api.auction()
        for token in (other.requester, other.auditor, other.workers[0]):
            response = self.ask(run, token)
            assert response.status_code == 404
            assert response.json()["code"] == "unknown-campaign"

    def test_wrong_role(self, run: Run) -> None:
        tokens = {"requester": run.requester, "auditor": run.auditor, "worker": (run.workers or [""])[0]}
        for role, token in tokens.items():
            if role not in self.allowed and token:
                assert self.ask(run, token).status_code == 403, role

    def test_right(self, run: Run) -> None:
        token = run.workers[0] if self.allowed == {"worker"} else run.requester
        response = self.ask(run, token)
        assert response.status_code == self.expected, response.text
        self.check(run, response)

    def check(self, run: Run, response: httpx.Response) -> None:
        """What is special about the right answer."""


OVERSEERS = frozenset({"requester", "auditor"})
REQUESTER = frozenset({"requester"})
WORKER = frozenset({"worker"})
ALL = frozenset({"requester", "auditor", "worker"})


class TestDraft:
    def ask(self, api: Api, token: str, **more: Any) -> httpx.Response:
        return api.ask("POST", "/api/v1/campaigns", token, json={"settings": SETTINGS}, **more)

    def test_anonymous(self, api: Api) -> None:
        assert self.ask(api, "").status_code == 401
        assert self.ask(api, "qr_operator_a-guess").status_code == 401

    def test_wrong_role(self, api: Api) -> None:
        run = api.auction()
        for token in (run.requester, run.auditor, run.workers[0]):
            assert self.ask(api, token).status_code == 403

    def test_right(self, api: Api) -> None:
        response = self.ask(api, OPERATOR)
        assert response.status_code == 201
        made = response.json()
        assert made["link"] == f"http://testserver/enter#{made['token']}"
        assert Run(api, made["campaign"], made["token"]).get("")["stage"] == "draft"

    def test_the_same_key_drafts_once(self, api: Api) -> None:
        first, second = (self.ask(api, OPERATOR, headers={"Idempotency-Key": "once"}).json() for _ in range(2))
        assert first == second
        assert len(Run(api, first["campaign"], first["token"]).get("/tokens")["items"]) == 1

    def test_bad_settings_say_what_was_given(self, api: Api) -> None:
        response = api.ask("POST", "/api/v1/campaigns", OPERATOR, json={"settings": {**SETTINGS, "target": 1.5}})
        assert response.status_code == 422
        assert "1.5" in response.json()["detail"]


class TestNames:
    def test_anonymous(self, api: Api) -> None:
        assert api.ask("GET", "/api/v1/campaigns").status_code == 401

    def test_a_tenant_sees_its_own(self, api: Api) -> None:
        run = api.auction()
        for token in (run.requester, run.auditor, run.workers[0]):
            assert api.ask("GET", "/api/v1/campaigns", token).json() == {"campaigns": [run.name]}

    def test_the_operator_sees_all(self, api: Api) -> None:
        runs = {api.draft().name, api.draft().name}
        assert runs <= set(api.ask("GET", "/api/v1/campaigns", OPERATOR).json()["campaigns"])


class TestStatus(Endpoint):
    path, allowed = "", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        found = response.json()
        assert found["stage"] == "running"
        assert found["settings"]["cap"] == "20"
        assert found["spend"]["earned"] == "0"


class TestTerms(Endpoint):
    path, allowed = "/terms", ALL

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["truthful"] is True
        assert run.ask("GET", "/terms", run.workers[0]).json() == response.json()


class TestSettings(Endpoint):
    path, allowed = "/settings", OVERSEERS


class TestRedraft(Endpoint):
    method, path, allowed, stage = "PUT", "/settings", REQUESTER, "draft"
    body: ClassVar[Any] = {**SETTINGS, "title": "another"}

    def check(self, run: Run, response: httpx.Response) -> None:
        assert run.get("/settings")["title"] == "another"


class TestOpen(Endpoint):
    method, path, allowed, stage = "POST", "/open", REQUESTER, "draft"

    def check(self, run: Run, response: httpx.Response) -> None:
        again = self.ask(run, run.requester)
        assert again.status_code == 409
        assert again.json()["code"] == "wrong-stage"


class TestCloseAuction(Endpoint):
    method, path, allowed, stage = "POST", "/auction/close", REQUESTER, "auction"

    def check(self, run: Run, response: httpx.Response) -> None:
        assert sorted(response.json()["pool"] + response.json()["outside"]) == [0, 1, 2, 3]


class TestClose(Endpoint):
    method, path, allowed, body = "POST", "/close", REQUESTER, {"force": True}

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json() == {"earned": "0", "undecided": 2}


class TestJury(Endpoint):
    path, allowed = "/jury", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["why"]


class TestWorkers(Endpoint):
    path, allowed = "/workers", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        first = run.get("/workers?limit=3")
        rest = run.get(f"/workers?limit=3&after={first['after']}")
        assert [one["name"] for one in first["items"] + rest["items"]] == ["w0", "w1", "w2", "w3"]
        assert rest["after"] is None


class TestInvite(Endpoint):
    method, path, allowed, stage, body, expected = "POST", "/workers", REQUESTER, "auction", {"name": "newcomer"}, 201

    def check(self, run: Run, response: httpx.Response) -> None:
        made = response.json()
        assert made["link"].endswith(f"#{made['token']}")
        assert run.ask("GET", "/workers/me/bid", made["token"]).json() is None
        assert self.ask(run, run.requester).json()["code"] == "duplicate-worker"


class TestOneWorker(Endpoint):
    path, allowed = "/workers/w1", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["bid"] == "5.291377"
        assert run.get("/workers/1") == response.json()
        assert run.ask("GET", "/workers/nobody").json()["code"] == "unknown-worker"


class TestBid(Endpoint):
    method, path, allowed, stage, body = "PUT", "/workers/me/bid", WORKER, "auction", {"bid": "4.123457"}

    def check(self, run: Run, response: httpx.Response) -> None:
        assert set(response.json()) == {"worker", "commitment"}
        run.close_auction()
        late = self.ask(run, run.workers[0])
        assert (late.status_code, late.json()["code"]) == (409, "bid-after-close")

    def test_not_for_another(self, run: Run) -> None:
        assert run.ask("PUT", "/workers/w1/bid", run.workers[0], json={"bid": "1"}).status_code == 404
        assert run.ask("PUT", "/workers/1/bid", run.workers[0], json={"bid": "1"}).status_code == 404


class TestExchange(Endpoint):
    method, path, allowed, stage, expected = "POST", "/workers/me/token", WORKER, "auction", 201

    def test_right(self, run: Run) -> None:
        invitation = run.post("/workers", {"name": "newcomer"})["token"]
        response = self.ask(run, invitation)
        assert response.status_code == self.expected
        assert run.get("/workers/me/bid", response.json()["token"]) is None
        assert self.ask(run, invitation).status_code == 401
        assert run.ask("POST", "/workers/0/token", response.json()["token"]).status_code == 404


class TestOwnBid(Endpoint):
    path, allowed, stage = "/workers/me/bid", WORKER, "auction"

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["amount"] == "3.137511"
        assert run.ask("GET", "/workers/1/bid", run.workers[0]).status_code == 404


class TestAssignments(Endpoint):
    path, allowed = "/workers/0/assignments", frozenset({"requester", "worker"})

    def check(self, run: Run, response: httpx.Response) -> None:
        items = response.json()["items"]
        assert [item["key"] for item in items] == ["t0", "t1"]
        assert set(items[0]) == {"task", "key", "payload", "labels", "deadline", "price"}
        assert run.ask("GET", "/workers/0/assignments", run.workers[1]).status_code == 404


class TestWorkerStatement(Endpoint):
    path, allowed = "/workers/0/statement", ALL

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["earned"] == "0"
        for itself in ("me", "0", "w0"):
            assert run.ask("GET", f"/workers/{itself}/statement", run.workers[0]).json() == response.json()
        assert run.ask("GET", "/workers/w1/statement", run.workers[0]).status_code == 404
        assert run.ask("GET", "/workers/nobody/statement", run.workers[0]).status_code == 404
        assert run.ask("GET", "/workers/0/statement", run.workers[1]).status_code == 404


class TestCoins(Endpoint):
    path, allowed = "/workers/0/coins", ALL

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json() is None
        tossed = run.api.running(payment={"name": "randomised"}, policy={"name": "ccb-s", "selector": "exact"})
        tossed.post("/close", {"force": True})
        assert tossed.get("/workers/me/coins", tossed.workers[0])["fair"] is True


class TestWithdraw(Endpoint):
    method, path, allowed, body = "POST", "/workers/0/withdraw", frozenset({"requester", "worker"}), {"reason": "tired"}

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json() == {"worker": 0, "leases_ended": 2, "earned": "0"}
        assert run.ask("POST", "/workers/0/withdraw", run.workers[1]).status_code == 404


class TestPostTasks(Endpoint):
    method, path, allowed = "POST", "/tasks", REQUESTER
    body: ClassVar[Any] = {"tasks": [{"key": "new", "payload": {"a": [1]}}, {"key": "t0"}, {"gold": 1}]}

    def check(self, run: Run, response: httpx.Response) -> None:
        kinds = [item["type"] for item in response.json()["items"]]
        assert kinds == ["Posted", "ItemRefused", "Posted"]
        assert response.json()["refused"] == 1
        assert run.get("/tasks/new")["payload"] == {"a": [1]}


class TestTasks(Endpoint):
    path, allowed = "/tasks?limit=1", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        first = response.json()
        second = run.get(f"/tasks?limit=1&after={first['after']}")
        assert [first["items"][0]["key"], second["items"][0]["key"], second["after"]] == ["t0", "t1", None]


class TestTask(Endpoint):
    path, allowed = "/tasks/t1", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json() == run.get("/tasks/1")
        assert run.ask("GET", "/tasks/t99").json()["code"] == "unknown-task"


class TestAnswer(Endpoint):
    method, path, allowed, body = "POST", "/tasks/t0/answer", WORKER, {"label": 1}

    def check(self, run: Run, response: httpx.Response) -> None:
        taken = response.json()
        assert taken["decided"] is False
        assert float(taken["price"]) >= 3.137511
        assert run.get("/workers/me/statement", run.workers[0])["earned"] == taken["price"]
        assert self.ask(run, run.workers[0]).json()["code"] == "second-answer"
        run.post("/workers/1/withdraw")
        assert self.ask(run, run.workers[1]).status_code == 410


class TestAnswers(Endpoint):
    method, path, allowed = "POST", "/answers", frozenset({"requester", "worker"})
    body: ClassVar[Any] = {
        "answers": [{"task": "t0", "worker": 0, "label": 1}, {"task": "t7", "worker": 0, "label": 1}]
    }

    def check(self, run: Run, response: httpx.Response) -> None:
        assert [item["type"] for item in response.json()["items"]] == ["AnswerTaken", "ItemRefused"]
        mine = {"answers": [{"task": "t1", "label": 0}]}
        assert run.ask("POST", "/answers", run.workers[1], json=mine).json()["items"][0]["worker"] == 1
        assert run.ask("POST", "/answers", run.requester, json=mine).status_code == 422
        assert self.ask(run, run.workers[1]).status_code == 403


class TestTruths(Endpoint):
    method, path, allowed = "POST", "/truths", REQUESTER
    body: ClassVar[Any] = {"truths": [{"task": "t0", "truth": 1}, {"task": "t0", "truth": 0}]}

    def check(self, run: Run, response: httpx.Response) -> None:
        first, second = response.json()["items"]
        assert first["type"] == "TruthTaken"
        assert second["code"] == "contradicting-truth"


class TestStatement(Endpoint):
    path, allowed = "/statement", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert len(response.json()["workers"]) == 4


class TestPayouts(Endpoint):
    method, path, allowed = "POST", "/payouts", REQUESTER

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json() == {"payouts": []}
        run.post("/tasks/t0/answer", {"label": 1}, run.workers[0])
        (payout,) = run.post("/payouts", {"worker": "w0"})["payouts"]
        confirm = f"/payouts/{payout['payout']}/confirm"
        for token in (run.auditor, run.workers[0]):
            assert run.ask("POST", confirm, token).status_code == 403
        run.post(confirm, {"reference": "bank 7"})
        assert run.get("/workers/0/statement")["confirmed"] == payout["amount"]
        assert run.ask("POST", confirm).json()["code"] == "second-confirmation"


class TestConfirm(Endpoint):
    method, path, allowed, expected = "POST", "/payouts/none/confirm", REQUESTER, 404


class TestNotes(Endpoint):
    path, allowed = "/notes", OVERSEERS


class TestEvents(Endpoint):
    path, allowed = "/events?limit=5", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        found, after = response.json()["items"], response.json()["after"]
        while after is not None:
            page = run.get(f"/events?limit=5&after={after}")
            found, after = found + page["items"], page["after"]
        assert [event["seq"] for event in found] == list(range(1, run.get("")["seq"] + 1))
        posted = run.get("/events?kind=task posted")["items"]
        assert {event["kind"] for event in posted} == {"task posted"}
        assert run.ask("GET", "/events?kind=nonsense").status_code == 422


class TestVerify(Endpoint):
    path, allowed = "/verify", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert response.json()["intact"] is True
        assert response.json()["events"] == run.get("")["seq"]


class TestExport(Endpoint):
    path, allowed = "/export", OVERSEERS

    def check(self, run: Run, response: httpx.Response) -> None:
        assert len(response.text.splitlines()) == run.get("")["seq"]


class TestTokens(Endpoint):
    path, allowed = "/tokens", REQUESTER

    def check(self, run: Run, response: httpx.Response) -> None:
        assert run.workers[0] not in response.text
        assert digest(run.workers[0]) in response.text


class TestIssue(Endpoint):
    method, path, allowed, body, expected = "POST", "/tokens", REQUESTER, {"role": "worker", "worker": "w1"}, 201

    def check(self, run: Run, response: httpx.Response) -> None:
        token = response.json()["token"]
        assert run.get("/workers/me/statement", token)["worker"] == 1
        assert run.ask("POST", "/tokens", json={"role": "worker"}).status_code == 422
        assert run.ask("POST", "/tokens", OPERATOR, json={"role": "requester"}).status_code == 201
        assert run.ask("GET", "", OPERATOR).status_code == 403


class TestRevoke(Endpoint):
    method, path, allowed, expected = "DELETE", f"/tokens/{'0' * 64}", REQUESTER, 404

    def check(self, run: Run, response: httpx.Response) -> None:
        assert run.ask("GET", "/terms", run.workers[0]).status_code == 200
        assert run.ask("DELETE", f"/tokens/{digest(run.workers[0])}").status_code == 204
        assert run.ask("GET", "/terms", run.workers[0]).status_code == 401
        other = run.api.auction()
        assert run.ask("DELETE", f"/tokens/{digest(other.requester)}").status_code == 404
        assert other.ask("GET", "").status_code == 200


class TestHooks(Endpoint):
    path, allowed = "/hooks", REQUESTER


class TestAddHook(Endpoint):
    method, path, allowed, expected = "POST", "/hooks", REQUESTER, 201
    body: ClassVar[Any] = {"url": "https://receiver.example/quorate", "topics": ["verdicts"]}

    def check(self, run: Run, response: httpx.Response) -> None:
        hook = response.json()["hook"]
        assert run.get("/hooks")["items"][0]["topics"] == ["verdicts"]
        assert response.json()["secret"] not in str(run.get("/hooks"))
        assert run.ask("DELETE", f"/hooks/{hook}").status_code == 204
        assert run.ask("DELETE", f"/hooks/{hook}").status_code == 404

    @pytest.mark.parametrize("url", ["http://receiver.example/", "https://me:pw@receiver.example/", "https://"])
    def test_only_safe_addresses(self, run: Run, url: str) -> None:
        assert run.ask("POST", "/hooks", json={"url": url, "topics": ["verdicts"]}).status_code == 422

    def test_a_campaign_has_so_many(self, run: Run) -> None:
        most = Limits().hooks

        async def together() -> list[httpx.Response]:
            """More than there may be, at once."""
            headers = {"Authorization": f"Bearer {run.requester}"}
            asked = [run.api.send("POST", run.path("/hooks"), headers, json=self.body) for _ in range(most + 5)]
            return await asyncio.gather(*asked)

        statuses = [response.status_code for response in run.api.wait_for(together())]
        assert Counter(statuses) == {201: most, 409: 5}
        first, *rest = run.get("/hooks")["items"]
        assert len(rest) == most - 1
        assert self.ask(run, run.requester).json()["code"] == "too-many-hooks"
        assert run.ask("DELETE", f"/hooks/{first['hook']}").status_code == 204
        assert self.ask(run, run.requester).status_code == 201


class TestRemoveHook(Endpoint):
    method, path, allowed, expected = "DELETE", "/hooks/99", REQUESTER, 404


class TestDeliveries(Endpoint):
    path, allowed = "/hooks/deliveries", REQUESTER


def test_every_endpoint_of_the_document_has_a_class(api: Api) -> None:
    """Nothing joins the API without being asked for by those who may not."""
    document = api.ask("GET", "/api/v1/openapi.json").json()
    offered = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    tested = {(kind.method, route_of(api, kind.path)) for kind in Endpoint.__subclasses__()}
    apart = {
        ("POST", "/api/v1/campaigns"),
        ("GET", "/api/v1/campaigns"),
        ("GET", "/api/v1/campaigns/{campaign}/stream"),
    }
    assert offered - tested == apart


def route_of(api: Api, rest: str) -> str:
    """The document's name for an address: that with the fewest parameters."""
    given = f"/api/v1/campaigns/c{rest.partition('?')[0]}"
    paths = sorted(api.app.openapi()["paths"], key=lambda path: path.count("{"))
    return next(path for path in paths if re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), given))
