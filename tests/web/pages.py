"""Pages as a browser without script gets them: links followed, forms sent with what stands in their fields."""

import re
from html import unescape

import httpx

from quorate.campaign.tokens import Role
from quorate.web.pages.session import cookie_name
from tests.web_api import Api, Run

FORM = re.compile(r'<form method="post" action="(?P<action>[^"]*)".*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="(?P<name>[^"]*)" value="(?P<value>[^"]*)"')


class Visitor:
    """Somebody signed in with one token."""

    def __init__(self, api: Api, role: Role | None, token: str) -> None:
        self._api = api
        self._headers = {"Cookie": f"{cookie_name(role)}={token}"}

    def remember(self, cookie: str, value: str) -> None:
        """Send this cookie as well from now on."""
        self._headers["Cookie"] += f"; {cookie}={value}"

    def get(self, path: str, status: int = 200) -> str:
        response = self._api.ask("GET", path, headers=self._headers)
        assert response.status_code == status, response.text
        return unescape(response.text)

    def form(self, page: str, action: str) -> dict[str, str]:
        """The hidden fields of the first form that is sent there."""
        text = self._api.ask("GET", page, headers=self._headers).text
        found = next(form for form in FORM.finditer(text) if form["action"] == action)
        return {field["name"]: unescape(field["value"]) for field in HIDDEN.finditer(found[0])}

    def send(self, action: str, fields: dict[str, str]) -> httpx.Response:
        return self._api.ask("POST", action, data=fields, headers=self._headers)


def requester(run: Run) -> Visitor:
    return Visitor(run.api, Role.REQUESTER, run.requester)
