import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged, are_sets, distinct

UNIVERSES = [1, 2, 17, 32, 33, 63, 64, 65, 1012]
"""Around the sizes at which lists become masks of 32 bits, of 64 bits, or pairs."""


@pytest.mark.parametrize("symbols", UNIVERSES)
@given(data=st.data())
def test_lists_become_sets_in_order_and_empty_ones_are_left_out(symbols, data):
    lists = data.draw(st.lists(st.lists(st.integers(0, symbols - 1), max_size=8), max_size=8))
    found = distinct(Ragged.from_lists(lists), symbols=symbols)
    assert found.to_lists() == [sorted(set(row)) for row in lists if row]
    assert are_sets(found)


@pytest.mark.parametrize("symbols", UNIVERSES)
def test_the_last_code_of_a_universe_is_as_good_as_any(symbols):
    last = symbols - 1
    assert distinct(Ragged.from_lists([[last, 0, last], [last]]), symbols=symbols).to_lists() == [sorted({0, last}), [last]]


@pytest.mark.parametrize("symbols", [8, 200])
@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint32, np.int64])
def test_codes_keep_their_type(symbols, kind):
    found = distinct(Ragged(np.array([3, 1, 3, 2], dtype=kind), np.array([0, 3, 4])), symbols=symbols)
    assert found.codes.dtype == kind
    assert found.to_lists() == [[1, 3], [2]]


def test_what_is_in_order_already_is_not_copied():
    lists = Ragged.from_lists([[0, 5], [1], [0, 1, 2]])
    assert distinct(lists, symbols=6).codes is lists.codes


@pytest.mark.parametrize("lists", [[[1, 1]], [[2, 1]], [[]], [[1], []], [[0, 1], [3, 2]]])
def test_what_is_no_set_is_seen(lists):
    assert not are_sets(Ragged.from_lists(lists))


@pytest.mark.parametrize("lists", [[], [[0]], [[5], [0]], [[0, 1], [0, 1]]])
def test_sets_are_seen_as_sets(lists):
    assert are_sets(Ragged.from_lists(lists))
