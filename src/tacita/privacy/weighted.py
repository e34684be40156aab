"""An exact draw from weights that are known by enclosures only.

Index i is to be drawn with probability w_i / (w_0 + w_1 + ...), where the weights are products of powers and exponentials that
no machine number holds. The draw is an inversion: a uniform number U falls between two cumulative sums. Both U and the sums are
known to some number of bits; while these leave it open between which sums U falls, all are refined.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tacita.privacy.randomness import Source

__all__ = ["Bounds", "weighted_index"]

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
