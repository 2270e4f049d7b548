"""Whose token it is, without asking the store at every request."""

import hmac
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from quorate.campaign.tokens import Principal, Role, Tokens, digest

# A token revoked by another process opens nothing more after this long; by this process, at once.
TRUSTED_SECONDS = 1.0
MOST_REMEMBERED = 10_000
# What is longer is no token, and not worth a hash.
LONGEST_TOKEN = 200


@dataclass(frozen=True)
class Caller:
    """Who asks. `role` None is the operator, who belongs to no campaign. `digest` names the token without being it."""

    role: Role | None
    campaign: str | None
    worker: int | None
    digest: str
    private: bool = False

    @property
    def is_operator(self) -> bool:
        return self.role is None

    @property
    def reader(self) -> str | None:
        """To whom its own sealed bid opens. An invitation was shown to somebody else too: to nobody."""
        return self.digest if self.private else None

    def own(self, key: str) -> str:
        """An idempotency key as it is kept: nobody's meets another one's. A key as given holds no space.

        The requester is one, whichever of its tokens it shows, since the shell sends a file again under keys that
        follow from what is in it. A worker's tokens are apart: an invitation was shown to somebody else too.
        """
        if self.role is Role.REQUESTER:
            return key
        return f"{'operator' if self.is_operator else self.digest} {key}"


class Keyring:
    """Remembers tokens that were valid a moment ago. Used by one event loop; what asks the store may run in a thread.

    `ended` is told the digest of a token that opens nothing any more.
    """

    def __init__(
        self, tokens: Tokens, operator: str | None, clock: Callable[[], float], ended: Callable[[str], None]
    ) -> None:
        self._tokens = tokens
        self._operator = operator
        self._clock = clock
        self._ended = ended
        self._known: OrderedDict[str, tuple[Caller, float]] = OrderedDict()
        self._revocations = 0

    def remembered(self, text: str) -> Caller | None:
        """None: ask `look_up`."""
        found = self._known.get(digest(text))
        return found[0] if found is not None and found[1] > self._clock() else None

    def look_up(self, text: str) -> Caller | None:
        """From the store; None if the token is nobody's, or revoked."""
        name, revocations = digest(text), self._revocations
        if self._operator is not None and hmac.compare_digest(name, self._operator):
            return self._remember(Caller(None, None, None, name), revocations)
        found = self._tokens.principal(text)
        return None if found is None else self._remember(_caller(found), revocations)

    def spent(self, text: str) -> Caller | None:
        """Who held an invitation that opens nothing any more."""
        found = self._tokens.spent(text)
        return None if found is None or found.private else _caller(found)

    def stands(self, caller: Caller) -> bool:
        """Whether the token still opens what it did, from the store."""
        return caller.digest == self._operator or self._tokens.stands(caller.digest)

    def _remember(self, caller: Caller, revocations: int) -> Caller:
        self._known[caller.digest] = (caller, self._clock() + TRUSTED_SECONDS)
        if revocations != self._revocations:
            # Perhaps of this very token, after the store was asked: it is asked again.
            self._known.pop(caller.digest, None)
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return caller

    def revoke(self, token_digest: str) -> bool:
        """In the store, and here at once."""
        revoked = self._tokens.revoke(token_digest)
        self._forget(token_digest)
        return revoked

    def exchange(self, token_digest: str, entropy: bytes | None = None) -> str | None:
        """A worker's private token for its invitation, which is spent at once; None if it was spent before, unless the
        same `entropy` made that token.
        """
        private = self._tokens.exchange(token_digest, entropy)
        self._forget(token_digest)
        return private

    def _forget(self, token_digest: str) -> None:
        self._revocations += 1
        self._known.pop(token_digest, None)
        self._ended(token_digest)


def _caller(found: Principal) -> Caller:
    return Caller(found.role, found.campaign, found.worker, found.digest, found.private)
