"""From the shell to the API: requests on behalf of one caller, over HTTP to a running service or otherwise."""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import quote as quote_url

import httpx

from quorate.errors import InvalidInput, QuorateError

API = "/api/v1"
TIMEOUT_SECONDS = 60.0
# A request goes out so often where the service is busy or has just gone away, under the same idempotency key.
ATTEMPTS = 6
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
PASSING = frozenset({429, 502, 503, 504})
KEY_BYTES = 16
LARGEST_PAGE = 1_000
SHOWN_NAMES = 5
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Content that is not JSON: `null` is.
OTHER = object()
# Where the service's own words are about HTTP.
IN_THE_SHELL = {
    "unauthenticated": "the token given is unknown here or was revoked; give another with --token or QUORATE_TOKEN, "
    "or have one made with `quorate campaign issue`"
}
# Where `quorate serve` puts the service, unless told otherwise.
USUAL_ADDRESS = "http://127.0.0.1:8080"


class ApiProblem(QuorateError):
    """The service's refusal: `code` for machines, the message for people."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


class Reach(Protocol):
    """A way to send one request. `token` None: with the rights of whoever owns the way."""

    @property
    def place(self) -> str: ...

    def send(self, method: str, path: str, token: str | None, headers: dict[str, str], **more: Any) -> httpx.Response:
        """Raises httpx.TransportError where no answer came."""
        ...


class Remote:
    """A service at an address."""

    def __init__(self, url: str) -> None:
        self.place = url.rstrip("/")
        try:
            # A proxy for the world outside is not for this machine itself.
            near = httpx.URL(url).host in LOOPBACK
            self._client = httpx.Client(base_url=self.place, timeout=TIMEOUT_SECONDS, trust_env=not near)
        except (httpx.InvalidURL, ValueError) as error:
            raise InvalidInput(f"{url!r:.200} is no address ({error}); give one such as {USUAL_ADDRESS}") from error

    def send(self, method: str, path: str, token: str | None, headers: dict[str, str], **more: Any) -> httpx.Response:
        if token is not None:
            headers = {**headers, "Authorization": f"Bearer {token}"}
        return self._client.request(method, path, headers=headers, **more)

    def close(self) -> None:
        self._client.close()


@contextmanager
def remote(url: str) -> Iterator[Reach]:
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(f"--url {url!r:.200} is no address of a service; give one such as {USUAL_ADDRESS}")
    reach = Remote(url)
    try:
        yield reach
    finally:
        reach.close()


class Session:
    """One caller's requests about one campaign. `name` None: the only campaign there is for this caller."""

    def __init__(self, reach: Reach, token: str | None = None, name: str | None = None) -> None:
        self._reach = reach
        self._token = token
        self._name = name
        self._answered = False

    @property
    def name(self) -> str:
        if self._name is None:
            found = self.ask("GET", f"{API}/campaigns")["campaigns"]
            if len(found) != 1:
                listed = ", ".join(found[:SHOWN_NAMES]) + (", ..." if len(found) > SHOWN_NAMES else "")
                raise InvalidInput(
                    f"there are {len(found)} campaigns here ({listed}); name one with --campaign"
                    if found
                    else f"there is no campaign at {self._reach.place}; make one with `quorate campaign new`"
                )
            self._name = str(found[0])
        return self._name

    def get(self, rest: str, **params: Any) -> Any:
        return self.ask("GET", self._path(rest), params=params)

    def post(self, rest: str, body: Any = None, key: str | None = None) -> Any:
        return self.ask("POST", self._path(rest), json=body, key=key)

    def put(self, rest: str, body: Any, key: str | None = None) -> Any:
        return self.ask("PUT", self._path(rest), json=body, key=key)

    def delete(self, rest: str) -> None:
        self.ask("DELETE", self._path(rest))

    def every(self, rest: str) -> Iterator[dict[str, Any]]:
        """All items of a list with cursors."""
        after: int | None = None
        while True:
            found = self.page(rest, after, LARGEST_PAGE)
            yield from found["items"]
            after = found["after"]
            if after is None:
                return

    def page(self, rest: str, after: int | None, limit: int) -> dict[str, Any]:
        """So many items from a list with cursors, however many requests that takes; `after` goes on from there."""
        items: list[Any] = []
        while True:
            cursor = {} if after is None else {"after": after}
            found = self.get(rest, limit=min(limit - len(items), LARGEST_PAGE), **cursor)
            items += found["items"]
            after = found["after"]
            if after is None or len(items) >= limit:
                return {"items": items, "after": after}

    def ask(self, method: str, path: str, *, json: Any = None, key: str | None = None, **more: Any) -> Any:
        """The answer as JSON. Sent again where that may help; ApiProblem, or InvalidInput where nobody answers."""
        # What changes something has a key, so that sending it again cannot do it twice.
        headers = {} if method == "GET" else {"Idempotency-Key": key or secrets.token_hex(KEY_BYTES)}
        if json is not None:
            headers["Content-Type"] = "application/json"
            more["content"] = _text(json)
        pause = FIRST_PAUSE_SECONDS
        for attempt in range(1, ATTEMPTS + 1):
            last = attempt == ATTEMPTS
            try:
                response = self._reach.send(method, path, self._token, headers, **more)
            except httpx.TransportError as error:
                # Nobody there at the first word: waiting would not help, saying so does.
                if last or not self._answered:
                    raise InvalidInput(
                        f"no service answers at {self._reach.place}; start `quorate serve`, or give its address with "
                        f"--url, or work on a database with --store"
                    ) from error
                wait = pause
            else:
                self._answered = True
                if response.status_code not in PASSING or last:
                    return _content(response, self._reach.place)
                asked = response.headers.get("Retry-After", "")
                wait = float(asked) if asked.isdigit() else pause
            time.sleep(min(wait, LONGEST_PAUSE_SECONDS))
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def _path(self, rest: str) -> str:
        return f"{API}/campaigns/{quote(self.name)}{rest}"


def quote(name: str) -> str:
    """One step of a path."""
    return quote_url(name, safe="", errors="replace")


def _text(body: Any) -> str:
    try:
        return json.dumps(body, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"what was given cannot be said in JSON ({error}); leave out nan, inf and dates") from error


def _content(response: httpx.Response, place: str) -> Any:
    if response.status_code == 204:
        return None
    try:
        content = response.json()
    except ValueError:
        content = OTHER
    if response.is_success and content is not OTHER:
        return content
    if isinstance(content, dict) and "code" in content:
        code = content["code"]
        raise ApiProblem(response.status_code, code, f"{IN_THE_SHELL.get(code, content['detail'])} ({code})")
    raise InvalidInput(f"what answers at {place} is no quorate service (HTTP {response.status_code}); check --url")
