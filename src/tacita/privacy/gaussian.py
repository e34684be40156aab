"""Exact discrete Gaussian noise, vectorised: P(X = x) is proportional to exp(-x^2 / (2 variance)), for any rational variance.

By rejection from the discrete Laplace (Canonne, Kamath and Steinke 2020, algorithm 3): with t = floor(sigma) + 1, draw Y with
P(Y = y) proportional to exp(-|y| / t) and keep it with probability exp(-q), q = (|Y| - sigma^2 / t)^2 / (2 sigma^2).

Keeping is exact for whole arrays. q is written in binary: exp(-q) is the product of exp(-2^j) over its digits, so Y is kept if
every one of these independent events happens, each decided against a certified enclosure. The digits come from machine numbers
whose rounding is bounded, downwards; what is missing from q is hardly more than 2^-16, so the last event, of probability
exp(-missing), fails with less than 2^-16: if sixteen random bits are not all zero, it has not. If they are, more bits and exact
fractions decide.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.errors import BudgetError
from tacita.privacy.enclosure import exp_minus, one_minus
from tacita.privacy.noise import discrete_laplace
from tacita.privacy.randomness import Bernoulli, BernoulliTable, Source

__all__ = ["LARGEST_VARIANCE", "discrete_gaussian", "require_rho"]

LARGEST_VARIANCE = 2**60
"""Larger noise would have digits that do not fit into 64 bits."""

_WHOLE_DIGITS, _PARTIAL_DIGITS = 10, 16
"""Of q, which is below 1,024 but for the rarest values of the smallest variances."""

_FAR = float(2**_WHOLE_DIGITS)
_SURE = 1 - 2.0**-49
"""Machine numbers below are off by less than this factor: at most six roundings, each by a factor of 1 +- 2^-53."""

_WORD_BITS = 16
_AT_ONCE = 2**15


def discrete_gaussian(size: int, *, variance: Fraction, source: Source) -> Integers:
    """Draw `size` independent discrete Gaussian variables of this parameter, which is nearly their variance."""
    if not 0 < variance <= LARGEST_VARIANCE:
        message = f"Gaussian noise must have a variance above 0 and at most 2**60, got {float(variance):.3g}"
        raise BudgetError(message)
    wide = _floor_root(variance) + 1
    found = np.zeros(size, dtype=np.int64)
    missing = np.arange(size)
    while missing.size:
        kept = []
        for start in range(0, missing.size, _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            drawn = discrete_laplace(part.size, rate=Fraction(1, wide), source=source)
            keeps = _kept(drawn, variance, wide, source)
            found[part[keeps]] = drawn[keeps].astype(np.int64)
            kept.append(keeps)
        missing = missing[~np.concatenate(kept)]
    return found


def require_rho(rho: Fraction) -> None:
    """Refuse a rho so small that its noise would not fit into 64 bits."""
    if 2 * rho * LARGEST_VARIANCE < 1:
        message = f"a draw must cost a rho of at least 2**-61, got {float(rho):.3g}; the budget is too small to be divided so far"
        raise BudgetError(message)


def _floor_root(variance: Fraction) -> int:
    return isqrt(variance.numerator // variance.denominator)


def _exponent(value: int, variance: Fraction, wide: int) -> Fraction:
    return (abs(value) - variance / wide) ** 2 / (2 * variance)


def _kept(drawn: Integers, variance: Fraction, wide: int, source: Source) -> Booleans:
    """Which values are kept, each with probability exp(-q)."""
    exponents = _nearly(drawn, variance, wide)
    far = exponents >= _FAR
    digits = np.where(far, 0, np.floor(exponents * 2.0**_PARTIAL_DIGITS)).astype("<u4")
    happened = _events().decide(np.zeros(drawn.size, dtype=np.intp), source)
    ones = np.unpackbits(digits.view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")[:, : happened.shape[0]]
    kept: Booleans = np.asarray(~(ones.T.astype(np.bool_) & ~happened).any(axis=0))
    for place in np.flatnonzero(far).tolist():
        kept[place] = Bernoulli(exp_minus(_exponent(int(drawn[place]), variance, wide))).draw(source)
    words = np.frombuffer(source.take(drawn.size * _WORD_BITS // 8), dtype=np.uint8).reshape(-1, _WORD_BITS // 8)
    for place in np.flatnonzero(kept & ~far & ~words.any(axis=1)).tolist():
        rest = _exponent(int(drawn[place]), variance, wide) - Fraction(int(digits[place]), 2**_PARTIAL_DIGITS)
        kept[place] = not Bernoulli(one_minus(exp_minus(rest))).refine(0, _WORD_BITS, source)
    return kept


def _nearly(drawn: Integers, variance: Fraction, wide: int) -> Reals:
    """Lower bounds of q that are off by a factor of less than 1 - 2^-48."""
    above, below = variance.numerator, variance.denominator
    sizes = np.abs(drawn)
    largest = max(int(sizes.max(initial=0)), 1) * wide * below + above
    if largest < 2**62:
        off = np.abs(sizes * (wide * below) - above).astype(np.float64)
    else:
        off = np.array([float(abs(int(size) * wide * below - above)) for size in sizes], dtype=np.float64)
    nearly: Reals = off * off / float(2 * above * below * wide * wide) * _SURE
    return nearly


@lru_cache(maxsize=1)
def _events() -> BernoulliTable:
    """The event of each digit, from the lowest."""
    places = range(-_PARTIAL_DIGITS, _WHOLE_DIGITS)
    return BernoulliTable([[Bernoulli(exp_minus(Fraction(2) ** place))] for place in places])
