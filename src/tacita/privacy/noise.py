"""Exact sampling: discrete Laplace noise, vectorised; the empty cells that pass a threshold; an index drawn by its weight.

The noise X has P(X = x) proportional to exp(-rate * |x|); its scale is 1 / rate, any rational number. It is the difference of
two geometric variables, and a geometric variable with ratio a has *independent* binary digits: digit i is 1 with probability
a^(2^i) / (1 + a^(2^i)). Each digit is one exact comparison of random bits with that probability. Digits 0 to I - 1 are drawn
for a whole array at once; what remains is 2^I times another geometric variable with ratio a^(2^I), drawn for the few elements
where it is not zero. No digit is dropped, so the distribution is exact.

Reference: the digits of a geometric variable are folklore (its generating function factorises); the exactness of comparisons by
refinement follows Knuth and Yao, 1976. Checked in the tests against the exact law and against OpenDP.

Exact discrete Gaussian noise, vectorised: P(X = x) is proportional to exp(-x^2 / (2 variance)), for any rational variance.

By rejection from the discrete Laplace (Canonne, Kamath and Steinke 2020, algorithm 3): with t = floor(sigma) + 1, draw Y with
P(Y = y) proportional to exp(-|y| / t) and keep it with probability exp(-q), q = (|Y| - sigma^2 / t)^2 / (2 sigma^2).

Keeping is exact for whole arrays. A value is kept if a uniform number U, given bit by bit, is below exp(-q). Sixteen bits of U
are compared with two machine numbers around exp(-q). These come from elementary operations whose rounding is bounded: a table of
exp(-k) and exp(-k / 256), each the rounded end of a certified enclosure, and the first terms of a series for what is left of q.
For the one value in 2^16 that lies between them, more bits and exact fractions decide.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, exp, floor, isqrt, log, log1p

import numpy as np

from tacita.arrays import Booleans, Integers, Places, Reals
from tacita.errors import BudgetError
from tacita.privacy.enclosure import Enclosure, exp_minus, odds, one_minus, power_of_two_power, product
from tacita.privacy.randomness import Bernoulli, BernoulliTable, Source

__all__ = [
    "LARGEST_VARIANCE",
    "Bounds",
    "add_noise",
    "discrete_gaussian",
    "discrete_laplace",
    "discrete_laplace_each",
    "geometric",
    "geometric_each",
    "passing_probability",
    "passing_ranks",
    "require_rate",
    "require_rho",
    "stable_threshold",
    "tail_above",
    "threshold_passed_by",
    "weighted_index",
]

SMALLEST_RATE = Fraction(1, 2**40)
LARGEST_DOMAIN = 2**62

_WORDS_AT_ONCE = 2**16
_CARRY_EXPONENT = 11  # digits are drawn until what remains has a probability below exp(-11)
_INT64_BOUND = 2**62


def discrete_laplace(size: int, *, rate: Fraction, source: Source) -> Integers:
    """Draw `size` independent discrete Laplace variables of scale 1 / `rate`."""
    return discrete_laplace_each(np.zeros(size, dtype=np.intp), rates=[rate], source=source)


def discrete_laplace_each(which: Places, *, rates: Sequence[Fraction], source: Source) -> Integers:
    """Draw one variable per element, element j with rate `rates[which[j]]`."""
    return geometric_each(which, rates=rates, source=source) - geometric_each(which, rates=rates, source=source)


def geometric(size: int, *, rate: Fraction, source: Source) -> Integers:
    """Draw `size` variables G >= 0 with P(G = g) proportional to exp(-rate * g)."""
    return geometric_each(np.zeros(size, dtype=np.intp), rates=[rate], source=source)


def tail_above(size: int, *, rate: Fraction, threshold: int, source: Source) -> Integers:
    """Draw `size` discrete Laplace variables given that they reach a threshold of at least 1, where the law is memoryless."""
    _require_threshold(threshold)
    return saturate(geometric(size, rate=rate, source=source) + threshold)


def add_noise(counts: Integers, *, rate: Fraction, source: Source) -> Integers:
    """Add discrete Laplace noise of scale 1 / `rate` to integer counts."""
    return saturate(counts + discrete_laplace(counts.size, rate=rate, source=source))


def saturate(values: Integers) -> Integers:
    """Clip exact sums to 63 bits; clipping the noise before it is added would not be private."""
    return np.clip(values, -_INT64_BOUND, _INT64_BOUND).astype(np.int64)


def geometric_each(which: Places, *, rates: Sequence[Fraction], source: Source) -> Integers:
    """Draw one geometric variable per element, element j with rate `rates[which[j]]`.

    The array holds 64-bit integers, or Python's if a value needs more (with a probability too small to ever be seen).
    """
    for rate in rates:
        require_rate(rate)
    places = max(_places(rate) for rate in rates)
    events, carries = _exponential_law(tuple(rates), places)
    values, carried = _number_and_carry(events, which, source)
    return _add_high_part(values, carried, [carries[law] for law in which[carried]], places, source)


def _places(rate: Fraction) -> int:
    """How many digits are drawn for every element; anything beyond them has a probability below exp(-11)."""
    return max(0, (-(-_CARRY_EXPONENT * rate.denominator // rate.numerator) - 1).bit_length())


@lru_cache(maxsize=1024)
def _exponential_law(rates: tuple[Fraction, ...], places: int) -> tuple[BernoulliTable, tuple[Bernoulli, ...]]:
    """The events of the low digits and, in the last row, the event that the value exceeds them."""
    digits = [[_digit(rate, place) for rate in rates] for place in range(places)]
    carries = tuple(Bernoulli(exp_minus(rate * 2**places)) for rate in rates)
    return BernoulliTable([*digits, carries]), carries


@lru_cache(maxsize=2**16)
def _digit(rate: Fraction, place: int) -> Bernoulli:
    """The event that one digit is 1; cached, because adaptive budgets use the same rates in many combinations."""
    return Bernoulli(odds(exp_minus(rate * 2**place)))


def _number_and_carry(events: BernoulliTable, which: Places, source: Source) -> tuple[Integers, Places]:
    """The numbers whose digits are the rows of a table, lowest first, and the elements with a carry, which is the last row."""
    values = np.zeros(which.size, dtype=np.int64)
    carried = [np.zeros(0, dtype=np.intp)]
    at_once = max(1, _WORDS_AT_ONCE // events.rows)
    for start in range(0, which.size, at_once):
        part = slice(start, start + at_once)
        happened = events.decide(which[part], source)
        carried.append(np.flatnonzero(happened[-1]) + start)
        for byte, row in enumerate(np.packbits(happened[:-1], axis=0, bitorder="little")):
            values[part] |= row.astype(np.int64) << (8 * byte)
    return values, np.concatenate(carried)


def _add_high_part(
    values: Integers,
    carried: Places,
    carries: Sequence[Bernoulli],
    places: int,
    source: Source,
) -> Integers:
    """Add 2^places times the number of carries to each carried element; its first carry has already happened."""
    for element, carry in zip(carried, carries, strict=True):
        times = 1
        while carry.draw(source):
            times += 1
        value = int(values[element]) + (times << places)
        if value > _INT64_BOUND and values.dtype == np.int64:
            values = values.astype(object)
        values[element] = value
    return values


def passing_ranks(empties: int, *, rate: Fraction, threshold: int, source: Source, batch: int | None = None) -> Integers:
    """Which of `empties` cells of count 0 reach the threshold once each has its own noise, without visiting them one by one.

    Geometric gaps skip the cells that fail, which has the same distribution as testing each one. The ranks come in order. The
    number of gaps drawn at once, `batch`, affects speed and memory only; tests choose a small one, to cross many boundaries.
    """
    _require_threshold(threshold)
    if not 0 <= empties < LARGEST_DOMAIN:
        message = f"a domain must have fewer than 2**62 cells, got {empties}"
        raise BudgetError(message)
    events = _gap_law(rate, threshold, empties.bit_length())
    at_once = int(1.1 * empties * passing_probability(rate, threshold)) + 8 if batch is None else batch
    which = np.zeros(min(at_once, 2**16, LARGEST_DOMAIN // max(empties, 1)), dtype=np.intp)  # no sum below passes 64 bits
    found = [np.zeros(0, dtype=np.int64)]
    start = 0  # the first cell that has not been passed over
    while start < empties:
        gaps, past_end = _number_and_carry(events, which, source)
        gaps[past_end] = empties
        ranks = start + np.cumsum(np.minimum(gaps, empties) + 1) - 1
        found.append(ranks[: int(np.searchsorted(ranks, empties))])
        start = int(ranks[-1]) + 1
    return np.concatenate(found)


def passing_probability(rate: Fraction, threshold: int) -> float:
    """P[X >= threshold] for a threshold of at least 1, for planning and printing only."""
    ratio = np.exp(-float(rate))
    return float(np.exp(-float(rate) * threshold) / (1 + ratio))


def threshold_passed_by(share: float, rate: Fraction) -> int:
    """The smallest threshold (at least 1) that at most this share of empty cells passes; for planning only.

    >>> threshold_passed_by(0.001, Fraction(1))
    7
    """
    return max(1, ceil(-(log(share) + log1p(exp(-float(rate)))) / float(rate)))


@lru_cache(maxsize=256)
def stable_threshold(rate: Fraction, delta: Fraction) -> int:
    """The smallest threshold that a count of 1 reaches with a probability of at most delta; proved, not estimated.

    >>> stable_threshold(Fraction(1), Fraction(1, 1000))
    8
    """
    require_rate(rate)
    logarithm = log(delta.numerator) - log(delta.denominator)  # delta itself may underflow a float
    threshold = max(2, floor(-(logarithm + log1p(exp(-float(rate)))) / float(rate)))
    while not _is_passed_at_most(rate, threshold - 1, delta):
        threshold += 1
    return threshold


def _is_passed_at_most(rate: Fraction, threshold: int, delta: Fraction) -> bool:
    """Whether P[X >= threshold] <= delta for certain, to a precision far beyond delta."""
    bits = 128 + max(0, (delta.denominator // delta.numerator).bit_length())
    passing = product(exp_minus(rate * threshold), _one_over_one_plus(exp_minus(rate)))
    return Fraction(passing(bits)[1], 1 << bits) <= delta


@lru_cache(maxsize=4096)
def _gap_law(rate: Fraction, threshold: int, places: int) -> BernoulliTable:
    """The digits of a gap, whose ratio is the probability of failing; the carry means 2^places cells or more."""
    passing = product(exp_minus(rate * threshold), _one_over_one_plus(exp_minus(rate)))
    failing = one_minus(passing)
    digits = [[Bernoulli(odds(power_of_two_power(failing, place)))] for place in range(places)]
    return BernoulliTable([*digits, [Bernoulli(power_of_two_power(failing, places))]])


def _one_over_one_plus(ratio: Enclosure) -> Enclosure:
    return one_minus(odds(ratio))


def require_rate(rate: Fraction) -> None:
    """Refuse noise so large that its digits would not fit into 64 bits."""
    if rate < SMALLEST_RATE:
        message = f"a draw must have an epsilon of at least 2**-40 for each unit of sensitivity, got {float(rate):.3g}"
        raise BudgetError(message)


def _require_threshold(threshold: int) -> None:
    if threshold < 1:
        message = f"a threshold must be at least 1, got {threshold}: below that the tail is not memoryless"
        raise BudgetError(message)


# An exact draw from weights that are known by enclosures only.
#
# Index i is to be drawn with probability w_i / (w_0 + w_1 + ...), where the weights are products of powers and exponentials
# that no machine number holds. The draw is an inversion: a uniform number U falls between two cumulative sums. U and the sums
# are known to some number of bits; as long as these do not decide between which sums U falls, all are refined.

_FIRST_BITS = 64


@dataclass(frozen=True)
class Bounds:
    """Integers low_i <= w_i * s <= high_i for some common factor s, and an upper bound of all weights that are not listed."""

    low: Sequence[int]
    high: Sequence[int]
    rest: int = 0


def weighted_index(weights: Callable[[int], Bounds], source: Source) -> int:
    """Draw an index; `weights(bits)` must enclose all weights ever more tightly, and leave ever less to the rest.

    >>> from tacita.privacy.randomness import SecureSource
    >>> weighted_index(lambda bits: Bounds([0, 5 << bits, 0], [0, 5 << bits, 0]), SecureSource())
    1
    """
    word, known, bits = 0, 0, _FIRST_BITS
    while True:
        word = word << (bits - known) | int.from_bytes(source.take((bits - known) // 8), "little")
        known = bits
        bounds = weights(bits)
        below, above = list(accumulate(bounds.low)), list(accumulate(bounds.high))
        least, most = below[-1], above[-1] + bounds.rest
        # U is in [word, word + 1) / 2**bits; the sum up to index i is in [below_i / most, above_i / least] of the whole
        index = bisect_right(below, (word + 1) * most >> bits)
        for place in (index - 1, index):
            if 0 <= place < len(below):
                starts_before = place == 0 or word * least >= above[place - 1] << bits
                if starts_before and (word + 1) * most <= below[place] << bits:
                    return place
        bits *= 2


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
