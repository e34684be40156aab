"""Certified enclosures of the probabilities that the samplers compare with random bits.

A probability such as exp(-1/12) has no finite expansion. The samplers never round it: they ask for integers `low <= p * 2**bits
<= high`, proved by directed rounding, and for more bits where that does not decide a comparison. Plain integer arithmetic, so
that the proof needs no trust in a floating-point library.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

__all__ = ["Enclosure", "exp_minus", "odds", "one_minus", "power_of_two_power", "product"]

Enclosure = Callable[[int], tuple[int, int]]
"""Given `bits`, integers (low, high) with low <= p * 2**bits <= high; the gap shrinks to a few units as bits grow."""


def exp_minus(exponent: Fraction) -> Enclosure:
    """Enclose exp(-exponent) for an exponent of at least 0.

    >>> low, high = exp_minus(Fraction(1))(40)
    >>> low / 2**40 <= 0.36787944117144233 <= high / 2**40, high - low <= 2
    (True, True)
    """

    def enclose(bits: int) -> tuple[int, int]:
        if exponent == 0:
            return 1 << bits, 1 << bits
        if exponent > bits:  # exp(-x) < 2**-x, so below one unit
            return 0, 1
        halvings = max(0, (exponent.numerator // exponent.denominator + 1).bit_length() + 1)
        work = bits + 2 * halvings + 16
        low, high = _exp_minus_small(exponent / 2**halvings, work)
        for _ in range(halvings):
            low, high = low * low >> work, -(-high * high >> work)
        return low >> (work - bits), -(-high >> (work - bits))

    return enclose


def _exp_minus_small(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Enclose exp(-x) for x in (0, 1/2] by its alternating series; the first term left out bounds the rest."""
    numerator, denominator = exponent.numerator, exponent.denominator
    term_low = term_high = 1 << bits
    low = high = 1 << bits
    index = 0
    while term_high > 1:
        index += 1
        term_low = term_low * numerator // (denominator * index)
        term_high = -(-term_high * numerator // (denominator * index))
        if index % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    return low - term_high, high + term_high


def odds(ratio: Enclosure) -> Enclosure:
    """Enclose r / (1 + r)."""

    def enclose(bits: int) -> tuple[int, int]:
        low, high = ratio(bits + 2)
        one = 1 << (bits + 2)
        return (low << bits) // (one + low), -((-high << bits) // (one + high))

    return enclose


def product(first: Enclosure, second: Enclosure) -> Enclosure:
    """Enclose p * q."""

    def enclose(bits: int) -> tuple[int, int]:
        work = bits + 2
        (low, high), (other_low, other_high) = first(work), second(work)
        shift = 2 * work - bits
        return low * other_low >> shift, -(-high * other_high >> shift)

    return enclose


def one_minus(probability: Enclosure) -> Enclosure:
    """Enclose 1 - p."""

    def enclose(bits: int) -> tuple[int, int]:
        low, high = probability(bits)
        return (1 << bits) - high, (1 << bits) - low

    return enclose


def power_of_two_power(ratio: Enclosure, squarings: int) -> Enclosure:
    """Enclose r ** (2 ** squarings) by squaring with directed rounding."""

    def enclose(bits: int) -> tuple[int, int]:
        work = bits + 2 * squarings + 4
        low, high = ratio(work)
        for _ in range(squarings):
            low, high = max(low, 0) * max(low, 0) >> work, -(-high * high >> work)
        return low >> (work - bits), -(-high >> (work - bits))

    return enclose
