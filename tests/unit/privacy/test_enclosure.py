from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.privacy.enclosure import exp_minus, odds, one_minus, power_of_two_power, product

EXPONENTS = st.fractions(min_value=Fraction(1, 2**44), max_value=200)
BITS = st.integers(8, 300)


def check(enclosure, truth, bits, width):
    """The bounds hold against an independent evaluation at far more digits, and they are tight."""
    low, high = enclosure(bits)
    with mpmath.workprec(bits + 400):
        scaled = truth() * mpmath.mpf(2) ** bits
        assert low <= scaled <= high
    assert high - low <= width


def exponential(exponent):
    return mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)


@given(EXPONENTS, BITS)
def test_the_exponential_is_enclosed_tightly(exponent, bits):
    check(exp_minus(exponent), lambda: exponential(exponent), bits, 2)


@given(EXPONENTS, BITS)
def test_odds_are_enclosed_tightly(exponent, bits):
    check(odds(exp_minus(exponent)), lambda: exponential(exponent) / (1 + exponential(exponent)), bits, 3)


@given(EXPONENTS, EXPONENTS, BITS)
def test_a_product_is_enclosed_tightly(first, second, bits):
    check(product(exp_minus(first), exp_minus(second)), lambda: exponential(first) * exponential(second), bits, 4)


@given(EXPONENTS, BITS, st.integers(0, 40))
@settings(max_examples=50)
def test_repeated_squares_are_enclosed_tightly(exponent, bits, squarings):
    ratio = one_minus(odds(exp_minus(exponent)))
    check(
        power_of_two_power(ratio, squarings),
        lambda: (1 - exponential(exponent) / (1 + exponential(exponent))) ** (2**squarings),
        bits,
        3,
    )


def test_an_exponent_of_zero_gives_one_exactly():
    assert exp_minus(Fraction(0))(64) == (2**64, 2**64)


@pytest.mark.parametrize("bits", [8, 64, 500])
def test_an_exponential_below_one_unit_is_still_enclosed(bits):
    assert exp_minus(Fraction(10**6))(bits) == (0, 1)
