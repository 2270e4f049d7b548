"""Vector and Index against list and dict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.campaign.persistent import Index, Vector


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 1023, 1024, 1025, 32768, 32769])
def test_a_vector_is_a_list_at_every_depth(size: int) -> None:
    grown: Vector[int] = Vector()
    for number in range(size):
        grown = grown.append(number)
    assert list(grown) == list(range(size))
    assert grown == Vector(range(size))
    assert grown.append(-1)[size] == -1
    if size:
        assert grown.set(size - 1, -1)[size - 1] == -1
        assert grown[size - 1] == size - 1


@given(st.lists(st.integers(0, 5), max_size=80), st.lists(st.tuples(st.integers(0, 100), st.integers()), max_size=60))
def test_versions_do_not_disturb_each_other(start: list[int], changes: list[tuple[int, int]]) -> None:
    versions = [(Vector(start), list(start))]
    for at, value in changes:
        vector, plain = versions[-1]
        if at < len(plain):
            versions.append((vector.set(at, value), [*plain[:at], value, *plain[at + 1 :]]))
        else:
            versions.append((vector.append(value), [*plain, value]))
    for vector, plain in versions:
        assert list(vector) == plain
        assert len(vector) == len(plain)


@pytest.mark.parametrize("index", [-1, 3, 100])
def test_positions_outside_are_refused(index: int) -> None:
    vector = Vector([1, 2, 3])
    with pytest.raises(IndexError):
        vector[index]
    with pytest.raises(IndexError):
        vector.set(index, 0)


def test_vectors_of_different_items_differ() -> None:
    assert Vector([1, 2]) != Vector([1, 3])
    assert Vector([1, 2]) != Vector([1])
    assert Vector([1]) != [1]


@given(st.lists(st.text(max_size=4), unique=True))
def test_an_index_finds_what_was_added_and_nothing_else(texts: list[str]) -> None:
    index = Index()
    for number, text in enumerate(texts):
        assert index.get(text) is None
        index = index.add(text, number)
    assert [index.get(text) for text in texts] == list(range(len(texts)))
    again = Index.of(texts)
    assert [again.get(text) for text in texts] == list(range(len(texts)))
    assert len(index) == len(again) == len(texts)
    assert index.get("not there") is None
