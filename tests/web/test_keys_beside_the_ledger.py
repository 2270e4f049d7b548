"""Tokens and hooks stand beside the ledger: what makes them is done once under its key too, and answered alike."""

from typing import Any

import httpx
import pytest

from quorate.campaign.tokens import digest
from tests.web_api import OPERATOR, Api, Run

KEY = {"Idempotency-Key": "d6c1-drawn-at-random-once"}
HOOK = {"url": "https://receiver.example/news", "topics": ["verdicts"]}


def twice(run: Run, rest: str, body: Any, token: str | None = None) -> list[httpx.Response]:
    return [run.ask("POST", rest, token, json=body, headers=KEY) for _ in "12"]


@pytest.mark.parametrize("issuer", ["requester", "operator"])
@pytest.mark.parametrize(
    ("body", "another"),
    [
        ({"role": "auditor"}, {"role": "requester"}),
        ({"role": "auditor", "label": "a"}, {"role": "auditor", "label": "b"}),
        ({"role": "worker", "worker": "w0"}, {"role": "worker", "worker": "w1"}),
    ],
)
def test_a_token_is_issued_once(api: Api, issuer: str, body: dict[str, Any], another: dict[str, Any]) -> None:
    run = api.auction()
    before = len(run.get("/tokens")["items"])
    token = run.requester if issuer == "requester" else OPERATOR
    first, again = twice(run, "/tokens", body, token)
    assert (first.status_code, first.json()) == (201, again.json())
    assert len(run.get("/tokens")["items"]) == before + 1
    assert api.ask("GET", "/api/v1/campaigns", first.json()["token"]).json() == {"campaigns": [run.name]}
    other = run.ask("POST", "/tokens", token, json=another, headers=KEY)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")


def test_a_token_under_the_key_of_an_invitation_is_refused(api: Api) -> None:
    run = api.auction()
    assert run.ask("POST", "/workers", json={"name": "newcomer"}, headers=KEY).status_code == 201
    refused = run.ask("POST", "/tokens", json={"role": "worker", "worker": "newcomer"}, headers=KEY)
    assert refused.json()["code"] == "key-reused"


def test_what_is_not_as_described_takes_no_key(api: Api) -> None:
    run = api.auction()
    assert run.ask("POST", "/tokens", json={"role": "auditor", "worker": "w0"}, headers=KEY).status_code == 422
    assert run.ask("POST", "/tokens", json={"role": "auditor"}, headers=KEY).status_code == 201


@pytest.mark.parametrize("secret", [{}, {"secret": "a-secret-of-my-own"}], ids=["drawn", "brought"])
def test_a_hook_is_made_once(api: Api, secret: dict[str, str]) -> None:
    run = api.auction()
    first, again = twice(run, "/hooks", {**HOOK, **secret})
    assert (first.status_code, first.json()) == (201, again.json())
    assert len(run.get("/hooks")["items"]) == 1
    other = run.ask("POST", "/hooks", json={**HOOK, **secret, "topics": ["payouts"]}, headers=KEY)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")
    fresh = run.ask("POST", "/hooks", json=HOOK, headers={"Idempotency-Key": "another"}).json()
    assert fresh["hook"] != first.json()["hook"]
    assert fresh["secret"] != first.json()["secret"]


def test_an_exchange_that_was_not_heard_is_answered_again(api: Api) -> None:
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    first, again = twice(run, "/workers/me/token", None, invitation)
    assert (first.status_code, first.json()) == (201, again.json())
    private = first.json()["token"]
    assert run.ask("PUT", "/workers/me/bid", private, json={"bid": "1.25"}).status_code == 200
    assert run.get("/workers/me/bid", private)["amount"] == "1.25"
    assert run.ask("GET", "/terms", invitation).status_code == 401, "it opens nothing else"
    for wrong in ({}, {"Idempotency-Key": "another-one-drawn-at-random"}):
        assert run.ask("POST", "/workers/me/token", invitation, headers=wrong).status_code == 401
    assert run.ask("POST", "/workers/1/token", invitation, headers=KEY).status_code == 404


def test_whoever_made_the_invitation_cannot_fetch_the_workers_token(api: Api) -> None:
    """It knows the invitation, and may guess what people count from."""
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    guessable = run.ask("POST", "/workers/me/token", invitation, headers={"Idempotency-Key": "1"})
    assert guessable.status_code == 422
    assert run.ask("GET", "/terms", invitation).status_code == 200, "nothing was exchanged"
    made = run.ask("POST", "/workers/me/token", invitation, headers=KEY).json()["token"]
    mine = run.ask("POST", "/tokens", json={"role": "worker", "worker": "w0"}, headers=KEY).json()["token"]
    assert made.rpartition("_")[2] != mine.rpartition("_")[2], "the same key gives its holder another token"


def test_a_token_that_was_exchanged_and_revoked_stays_so(api: Api) -> None:
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    private = run.ask("POST", "/workers/me/token", invitation, headers=KEY).json()["token"]
    assert run.ask("DELETE", f"/tokens/{digest(private)}").status_code == 204
    assert run.ask("POST", "/workers/me/token", invitation, headers=KEY).status_code == 401
    assert run.ask("POST", "/workers/me/token", private, headers=KEY).status_code == 401


def test_a_revoked_invitation_is_exchanged_by_nobody(api: Api) -> None:
    run = api.draft().open()
    invitation = run.post("/workers", {"name": "w0"})["token"]
    assert run.ask("DELETE", f"/tokens/{digest(invitation)}").status_code == 204
    assert run.ask("POST", "/workers/me/token", invitation, headers=KEY).status_code == 401
