import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.testing import public_generator
from tacita.trees.noisy_tree import without_false_nodes

COUNTS = st.lists(st.integers(0, 300), min_size=1, max_size=60)


def corrected(excess, *, rate=0.1, threshold=50, expected_false):
    counts = np.asarray(excess, dtype=np.float64) + threshold
    return counts, without_false_nodes(counts, excess=(counts - threshold) * rate, expected_false=expected_false)


def discrete_laplace(size, *, rate, seed):
    generator = public_generator(seed)
    return generator.geometric(1 - np.exp(-rate), size) - generator.geometric(1 - np.exp(-rate), size)


@given(COUNTS)
def test_where_no_false_nodes_are_expected_nothing_changes(excess):
    counts, after = corrected(excess, expected_false=0.0)
    np.testing.assert_array_equal(after, counts)


@given(COUNTS, st.floats(0, 100))
def test_counts_are_never_raised_nor_negative_and_keep_their_order(excess, expected_false):
    counts, after = corrected(np.sort(excess), expected_false=expected_false)
    assert np.all((after >= 0) & (after <= counts))
    assert np.all(np.diff(after) >= 0)


def test_where_fewer_nodes_are_seen_than_expected_by_chance_all_become_zero():
    _, after = corrected([0, 1, 5, 9, 12], expected_false=20.0)
    assert after.tolist() == [0] * 5


def test_a_node_far_above_the_threshold_is_believed():
    counts, after = corrected([0, 1, 2, 400], expected_false=4.0)
    assert after[:3].tolist() == [0, 0, 0]
    assert after[3] == pytest.approx(counts[3], rel=1e-3)


@pytest.mark.parametrize("rate", [0.05, 0.5, 3.0])
def test_of_nodes_that_nobody_is_in_next_to_nothing_is_left(rate):
    excess = public_generator(4).geometric(1 - np.exp(-rate), 20_000) - 1
    counts, after = corrected(excess, rate=rate, expected_false=20_000.0)
    assert after.sum() < 0.05 * counts.sum()


def test_the_sum_of_kept_counts_comes_near_the_truth():
    rate, threshold, empty = 0.1, 30, 40_000
    true = np.concatenate([np.zeros(empty, dtype=np.int64), np.arange(20, 220)])
    noisy = true + discrete_laplace(true.size, rate=rate, seed=8)
    kept = noisy >= threshold
    expected_false = true.size * np.exp(-rate * threshold) / (1 + np.exp(-rate))
    counts, after = corrected(noisy[kept] - threshold, rate=rate, threshold=threshold, expected_false=expected_false)
    truth = true[kept].sum()
    assert counts.sum() > 2.5 * truth
    assert after.sum() == pytest.approx(truth, rel=0.1)
