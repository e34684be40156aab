from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.utility import QueryWorkload, itemsets, location_sequences, location_sets


def test_the_papers_workloads_have_the_papers_lengths():
    assert QueryWorkload(longest=12, subsets=4).max_lengths == (3, 6, 9, 12)
    assert QueryWorkload(longest=20, subsets=5).max_lengths == (4, 8, 12, 16, 20)
    assert QueryWorkload(longest=6, subsets=4).max_lengths == (1, 3, 4, 6)
    assert QueryWorkload(longest=17, subsets=5).max_lengths == (3, 6, 10, 13, 17)  # MSNBC as sets


@given(symbols=st.integers(1, 30), longest=st.integers(4, 15), seed=st.integers(0, 99))
def test_a_set_query_holds_different_locations_and_is_no_longer_than_its_subset_allows(symbols, longest, seed):
    workload = QueryWorkload(longest=longest, subsets=4, queries_each=60, seed=seed)
    for subset, largest in zip(location_sets(workload, symbols=symbols), workload.max_lengths, strict=True):
        rows = subset.to_lists()
        assert len(rows) == 60
        assert all(row == sorted(set(row)) and set(row) <= set(range(symbols)) for row in rows)
        assert all(1 <= len(row) <= min(largest, symbols) for row in rows)


def test_every_length_and_every_set_of_a_length_is_equally_likely():
    """The seed is fixed; 6 standard deviations are allowed."""
    (subset,) = location_sets(QueryWorkload(longest=3, subsets=1, queries_each=60_000), symbols=5)
    found = Counter(map(tuple, subset.to_lists()))
    for length, sets in ((1, 5), (2, 10), (3, 10)):
        for one in combinations(range(5), length):
            assert abs(found[one] - 20_000 / sets) < 6 * (20_000 / sets) ** 0.5


def test_every_location_of_a_sequence_query_is_drawn_from_the_whole_universe():
    (subset,) = location_sequences(QueryWorkload(longest=4, subsets=1, queries_each=40_000), symbols=4)
    lengths = Counter(subset.lengths.tolist())
    assert set(lengths) == {1, 2, 3, 4}
    assert all(abs(count - 10_000) < 600 for count in lengths.values())
    pairs = Counter(tuple(row) for row in subset.to_lists() if len(row) == 2)
    assert len(pairs) == 16
    assert all(abs(count - lengths[2] / 16) < 160 for count in pairs.values())


@given(symbols=st.integers(1, 30), longest=st.integers(5, 40), seed=st.integers(0, 99))
def test_an_itemset_query_is_a_sequence_query_without_its_repeats(symbols, longest, seed):
    workload = QueryWorkload(longest=longest, subsets=5, queries_each=40, seed=seed)
    drawn = location_sequences(workload, symbols=symbols)
    for subset, sequences in zip(itemsets(workload, symbols=symbols), drawn, strict=True):
        assert subset.to_lists() == [sorted(set(row)) for row in sequences.to_lists()]


def test_a_seed_repeats_a_workload_and_another_one_does_not():
    first, again, other = (
        [subset.to_lists() for subset in location_sets(QueryWorkload(longest=4, subsets=2, seed=seed), symbols=9)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"subsets": 0}, "subsets must be a whole number of at least 1, got 0"),
        ({"longest": 3}, "longest must be a whole number of at least 4, got 3"),
        ({"queries_each": 0}, "queries_each must be"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"longest": 4.0}, "longest must be"),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        QueryWorkload(**{"longest": 4, "subsets": 4} | wrong)
