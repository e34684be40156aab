"""Exact discrete Gaussian noise, vectorised: P(X = x) is proportional to exp(-x^2 / (2 variance)), for any rational variance.

By rejection from the discrete Laplace (Canonne, Kamath and Steinke 2020, algorithm 3): with t = floor(sigma) + 1, draw Y with
P(Y = y) proportional to exp(-|y| / t) and keep it with probability exp(-q), q = (|Y| - sigma^2 / t)^2 / (2 sigma^2).

Keeping is exact for whole arrays. A value is kept if a uniform number U, given bit by bit, is below exp(-q). Sixteen bits of U
are compared with two machine numbers around exp(-q). These come from elementary operations whose rounding is bounded: a table of
exp(-k) and exp(-k / 256), each the rounded end of a certified enclosure, and the first terms of a series for what is left of q.
For the one value in 2^16 that lies between them, more bits and exact fractions decide.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.errors import BudgetError
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.noise import discrete_laplace
from tacita.privacy.randomness import Bernoulli, Source

__all__ = ["LARGEST_VARIANCE", "discrete_gaussian", "require_rho"]

LARGEST_VARIANCE = 2**60
"""Larger noise would have digits that do not fit into 64 bits."""

_FAR = 32
"""Beyond this q, only a U whose first bits are all 0 needs a closer look."""

_NOTHING = 2.0**-46
"""More than exp(-q) is there."""

_PARTS = 256
"""The table has this many steps between two whole numbers."""

_SURE = 1 - 2.0**-49
"""Machine numbers of `_nearly` are off by less than this factor: at most six roundings, each by a factor of 1 +- 2^-53."""

_CLOSE = 2.0**-40
"""Machine numbers for exp(-q) are off by less: by 2^-47 for the series, 32 * 2^-48 for q, and 2^-49 for a dozen roundings."""

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
    chances = np.where(exponents < _FAR, _chances(np.minimum(exponents, _FAR)), 0.0)
    bound = np.where(exponents < _FAR, chances * (1 + _CLOSE), _NOTHING) * 2**_WORD_BITS
    words = np.frombuffer(source.take(drawn.size * _WORD_BITS // 8), dtype="<u2").astype(np.float64)
    kept: Booleans = np.asarray(words + 1 <= chances * (1 - _CLOSE) * 2**_WORD_BITS)
    for place in np.flatnonzero(~kept & (words < bound)).tolist():
        chance = Bernoulli(exp_minus(_exponent(int(drawn[place]), variance, wide)))
        kept[place] = chance.refine(int(words[place]), _WORD_BITS, source)
    return kept


def _chances(exponents: Reals) -> Reals:
    """Compute exp(-q) for q from 0 to `_FAR`, up to a factor of 1 +- `_CLOSE`, without trust in a library's exponential."""
    steps = (exponents * _PARTS).astype(np.int64)
    left = exponents - steps / _PARTS
    whole, part = _table()
    series = 1 - left * (1 - left / 2 * (1 - left / 3 * (1 - left / 4)))
    return np.asarray(whole[steps // _PARTS] * part[steps % _PARTS] * series, dtype=np.float64)


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
def _table() -> tuple[Reals, Reals]:
    """Machine numbers for exp(-k) up to `_FAR`, and for exp(-k / 256)."""
    whole, part = (
        np.array([exp_minus(Fraction(place, parts))(128)[0] / 2**128 for place in range(number)])
        for number, parts in ((_FAR + 1, 1), (_PARTS, _PARTS))
    )
    return whole, part
