"""Spreading things evenly without randomness: a fixed hash of integers, and rounding that keeps running sums.

Synthesis needs choices that are as spread out as random ones, but their privacy does not matter: the same noisy answers give the
same release. So integers are hashed by a fixed function (SplitMix64 of Steele, Lea and Flood, OOPSLA 2014). It is not a source of
entropy and must never be used as one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals, Words

__all__ = ["FIRST", "Stream", "evenly_rounded", "scattered", "spread"]


_STRIDE, _FIRST, _SECOND = 0x9E3779B97F4A7C15, np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Stream:
    """What one part of a release is scattered by: every part has a salt and a start of its own."""

    number: int

    @property
    def salt(self) -> int:
        """Added to every salt."""
        return self.number << 40

    @property
    def start(self) -> float:
        """Where rounding begins: a half for the first, then in steps of the golden ratio."""
        return (0.5 + self.number * (5**0.5 - 1) / 2) % 1.0


FIRST = Stream(0)


def scattered(numbers: AnyIntegers, *, salt: int = 0) -> Words:
    """A 64-bit hash of each number; the same number and salt always give the same word."""
    words = numbers.astype(np.uint64) + np.uint64((salt + 1) * _STRIDE % 2**64)
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return np.asarray(words ^ (words >> np.uint64(31)), dtype=np.uint64)


def spread(numbers: AnyIntegers, *, salt: int) -> Reals:
    """The same hash as a fraction in [0, 1)."""
    return (scattered(numbers, salt=salt) >> np.uint64(11)).astype(np.float64) / 2**53


def evenly_rounded(amounts: Reals, *, start: float = 0.5) -> Integers:
    """Round to whole numbers so that each running sum is the rounded running sum of the amounts.

    It is rounded up from 1 - `start` on: over many starts between 0 and 1, each number comes out right on average.

    >>> evenly_rounded(np.array([0.4, 0.4, 0.4, 2.0])).tolist()
    [0, 1, 0, 2]
    """
    sums = np.floor(np.cumsum(amounts) + start).astype(np.int64)
    return np.concatenate([sums[:1], sums[1:] - sums[:-1]])
