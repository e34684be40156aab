import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from forests import children_sums, consistent, forests, large_forest, variances_of
from tacita.trees.inference import constrained_least_squares


def ones(counts):
    return [np.ones(level.size) for level in counts]


def solve(*levels, variances=None):
    parents = [np.array(level[0], dtype=np.int64) for level in levels]
    counts = [np.array(level[1], dtype=np.float64) for level in levels]
    variances = ones(counts) if variances is None else [np.array(level) for level in variances]
    return [level.tolist() for level in constrained_least_squares(parents, counts, variances)]


def by_nnls(parents, counts, variances):
    """A general solver, in the variables that the library does not use: how many end at each node."""
    offsets = np.cumsum([0, *(level.size for level in counts)])
    size = offsets[-1]
    below = np.eye(size)
    for number in range(len(parents) - 1, 0, -1):
        for node, parent in enumerate(parents[number]):
            below[offsets[number - 1] + parent] += below[offsets[number] + node]
    weights = 1 / np.sqrt(np.concatenate(variances))
    ends, _ = nnls(below * weights[:, None], np.concatenate(counts) * weights, maxiter=1000 * size)
    return np.split(below @ ends, offsets[1:-1])


@given(st.data())
def test_the_estimate_is_the_one_of_a_general_solver(data):
    parents, counts = data.draw(forests())
    if not sum(level.size for level in counts):
        return
    variances = data.draw(st.sampled_from([ones(counts), variances_of(data.draw, parents)]))
    ours = constrained_least_squares(parents, counts, variances)
    for mine, theirs in zip(ours, by_nnls(parents, counts, variances), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


@given(st.data())
def test_estimates_are_consistent_and_consistent_counts_are_left_alone(data):
    parents, counts = data.draw(forests())
    variances = variances_of(data.draw, parents)
    once = constrained_least_squares(parents, counts, variances)
    assert consistent(parents, once)
    for again, before in zip(constrained_least_squares(parents, once, variances), once, strict=True):
        np.testing.assert_allclose(again, before, rtol=0, atol=1e-9)


@given(st.data(), st.sampled_from([0.001, 0.5, 7.0, 1e6]))
def test_only_the_ratios_of_variances_matter_and_counts_may_have_any_unit(data, factor):
    parents, counts = data.draw(forests())
    variances = variances_of(data.draw, parents)
    plain = constrained_least_squares(parents, counts, variances)
    other_variances = constrained_least_squares(parents, counts, [level * factor for level in variances])
    other_counts = constrained_least_squares(parents, [level * factor for level in counts], variances)
    for one, two, three in zip(plain, other_variances, other_counts, strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-9)
        np.testing.assert_allclose(three, one * factor, rtol=0, atol=1e-9 * max(1, factor))


@given(st.data())
def test_trees_of_a_forest_do_not_touch_each_other(data):
    parents, counts = data.draw(forests())
    variances = ones(counts)
    alone = constrained_least_squares(parents, counts, variances)
    sizes = [level.size for level in counts]
    twice = [np.concatenate([level, level + above]) for level, above in zip(parents, [0, *sizes], strict=False)]
    zeros = [np.concatenate([level, np.zeros_like(level)]) for level in counts]
    both = constrained_least_squares(twice, zeros, ones(zeros))
    for one, two in zip(alone, both, strict=True):
        np.testing.assert_array_equal(one, two[: one.size])
        assert not np.any(two[one.size :])


def test_two_children_who_outnumber_their_parent_meet_it_half_way():
    assert solve(([0], [10]), ([0, 0], [8, 8])) == [[pytest.approx(12)], [pytest.approx(6), pytest.approx(6)]]


def test_a_parent_that_is_nearly_certain_hardly_moves():
    (parent,), children = solve(([0], [10]), ([0, 0], [8, 8]), variances=[[1e-12], [1.0, 1.0]])
    assert parent == pytest.approx(10)
    assert children == [pytest.approx(5), pytest.approx(5)]


def test_a_child_that_is_nearly_certain_hardly_moves():
    _, children = solve(([0], [10]), ([0, 0], [8, 8]), variances=[[1.0], [1e-12, 1.0]])
    assert children[0] == pytest.approx(8)
    assert children[1] == pytest.approx(5)


def test_negative_counts_become_zero_and_take_nothing_from_their_brothers():
    assert solve(([0], [10]), ([0, 0], [-5, 4])) == [[10], [0, 4]]


def test_a_child_is_cut_to_zero_rather_than_below_by_a_much_larger_brother():
    parent, children = solve(([0], [30]), ([0, 0, 0], [30, 30, 150]))
    assert children[:2] == [0, 0]
    assert parent[0] == children[2] == pytest.approx(90)


def test_no_levels_and_empty_levels_are_trees_too():
    assert solve() == []
    assert solve(([], []), ([], [])) == [[], []]


@pytest.mark.parametrize(("height", "scale"), [(12, 12.0), (12, 1000.0), (24, 84.0)])
def test_multipliers_certify_the_estimate_on_large_trees(height, scale):
    parents, _, noisy = large_forest(nodes=100_000, height=height, scale=scale)
    estimates = constrained_least_squares(parents, noisy, ones(noisy))
    assert consistent(parents, estimates)
    multipliers = np.zeros(1)
    for number, (level, slack) in enumerate(zip(estimates, children_sums(parents, estimates), strict=True)):
        above = multipliers[parents[number]] if number else 0.0
        multipliers = above + level - noisy[number]
        assert multipliers.min() > -1e-6
        assert np.abs(np.minimum(multipliers, level - slack)).max() < 1e-6


def test_a_thousand_levels_of_one_node_are_the_isotonic_estimate():
    counts = [np.array([float(value)]) for value in ([5, 9] * 500)]
    parents = [np.zeros(1, dtype=np.int64)] * len(counts)
    estimates = constrained_least_squares(parents, counts, ones(counts))
    np.testing.assert_allclose(np.concatenate(estimates), 7, atol=1e-9)
