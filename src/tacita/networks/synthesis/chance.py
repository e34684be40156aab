"""Choices that are spread as random ones are, from a public number alone.

Wiring a graph takes millions of choices on which nothing private hangs: all that they see has been released. They are a fixed
function of a seed that is made of noisy answers, so the same answers give the same graph.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers, Places, Reals, Words
from tacita.arrays.scatter import scattered

__all__ = ["Chance"]


class Chance:
    """A stream of choices; each call goes on where the last one ended."""

    def __init__(self, *answers: Integers) -> None:
        """Begin at a number that all the noisy answers are mixed into."""
        seed = np.uint64(1)
        for answer in answers:
            words = scattered(np.arange(answer.size), salt=3) ^ answer.astype(np.int64).view(np.uint64)
            seed = scattered(np.array([seed ^ np.bitwise_xor.reduce(scattered(words), initial=np.uint64(0))]))[0]
        self._seed = int(seed)
        self._calls = 0

    def words(self, size: int) -> Words:
        """That many 64-bit words."""
        self._calls += 1
        return scattered(np.arange(size), salt=self._seed + self._calls * 0x1D2F)

    def fractions(self, size: int) -> Reals:
        """That many fractions from 0 on, below 1."""
        return (self.words(size) >> np.uint64(11)).astype(np.float64) / 2**53

    def below(self, bounds: Integers) -> Integers:
        """A whole number from 0 on below each bound, all of which are at least 1 and below 2**52."""
        return np.asarray(self.fractions(bounds.size) * bounds, dtype=np.int64)

    def order(self, size: int) -> Places:
        """An order of that many things."""
        return np.argsort(self.words(size))
