"""The compiled field against plain integers, and Philox against the vectors published with Random123."""

import numpy as np
import pytest

from quorate.model.philox import philox
from quorate.model.realization import Field
from tests.oracle import naive_realization as naive

# (counter, key, output): the known answers of the Random123 distribution for philox4x32-10.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN)
def test_philox_gives_the_published_answers(
    counter: tuple[int, int, int, int], key: tuple[int, int], output: tuple[int, int, int, int]
) -> None:
    assert naive.philox4x32(counter, key) == output
    seed = np.uint64(key[0] | (key[1] << 32))
    assert tuple(int(word) for word in philox(seed, *(np.uint64(c) for c in counter))) == output


def test_philox_agrees_with_plain_integers_everywhere() -> None:
    random = np.random.default_rng(11)
    for _ in range(200):
        words = [int(word) for word in random.integers(0, 2**32, 6)]
        found = philox(np.uint64(words[0] | (words[1] << 32)), *(np.uint64(word) for word in words[2:]))
        assert tuple(int(word) for word in found) == naive.philox4x32(tuple(words[2:]), (words[0], words[1]))


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_each_entry_is_its_uniform_number_compared_with_the_quality(seed: int) -> None:
    random = np.random.default_rng(12)
    qualities = np.concatenate([random.random(20), [0.0, 1.0, 0.5, 0.25, 1 - 2**-33, 2**-32, 1e-12]])
    field = Field.of(seed, qualities)
    everybody = np.arange(len(qualities))
    for task in (0, 1, 63, 64, 127, 128, 9999, 2**20 + 5):
        expected = [naive.is_right(seed, int(i), task, float(qualities[i])) for i in everybody]
        assert field.right(task, everybody).tolist() == expected
        assert field.truth(task) == naive.truth(seed, task)
