"""Searches for itemsets against an oracle that lists every itemset of every basket."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError, TooManyPatternsError
from tacita.mining import maximal_itemsets, top_gapped_patterns, top_itemsets

BASKETS = st.lists(st.sets(st.integers(0, 5)).map(sorted), max_size=14)
LENGTHS = st.one_of(st.tuples(st.integers(1, 3), st.none()), st.tuples(st.integers(1, 3), st.integers(3, 5)))


def supports_of(baskets):
    return Counter(part for basket in baskets for size in range(1, len(basket) + 1) for part in combinations(basket, size))


def in_order(supports):
    return sorted(supports.items(), key=lambda pair: (-pair[1], pair[0]))


@given(baskets=BASKETS, count=st.integers(1, 40), lengths=LENGTHS)
def test_the_top_is_what_counting_by_hand_finds_ties_included_and_in_order(baskets, count, lengths):
    least, most = lengths
    found = top_itemsets(Ragged.from_lists(baskets), count=count, symbols=6, min_length=least, max_length=most)
    wanted = in_order({part: support for part, support in supports_of(baskets).items() if least <= len(part) <= (most or 9)})
    assert list(found.as_dict().items()) == [pair for pair in wanted if pair[1] >= wanted[min(count, len(wanted)) - 1][1]]


@given(baskets=BASKETS, min_support=st.integers(1, 6))
def test_maximal_itemsets_are_frequent_and_lie_in_no_other_frequent_one(baskets, min_support):
    found = maximal_itemsets(Ragged.from_lists(baskets), min_support=min_support, symbols=6)
    frequent = {part: support for part, support in supports_of(baskets).items() if support >= min_support}
    maximal = {part: support for part, support in frequent.items() if not any(set(part) < set(other) for other in frequent)}
    assert list(found.as_dict().items()) == in_order(maximal)


@given(baskets=st.lists(st.sets(st.integers(0, 90), max_size=12).map(sorted), max_size=60), copies=st.integers(1, 3))
def test_itemsets_of_larger_baskets_are_those_that_a_search_for_increasing_sequences_finds(baskets, copies):
    """In a sequence that increases, a subsequence is a subset; 91 items fit into a key nine times, so some baskets are joined."""
    data = Ragged.from_lists(baskets * copies)
    settings = {"count": 30, "symbols": 91, "max_length": 4}
    assert top_itemsets(data, **settings).as_dict() == top_gapped_patterns(data, **settings).as_dict()


def test_one_long_basket_is_one_maximal_itemset_found_at_once():
    found = maximal_itemsets(Ragged.from_lists([range(2000), range(2000), range(500)]), min_support=2, symbols=2000)
    assert found.as_dict() == {tuple(range(2000)): 2}


def test_a_maximal_itemset_that_others_overlap_is_still_found():
    rows = [[0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 4], [1, 2, 4], [3, 4], [3, 4], [5]]
    found = maximal_itemsets(Ragged.from_lists(rows), min_support=2, symbols=6)
    assert found.as_dict() == {(0, 1, 2, 3): 2, (1, 2, 4): 2, (3, 4): 2}


def test_rare_items_are_left_out_only_where_single_items_make_up_the_top():
    rows = Ragged.from_lists([[0], [0], [0], [1], [1], [1], [2, 3], [2, 3]])
    assert top_itemsets(rows, count=2, symbols=4).as_dict() == {(0,): 3, (1,): 3}
    assert top_itemsets(rows, count=2, symbols=4, min_length=2).as_dict() == {(2, 3): 2}


def test_codes_of_any_width_are_read_alike():
    wide = Ragged.from_lists([[1, 250], [1, 250], [250]])
    narrow = Ragged(wide.codes.astype(np.uint8), wide.offsets)
    assert top_itemsets(narrow, count=3, symbols=251).as_dict() == {(250,): 3, (1,): 2, (1, 250): 2}
    assert maximal_itemsets(narrow, min_support=2, symbols=70_000).as_dict() == {(1, 250): 2}


def test_a_flood_of_ties_is_refused():
    flood = Ragged.from_lists([list(range(20))])
    with pytest.raises(TooManyPatternsError, match="max_patterns = 50 patterns may be listed, but more have a support of 1"):
        top_itemsets(flood, count=10, symbols=20, max_patterns=50)
    apart = Ragged.from_lists([[item] for item in range(20)])
    with pytest.raises(
        TooManyPatternsError, match="max_patterns = 19 itemsets may be listed, but more are maximal; raise min_support"
    ):
        maximal_itemsets(apart, min_support=1, symbols=20, max_patterns=19)
    assert len(maximal_itemsets(apart, min_support=1, symbols=20, max_patterns=20)) == 20


@pytest.mark.parametrize(
    "search",
    [
        lambda data, **rest: top_itemsets(data, count=1, **rest),
        lambda data, **rest: maximal_itemsets(data, min_support=1, **rest),
    ],
)
def test_what_is_no_basket_is_refused(search):
    for rows in ([[1, 0]], [[0, 0]], [[0], [1, 1]]):
        with pytest.raises(ParameterError, match="every basket must strictly increase; some do not"):
            search(Ragged.from_lists(rows), symbols=2)
    with pytest.raises(ParameterError, match="below the number of symbols, 2; some are not"):
        search(Ragged.from_lists([[0, 2]]), symbols=2)
    for rows in ([], [[]], [[], []]):
        assert len(search(Ragged.from_lists(rows), symbols=2)) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"min_support": 0}, "min_support must be a whole number of at least 1, got 0"),
        ({"min_support": 1.5}, "min_support must be"),
        ({"symbols": 0}, "symbols must be"),
        ({"max_patterns": 0}, "max_patterns must be"),
    ],
)
def test_a_search_for_maximal_itemsets_that_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        maximal_itemsets(Ragged.from_lists([[0, 1]]), **{"min_support": 1, "symbols": 2} | wrong)


def test_a_search_for_the_top_that_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="count must be a whole number of at least 1, got 0"):
        top_itemsets(Ragged.from_lists([[0]]), count=0, symbols=1)
