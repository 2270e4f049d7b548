"""The OpenAPI document against the service: nothing that fits it, or nearly fits it, ends in a server error."""

from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web_api import OPERATOR, Api


@pytest.fixture(scope="module")
def tokens(api: Api) -> dict[str, str]:
    run = api.running()
    run.post("/tasks/t0/answer", {"label": 1}, run.workers[0])
    return {"campaign": run.name, "requester": run.requester, "worker": run.workers[0], "operator": OPERATOR}


ACCEPTED = ("method", "url", "headers", "params", "json", "data")
# What is answered is what the document says: its status, its kind of content, and its fields.
CONFORMANCE = [status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = settings(
    max_examples=5,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_server_error(api: Api, tokens: dict[str, str], mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(api.app.openapi())
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        # A stream does not end by itself; tests/web/test_streams.py reads it.
        if operation.path.endswith("/stream") or (mode is GenerationMode.NEGATIVE and not can_be_wrong(operation)):
            continue

        @BOUNDED
        @given(case=operation.as_strategy(generation_mode=mode))
        def no_server_error(case: Case) -> None:
            check(case, api, tokens)

        no_server_error()
        tried += 1
    assert tried > 20


def can_be_wrong(operation: Any) -> bool:
    """Whether there is something that could be given wrongly; what is in the path is ours."""
    return bool(operation.body or operation.query or operation.headers)


def check(case: Case, api: Api, tokens: dict[str, str]) -> None:
    role = role_for(case)
    given = case.path_parameters
    given.update({"campaign": tokens["campaign"]} if "campaign" in given else {})
    given.update({"worker": "me"} if role == "worker" and "worker" in given else {})
    sent = case.as_transport_kwargs(base_url="http://testserver")
    request = requests.Request(**{name: sent[name] for name in sent if name in ACCEPTED}).prepare()
    # Last: a case made wrong on purpose may bring a wrong token, and would come no further than the gate.
    request.headers["Authorization"] = f"Bearer {tokens[role]}"
    body = request.body.encode() if isinstance(request.body, str) else request.body
    response = api.ask(request.method, request.url, content=body, headers=request.headers)
    what = f"{case.method} {case.operation.path}: {response.text:.500}"
    assert response.status_code < 500, what
    assert response.status_code != 401, what
    case.validate_response(response, checks=CONFORMANCE)
    if response.status_code >= 400:
        assert response.headers["content-type"] == "application/problem+json"
        assert set(response.json()) >= {"type", "title", "status", "detail", "code"}


def role_for(case: Case) -> str:
    """Whose token may do this, so that the request comes past the first check."""
    if case.operation.path == "/api/v1/campaigns":
        return "operator"
    return "worker" if case.operation.path.endswith(("/bid", "/answer")) else "requester"
