"""Where a command of `quorate campaign` goes, and with whose rights: the options that all of them share."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from quorate.cli.reach import Reach, Session

URL_VARIABLE = "QUORATE_URL"
TOKEN_VARIABLE = "QUORATE_TOKEN"

Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help=f"The service. Default: {URL_VARIABLE}, or http://127.0.0.1:8080."),
]
Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TOKEN", help=f"Whose rights. Default: {TOKEN_VARIABLE}, or with --store all."),
]
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="No service: work on sqlite:///FILE or postgresql://USER@HOST/NAME."),
]
Name = Annotated[
    str | None, typer.Option("--campaign", "-c", metavar="NAME", help="Which one; needed where there are several.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines, as the API gives it.")]


@contextmanager
def session(url: str | None, token: str | None, store: str | None, campaign: str | None = None) -> "Iterator[Session]":
    """One caller's requests. On a store its owner is requester; over HTTP a token says who it is."""
    from quorate.cli.reach import Session

    with reach(url, store) as way:
        yield Session(way, whose(token, store), campaign)


def reach(url: str | None, store: str | None, *, create: bool = False) -> "AbstractContextManager[Reach]":
    """The way that the options name. `create`: a store may be new."""
    from quorate.cli.reach import USUAL_ADDRESS, remote
    from quorate.errors import InvalidInput

    if url is not None and store is not None:
        raise InvalidInput("--url names a service and --store a database; give one of them")
    if store is None:
        return remote(url or os.environ.get(URL_VARIABLE) or USUAL_ADDRESS)
    from quorate.cli.reach_store import on_store

    return on_store(store, create=create)


def whose(token: str | None, store: str | None) -> str | None:
    """The token to show. The environment's is for a service: a store has tokens of its own."""
    from quorate.errors import InvalidInput

    if token is None and store is None:
        token = os.environ.get(TOKEN_VARIABLE) or None
        if token is None:
            raise InvalidInput(
                f"a service wants to know who asks: give --token, or set {TOKEN_VARIABLE}; or work on a database with "
                f"--store"
            )
    if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        raise InvalidInput("the token given is none: it is one word, such as qr_requester_ and 48 letters and digits")
    return token
