"""Where the messages of webhooks may go.

A requester names the address, and the service connects to it from inside its own network. So messages go to public
addresses alone, unless the operator says otherwise; what a requester hears of a receiver that is none of these would
tell it who listens where in there.

A name is looked up when a message is sent, all its addresses are checked, and the connection goes to an address that
was checked: what the name means a moment later does not matter. HTTP and TLS go on by the name.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import httpcore

from quorate.web.problems import Stop, problem

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# An IPv4 address is the last 32 bits of such a one (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")


def check_url(url: str, *, local: bool) -> None:
    """https, without a name or password in it; `local`: also http to this machine itself. What names mean is checked
    when a message is sent: looking them up here would tell which there are.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        plain_http = parts.scheme == "http" and local and host in LOOPBACK
        good = bool(host) and (parts.scheme == "https" or plain_http) and parts.username is None and parts.port != 0
    except ValueError:
        good = False
    if not good or not (local or may_be_public(host)):
        rule = "https://..., or http:// to this machine itself" if local else "https://... at a public address"
        more = "" if local else "; for others the service has to be started with --local-hooks"
        raise Stop(problem("invalid-request", f"a webhook's address is {rule}, without a password in it{more}"))


def may_be_public(host: str) -> bool:
    """Whether nothing speaks against it before it is looked up."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return host not in LOOPBACK


def is_public(address: Address) -> bool:
    """Whether it is one host's anywhere in the world, and so none of a network's own."""
    inner = _translated(address)
    if inner is not None:
        return is_public(inner)
    # These count as global where they are not private.
    special = address.is_multicast or address.is_reserved or (address.version == 6 and address.is_site_local)
    return address.is_global and not special


def _translated(address: Address) -> IPv4Address | None:
    """The IPv4 address to which this one is brought on its way."""
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


async def resolve(host: str, port: int) -> Sequence[Address]:
    """All addresses of a name, those first that this machine reaches best."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(end[0]) for *_, end in found]


class Outside(httpcore.AsyncNetworkBackend):
    """Connects to receivers; `local`: in this machine's own network too. Raises httpcore.ConnectError."""

    def __init__(
        self, *, local: bool, resolve: Resolve = resolve, inner: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        self._local = local
        self._resolve = resolve
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failed = httpcore.ConnectError(f"{host} has no address")
        for address in await self._checked(host, port):
            try:
                return await self._inner.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                failed = error
        raise failed

    async def _checked(self, host: str, port: int) -> Sequence[Address]:
        """All or none: who gives a name two addresses, one of them in here, means no good."""
        try:
            found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} cannot be looked up: {error}") from error
        inside = [] if self._local else [address for address in found if not is_public(address)]
        if inside:
            raise httpcore.ConnectError(
                f"{host} is {inside[0]}, which is no public address; messages go there only from a service that was "
                f"started with --local-hooks"
            )
        return found
