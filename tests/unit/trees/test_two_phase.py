import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import isotonic_regression

from forests import consistent, forests, noisy_tree
from tacita.trees import Inference, LevelNoise, estimate, terminations
from tacita.trees.inference import two_phase_estimate


def family(parent, *children):
    parents = [np.zeros(1, dtype=np.int64), np.zeros(len(children), dtype=np.int64)]
    return parents, [np.array([float(parent)]), np.array(children, dtype=np.float64)]


def by_definition(parents, counts):
    """The published text, one path after the other."""
    has_children = [set(level.tolist()) for level in parents[1:]] + [set()]
    said = [[[] for _ in level] for level in counts]
    for number, level in enumerate(counts):
        for leaf in set(range(level.size)) - has_children[number]:
            path, node = [], leaf
            for higher in range(number, -1, -1):
                path.append((higher, node))
                node = int(parents[higher][node])
            fitted = isotonic_regression([counts[higher][node] for higher, node in path]).x
            for (higher, node), value in zip(path, fitted, strict=True):
                said[higher][node].append(value)
    estimates = [np.array([np.mean(values) for values in level]) for level in said]
    middle = [level.copy() for level in estimates]
    for number in range(1, len(parents)):
        for node, parent in enumerate(parents[number]):
            children = np.flatnonzero(parents[number] == parent)
            excess = estimates[number - 1][parent] - middle[number][children].sum()
            estimates[number][node] += min(0.0, excess / children.size)
    return estimates


@given(forests())
def test_the_estimate_is_what_the_papers_define(forest):
    for ours, defined in zip(two_phase_estimate(*forest), by_definition(*forest), strict=True):
        np.testing.assert_allclose(ours, defined, rtol=0, atol=1e-9)


@given(forests(least=0))
def test_before_rounding_no_children_outnumber_their_parent(forest):
    parents, _ = forest
    estimates = two_phase_estimate(*forest)
    for above, level, children in zip(estimates, parents[1:], estimates[1:], strict=False):
        sums = np.bincount(level, children, above.size)
        asked = np.bincount(level, minlength=above.size) > 0
        assert np.all(sums[asked] <= above[asked] + 1e-9)


def test_as_published_it_gives_negative_counts_and_a_child_larger_than_its_parent():
    (parent,), children = two_phase_estimate(*family(30, 30, 30, 150))
    assert parent == pytest.approx(50)
    assert children.tolist() == [pytest.approx(-10 / 3), pytest.approx(-10 / 3), pytest.approx(170 / 3)]


def test_as_published_rounding_breaks_the_sum():
    parents, counts = family(30, 30, 30, 32)
    (parent,), children = two_phase_estimate(parents, counts)
    assert parent == pytest.approx(91 / 3)
    assert children.tolist() == [pytest.approx(88 / 9), pytest.approx(88 / 9), pytest.approx(97 / 9)]
    released = estimate(noisy_tree(parents, counts), Inference.TWO_PHASE, noise=[LevelNoise(rate=0.1)] * 2)
    assert [level.counts.tolist() for level in released.levels] == [[30], [10, 10, 11]]


@pytest.mark.parametrize("children", [(30, 30, 150), (30, 30, 32)])
def test_where_the_published_estimate_fails_the_exact_one_keeps_the_constraints(children):
    parents, counts = family(30, *children)
    noise = [LevelNoise(rate=0.1)] * 2
    published = estimate(noisy_tree(parents, counts), Inference.TWO_PHASE, noise=noise)
    assert not consistent(parents, [level.counts for level in published.levels])
    exact = estimate(noisy_tree(parents, counts), Inference.EXACT, noise=noise)
    assert consistent(parents, [level.counts for level in exact.levels])


def test_negative_counts_are_released_as_zero_so_that_sequences_can_be_written():
    parents, counts = family(30, 30, 30, 150)
    released = estimate(noisy_tree(parents, counts), Inference.TWO_PHASE, noise=[LevelNoise(rate=0.1)] * 2)
    assert [level.counts.tolist() for level in released.levels] == [[50], [0, 0, 57]]
    assert [ends.tolist() for ends in terminations(released)] == [[0], [0, 0, 57]]
