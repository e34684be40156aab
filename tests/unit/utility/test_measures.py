"""Errors of queries, preservation of patterns and distances of distributions, against their definitions."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.mining import Patterns, top_contiguous_patterns, top_gapped_patterns, top_itemsets
from tacita.utility import (
    PatternKind,
    QueryKind,
    QueryWorkload,
    compare_tops,
    count_location_sets,
    count_occurrences,
    distributions,
    itemsets,
    location_sequences,
    location_sets,
    measure_basket_distributions,
    measure_distributions,
    measure_next_place,
    measure_patterns,
    measure_queries,
    preservation,
    relative_errors,
    total_variation,
)

ROWS = st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=12)
SOME_ROWS = st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=12)
SMALL = QueryWorkload(longest=4, subsets=2, queries_each=30)


@pytest.mark.parametrize("kind", QueryKind)
@given(raw=SOME_ROWS, released=ROWS, share=st.floats(0.001, 1))
def test_the_error_of_a_subset_is_the_average_of_its_queries(kind, raw, released, share):
    draw, answer = {
        QueryKind.LOCATION_SET: (location_sets, count_location_sets),
        QueryKind.OCCURRENCES: (location_sequences, count_occurrences),
        QueryKind.ITEMSET: (itemsets, count_location_sets),
    }[kind]
    sides = Ragged.from_lists(raw), Ragged.from_lists(released)
    found = measure_queries(*sides, symbols=4, kind=kind, workload=SMALL, sanity_share=share)
    assert [error.max_length for error in found] == [2, 4]
    for error, queries in zip(found, draw(SMALL, symbols=4), strict=True):
        pairs = zip(*(answer(side, queries, symbols=4).tolist() for side in sides), strict=True)
        by_hand = [(true, abs(near - true)) for true, near in pairs]
        relative = [wrong / max(true, share * len(raw)) for true, wrong in by_hand]
        assert error.average_relative_error == pytest.approx(sum(relative) / 30)
        assert error.average_absolute_error == pytest.approx(sum(wrong for _, wrong in by_hand) / 30)
        assert error.matched == sum(true > 0 for true, _ in by_hand)
        assert error.queries == 30


@pytest.mark.parametrize("kind", QueryKind)
@given(raw=SOME_ROWS)
def test_a_release_that_is_the_raw_data_answers_every_query_without_error(kind, raw):
    data = Ragged.from_lists(raw)
    assert all(error.average_relative_error == 0 for error in measure_queries(data, data, symbols=4, kind=kind, workload=SMALL))


def test_an_empty_release_is_wrong_by_the_whole_of_every_answer_above_the_sanity_bound():
    raw, nothing = Ragged.from_lists([[0, 1]] * 9 + [[0]]), Ragged.from_lists([])
    workload = QueryWorkload(longest=1, subsets=1, queries_each=50)
    (error,) = measure_queries(raw, nothing, symbols=2, kind=QueryKind.LOCATION_SET, workload=workload)
    assert (error.average_relative_error, error.matched) == (1.0, 50)
    assert 9 < error.average_absolute_error < 10


def test_a_sanity_bound_stands_in_for_smaller_answers():
    assert relative_errors(np.array([100, 0, 4]), np.array([90, 5, 2]), sanity_bound=10).tolist() == [0.1, 0.5, 0.2]
    for bound in (0.0, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="finite and above 0"):
            relative_errors(np.array([1]), np.array([1]), sanity_bound=bound)


RAW = Patterns.of([((0,), 9), ((1,), 5), ((2,), 5), ((3,), 5), ((4,), 1)])


def test_a_top_counts_ties_of_the_raw_data_as_true_and_lists_no_more_of_the_release_than_asked_for():
    released = Patterns.of([((3,), 8), ((4,), 6), ((0,), 6), ((1,), 1)])
    top = compare_tops(RAW, released, count=2)
    assert (top.true_positives, top.false_positives, top.false_drops) == (2, 0, 0)  # of the two that tie at 6, (0,) comes first
    assert top.true_positive_ratio == 1.0
    assert top.utility == 1 - top.utility_loss
    assert top.utility_loss == pytest.approx((3 / 9 + 1 + 1 + 3 / 5) / 4)  # over the four true ones; (1,) and (2,) are gone


def test_what_is_listed_but_not_true_is_false_and_what_is_missing_is_dropped():
    top = compare_tops(RAW, Patterns.of([((4,), 9), ((7,), 8), ((0,), 7)]), count=3)
    assert (top.true_positives, top.false_positives, top.false_drops) == (1, 2, 2)
    assert top.true_positive_ratio == pytest.approx(1 / 3)


def test_data_with_fewer_patterns_than_asked_for_is_not_blamed_for_it():
    top = compare_tops(RAW, RAW, count=50)
    assert (top.true_positives, top.false_drops, top.true_positive_ratio, top.utility_loss) == (5, 0, 1.0, 0.0)
    none = compare_tops(Patterns.of([]), RAW, count=5)
    assert (none.false_positives, none.true_positive_ratio, none.utility_loss) == (5, 1.0, 0.0)


SEARCHES = {
    PatternKind.GAPPED: top_gapped_patterns,
    PatternKind.CONTIGUOUS: top_contiguous_patterns,
    PatternKind.ITEMSET: top_itemsets,
}


def data_of(kind, rows):
    """The rows as they are, or as baskets."""
    return Ragged.from_lists([sorted(set(row)) for row in rows] if kind is PatternKind.ITEMSET else rows)


@pytest.mark.parametrize(("kind", "search"), SEARCHES.items())
@given(raw=SOME_ROWS, released=ROWS, counts=st.lists(st.integers(1, 30), min_size=1, max_size=3))
def test_every_top_is_what_a_search_for_that_top_alone_gives(kind, search, raw, released, counts):
    sides = data_of(kind, raw), data_of(kind, released)
    found = measure_patterns(*sides, symbols=4, kind=kind, counts=tuple(counts))
    assert [top.count for top in found.tops] == sorted(set(counts))
    for top in found.tops:
        true, near = (search(side, count=top.count, symbols=4, min_length=2) for side in sides)
        listed = list(near.as_dict())[: top.count]
        assert top.true_positives == len(set(listed) & set(true.as_dict()))
        assert top.true_positives + top.false_positives == len(listed)
        assert top.true_positives + top.false_drops == min(top.count, len(true))
        assert 0 <= top.true_positive_ratio <= 1


@pytest.mark.parametrize("kind", PatternKind)
@given(raw=SOME_ROWS)
def test_a_release_that_is_the_raw_data_keeps_every_pattern_and_an_empty_one_keeps_none(kind, raw):
    data = data_of(kind, raw)
    (kept,) = measure_patterns(data, data, symbols=4, kind=kind, counts=(7,)).tops
    assert (kept.true_positive_ratio, kept.false_positives, kept.false_drops, kept.utility_loss) == (1.0, 0, 0, 0.0)
    (gone,) = measure_patterns(data, Ragged.from_lists([]), symbols=4, kind=kind, counts=(7,)).tops
    has_patterns = bool(np.any(data.lengths > 1))
    assert (gone.true_positives, gone.utility_loss) == (0, float(has_patterns))


def test_a_top_with_too_many_ties_is_named_and_the_smaller_ones_are_measured(monkeypatch):
    monkeypatch.setattr(preservation, "PATTERN_LIMIT", 40)
    raw = Ragged.from_lists([[0, 1], [0, 1], list(range(2, 14))])
    found = measure_patterns(raw, raw, symbols=14, kind=PatternKind.GAPPED, counts=(1, 20, 5))
    assert ([top.count for top in found.tops], found.not_measured) == ([1], (5, 20))
    none = measure_patterns(raw, raw, symbols=14, kind=PatternKind.GAPPED, counts=(20,))
    assert (none.tops, none.not_measured) == ((), (20,))
    assert json.loads(json.dumps(none.as_json())) == {"kind": "gapped", "tops": [], "not_measured": [20]}


@pytest.mark.parametrize("cells", [0, 2**24])
@given(first=st.lists(st.integers(0, 5)), second=st.lists(st.integers(0, 5)))
def test_total_variation_is_half_of_the_differences_between_the_shares(cells, first, second):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributions, "_TABLE_CELLS", cells)
        found = total_variation(np.array(first, dtype=np.int64), np.array(second, dtype=np.int64))
    if not first or not second:
        assert found == (1.0 if first or second else 0.0)
    else:
        shares = [Counter(side) for side in (first, second)]
        by_hand = sum(abs(shares[0][value] / len(first) - shares[1][value] / len(second)) for value in range(6)) / 2
        assert found == pytest.approx(by_hand)


def test_distributions_are_those_of_lengths_starts_ends_symbols_and_transitions():
    raw = Ragged.from_lists([[0, 1], [0, 1], [], [2]])
    released = Ragged.from_lists([[0, 1], [1, 0]])
    found = measure_distributions(raw, released, symbols=3)
    assert found.lengths == pytest.approx(0.5)  # 1/4, 1/4, 1/2 of lengths 0, 1, 2 against 2 alone
    assert found.starts == pytest.approx(0.5)  # 2/3 and 1/3 for 0 and 2 against 1/2 and 1/2 for 0 and 1
    assert found.ends == pytest.approx(0.5)
    assert found.symbols == pytest.approx(0.2)
    assert found.transitions == pytest.approx(0.5)


@given(raw=ROWS)
def test_equal_data_has_equal_distributions(raw):
    data = Ragged.from_lists(raw)
    assert set(measure_distributions(data, data, symbols=4).as_json().values()) == {0.0}


def test_distributions_of_baskets_are_those_of_sizes_and_items():
    raw, released = Ragged.from_lists([[0, 1], [0, 1], [2], [2]]), Ragged.from_lists([[0, 1], [0, 1, 2]])
    found = measure_basket_distributions(raw, released)
    assert found.sizes == pytest.approx(0.5)  # halves of sizes 1 and 2 against halves of 2 and 3
    assert found.items == pytest.approx(2 / 15)  # thirds against 2/5, 2/5, 1/5
    assert measure_basket_distributions(raw, raw).as_json() == {"sizes": 0.0, "items": 0.0}
    assert measure_basket_distributions(raw, Ragged.from_lists([])).as_json() == {"sizes": 1.0, "items": 1.0}


def test_behaviour_is_compared_by_trips_returns_and_what_comes_next():
    raw = Ragged.from_lists([[0, 1, 0], [0, 1, 0], [0, 2]])
    released = Ragged.from_lists([[0, 1, 2], [0, 1, 0], [0, 2]])
    found = measure_distributions(raw, released, symbols=3)
    assert found.origins_destinations == pytest.approx(1 / 3)
    assert found.round_trips == pytest.approx(1 / 3)
    assert found.different_places == pytest.approx(1 / 3)
    assert found.returns == pytest.approx(0.2)  # 2 of 5 steps go back, and 1 of 5
    assert found.next_place_lost == 0  # from 0 and 1 one goes to 0 or 2, equally often: the first of both is taken


def test_a_release_without_returns_foresees_none():
    raw = Ragged.from_lists([[0, 1, 0]] * 3)
    assert measure_next_place(raw, Ragged.from_lists([[0, 1, 2]]), symbols=3).lost == pytest.approx(0.5)
