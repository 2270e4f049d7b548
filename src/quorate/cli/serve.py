"""`quorate serve`: the service and its pages on one address."""

import sys
from typing import Annotated

import typer

from quorate.cli.console import complain, print_json, say

DEFAULT_STORE = "sqlite:///quorate.db"

StoreUrl = Annotated[str, typer.Option("--store", help="sqlite:///FILE or postgresql://USER@HOST/DATABASE.")]
Host = Annotated[str, typer.Option(help="Where to listen; put a proxy with TLS before it to be reached from outside.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Processes; more than one for PostgreSQL only.")]
PublicUrl = Annotated[str | None, typer.Option(help="How people reach the service, for links in invitations.")]
Rate = Annotated[float, typer.Option(min=0.1, help="Requests a second that one token may make; twice as many at once.")]
StrangerRate = Annotated[
    float, typer.Option(min=0.1, help="The same for one address without a valid token; four times as many at once.")
]
LocalHooks = Annotated[
    bool,
    typer.Option(
        "--local-hooks",
        help="Let webhooks go to this machine and its own network, where requesters may then learn what is there.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Say address and token as JSON.")]


def serve(
    store: StoreUrl = DEFAULT_STORE,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workers: Workers = 1,
    public_url: PublicUrl = None,
    rate: Rate = 1_000.0,
    stranger_rate: StrangerRate = 5.0,
    local_hooks: LocalHooks = False,
    as_json: AsJson = False,
) -> None:
    """Run campaigns: the HTTP API under /api/v1, and the pages.

    Prints its address, and at the first start the operator's token, which may draft campaigns. Ctrl-C ends it cleanly.

    Example: quorate serve --store sqlite:///quorate.db --port 8080
    """
    from quorate.cli.sole import SERVICE, sole
    from quorate.errors import InvalidInput
    from quorate.store.sqlite import file_of
    from quorate.web.limits import limits_of
    from quorate.web.pages import mount
    from quorate.web.serving import Serving, address, check_store, listen, operator_of, run

    on_sqlite = store.startswith("sqlite")
    if workers > 1 and on_sqlite:
        raise InvalidInput(f"--workers {workers} needs PostgreSQL: SQLite is served by one process; leave it out")
    _check_public(public_url)
    limits = limits_of(rate, stranger_rate)
    file = file_of(store) if on_sqlite else None
    with listen(host, port) as listening, sole(file, f"{SERVICE}{address(listening)}"):
        check_store(store)
        operator = operator_of(file)
        made = operator.token if operator.made_now else None
        if as_json:
            print_json({"address": address(listening), "operator_token": made})
        else:
            say(f"quorate is at {address(listening)}")
            if made is not None:
                say(f"operator's token, shown this once: {made}")
        # Whoever started this may be waiting for the address in a pipe.
        sys.stdout.flush()
        serving = Serving(store, operator.digest, on_sqlite, public_url, mount, limits, local_hooks)
        run(serving, listening, workers)
    complain("quorate: stopped")


def _check_public(url: str | None) -> None:
    """Invitations begin with it: what no browser opens would be found out by those who are invited."""
    from urllib.parse import urlsplit

    from quorate.errors import InvalidInput

    if url is None:
        return
    try:
        found = urlsplit(url)
        whole = found.scheme in ("http", "https") and bool(found.hostname) and not (found.query or found.fragment)
    except ValueError:
        whole = False
    if not whole or not url.isprintable() or " " in url:
        raise InvalidInput(
            f"--public-url {url!r:.200} is no address that a browser opens; give one such as https://quorate.example"
        )
