"""Whose token it is: remembered for a moment, and forgotten at once when it is revoked."""

import pytest

from quorate.campaign.tokens import Principal, Role, Tokens
from quorate.web.keyring import Keyring
from tests.web_api import Api


def test_a_token_that_is_revoked_while_it_is_looked_up_is_not_remembered(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = api.draft()
    token = run.requester
    keyring = Keyring(api.tokens, None, lambda: 0.0, lambda digest: None)
    principal = Tokens.principal

    def meanwhile(tokens: Tokens, text: str) -> Principal | None:
        found = principal(tokens, text)
        assert found is not None
        assert keyring.revoke(found.digest)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Tokens, "principal", meanwhile)
        caller = keyring.look_up(token)
    assert caller is not None
    assert caller.role is Role.REQUESTER, "it was, when it was asked for"
    assert keyring.remembered(token) is None
    assert keyring.look_up(token) is None
