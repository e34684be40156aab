"""Answers against counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.utility import count_location_sets, count_occurrences, count_queries

ROWS = st.lists(st.lists(st.integers(0, 4), max_size=7), max_size=40)
QUERIES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), max_size=12)


def by_hand(rows, queries):
    return [sum(set(query) <= set(row) for row in rows) for query in queries]


@given(rows=ROWS, queries=QUERIES)
def test_a_set_is_counted_once_in_each_record_that_has_all_of_it(rows, queries):
    found = count_location_sets(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=5)
    assert found.tolist() == by_hand(rows, queries)


@pytest.mark.parametrize("cost", [0, 3, 10**9])
@pytest.mark.parametrize(("memory", "pairs"), [(1, 1), (2**27, 7), (2**27, 2**17)])
@given(rows=st.lists(st.lists(st.integers(0, 4), max_size=7), max_size=150), queries=QUERIES)
def test_every_way_of_counting_sets_gives_the_same_answers(cost, memory, pairs, rows, queries):
    """With a byte of memory the records are taken 64 at a time; a cost of 0 looks records up, a large one intersects bitmaps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_queries, "_TABLE_SYMBOLS", 0)
        patch.setattr(count_queries, "_PAIR_COST", cost)
        patch.setattr(count_queries, "_BITMAP_BYTES", memory)
        patch.setattr(count_queries, "_PAIRS_AT_ONCE", pairs)
        found = count_location_sets(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=5)
    assert found.tolist() == by_hand(rows, queries)


@pytest.mark.parametrize("symbols", [22, 23, 70_000])
def test_sets_are_counted_over_universes_of_every_size(symbols):
    last = symbols - 1
    rows, queries = [[last, 0, last], [0, 7], [last], []], [[0], [last], [0, last], [7, 0], [7, last], [last, last, 0]]
    found = count_location_sets(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=symbols)
    assert found.tolist() == [2, 2, 1, 1, 0, 1]


@pytest.mark.parametrize("cells", [0, 2**24])
@given(rows=ROWS, queries=QUERIES)
def test_a_sequence_is_counted_wherever_it_occurs(cells, rows, queries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_queries, "_TABLE_CELLS", cells)
        found = count_occurrences(Ragged.from_lists(rows), Ragged.from_lists(queries), symbols=5)
    assert found.tolist() == [
        sum(row[place : place + len(query)] == query for row in rows for place in range(len(row))) for query in queries
    ]


def test_an_occurrence_does_not_run_from_one_record_into_the_next():
    assert count_occurrences(Ragged.from_lists([[0], [], [1]]), Ragged.from_lists([[0, 1]]), symbols=2).tolist() == [0]


@pytest.mark.parametrize("count", [count_location_sets, count_occurrences])
def test_queries_that_cannot_be_asked_are_refused(count):
    data = Ragged.from_lists([[0, 1]])
    with pytest.raises(ParameterError, match="at least one symbol, but some have none"):
        count(data, Ragged.from_lists([[0], []]), symbols=2)
    with pytest.raises(ParameterError, match="below the number of symbols, 2"):
        count(data, Ragged.from_lists([[2]]), symbols=2)
    with pytest.raises(ParameterError, match="below the number of symbols, 1"):
        count(data, Ragged.from_lists([[0]]), symbols=1)


@pytest.mark.parametrize("count", [count_location_sets, count_occurrences])
def test_no_records_match_nothing_and_no_queries_get_no_answers(count):
    assert count(Ragged.from_lists([]), Ragged.from_lists([[0], [0, 1]]), symbols=2).tolist() == [0, 0]
    assert count(Ragged.from_lists([[0]]), Ragged.from_lists([]), symbols=2).dtype == np.int64
