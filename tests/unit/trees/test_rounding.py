import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forests import children_sums, consistent, forests, large_forest
from tacita.trees.inference import LARGEST_COUNT, consistent_integers, constrained_least_squares

TWENTIETHS = st.integers(0, 60).map(lambda number: number / 20)
SIXTEENTHS = st.integers(0, 48).map(lambda number: number / 16)  # whose halves are exact


def round_family(parent, children):
    parents = [np.zeros(1, dtype=np.int64), np.zeros(len(children), dtype=np.int64)]
    (above,), below = consistent_integers(parents, [np.array([parent]), np.array(children)])
    return int(above), below.tolist()


def consistent_reals(parents, ends):
    values = [level.copy() for level in ends]
    for number in range(len(values) - 1, 0, -1):
        np.add.at(values[number - 1], parents[number], values[number])
    return values


@given(forests(values=TWENTIETHS))
def test_rounding_keeps_the_constraints_and_moves_no_count_by_one(forest):
    parents, ends = forest
    values = consistent_reals(parents, ends)
    rounded = consistent_integers(parents, values)
    assert consistent(parents, rounded)
    for whole, value in zip(rounded, values, strict=True):
        assert whole.dtype == np.int64
        assert np.all(np.abs(whole - value) < 1)


@given(forests(values=SIXTEENTHS))
def test_children_get_the_whole_number_nearest_to_their_sum_or_all_that_their_parent_has(forest):
    parents, ends = forest
    values = consistent_reals(parents, ends)
    rounded = consistent_integers(parents, values)
    whole_sums, sums = children_sums(parents, rounded), children_sums(parents, values)
    for above, whole, real in zip(rounded, whole_sums, sums, strict=True):
        np.testing.assert_array_equal(whole, np.minimum(above, np.floor(real + 0.5)))


@given(forests(least=0))
def test_whole_numbers_stay(forest):
    parents, ends = forest
    values = consistent_reals(parents, ends)
    for whole, value in zip(consistent_integers(parents, values), values, strict=True):
        np.testing.assert_array_equal(whole, value)


def test_equal_fractions_are_rounded_up_in_the_order_of_the_labels():
    assert round_family(1.0, [1 / 3, 1 / 3, 1 / 3]) == (1, [1, 0, 0])
    assert round_family(2.0, [2 / 3, 2 / 3, 2 / 3]) == (2, [1, 1, 0])


def test_the_last_bit_of_a_sum_decides_no_tie():
    third = 0.1 + 0.2  # is larger than 0.3 by one bit
    assert round_family(1.0, [0.3, third, 0.3]) == (1, [1, 0, 0])


def test_larger_fractions_go_first():
    assert round_family(3.0, [1.2, 0.9, 0.9]) == (3, [1, 1, 1])
    assert round_family(3.0, [0.4, 0.7, 1.9]) == (3, [0, 1, 2])


def test_children_have_no_more_than_a_parent_that_was_rounded_down():
    assert round_family(1.4, [0.7, 0.7]) == (1, [1, 0])


def test_sums_that_miss_a_whole_number_by_an_error_of_rounding_are_taken_as_it():
    assert round_family(3 - 1e-12, [1.0, 2.0]) == (3, [1, 2])


def test_counts_that_no_population_reaches_are_cut_and_stay_consistent():
    parent, children = round_family(1e300, [1e300, 5.0])
    assert children == [LARGEST_COUNT, 5]
    assert parent == LARGEST_COUNT + 5


def test_a_large_estimated_forest_is_rounded_consistently():
    parents, _, noisy = large_forest(nodes=100_000, height=12, scale=84.0)
    values = constrained_least_squares(parents, noisy, [np.ones(level.size) for level in noisy])
    rounded = consistent_integers(parents, values)
    assert consistent(parents, rounded)
    assert max(np.abs(whole - value).max() for whole, value in zip(rounded, values, strict=True)) < 1
