"""The link by which somebody comes in with a token. The pages answer at ENTER_PATH and turn it into a session."""

from fastapi import Request

from quorate.web.context import Context

ENTER_PATH = "/enter"


def link(context: Context, request: Request, token: str) -> str:
    """The token stands after `#`: a browser keeps that to itself, so that it is in no log on the way."""
    base = context.public_url or str(request.base_url)
    return f"{base.rstrip('/')}{ENTER_PATH}#{token}"
