"""Discrete Gaussian noise: what keeping a value depends on is exact, for any variance; laws are in the statistical tests."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from tacita.errors import BudgetError
from tacita.privacy import noise
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.noise import discrete_gaussian
from tacita.testing import SeededSource

VARIANCES = [Fraction(9, 100), Fraction(1), Fraction(7, 3), Fraction(10**6), Fraction(10**18 + 1, 7), Fraction(1, 10**9)]


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_the_digits_of_an_exponent_are_a_lower_bound_that_lacks_almost_nothing(variance):
    wide = noise._floor_root(variance) + 1
    values = np.unique(np.concatenate([np.arange(12), (np.linspace(0, 9, 50) * wide).astype(np.int64)]))
    nearly = noise._nearly(values, variance, wide)
    for value, bound in zip(values.tolist(), nearly.tolist(), strict=True):
        truth = noise._exponent(value, variance, wide)
        assert 0 <= truth - Fraction(bound) <= truth / 2**48


def test_a_variance_of_large_terms_is_drawn_from_even_if_every_value_is_zero():
    variance = Fraction(1, 2**70 + 1)
    assert not discrete_gaussian(50, variance=variance, source=SeededSource(0)).any()


@pytest.mark.parametrize("value", [0, 3, 10, 25])
def test_a_value_is_kept_as_often_as_its_law_says(value):
    variance, draws = Fraction(25, 4), 40_000
    kept = noise._kept(np.full(draws, value), variance, 3, SeededSource(value)).mean()
    chance = exp(-float(noise._exponent(value, variance, 3)))
    assert abs(kept - chance) < 5 * (chance * (1 - chance) / draws) ** 0.5 + 1e-9


def test_machine_numbers_for_a_chance_are_off_by_less_than_is_allowed_for():
    """Against exact enclosures of exp(-q), for the smallest and largest q between two entries of the table, and others."""
    near = np.array(
        [0.0, 2.0**-60, 1 / 256 - 2.0**-30, 1 / 256, 0.5, 1 - 2.0**-40, 1.0, 7.3, 31.999, 32.0, *np.linspace(0, 32, 400)]
    )
    for exponent, found in zip(near.tolist(), noise._chances(near).tolist(), strict=True):
        low, high = exp_minus(Fraction(exponent))(160)
        assert (
            Fraction(low, 2**160) * (1 - Fraction(1, 2**44))
            <= Fraction(found)
            <= Fraction(high, 2**160) * (1 + Fraction(1, 2**44))
        )


def test_a_number_between_the_machine_numbers_is_decided_by_fractions(monkeypatch):
    """With bounds so wide that they decide hardly anything, and values so far that they decide nothing, the law is the same."""
    variance, value, draws = Fraction(37, 3), 4, 4_000
    chance = exp(-float(noise._exponent(value, variance, 4)))
    for name, wide in (("_CLOSE", 0.9), ("_FAR", 0)):
        monkeypatch.setattr(noise, name, wide)
        if name == "_FAR":
            monkeypatch.setattr(noise, "_NOTHING", 1.0)
        kept = noise._kept(np.full(draws, value), variance, 4, SeededSource(5)).mean()
        assert abs(kept - chance) < 4 * (chance * (1 - chance) / draws) ** 0.5
        monkeypatch.undo()


def test_only_the_smallest_numbers_are_below_the_chance_of_a_far_value():
    """A word of zeros is looked at more closely, and then hardly ever kept."""

    class Zeros:
        def take(self, size):
            return b"\0" * size

    variance = Fraction(1, 4)
    assert noise._exponent(6, variance, 1) > 32
    assert noise._kept(np.full(3, 6), variance, 1, Zeros()).all(), "every bit of U is 0"
    assert not noise._kept(np.full(2_000, 6), variance, 1, SeededSource(4)).any()


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(50), Fraction(10**10)], ids=str)
def test_noise_is_centred_and_as_wide_as_it_says(variance):
    values = discrete_gaussian(20_000, variance=variance, source=SeededSource(3)).astype(np.float64)
    deviation = float(variance) ** 0.5
    assert abs(values.mean()) < 4 * deviation / 20_000**0.5
    assert values.std() == pytest.approx(0.4617 if variance == Fraction(1, 4) else deviation, rel=0.03)


def test_nothing_is_drawn_for_nobody_and_odd_variances_are_refused():
    assert discrete_gaussian(0, variance=Fraction(1), source=SeededSource(1)).size == 0
    for variance in (Fraction(0), Fraction(-1), Fraction(2**61)):
        with pytest.raises(BudgetError, match="must have a variance"):
            discrete_gaussian(1, variance=variance, source=SeededSource(1))
