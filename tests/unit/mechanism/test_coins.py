"""Coins that anyone can redraw from the revealed seed with integer arithmetic, and a commitment that binds it."""

import hashlib

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.mechanism.coins import (
    LARGEST_ONE_IN,
    Reveal,
    commitment,
    own_coins,
    resample,
    uniform_below,
    wide_product,
)
from quorate.model.philox import COINS, word

SALT = bytes(range(32))


def by_hand(seed: int, worker: int, bid: int, cap: int, one_in: int) -> tuple[int, int]:
    """The same coins in Python integers, word by word."""
    draw = 0

    def below(size: int) -> int:
        nonlocal draw
        while True:
            drawn = int(word(np.uint64(seed), COINS, np.uint64(worker), np.uint64(draw)))
            draw += 1
            if drawn * size % 2**64 >= 2**64 % size:
                return drawn * size // 2**64

    x, y = bid, None
    while x < cap and below(one_in) == 0:
        x = cap - below(cap - x)
        y = x if y is None else y
    return x, bid if y is None else y


@pytest.mark.parametrize("one_in", [2, 3, 8, LARGEST_ONE_IN])
def test_a_worker_redraws_its_own_coins_in_plain_integers(one_in: int) -> None:
    bids = np.arange(0, 2_000, 2, dtype=np.int64)
    drawn = resample(99, bids, 2_000, one_in)
    again = [by_hand(99, worker, int(bid), 2_000, one_in) for worker, bid in enumerate(bids)]
    assert list(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True)) == again


def test_own_coins_are_the_entry_of_all_coins() -> None:
    bids = np.arange(0, 20_000_000, 40_001, dtype=np.int64)
    drawn = resample(2**64 - 1, bids, 20_000_000)
    for worker in (0, 1, 17, len(bids) - 1):
        assert own_coins(2**64 - 1, worker, int(bids[worker]), 20_000_000) == (drawn.x[worker], drawn.y[worker])


def test_coins_do_not_look_at_other_bids() -> None:
    bids = np.full(50, 7_000_000, dtype=np.int64)
    before = resample(3, bids, 20_000_000, 2)
    bids[10] = 1
    after = resample(3, bids, 20_000_000, 2)
    others = np.arange(50) != 10
    assert np.array_equal(before.x[others], after.x[others])
    assert np.array_equal(before.y[others], after.y[others])


def test_the_same_coins_show_a_larger_bid_for_a_larger_bid() -> None:
    for worker in range(300):
        seen = [own_coins(5, worker, bid, 20, 2)[0] for bid in range(21)]
        assert seen == sorted(seen)


def test_at_the_cap_nothing_is_left_to_draw() -> None:
    drawn = resample(0, np.full(1000, 20, dtype=np.int64), 20, 2)
    assert (drawn.x == 20).all()
    assert (drawn.y == 20).all()


@pytest.mark.parametrize(
    ("a", "b"), [(0, 0), (1, 2**64 - 1), (2**64 - 1, 2**64 - 1), (2**32, 2**32), (0xDEADBEEFCAFEF00D, 10**12)]
)
def test_wide_products_are_exact(a: int, b: int) -> None:
    high, low = wide_product(np.uint64(a), np.uint64(b))
    assert int(high) * 2**64 + int(low) == a * b


def test_a_draw_below_one_is_zero() -> None:
    value, _ = uniform_below(np.uint64(1), np.uint64(2), np.uint64(0), np.uint64(1))
    assert int(value) == 0


def test_the_commitment_is_plain_sha_256_of_seed_and_salt() -> None:
    assert commitment(258, SALT) == hashlib.sha256(b"\0\0\0\0\0\0\1\2" + SALT).hexdigest()


def test_a_reveal_matches_its_own_commitment_alone() -> None:
    published = commitment(42, SALT)
    assert Reveal(42, SALT).matches(published)
    assert Reveal(42, SALT).matches(published.upper() + "\n")
    assert not Reveal(43, SALT).matches(published)
    assert not Reveal(42, SALT[::-1]).matches(published)
    assert not Reveal(42, SALT).matches("é" * len(published))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InvalidInput, match="could be guessed"):
        commitment(1, b"short")
    with pytest.raises(InvalidInput, match="seed"):
        commitment(-1, SALT)
    with pytest.raises(InvalidInput, match="one_in 1 is not"):
        resample(0, np.array([1]), 20, 1)
    with pytest.raises(InvalidInput, match="workers are counted from 0"):
        own_coins(0, -1, 3, 20)
    with pytest.raises(InvalidInput, match="outside"):
        own_coins(0, 0, 21, 20)
