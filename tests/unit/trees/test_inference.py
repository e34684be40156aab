from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forests import children_sums, consistent, each, forests, large_forest, noisy_tree
from tacita.errors import ParameterError
from tacita.trees import Inference, LevelNoise, NoisyTree, estimate, sequences_from_tree, terminations

CONSISTENT = [Inference.EXACT, Inference.CORRECTED]


def counts_of(tree):
    return [level.counts for level in tree.levels]


def figures(parents, *, rate=0.1, threshold=1, expected_false=2.0):
    return [LevelNoise(rate=rate, threshold=threshold, expected_false=expected_false) for _ in parents]


@given(st.data(), st.sampled_from(CONSISTENT))
def test_consistent_estimates_are_whole_numbers_that_keep_the_constraints(data, inference):
    parents, counts = data.draw(forests(least=1))
    rates = [np.array(data.draw(each(level, st.sampled_from([0.01, 0.3, 2.0])))) for level in parents]
    noise = [LevelNoise(rate=level, threshold=1, expected_false=3.0) for level in rates]
    result = estimate(noisy_tree(parents, counts), inference, noise=noise)
    assert all(level.counts.dtype == np.int64 for level in result.levels)
    assert consistent(parents, counts_of(result))


@given(forests(least=1), st.sampled_from(CONSISTENT))
def test_on_a_consistent_tree_terminations_need_no_clipping_and_add_up_to_the_first_level(forest, inference):
    parents, counts = forest
    result = estimate(noisy_tree(parents, counts), inference, noise=figures(parents))
    pairs = zip(result.levels, children_sums(parents, counts_of(result)), strict=True)
    for ends, (level, children) in zip(terminations(result), pairs, strict=True):
        np.testing.assert_array_equal(ends, level.counts - children)
    assert len(sequences_from_tree(result)) == result.levels[0].counts.sum()


@given(forests(), st.sampled_from([Inference.NONE, Inference.EXACT]))
def test_an_estimate_of_an_estimate_changes_nothing(forest, inference):
    parents, counts = forest
    once = estimate(noisy_tree(parents, counts), inference, noise=figures(parents))
    twice = estimate(once, inference, noise=figures(parents))
    for one, two in zip(counts_of(once), counts_of(twice), strict=True):
        np.testing.assert_array_equal(one, two)


@given(forests(), st.sampled_from(list(Inference)))
def test_nodes_stay_where_they_are_and_the_noisy_tree_is_untouched(forest, inference):
    parents, counts = forest
    tree = noisy_tree(parents, counts)
    result = estimate(tree, inference, noise=figures(parents))
    for before, after, count in zip(tree.levels, result.levels, counts, strict=True):
        assert after.parents is before.parents
        assert after.symbols is before.symbols
        np.testing.assert_array_equal(before.counts, count)


@given(forests(least=1), st.sampled_from(list(Inference)))
def test_one_rate_for_a_level_is_the_same_rate_for_each_node(forest, inference):
    parents, counts = forest
    tree = noisy_tree(parents, counts)
    single = estimate(tree, inference, noise=figures(parents, rate=Fraction(1, 7), threshold=1))
    many = [LevelNoise(rate=np.full(level.size, 1 / 7), threshold=np.ones(level.size), expected_false=2.0) for level in parents]
    for one, two in zip(counts_of(single), counts_of(estimate(tree, inference, noise=many)), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_level_with_less_noise_is_believed_more():
    parents = [np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)]
    tree = noisy_tree(parents, [[100], [80, 80]])
    sure_parent = estimate(tree, Inference.EXACT, noise=[LevelNoise(rate=10.0), LevelNoise(rate=0.01)])
    sure_children = estimate(tree, Inference.EXACT, noise=[LevelNoise(rate=0.01), LevelNoise(rate=10.0)])
    assert [level.tolist() for level in counts_of(sure_parent)] == [[100], [50, 50]]
    assert [level.tolist() for level in counts_of(sure_children)] == [[160], [80, 80]]


def test_expected_false_nodes_lower_the_corrected_estimate_alone():
    parents = [np.zeros(40, dtype=np.int64)]
    tree = noisy_tree(parents, [[10] * 39 + [500]])
    noise = figures(parents, threshold=10, expected_false=30.0)
    sums = {inference: int(estimate(tree, inference, noise=noise).levels[0].counts.sum()) for inference in Inference}
    assert sums[Inference.NONE] == sums[Inference.TWO_PHASE] == sums[Inference.EXACT] == 890
    assert 500 <= sums[Inference.CORRECTED] < 700


@pytest.mark.parametrize("inference", list(Inference))
def test_trees_without_nodes_have_estimates(inference):
    assert estimate(NoisyTree(()), inference, noise=[]).levels == ()
    empty = noisy_tree([np.zeros(0, dtype=np.int64)] * 2, [[], []])
    assert len(estimate(empty, inference, noise=[LevelNoise(rate=1)] * 2)) == 0


@pytest.mark.parametrize("inference", CONSISTENT)
def test_noise_larger_than_any_population_overflows_nothing(inference):
    parents = [np.zeros(3, dtype=np.int64), np.array([0, 0, 2])]
    tree = noisy_tree(parents, [[2**62, 1, 2**62], [2**62, 2**62, 1]])
    rates = [LevelNoise(rate=2.0**-40), LevelNoise(rate=1e6)]
    assert consistent(parents, counts_of(estimate(tree, inference, noise=rates)))


@pytest.mark.parametrize("rate", [0.001, 0.5, 3.0])
def test_variances_are_those_of_discrete_laplace_noise(rate):
    values = np.arange(-100_000, 100_001)
    weights = np.exp(-rate * np.abs(values))
    expected = np.sum(weights * values.astype(np.float64) ** 2) / weights.sum()
    assert LevelNoise(rate=rate).variances == pytest.approx(expected)


@pytest.mark.parametrize("rate", [0, -1.0, float("nan"), float("inf"), np.array([1.0, 0.0])])
def test_rates_that_are_none_are_refused(rate):
    with pytest.raises(ParameterError, match="rates of a level must be positive and finite, got"):
        LevelNoise(rate=rate)


@pytest.mark.parametrize("expected_false", [-1.0, float("nan"), float("inf")])
def test_impossible_numbers_of_false_nodes_are_refused(expected_false):
    with pytest.raises(ParameterError, match="must be finite and not negative, got"):
        LevelNoise(rate=1.0, expected_false=expected_false)


def test_figures_of_another_tree_are_refused():
    parents = [np.zeros(3, dtype=np.int64)]
    tree = noisy_tree(parents, [[1, 2, 3]])
    with pytest.raises(ParameterError, match="each of the 1 levels of a tree needs the figures of its noise, got 2"):
        estimate(tree, Inference.EXACT, noise=[LevelNoise(rate=1.0)] * 2)
    for wrong in (LevelNoise(rate=np.ones(2)), LevelNoise(rate=1.0, threshold=np.ones(4, dtype=np.int64))):
        with pytest.raises(ParameterError, match="level 1 needs one rate and threshold, or one for each of 3 nodes"):
            estimate(tree, Inference.EXACT, noise=[wrong])


def test_where_every_node_is_known_the_exact_estimate_is_nearer_to_the_truth_than_the_published_one():
    parents, true, noisy = large_forest(nodes=30_000, height=8, scale=30.0)
    tree, noise = noisy_tree(parents, noisy), figures(parents, rate=1 / 30)
    errors = {}
    for inference in (Inference.NONE, Inference.TWO_PHASE, Inference.EXACT):
        pairs = zip(counts_of(estimate(tree, inference, noise=noise)), true, strict=True)
        errors[inference] = sum(float(((one - two) ** 2).sum()) for one, two in pairs)
    assert errors[Inference.EXACT] < errors[Inference.TWO_PHASE] < errors[Inference.NONE]
