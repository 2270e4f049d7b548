"""Who may see a campaign, from the shell: tokens made, listed and revoked."""

from typing import Annotated, Any

import typer

from quorate.cli.campaign.where import AsJson, Name, Store, Token, Url, session
from quorate.cli.console import print_json, print_table, say

ENOUGH = 12


def tokens(
    url: Url = None, token: Token = None, store: Store = None, campaign: Name = None, as_json: AsJson = False
) -> None:
    """List the campaign's tokens. By their digests: the tokens themselves are kept nowhere.

    Example: quorate campaign tokens
    """
    with session(url, token, store, campaign) as here:
        found = here.get("/tokens")
    if as_json:
        print_json(found)
        return
    print_table(
        f"Tokens of {here.name}",
        [("digest", "left"), ("role", "left"), ("worker", "right"), ("label", "left"), ("made", "left"), ("", "left")],
        [_row(one) for one in found["items"]],
    )


def _row(one: dict[str, Any]) -> list[str]:
    from quorate.campaign.wording import utc

    made = f"{utc(one['created']):%Y-%m-%d %H:%M} UTC"
    worker = "" if one["worker"] is None else str(one["worker"])
    return [one["digest"][:ENOUGH], one["role"], worker, one["label"], made, "revoked" if one["revoked"] else ""]


def issue(
    role: Annotated[str, typer.Argument(metavar="ROLE", help="requester, worker or auditor.")],
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    worker: Annotated[str | None, typer.Option(metavar="NAME", help="Whose it is; for the role worker.")] = None,
    label: Annotated[str, typer.Option(help="To know it by.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a token and its link. Both are shown this once.

    Example: quorate campaign issue auditor --label "the board"
    """
    _check_role(role, worker)
    with session(url, token, store, campaign) as here:
        found = here.post("/tokens", {"role": role, "worker": worker, "label": label})
    if as_json:
        print_json(found)
        return
    say(f"the {role}'s token, shown this once: {found['token']}")
    say(f"or as a link: {found['link']}")


def _check_role(role: str, worker: str | None) -> None:
    """The API does not say back what it was given."""
    from quorate.campaign.tokens import Role
    from quorate.errors import InvalidInput

    if role not in set(Role):
        raise InvalidInput(f"the role {role!r:.80} is not requester, worker or auditor; give one of these")
    if role == Role.WORKER and worker is None:
        raise InvalidInput("a worker's token names its worker; say whose with --worker NAME")
    if role != Role.WORKER and worker is not None:
        raise InvalidInput(f"--worker {worker!r:.80} goes with the role worker, not with {role}; leave it out")


def revoke(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="As `quorate campaign tokens` lists it.")],
    url: Url = None,
    token: Token = None,
    store: Store = None,
    campaign: Name = None,
    as_json: AsJson = False,
) -> None:
    """Make a token open nothing any more. The beginning of its digest is enough.

    Example: quorate campaign revoke 168268c86abe
    """
    from quorate.errors import InvalidInput

    with session(url, token, store, campaign) as here:
        found = [one["digest"] for one in here.get("/tokens")["items"] if one["digest"].startswith(digest)]
        if len(found) != 1:
            raise InvalidInput(
                f"{len(found) or 'no'} tokens of {here.name} begin with {digest!r:.80}; "
                f"`quorate campaign tokens` lists them"
            )
        here.delete(f"/tokens/{found[0]}")
    if as_json:
        print_json({"revoked": found[0]})
        return
    say(f"revoked: {found[0]}")
