"""What is sealed opens with the same secret, for the same thing, unchanged; and shows itself to nobody."""

import os
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.campaign.refusal import Tampered
from quorate.campaign.sealed import Bid, Opening, pack, unpack
from quorate.campaign.vault import NONCE_BYTES, TAG_BYTES, Vault
from quorate.errors import InvalidInput

SECRET = bytes(range(32))


def vault(secret: bytes = SECRET) -> Vault:
    return Vault(secret, os.urandom)


@given(st.binary(max_size=200), st.text(max_size=20))
def test_what_is_sealed_opens(plain: bytes, context: str) -> None:
    sealed = vault().seal(plain, context)
    assert vault().open(sealed, context) == plain
    assert len(sealed) == NONCE_BYTES + len(plain) + TAG_BYTES


def test_nothing_else_opens_it() -> None:
    sealed = vault().seal(b"seven", "c1/bid/0")
    with pytest.raises(Tampered):
        vault(bytes(32)).open(sealed, "c1/bid/0")
    with pytest.raises(Tampered):
        vault().open(sealed, "c1/bid/1")
    for at in range(len(sealed)):
        changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
        with pytest.raises(Tampered):
            vault().open(changed, "c1/bid/0")
    for length in range(len(sealed)):
        with pytest.raises(Tampered):
            vault().open(sealed[:length], "c1/bid/0")


def test_equal_bids_do_not_look_alike() -> None:
    sealed = {vault().seal(b"seven", "c1/bid/0") for _ in range(50)}
    assert len(sealed) == 50


def test_the_masked_bytes_are_spread_evenly() -> None:
    """Ten thousand zeros, sealed: every byte value appears about 39 times; 20 and 70 are five sigma away."""
    sealed = vault().seal(bytes(10_000), "x")[NONCE_BYTES:-TAG_BYTES]
    counts = Counter(sealed)
    assert min(counts[value] for value in range(256)) >= 10
    assert max(counts.values()) <= 75


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(InvalidInput, match="could be guessed"):
        vault(b"short")


def test_fingerprints_need_the_secret() -> None:
    assert vault().fingerprint("bid 5") == vault().fingerprint("bid 5")
    assert vault().fingerprint("bid 5") != vault(bytes(32)).fingerprint("bid 5")
    assert vault().fingerprint("bid 5") != vault().fingerprint("bid 6")


def test_a_vault_and_its_keys_do_not_print() -> None:
    assert repr(vault()) == "Vault(sealed)"


@given(st.integers(0, 10**12), st.binary(min_size=32, max_size=32))
def test_openings_come_back(amount: int, salt: bytes) -> None:
    opening = Opening(Bid(amount), salt)
    assert unpack(pack(opening)) == opening
