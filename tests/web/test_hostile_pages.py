"""Pages given what no page of ours would send: every answer is a page in words, and none an error of the server."""

from collections.abc import Iterator

import pytest

from quorate.campaign.tokens import Role
from quorate.web.pages import mount
from quorate.web.pages.draft_form import DEFAULTS
from quorate.web.pages.session import MARK, cookie_name, mark_of
from tests.web_api import OPERATOR, Api, Run

HOSTILE = (
    "-5",
    "²",
    "٣",
    "9" * 23,
    "9" * 5_000,
    "1e400",
    "1e308",
    "-1e-400",
    "nan",
    "1.5",
    "0x10",
    "",
    "\x00",
    "\x7f\u202e💥",
    "<script>",
    "a" * 300,
)
READ = {
    Role.REQUESTER: ("", "/live", "/workers", "/tasks", "/pay", "/ledger"),
    Role.AUDITOR: ("",),
    Role.WORKER: ("", "/pay"),
}
# Forms and their fields; those that end something come last.
SENT = {
    Role.REQUESTER: {
        "tasks": ("lines",),
        "truths": ("lines",),
        "truth": ("task", "label"),
        "invite": ("names",),
        "invite-auditor": ("name",),
        "payouts": ("more",),
        "confirm": ("payout", "reference"),
        "link": ("worker",),
        "withdraw": ("worker",),
        "check": ("more",),
    },
    Role.AUDITOR: {"check": ("more",)},
    Role.WORKER: {"bid": ("bid",), "answer": ("task", "label")},
}
ROOM = {Role.REQUESTER: "/c", Role.AUDITOR: "/a", Role.WORKER: "/w"}
GOOD = {"task": "0", "label": "1", "worker": "0", "payout": "none"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("pages"), pages=mount) as made:
        yield made


def token_of(run: Run, role: Role) -> str:
    return {Role.REQUESTER: run.requester, Role.AUDITOR: run.auditor, Role.WORKER: run.workers[0]}[role]


def is_a_page(response: object, at: str) -> None:
    status, kind = response.status_code, response.headers.get("content-type", "")  # type: ignore[attr-defined]
    assert status < 500, at
    assert status == 303 or kind.startswith("text/html"), at


@pytest.mark.parametrize("role", list(READ))
def test_parameters_of_pages(site: Api, role: Role) -> None:
    run = site.running()
    cookies = {"Cookie": f"{cookie_name(role)}={token_of(run, role)}"}
    for path in READ[role]:
        for name in ("after", "done"):
            for value in HOSTILE:
                response = site.ask("GET", f"{ROOM[role]}/{run.name}{path}", params={name: value}, headers=cookies)
                is_a_page(response, f"{path} {name}={value[:30]!r}")


@pytest.mark.parametrize("role", list(SENT))
def test_fields_of_forms(site: Api, role: Role) -> None:
    run = site.running()
    token = token_of(run, role)
    cookies = {"Cookie": f"{cookie_name(role)}={token}"}
    for form, fields in SENT[role].items():
        for name in fields:
            for value in HOSTILE:
                data = {MARK: mark_of(token), **{other: GOOD.get(other, "x") for other in fields}, name: value}
                response = site.ask("POST", f"{ROOM[role]}/{run.name}/{form}", data=data, headers=cookies)
                is_a_page(response, f"{form} {name}={value[:30]!r}")


def test_fields_of_a_draft(site: Api) -> None:
    cookies = {"Cookie": f"{cookie_name(None)}={OPERATOR}"}
    for name in DEFAULTS:
        for value in HOSTILE:
            data = {MARK: mark_of(OPERATOR), **DEFAULTS, "title": "a draft", name: value}
            is_a_page(site.ask("POST", "/new", data=data, headers=cookies), f"{name}={value[:30]!r}")


def test_a_wrong_parameter_is_said_without_the_services_own_words(site: Api) -> None:
    run = site.running()
    cookies = {"Cookie": f"{cookie_name(Role.REQUESTER)}={run.requester}"}
    response = site.ask("GET", f"/c/{run.name}/tasks", params={"after": "-5"}, headers=cookies)
    assert response.status_code == 422
    assert "Go back and follow a link instead" in response.text
    assert "query" not in response.text


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/c/{}/invite", "/c/{}/workers"),
        ("/c/{}/withdraw", "/c/{}/workers"),
        ("/c/{}/truth", "/c/{}/tasks"),
        ("/c/{}/payouts", "/c/{}/pay"),
        ("/c/{}/close-auction", "/c/{}"),
        ("/c/{}/check", "/c/{}/ledger"),
        ("/a/{}/check", "/a/{}"),
        ("/w/{}/answer", "/w/{}"),
        ("/w/{}/withdraw", "/w/{}"),
        ("/take/{}", "/"),
        ("/new/predicted", "/new"),
        ("/out", "/"),
    ],
)
def test_the_address_of_a_form_leads_to_its_page(site: Api, form: str, page: str) -> None:
    """As after reloading what a form has shown."""
    response = site.ask("GET", form.format("some"))
    assert (response.status_code, response.headers["location"]) == (303, page.format("some"))


def test_no_page_speaks_of_the_interface_for_programs(site: Api) -> None:
    for method, path, status in (("GET", "/nowhere", 404), ("DELETE", "/enter", 405)):
        response = site.ask(method, path)
        assert response.status_code == status
        assert response.headers["content-type"].startswith("text/html")
        assert "openapi" not in response.text
        assert "method" not in response.text.partition("<code>")[0]
