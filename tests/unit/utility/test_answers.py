"""Answers against counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core.errors import ParameterError
from tacita.core.ragged import Ragged
from tacita.utility import answers, count_location_sets, count_occurrences

ROWS = st.lists(st.lists(st.integers(0, 4), max_size=7), max_size=40)
QUERIES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), max_size=12)


@pytest.mark.parametrize("memory", [1, 2**27])
@given(rows=ROWS, queries=QUERIES)
def test_a_set_is_counted_once_in_each_record_that_has_all_of_it(memory, rows, queries):
    """With a byte of memory the records are taken eight at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "_BITMAP_BYTES", memory)
        found = count_location_sets(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=5)
    assert found.tolist() == [sum(set(query) <= set(row) for row in rows) for query in queries]


@pytest.mark.parametrize("cells", [0, 2**24])
@given(rows=ROWS, queries=QUERIES)
def test_a_sequence_is_counted_wherever_it_occurs(cells, rows, queries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "_TABLE_CELLS", cells)
        found = count_occurrences(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=5)
    assert found.tolist() == [
        sum(row[place : place + len(query)] == query for row in rows for place in range(len(row))) for query in queries
    ]


def test_an_occurrence_does_not_run_from_one_record_into_the_next():
    assert count_occurrences(Ragged.from_lists([[0], [], [1]]), Ragged.from_lists([[0, 1]]), symbols=2).tolist() == [0]


@pytest.mark.parametrize("count", [count_location_sets, count_occurrences])
def test_queries_that_cannot_be_asked_are_refused(count):
    data = Ragged.from_lists([[0, 1]])
    with pytest.raises(ParameterError, match="one symbol at least, some have none"):
        count(data, Ragged.from_lists([[0], []]), symbols=2)
    with pytest.raises(ParameterError, match="below the number of symbols, 2"):
        count(data, Ragged.from_lists([[2]]), symbols=2)
    with pytest.raises(ParameterError, match="below the number of symbols, 1"):
        count(data, Ragged.from_lists([[0]]), symbols=1)


@pytest.mark.parametrize("count", [count_location_sets, count_occurrences])
def test_no_records_match_nothing_and_no_queries_get_no_answers(count):
    assert count(Ragged.from_lists([]), Ragged.from_lists([[0], [0, 1]]), symbols=2).tolist() == [0, 0]
    assert count(Ragged.from_lists([[0]]), Ragged.from_lists([]), symbols=2).dtype == np.int64
