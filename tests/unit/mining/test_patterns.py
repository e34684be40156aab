"""Both searches against an oracle that lists every pattern of every record."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError, TooManyPatternsError
from tacita.mining import Patterns, collapse, sequences, top_contiguous_patterns, top_gapped_patterns

ROWS = st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=12)


def gapped_supports(rows):
    supports = Counter()
    for row in rows:
        supports.update({part for length in range(1, len(row) + 1) for part in combinations(row, length)})
    return supports


def occurrences(rows):
    return Counter(tuple(row[begin:end]) for row in rows for begin in range(len(row)) for end in range(begin + 1, len(row) + 1))


def top_with_ties(supports, count, min_length, max_length):
    wanted = {pattern: support for pattern, support in supports.items() if min_length <= len(pattern) <= (max_length or 99)}
    ordered = sorted(wanted.items(), key=lambda pair: (-pair[1], pair[0]))
    return [pair for pair in ordered if pair[1] >= ordered[min(count, len(ordered)) - 1][1]]


LENGTHS = st.one_of(st.tuples(st.integers(1, 3), st.none()), st.tuples(st.integers(1, 3), st.integers(3, 5)))


@pytest.mark.parametrize(("search", "oracle"), [(top_gapped_patterns, gapped_supports), (top_contiguous_patterns, occurrences)])
@given(rows=ROWS, count=st.integers(1, 40), lengths=LENGTHS)
def test_a_search_finds_what_counting_by_hand_finds_ties_included_and_in_order(search, oracle, rows, count, lengths):
    found = search(Ragged.from_lists(rows), count=count, symbols=4, min_length=lengths[0], max_length=lengths[1])
    assert list(found.as_dict().items()) == top_with_ties(oracle(rows), count, *lengths)


@pytest.mark.parametrize("cells", [0, 2**26])
@pytest.mark.parametrize("cost", [0, 1, 10**9])
@given(rows=ROWS, count=st.integers(1, 40))
def test_every_way_of_going_on_finds_the_same_patterns(cells, cost, rows, count):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequences, "_TABLE_CELLS", cells)
        patch.setattr(sequences, "_BISECTION_COST", cost)
        found = top_gapped_patterns(Ragged.from_lists(rows), count=count, symbols=4)
    assert list(found.as_dict().items()) == top_with_ties(gapped_supports(rows), count, 1, None)


@given(rows=st.lists(st.lists(st.integers(0, 300), max_size=9), max_size=9), copies=st.integers(1, 3))
def test_collapsed_sequences_stand_for_the_records_that_are_not_empty(rows, copies):
    """With 301 symbols seven fit into a key, so that both short and long sequences occur."""
    sequences = collapse(Ragged.from_lists(rows * copies), symbols=301)
    found = Counter()
    for row, weight in zip(sequences.sequences.to_lists(), sequences.weights.tolist(), strict=True):
        found[tuple(row)] += weight
    assert found == Counter(tuple(row) for row in rows * copies if row)
    short = [tuple(row) for row in sequences.sequences.to_lists() if len(row) <= 7]
    assert len(short) == len(set(short))


def test_sequences_are_joined_up_to_the_length_that_fits_a_key_and_kept_apart_beyond():
    rows = [[300] * length for length in (6, 7, 8, 9) for _ in range(2)]
    sequences = collapse(Ragged.from_lists(rows), symbols=301)
    assert sequences.sequences.to_lists() == [[300] * length for length in (6, 7, 8, 8, 9, 9)]
    assert sequences.weights.tolist() == [2, 2, 1, 1, 1, 1]


def test_one_symbol_alone_in_the_universe_is_packed_like_any_other():
    sequences = collapse(Ragged.from_lists([[0] * 70, [0] * 64, [0] * 64, []]), symbols=1)
    assert sequences.sequences.lengths.tolist() == [64, 70]
    assert sequences.weights.tolist() == [2, 1]


def test_codes_of_any_width_are_read_alike():
    wide = Ragged.from_lists([[1, 250], [1, 250], [250]])
    narrow = Ragged(wide.codes.astype(np.uint8), wide.offsets)
    for search in (top_gapped_patterns, top_contiguous_patterns):
        assert search(narrow, count=3, symbols=251).as_dict() == search(wide, count=3, symbols=251).as_dict()


def test_a_repeated_symbol_is_one_match_a_record_with_gaps_and_overlapping_occurrences_without():
    rows = Ragged.from_lists([[0, 0, 0]])
    assert top_gapped_patterns(rows, count=9, symbols=1).as_dict() == {(0,): 1, (0, 0): 1, (0, 0, 0): 1}
    assert top_contiguous_patterns(rows, count=9, symbols=1).as_dict() == {(0,): 3, (0, 0): 2, (0, 0, 0): 1}


def test_a_smaller_top_is_cut_from_a_larger_one_with_its_own_ties():
    found = Patterns.of([((1,), 5), ((0,), 5), ((2,), 7), ((3,), 1)])
    assert list(found.top(1)) == [(2,)]
    assert list(found.top(2)) == [(2,), (0,), (1,)]
    assert found.top(9) == found.as_dict()
    assert found.top(0) == Patterns.of([]).top(3) == {}


@pytest.mark.parametrize("search", [top_gapped_patterns, top_contiguous_patterns])
def test_a_flood_of_ties_is_refused(search):
    with pytest.raises(TooManyPatternsError, match="max_patterns = 50 patterns may be listed, but more have a support of 1"):
        search(Ragged.from_lists([list(range(20))]), count=10, symbols=20, max_patterns=50)


@pytest.mark.parametrize("search", [top_gapped_patterns, top_contiguous_patterns])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"count": 0}, "count must be a whole number of at least 1, got 0"),
        ({"count": True}, "count must be"),
        ({"min_length": 0}, "min_length must be"),
        ({"min_length": 3, "max_length": 2}, "max_length must be a whole number of at least 3, got 2"),
        ({"count": 7, "max_patterns": 6}, "max_patterns must be a whole number of at least 7, got 6"),
        ({"symbols": 2}, "below the number of symbols, 2; some are not"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(search, wrong, message):
    with pytest.raises(ParameterError, match=message):
        search(Ragged.from_lists([[0, 2]]), **{"count": 1, "symbols": 3} | wrong)


def test_more_symbols_than_places_are_refused(monkeypatch):
    monkeypatch.setattr(sequences, "LARGEST_SIZE", 3)
    with pytest.raises(ParameterError, match="at most 2 symbols can be searched at once, got 3; search a sample"):
        top_gapped_patterns(Ragged.from_lists([[0, 0, 0]]), count=1, symbols=1)
