"""Messages go to public addresses alone, and to the very address that was checked; requesters hear nothing else."""

import asyncio
import ssl
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

import httpcore
import pytest

from quorate.web import webhooks
from quorate.web.context import context_of
from quorate.web.receivers import Address, Outside, is_public
from quorate.web.webhooks import UNREACHED, Sender
from tests.crash_http import NAME, prepare
from tests.served import Client, Served
from tests.web.test_webhooks import NOON, Receiver, decide
from tests.web_api import Api

PUBLIC = ("93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "::ffff:93.184.216.34")
INSIDE = (
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.2.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    # Other ways to write some of these.
    "::ffff:127.0.0.1",
    "::ffff:224.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
)


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", INSIDE)
def test_an_address_inside(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """As `quorate serve` without --local-hooks."""
    with Api(tmp_path_factory.mktemp("closed"), local_hooks=False) as made:
        yield made


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:5432/",
        "http://127.0.0.1:8080/api/v1/campaigns",
        "https://localhost/",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "http://receiver.example/",
    ],
)
def test_an_address_inside_is_refused_at_once(closed: Api, url: str) -> None:
    refused = closed.draft().ask("POST", "/hooks", json={"url": url, "topics": ["verdicts"]})
    assert refused.status_code == 422
    assert "--local-hooks" in refused.json()["detail"]


def test_where_the_operator_allows_it_only_this_machine_goes_without_tls(api: Api) -> None:
    run = api.draft()
    for url, status in {
        "http://localhost:1/": 201,
        "https://10.0.0.1/": 201,
        "http://10.0.0.1/": 422,
        "http://receiver.example/": 422,
    }.items():
        assert run.ask("POST", "/hooks", json={"url": url, "topics": ["verdicts"]}).status_code == status, url


@pytest.mark.parametrize(("options", "status"), [((), 422), (("--local-hooks",), 201)])
def test_the_operator_allows_it_when_the_service_starts(tmp_path: Path, options: tuple[str, ...], status: int) -> None:
    url = f"sqlite:///{tmp_path / 'quorate.db'}"
    given = prepare(url, 1)
    with Served(url, "", *options) as served:
        client = Client(served.port, given.requester)
        hook = {"url": "http://localhost:1/", "topics": ["verdicts"]}
        assert client.ask("POST", f"/campaigns/{NAME}/hooks", hook).status == status
        client.close()


class Wire(httpcore.AsyncNetworkStream):
    """Notes the name under which TLS would begin."""

    def __init__(self, far: "FarAway") -> None:
        self._far = far

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        self._far.names.append(server_hostname)
        return self

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._far.written += buffer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return b"HTTP/1.1 204 No Content\r\n\r\n"

    async def aclose(self) -> None: ...


class FarAway(httpcore.AsyncNetworkBackend):
    """A network without a network: notes where connections go, and those at these addresses fail."""

    def __init__(self, *dead: str) -> None:
        self.dead = dead
        self.connected: list[str] = []
        self.names: list[str | None] = []
        self.written = b""

    async def connect_tcp(self, host: str, *more: object, **named: object) -> httpcore.AsyncNetworkStream:
        self.connected.append(host)
        if host in self.dead:
            raise httpcore.ConnectError("nobody there")
        return Wire(self)


class Names:
    """Every name means the next of these answers, each time it is asked for; then the last."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [ip_address(text) for text in found]


def post(outside: Outside) -> int:
    async def answered() -> int:
        async with httpcore.AsyncConnectionPool(network_backend=outside) as pool:
            return (await pool.request("POST", "https://news.example/path", content=b"{}")).status

    return asyncio.run(answered())


def test_the_connection_goes_to_the_address_that_was_checked_and_tls_to_the_name() -> None:
    far, names = FarAway(), Names([PUBLIC[0]], ["127.0.0.1"])
    assert post(Outside(local=False, resolve=names, inner=far)) == 204
    assert far.connected == [PUBLIC[0]], "an address: nobody asks again what the name means"
    assert far.names == ["news.example"]
    assert b"Host: news.example\r\n" in far.written


def test_a_name_that_means_this_network_as_well_is_not_reached_at_all() -> None:
    far = FarAway()
    with pytest.raises(httpcore.ConnectError, match=r"10\.0\.0\.1, which is no public address"):
        post(Outside(local=False, resolve=Names([PUBLIC[0], "10.0.0.1"]), inner=far))
    assert far.connected == []


def test_the_next_address_where_the_first_does_not_answer() -> None:
    far = FarAway(PUBLIC[1])
    assert post(Outside(local=False, resolve=Names([PUBLIC[1], PUBLIC[0]]), inner=far)) == 204
    assert far.connected == [PUBLIC[1], PUBLIC[0]]


def test_where_the_operator_allows_it_every_address_is_good() -> None:
    assert post(Outside(local=True, resolve=Names(["10.0.0.1"]), inner=FarAway())) == 204


def test_a_requester_cannot_tell_what_is_in_the_services_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody listens at one of these, nobody at the other, and one is no name at all."""
    there, gone = Receiver(), Receiver()
    gone.close()
    with Api(tmp_path, local_hooks=False) as api:
        run = api.running()
        for receiver in (there, gone):
            # By a name, of which is only known what it means when a message is sent.
            port = receiver.url.rpartition(":")[2]
            run.post("/hooks", {"url": f"https://localhost.localdomain:{port}", "topics": ["verdicts"]})
        run.post("/hooks", {"url": "https://no-such-name.invalid/", "topics": ["verdicts"]})
        decide(run)
        sender = api.wait_for(made(api))
        assert api.wait_for(sender.send_due()) == 3
        api.wait_for(sender.close())
        said = [one["error"] for one in run.get("/hooks/deliveries")["items"]]
    there.close()
    assert said == [UNREACHED] * 3
    assert there.got == []


async def made(api: Api) -> Sender:
    return Sender(context_of(api.app), lambda: NOON)


def test_a_hook_from_before_is_not_sent_into_this_network(tmp_path: Path) -> None:
    there = Receiver()
    with Api(tmp_path, local_hooks=False) as api:
        run = api.running()
        api.service.add_hook(run.name, there.url, ["verdicts"], b"a-secret-of-the-receiver")
        decide(run)
        sender = api.wait_for(made(api))
        assert api.wait_for(sender.send_due()) == 1
        api.wait_for(sender.close())
        (delivery,) = run.get("/hooks/deliveries")["items"]
    there.close()
    assert (delivery["error"], there.got) == (webhooks.UNREACHED, [])
