"""Spreading without randomness: fixed, even, and true to running sums."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.scatter import evenly_rounded, scattered, spread


def test_the_words_are_those_of_splitmix():
    """The first two outputs of the published generator with seed 0."""
    assert scattered(np.zeros(1, dtype=np.int64)).tolist() == [0xE220A8397B1DCDAF]
    assert scattered(np.zeros(1, dtype=np.int64), salt=1).tolist() == [0x6E789E6AA1B965F4]


def test_fractions_are_even_and_another_salt_gives_others():
    fractions = spread(np.arange(100_000), salt=5)
    assert 0 <= fractions.min() <= fractions.max() < 1
    assert np.abs(np.bincount((fractions * 10).astype(int), minlength=10) / 10_000 - 1).max() < 0.05
    assert abs(np.corrcoef(fractions, spread(np.arange(100_000), salt=6))[0, 1]) < 0.02


@given(st.lists(st.floats(0, 50), max_size=40))
def test_rounded_amounts_have_rounded_running_sums(amounts):
    rounded = evenly_rounded(np.array(amounts, dtype=np.float64))
    assert rounded.size == len(amounts)
    assert (rounded >= 0).all()
    assert (np.abs(np.cumsum(rounded) - np.cumsum(amounts)) <= 0.5 + 1e-9).all()
