"""How frequent rare items are: better than their noisy numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.sets.synthesis.item_law import likely_means


@pytest.mark.parametrize("deviation", [5.0, 50.0, 500.0])
def test_squared_errors_are_smaller_than_those_of_noisy_numbers_and_the_sum_is_kept(deviation):
    generator = np.random.default_rng(4)
    truth = np.rint(1000 / np.arange(1, 2001) ** 0.8)
    noisy = truth + generator.laplace(scale=deviation / np.sqrt(2), size=truth.size)
    found = likely_means(noisy, deviation=deviation)
    assert ((found - truth) ** 2).sum() < ((np.maximum(noisy, 0) - truth) ** 2).sum()
    assert found.sum() == pytest.approx(noisy.sum(), abs=4 * deviation * np.sqrt(truth.size))


def test_items_far_above_their_noise_keep_their_numbers():
    noisy = np.concatenate([np.random.default_rng(5).laplace(scale=10, size=500), [5000.0, 9000.0]])
    assert likely_means(noisy, deviation=10 * 2**0.5)[-2:].tolist() == [5000.0, 9000.0]


def test_a_number_within_its_noise_is_not_shrunk_to_nothing_where_many_items_are_as_large():
    truth = np.concatenate([np.zeros(5000), np.full(500, 1300.0)])
    noisy = truth + np.random.default_rng(6).laplace(scale=288 / np.sqrt(2), size=truth.size)
    assert likely_means(noisy, deviation=288.0)[5000:].mean() == pytest.approx(1300, rel=0.2)


@given(arrays(np.float64, st.integers(0, 60), elements=st.floats(-1e6, 1e6)), st.floats(0.5, 1e4))
def test_numbers_are_never_negative_and_grow_with_the_noisy_ones(noisy, deviation):
    found = likely_means(noisy, deviation=deviation)
    assert found.shape == noisy.shape
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    near = np.sort(noisy[noisy < 12 * deviation])
    assert (np.diff(found[np.argsort(noisy, kind="stable")][: near.size]) >= -1e-6 * deviation).all()
