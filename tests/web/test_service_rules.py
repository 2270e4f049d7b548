"""What holds of every request: idempotency, limits, errors without an echo, headers, and money to the unit."""

import ast
import html
import inspect
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from quorate.campaign import results, settings, views
from quorate.campaign.tokens import Role
from quorate.errors import InvalidInput
from quorate.web import Limits
from quorate.web.limits import Buckets, limits_of
from quorate.web.pages import mount
from quorate.web.pages.assets import static
from quorate.web.pages.draft_form import DEFAULTS
from quorate.web.pages.session import MARK, cookie_name, mark_of
from quorate.web.shown import MONEY, money_text
from tests.web_api import OPERATOR, SETTINGS, Api


def test_the_same_key_does_it_once(api: Api) -> None:
    run = api.running()
    key = {"Idempotency-Key": "first-answer"}
    first, second = (run.ask("POST", "/tasks/t0/answer", run.workers[0], json={"label": 1}, headers=key) for _ in "12")
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert run.get("/workers/0")["answered"] == 1
    other = run.ask("POST", "/tasks/t1/answer", run.workers[0], json={"label": 1}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")


def test_nobodys_keys_meet_another_ones(api: Api) -> None:
    """People count 1, 2, 3."""
    run = api.auction()
    key = {"Idempotency-Key": "1"}
    assert run.ask("PUT", "/workers/me/bid", run.workers[0], json={"bid": "1.5"}, headers=key).status_code == 200
    assert run.ask("PUT", "/workers/me/bid", run.workers[1], json={"bid": "2.5"}, headers=key).status_code == 200
    assert run.ask("POST", "/auction/close", headers=key).status_code == 200
    run.tasks(1)
    key = {"Idempotency-Key": "2"}
    taken = [run.ask("POST", "/tasks/t0/answer", one, json={"label": 1}, headers=key).json() for one in run.workers]
    assert [one["worker"] for one in taken] == [0, 1, 2, 3]


def test_the_operators_keys_are_none_of_the_requesters(api: Api) -> None:
    key = {"Idempotency-Key": "operator-and-requester"}
    made = api.ask("POST", "/api/v1/campaigns", OPERATOR, json={"settings": SETTINGS}, headers=key).json()
    path = f"/api/v1/campaigns/{made['campaign']}/open"
    assert api.ask("POST", path, made["token"], headers=key).status_code == 200


def test_a_requester_keeps_its_keys_with_another_token(api: Api) -> None:
    """It has lost the first one, and sends a file again."""
    run = api.running()
    key = {"Idempotency-Key": "a-file-by-its-content"}
    posted = run.ask("POST", "/tasks", json={"tasks": [{}]}, headers=key).json()
    another = run.post("/tokens", {"role": "requester"})["token"]
    assert run.ask("POST", "/tasks", another, json={"tasks": [{}]}, headers=key).json() == posted


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tasks", {"tasks": [{"key": "a\ud83d"}]}),
        ("/workers", {"name": "a\ud83d"}),
        ("/tokens", {"role": "auditor", "label": "a\ud83d"}),
        ("/truths", {"truths": [{"task": "a\ud83d", "truth": 1}]}),
        ("/workers/0/withdraw", {"reason": "a\ud83d"}),
        ("/payouts/one/confirm", {"reference": "a\ud83d"}),
        ("/hooks", {"url": "https://example.org/\ud83d", "topics": ["verdicts"]}),
    ],
)
def test_half_a_character_is_refused_in_words(api: Api, path: str, body: dict[str, Any]) -> None:
    headers = {"Content-Type": "application/json"}
    response = api.running().ask("POST", path, content=json.dumps(body), headers=headers)
    assert response.status_code == 422
    assert "half of a character" in response.json()["detail"]


def test_an_error_names_place_and_rule_and_no_value(api: Api) -> None:
    run = api.running()
    response = run.ask("POST", "/tasks/t0/answer", run.workers[0], json={"label": "secret-value", "secret-name": 1})
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert {one["at"] for one in response.json()["errors"]} == {"body.label", "body"}
    assert "secret" not in response.text


def test_a_worker_learns_no_keys_of_tasks_that_it_was_not_asked_for(api: Api) -> None:
    run = api.auction()
    outsider = run.invited("without a bid")
    run.close_auction()
    run.post("/tasks", {"tasks": [{"key": "patient-7"}]})
    batch = run.post("/answers", {"answers": [{"task": 0, "label": 1}]}, outsider)
    alone = run.ask("POST", "/tasks/0/answer", outsider, json={"label": 1})
    guessed = run.ask("POST", "/tasks/patient-7/answer", outsider, json={"label": 1})
    assert "was not asked for task 0;" in batch["items"][0]["message"]
    assert "was not asked for task 0;" in alone.json()["detail"]
    assert "was not asked for task 'patient-7';" in guessed.json()["detail"], "what it has said itself"


@pytest.mark.parametrize("key", ["a/b", "/", "scans/7/answer", "https://example.org/1.png?size=2#top"])
def test_a_task_is_found_by_a_key_that_holds_a_slash(api: Api, key: str) -> None:
    run = api.running()
    run.post("/tasks", {"tasks": [{"key": key}]})
    path = f"/tasks/{quote(key, safe='')}"
    assert run.get(path)["key"] == key
    assert run.post(f"{path}/answer", {"label": 1}, run.workers[0])["task"] == 2


def test_unknown_addresses_and_methods_are_problems(api: Api) -> None:
    run = api.running()
    assert run.ask("GET", "/nonsense").json()["code"] == "not-found"
    assert run.ask("PATCH", "/terms").json()["code"] == "method-not-allowed"
    assert api.ask("GET", "/elsewhere").json()["status"] == 404


def test_headers_for_browsers(api: Api) -> None:
    for response in (api.ask("GET", "/api/v1/campaigns"), api.ask("GET", "/api/v1/campaigns", OPERATOR)):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_large_body_is_refused_unread(tmp_path: Path) -> None:
    with Api(tmp_path, limits=Limits(body_bytes=1_000)) as api:
        body = {"settings": SETTINGS, "campaign": "x" * 1_000}
        assert api.ask("POST", "/api/v1/campaigns", OPERATOR, json=body).status_code == 413

        async def parts() -> object:
            for _ in range(20):
                yield b"[" * 100

        response = api.ask(
            "POST", "/api/v1/campaigns", OPERATOR, content=parts(), headers={"content-type": "application/json"}
        )
        assert (response.status_code, response.json()["code"]) == (413, "too-large")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/campaigns/{}/tasks", "application/json"),
        ("/api/v1/campaigns/{}/close", "application/json"),
        ("/c/{}/open", "application/x-www-form-urlencoded"),
        ("/enter", "application/x-www-form-urlencoded"),
    ],
    ids=["lane", "ordinary", "page", "entrance"],
)
def test_a_body_that_turns_out_too_large_is_refused_alike_everywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str, kind: str
) -> None:
    """It comes in parts and does not say how long it is."""
    # More than the framework itself takes for one field of a form.
    limit = 2 * 1024 * 1024
    with Api(tmp_path, limits=Limits(body_bytes=limit), pages=mount) as api:
        run = api.draft()

        async def parts() -> AsyncIterator[bytes]:
            for _ in range(limit // 1024 + 1):
                yield b"[" * 1024

        headers = {"Content-Type": kind, "Cookie": f"quorate_requester={run.requester}"}
        response = api.ask("POST", path.format(run.name), run.requester, content=parts(), headers=headers)
    assert response.status_code == 413
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "send it in parts" in response.text
    assert not caplog.records


def test_a_batch_has_a_largest_size(tmp_path: Path) -> None:
    with Api(tmp_path, limits=Limits(batch=3)) as api:
        run = api.draft().open()
        assert run.ask("POST", "/tasks", json={"tasks": [{}] * 4}).status_code == 413
        assert run.ask("POST", "/tasks", json={"tasks": [{}] * 3}).status_code == 200


def test_a_deep_payload_is_refused_and_harms_nothing(api: Api) -> None:
    run = api.running()
    body = '{"tasks": [{"key": "deep", "payload": ' + "[" * 900 + "]" * 900 + "}]}"
    response = run.ask("POST", "/tasks", content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["refused"]) == (200, 1)
    for path in ("/tasks", "/events", "/workers/0/assignments"):
        assert run.ask("GET", path).status_code == 200
    run.post("/tasks", {"tasks": [{"key": "flat", "payload": json.loads("[" * 32 + "]" * 32)}]})
    assert json.dumps(run.get("/tasks/flat")["payload"]) == "[" * 32 + "]" * 32


def test_too_many_requests_wait(tmp_path: Path) -> None:
    limits = Limits(requests_per_second=0.01, burst=3, anonymous_per_second=0.01, anonymous_burst=2)
    with Api(tmp_path, limits=limits) as api:
        answers = [api.ask("GET", "/api/v1/campaigns", OPERATOR) for _ in range(4)]
        assert [one.status_code for one in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert [api.ask("GET", "/api/v1/campaigns", "guess").status_code for _ in range(3)] == [401, 401, 429]


def test_pages_are_counted_like_the_api(tmp_path: Path) -> None:
    limits = Limits(anonymous_per_second=0.01, anonymous_burst=5, checks_per_second=0.01, checks_burst=2)
    with Api(tmp_path, limits=limits, pages=mount) as api:
        made = api.ask("POST", "/api/v1/campaigns", OPERATOR, json={"settings": SETTINGS}).json()
        page, sits = f"/c/{made['campaign']}", {"Cookie": f"quorate_requester={made['token']}"}
        assert [api.ask("GET", page, headers=sits).status_code for _ in range(10)] == [200] * 10
        guesses = [
            api.ask("GET", page, headers={"Cookie": f"quorate_requester=guess-{at}"}).status_code for at in range(7)
        ]
        assert guesses == [401] * 5 + [429] * 2
        refused = api.ask("GET", page)
        assert refused.headers["content-type"].startswith("text/html")
        assert int(refused.headers["Retry-After"]) >= 1
        assert api.ask("GET", static("quorate.css")).status_code == 200
        assert [api.ask("POST", f"{page}/check", headers=sits).status_code for _ in range(4)] == [403, 403, 429, 429]
        verify = f"/api/v1/campaigns/{made['campaign']}/verify"
        assert api.ask("GET", verify, made["token"]).status_code == 429
        assert api.ask("GET", page, headers=sits).status_code == 200


def test_a_sign_in_is_counted_once(tmp_path: Path) -> None:
    with Api(tmp_path, limits=Limits(anonymous_per_second=0.01, anonymous_burst=1), pages=mount) as api:
        stranger = {"Cookie": "none=kept"}
        signed = [api.ask("POST", "/enter", headers=stranger, data={"token": OPERATOR}) for _ in range(2)]
    assert [one.status_code for one in signed] == [303, 429]


@pytest.mark.parametrize("rate", [math.inf, math.nan, 1e300, 0.0])
def test_a_rate_that_cannot_be_counted_is_refused(rate: float) -> None:
    with pytest.raises(InvalidInput, match="requests a second is not above 0 and at most 1,000,000; give one such"):
        limits_of(rate, 5.0)
    with pytest.raises(InvalidInput, match="requests a second"):
        limits_of(1_000.0, rate)


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    buckets = Buckets(2.0, 2, lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0.0, 0.0, 0.5]
    assert buckets.take("b") == 0.0
    now[0] = 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0.0, 0.5]


def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    with Api(tmp_path) as api:
        run = api.running()
        api.service.close()
        response = run.ask("POST", "/tasks/t0/answer", run.workers[0], json={"label": 1})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert response.headers["Retry-After"]


@pytest.mark.parametrize("text", ["1e0", "+1", " 1", "1 ", "1\n", ".5", "1.", "1_0", "\u0661", "0x1", "", "1.0000001"])
def test_amounts_are_as_the_document_says(api: Api, text: str) -> None:
    """Elsewhere some of these are prices."""
    run = api.draft()
    assert run.ask("PUT", "/settings", json={**SETTINGS, "cap": text}).status_code == 422
    run.post("/open")
    assert run.ask("PUT", "/workers/me/bid", run.invited("w0"), json={"bid": text}).status_code == 422


@pytest.mark.parametrize("text", ["\u0661", "1/\u0662", "1_0"])
def test_ratios_are_as_the_document_says(api: Api, text: str) -> None:
    assert api.draft().ask("PUT", "/settings", json={**SETTINGS, "policy": {"kappa": text}}).status_code == 422


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "0"), (1, "0.000001"), (250_000, "0.25"), (-1_500_000, "-1.5"), (10**12, "1000000")]
)
def test_money_is_exact(amount: int, text: str) -> None:
    assert money_text(amount) == text


@pytest.mark.parametrize("module", [views, results, settings])
def test_every_amount_is_shown_as_money(module: object) -> None:
    """The table of shown.py against the annotations themselves."""
    tree = ast.parse(inspect.getsource(module))
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        amounts = {
            line.target.id
            for line in kind.body
            if isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and "Money" in ast.unparse(line.annotation)
        }
        assert MONEY.get(getattr(module, kind.name), frozenset()) == amounts, kind.name


def tampered(folder: Path) -> tuple[str, str]:
    """A campaign with a changed event, in a database that no service has open, and its requester's token."""
    with Api(folder) as api:
        run = api.running()
        assert run.get("/verify")["intact"]
        change(api, "{}")
        api.service.close()
        with api.store._writing([]) as connection:
            connection.exec_driver_sql("DELETE FROM snapshots")
    return run.name, run.requester


def change(api: Api, body: str) -> None:
    """The fourth event of whatever campaign there is."""
    with api.store._writing([]) as connection:
        connection.exec_driver_sql("DELETE FROM snapshots")
        connection.exec_driver_sql("DROP TRIGGER ledger_no_update")
        connection.exec_driver_sql("UPDATE ledger SET body = ? WHERE seq = 4", (body,))


def test_a_changed_ledger_is_said_to_be_broken_after_a_restart(tmp_path: Path) -> None:
    name, requester = tampered(tmp_path)
    with Api(tmp_path) as api:
        response = api.ask("GET", f"/api/v1/campaigns/{name}/verify", requester)
        assert response.status_code == 200
        assert response.json()["intact"] is False
        assert response.json()["events"] > 4
        assert "event 4" in response.json()["problem"]


@pytest.mark.parametrize("form", ["", "/check"], ids=["read", "checked"])
def test_the_page_of_a_changed_ledger_says_where_after_a_restart(tmp_path: Path, form: str) -> None:
    name, requester = tampered(tmp_path)
    with Api(tmp_path, pages=mount) as api:
        said = f"Campaign &#39;{name}&#39;: event 4 ("
        path = f"/c/{name}{form or '/ledger'}"
        page = as_a_person(api, "POST" if form else "GET", path, Role.REQUESTER, requester)
        assert (page.status_code, said in page.text) == (200, True)
        taken = as_a_person(api, "POST", f"/take/{name}/ledger", None, OPERATOR)
        assert (taken.status_code, taken.headers["location"]) == (303, f"/a/{name}")
        auditor = taken.cookies[cookie_name(Role.AUDITOR)]
        page = as_a_person(api, "POST" if form else "GET", f"/a/{name}{form}", Role.AUDITOR, auditor)
        assert (page.status_code, said in page.text) == (200, True)


@pytest.mark.parametrize("body", ["{}", "no JSON"])
def test_the_page_of_a_ledger_that_is_changed_under_a_running_service_says_where(tmp_path: Path, body: str) -> None:
    """The campaign is in memory; its events are read anew for every page."""
    with Api(tmp_path, pages=mount) as api:
        run = api.running()
        cookie = {"Cookie": f"{cookie_name(Role.REQUESTER)}={run.requester}"}
        assert "Check and replay" in api.ask("GET", f"/c/{run.name}/ledger", headers=cookie).text
        change(api, body)
        for after, said in ((0, "event 4 ("), (3, "event 4 ("), (4, "Check and replay")):
            page = api.ask("GET", f"/c/{run.name}/ledger", params={"after": after}, headers=cookie)
            assert (page.status_code, said in page.text) == (200, True), after


def test_an_operator_takes_no_ledger_that_is_not_there(tmp_path: Path) -> None:
    with Api(tmp_path, pages=mount) as api:
        assert as_a_person(api, "POST", "/take/nowhere/ledger", None, OPERATOR).status_code == 404


def as_a_person(api: Api, method: str, path: str, role: Role | None, token: str) -> httpx.Response:
    headers = {"Cookie": f"{cookie_name(role)}={token}"}
    return api.ask(method, path, headers=headers, data={MARK: mark_of(token)} if method == "POST" else None)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"target": "1.5"}, "“Target” 1.5 is not above 1/2"),
        ({"no": "cap", "yes": "cap"}, "labels ('cap', 'cap') are not two different words"),
    ],
)
def test_a_field_is_called_as_the_page_calls_it_and_words_stay(
    tmp_path: Path, typed: dict[str, str], said: str
) -> None:
    with Api(tmp_path, pages=mount) as site:
        headers = {"Cookie": f"{cookie_name(None)}={OPERATOR}"}
        form = {**DEFAULTS, "title": "words", **typed, MARK: mark_of(OPERATOR)}
        shown = site.ask("POST", "/new", headers=headers, data=form)
    assert shown.status_code == 422
    assert said in html.unescape(shown.text)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("expect_price_low=9&expect_price_high=3", "“Prices from” = 9 is above “Prices to” = 3"),
        ("cap=2&expect_price_low=1&expect_price_high=3", "“Highest bid for one answer” 2 is below the highest price"),
    ],
)
def test_a_prediction_calls_fields_so_too(tmp_path: Path, asked: str, said: str) -> None:
    with Api(tmp_path, pages=mount) as site:
        shown = site.ask("GET", f"/new/plan?{asked}", headers={"Cookie": f"{cookie_name(None)}={OPERATOR}"})
    assert said in html.unescape(shown.text)


def test_the_operator_still_sees_the_other_campaigns(tmp_path: Path) -> None:
    name, _ = tampered(tmp_path)
    with Api(tmp_path, pages=mount) as api:
        api.draft(title="the readable one")
        page = api.ask("GET", "/", headers={"Cookie": f"quorate_operator={OPERATOR}"})
        assert page.status_code == 200
        assert "the readable one" in page.text
        assert f'action="/take/{name}/ledger"' in page.text
        assert "A ledger is not as written" in page.text
        assert name in api.ask("GET", "/api/v1/campaigns", OPERATOR).json()["campaigns"]
