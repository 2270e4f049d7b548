"""Encryption at rest for what the ledger only commits to: bids and the coins' seed (docs/ledger.md).

A stream cipher from a pseudo-random function, then a tag over everything (encrypt-then-MAC), with nothing but SHA-256:

    stream block j = HMAC-SHA256(key_e, nonce || j),   tag = HMAC-SHA256(key_t, context || nonce || ciphertext)

with key_e and key_t derived from the service's secret. The nonce is 16 random bytes, so no stream is used twice. The
secret lives outside the database: whoever holds a copy of the database alone reads no bid.
"""

import hashlib
import hmac
from collections.abc import Callable

from quorate.campaign.refusal import Tampered
from quorate.errors import InvalidInput

SECRET_BYTES = 32
NONCE_BYTES = 16
TAG_BYTES = 32
BLOCK = 32


class Vault:
    """Seals and opens under one secret. Safe to share between threads; its repr shows nothing."""

    def __init__(self, secret: bytes, entropy: Callable[[int], bytes]) -> None:
        if len(secret) < SECRET_BYTES:
            raise InvalidInput(
                f"a secret of {len(secret)} bytes could be guessed; give {SECRET_BYTES} (openssl rand -hex 32)"
            )
        self._encrypting = hmac.digest(secret, b"quorate vault 1 encrypt", hashlib.sha256)
        self._tagging = hmac.digest(secret, b"quorate vault 1 tag", hashlib.sha256)
        self._entropy = entropy

    def __repr__(self) -> str:
        return "Vault(sealed)"

    def seal(self, plain: bytes, context: str) -> bytes:
        """nonce || ciphertext || tag. `context` says what and whose it is: it opens under no other."""
        nonce = self._entropy(NONCE_BYTES)
        hidden = self._masked(plain, nonce)
        return nonce + hidden + self._tag(context, nonce + hidden)

    def open(self, sealed: bytes, context: str) -> bytes:
        body, tag = sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]
        if len(body) < NONCE_BYTES or not hmac.compare_digest(tag, self._tag(context, body)):
            raise Tampered(
                f"what is sealed as {context!r} does not open: it was changed, or sealed under another secret; "
                f"start the service with the secret under which the campaign was opened"
            )
        return self._masked(body[NONCE_BYTES:], body[:NONCE_BYTES])

    def fingerprint(self, text: str) -> str:
        """A digest that nobody without the secret can compare with guesses: of a command that may hold a bid."""
        return hmac.digest(self._tagging, b"fingerprint" + text.encode(), hashlib.sha256).hex()

    def derive(self, purpose: str, size: int) -> bytes:
        """Bytes (up to 32) that are the same every time and that nobody without the secret can know."""
        return hmac.digest(self._tagging, b"derive" + purpose.encode(), hashlib.sha256)[:size]

    def _masked(self, text: bytes, nonce: bytes) -> bytes:
        blocks = -(-len(text) // BLOCK)
        stream = b"".join(
            hmac.digest(self._encrypting, nonce + block.to_bytes(8, "big"), hashlib.sha256) for block in range(blocks)
        )
        return bytes(a ^ b for a, b in zip(text, stream, strict=False))

    def _tag(self, context: str, body: bytes) -> bytes:
        return hmac.digest(self._tagging, len(context).to_bytes(4, "big") + context.encode() + body, hashlib.sha256)
