"""How frequent rare items are: better than their noisy numbers, and than nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.sets.synthesis import likely_counts


def errors(estimates, truth, bound):
    return (np.abs(estimates - truth) / np.maximum(truth, bound)).mean()


@pytest.mark.parametrize("deviation", [5.0, 50.0, 500.0])
def test_relative_errors_are_smaller_than_those_of_noisy_numbers_and_hardly_above_those_of_nothing(deviation):
    generator = np.random.default_rng(4)
    truth = np.rint(1000 / np.arange(1, 2001) ** 0.8)
    noisy = truth + generator.laplace(scale=deviation / np.sqrt(2), size=truth.size)
    found = errors(likely_counts(noisy, deviation=deviation, sanity_bound=10.0), truth, 10.0)
    assert found < errors(np.maximum(noisy, 0), truth, 10.0)
    assert found < 1.05 * errors(np.zeros(truth.size), truth, 10.0)


def test_items_that_stand_out_keep_their_numbers():
    truth = np.concatenate([np.full(500, 3.0), [5000.0, 9000.0]])
    noisy = truth + np.random.default_rng(5).laplace(scale=10, size=truth.size)
    found = likely_counts(noisy, deviation=10 * 2**0.5, sanity_bound=5.0)
    assert np.abs(found[-2:] / truth[-2:] - 1).max() < 0.1


@given(arrays(np.float64, st.integers(0, 60), elements=st.floats(-1e6, 1e6)), st.floats(0.5, 1e4), st.floats(0.1, 1e3))
def test_numbers_are_never_negative_and_grow_with_the_noisy_ones(noisy, deviation, bound):
    found = likely_counts(noisy, deviation=deviation, sanity_bound=bound)
    assert found.shape == noisy.shape
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (np.diff(found[np.argsort(noisy, kind="stable")]) >= -1e-9).all()
