import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged, all_different, lexicographic_order
from tacita.errors import ParameterError


def test_lists_go_in_and_come_out():
    rows = [[1, 2], [], [3]]
    ragged = Ragged.from_lists(rows)
    assert ragged.to_lists() == rows
    assert len(ragged) == 3
    assert ragged.lengths.tolist() == [2, 0, 1]
    assert Ragged.from_lists([]).to_lists() == []


@pytest.mark.parametrize(
    ("offsets", "message"), [([], "begin with 0"), ([0, 1], "end with"), ([1, 3], "begin with 0"), ([0, 4, 3], "not decrease")]
)
def test_offsets_that_do_not_fit_are_refused(offsets, message):
    with pytest.raises(ParameterError, match=message):
        Ragged(np.array([1, 2, 3]), np.array(offsets, dtype=np.int64))


@given(st.lists(st.lists(st.integers(0, 300), max_size=4), max_size=20))
def test_lists_are_ordered_as_python_orders_them_and_equal_ones_stay_in_place(rows):
    order = lexicographic_order(Ragged.from_lists(rows)).tolist()
    assert order == sorted(range(len(rows)), key=lambda place: rows[place])


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=12))
def test_lists_all_differ_if_python_finds_no_two_that_are_equal(rows):
    assert all_different(Ragged.from_lists(rows)) == (len(set(map(tuple, rows))) == len(rows))
