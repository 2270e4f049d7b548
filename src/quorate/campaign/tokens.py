"""Tokens: who may do what in which campaign. Shown once, kept as a hash, scoped to a campaign, revocable."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from quorate.campaign.ledger import Store, TokenRow
from quorate.campaign.settings import Millis
from quorate.errors import InvalidInput

TOKEN_BYTES = 24
PREFIX = "qr"
# How a token begins that was only ever shown to its worker. It is part of what is hashed: no other token becomes one.
PRIVATE = f"{PREFIX}_private_"


class Role(StrEnum):
    """What a token lets its holder do."""

    REQUESTER = "requester"
    WORKER = "worker"
    AUDITOR = "auditor"


@dataclass(frozen=True)
class Principal:
    """Who holds a valid token. `digest` names the token without being it.

    `private`: given to a worker for its invitation, and so never shown to whoever made the invitation.
    """

    campaign: str
    role: Role
    worker: int | None
    digest: str
    private: bool = False


class Tokens:
    """Issued by whoever runs the service, or by a requester for its workers and auditors. Thread-safe."""

    def __init__(
        self, store: Store, clock: Callable[[], Millis], entropy: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy

    def issue(
        self, campaign: str, role: Role, worker: int | None = None, label: str = "", entropy: bytes | None = None
    ) -> str:
        """The token's text, which is kept nowhere: 192 random bits need no slow hash. `entropy` are those bits, where
        they must be the same again: the token that they made before stays as it is.
        """
        check_worker(role, worker)
        text = f"{PREFIX}_{role.value}_{(entropy or self._entropy(TOKEN_BYTES)).hex()}"
        self._store.add_token(TokenRow(digest(text), campaign, role.value, worker, label, self._clock(), None))
        return text

    def principal(self, text: str) -> Principal | None:
        """Whose token this is; None if it is nobody's, or revoked."""
        row = self._store.token(digest(text))
        if row is None or row.revoked is not None:
            return None
        return _principal(row, text)

    def stands(self, token_digest: str) -> bool:
        """Whether it is somebody's and was not revoked."""
        row = self._store.token(token_digest)
        return row is not None and row.revoked is None

    def exchange(self, token_digest: str, entropy: bytes | None = None) -> str | None:
        """A private token in the place of a worker's invitation, which opens nothing any more; None if it is spent, but
        on that very token: whoever brings the same `entropy` again is told it again, as long as it opens something.
        """
        row = self._store.token(token_digest)
        if row is None or row.role != Role.WORKER:
            return None
        now = self._clock()
        text = f"{PRIVATE}{(entropy or self._entropy(TOKEN_BYTES)).hex()}"
        private = TokenRow(digest(text), row.campaign, row.role, row.worker, row.label, now, None)
        exchanged = self._store.exchange_token(token_digest, private, now)
        return text if exchanged or self.stands(private.digest) else None

    def spent(self, text: str) -> Principal | None:
        """Who held a worker's token that opens nothing any more, so that its bearer may be shown the way."""
        row = self._store.token(digest(text))
        return None if row is None or row.role != Role.WORKER or row.revoked is None else _principal(row, text)

    def revoke(self, token_digest: str) -> bool:
        """By digest, as listed; whether there was one. It opens nothing from now on."""
        return self._store.revoke_token(token_digest, self._clock())

    def issued(self, campaign: str) -> list[TokenRow]:
        """All of a campaign's tokens, revoked ones too."""
        return self._store.tokens(campaign)


def check_worker(role: Role, worker: int | None) -> None:
    if (role is Role.WORKER) != (worker is not None):
        raise InvalidInput("a worker's token names its worker, and no other token does; give both or neither")


def _principal(row: TokenRow, text: str) -> Principal:
    return Principal(row.campaign, Role(row.role), row.worker, row.digest, text.startswith(PRIVATE))


def digest(text: str) -> str:
    """SHA-256: what is kept of a token."""
    return hashlib.sha256(text.encode()).hexdigest()
