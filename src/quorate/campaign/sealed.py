"""A bid that does not show itself: not in a repr, a log, an error message or a traceback (docs/ledger.md)."""

import hashlib
import hmac
from dataclasses import dataclass, field

from quorate.errors import InvalidInput
from quorate.money import Money, to_millionths

SALT_BYTES = 32
BID_BYTES = 8


@dataclass(frozen=True)
class Bid:
    """A price asked per answer, in millionths, masked wherever it is printed."""

    amount: Money = field(repr=False)

    @classmethod
    def parse(cls, text: object) -> "Bid":
        """From units ("0.25"); the error says what is wrong without saying the bid back."""
        try:
            return cls(to_millionths(text, "bid"))
        except InvalidInput:
            # Chaining the cause would print the bid.
            raise InvalidInput(
                "the bid is not a price: a non-negative decimal of at most six decimals, such as 0.25"
            ) from None

    def __repr__(self) -> str:
        return "Bid(sealed)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)


@dataclass(frozen=True)
class Opening:
    """What opens a sealed bid's commitment; as secret as the bid until the auction closes."""

    bid: Bid
    salt: bytes = field(repr=False)


def bid_commitment(campaign: str, worker: int, opening: Opening) -> str:
    """SHA-256 over the bid (8 bytes, most significant first), the salt, and whose it is: hexadecimal."""
    whose = f"{campaign}/{worker}".encode()
    return hashlib.sha256(opening.bid.amount.to_bytes(BID_BYTES, "big") + opening.salt + whose).hexdigest()


def opens(campaign: str, worker: int, opening: Opening, published: str) -> bool:
    """Whether this is the bid that was committed to."""
    return hmac.compare_digest(bid_commitment(campaign, worker, opening), published)


def pack(opening: Opening, holder: str = "") -> bytes:
    """What goes into the vault. `holder`: the digest of the token that placed the bid; none outside the web."""
    return opening.bid.amount.to_bytes(BID_BYTES, "big") + opening.salt + holder.encode()


def unpack(plain: bytes) -> Opening:
    """The inverse of `pack`, but for the holder."""
    return Opening(Bid(int.from_bytes(plain[:BID_BYTES], "big")), plain[BID_BYTES : BID_BYTES + SALT_BYTES])


def holder_of(plain: bytes) -> str:
    """Whose token placed the bid."""
    return plain[BID_BYTES + SALT_BYTES :].decode()
