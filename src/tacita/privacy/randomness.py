"""The one module that touches entropy.

A source hands out random bytes. The only private source is the operating system's generator, read afresh for every batch, so
that a forked process never repeats its parent's noise. That generator is itself a stream cipher seeded by the kernel: every
guarantee that rests on it is computational, and the manifest says so.

An event of probability p is decided exactly: random bits are compared with a certified enclosure of p and both are refined
until they differ.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tacita.arrays import AnyIntegers, Booleans, Places
from tacita.privacy.enclosure import Enclosure

__all__ = ["Bernoulli", "BernoulliTable", "SecureSource", "Source", "describe", "is_private", "token", "uniform_below"]

_REFINING_BITS = 64


class Source(Protocol):
    """Where random bytes come from."""

    def take(self, size: int) -> bytes:
        """Hand out `size` bytes, never the same ones twice."""
        ...


class SecureSource:
    """The operating system's cryptographic generator."""

    def take(self, size: int) -> bytes:
        """Hand out `size` fresh bytes."""
        return os.urandom(size)


def is_private(source: Source) -> bool:
    """Whether a guarantee may rest on this source; decided here, not by the source itself."""
    return type(source) is SecureSource


def describe(source: Source) -> str:
    """Name the source as the manifest does."""
    if is_private(source):
        return "operating system entropy (a cryptographic generator, so the guarantee is computational)"
    return f"{type(source).__name__}, which is not a private source"


def token() -> str:
    """An unguessable name, for entries of a ledger."""
    return SecureSource().take(16).hex()


def uniform_below(bound: int, source: Source) -> int:
    """Draw an integer from 0 to `bound` - 1, each with the same probability exactly."""
    bits = max(1, (bound - 1).bit_length())
    size = (bits + 7) // 8
    while True:
        value = int.from_bytes(source.take(size), "little") & ((1 << bits) - 1)
        if value < bound:
            return value


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """An event with a probability below 1, given by enclosures."""

    probability: Enclosure

    def bounds(self, bits: int) -> tuple[int, int]:
        """Two bounds for a `bits`-bit word: below the first means yes, from the second up no, in between more bits decide."""
        guard = 32
        low, high = self.probability(bits + guard)
        return min(max(low, 0) >> guard, (1 << bits) - 1), -(-high >> guard)

    def draw(self, source: Source) -> bool:
        """Decide one event."""
        return self.refine(0, 0, source)

    def refine(self, word: int, bits: int, source: Source) -> bool:
        """Decide an event whose first `bits` bits were `word` and did not decide it."""
        while True:
            word = word << _REFINING_BITS | int.from_bytes(source.take(_REFINING_BITS // 8), "little")
            bits += _REFINING_BITS
            low, high = self.bounds(bits)
            if word < low:
                return True
            if word >= high:
                return False


class BernoulliTable:
    """Rows of events, each with one variant per law, decided for whole arrays of elements at once.

    Entropy is the expensive part, so every event first gets eight bits; the one in 256 that they leave undecided gets sixteen
    more, and the rest as many as it takes.
    """

    def __init__(self, rows: Sequence[Sequence[Bernoulli]]) -> None:
        """`rows[i][k]` is event i of an element that follows law k."""
        self._rows = rows
        self.rows = len(rows)
        self._low, self._width = self._bounds(8, np.uint8)
        self._low_24, self._width_24 = self._bounds(24, np.uint32)

    def _bounds(self, bits: int, dtype: npt.DTypeLike) -> tuple[AnyIntegers, AnyIntegers]:
        bounds = np.array([[event.bounds(bits) for event in row] for row in self._rows], dtype=np.int64)
        return bounds[..., 0].astype(dtype), (bounds[..., 1] - bounds[..., 0]).astype(dtype)

    def decide(self, which: Places, source: Source) -> Booleans:
        """Decide `rows[i][which[j]]` for every row i and element j."""
        low, width = self._low, self._width
        if low.shape[1] > 1:
            low, width = low[:, which], width[:, which]
        words = np.frombuffer(source.take(self.rows * which.size), dtype=np.uint8).reshape(self.rows, which.size)
        happened = words < low
        open_rows, open_elements = np.nonzero((words - low) < width)
        if open_rows.size:
            laws = which[open_elements]
            longer = words[open_rows, open_elements].astype(np.uint32) << 16
            longer |= np.frombuffer(source.take(2 * longer.size), dtype="<u2")
            low, width = self._low_24[open_rows, laws], self._width_24[open_rows, laws]
            decided = longer < low
            for index in np.flatnonzero((longer - low) < width):
                decided[index] = self._rows[open_rows[index]][laws[index]].refine(int(longer[index]), 24, source)
            happened[open_rows, open_elements] = decided
        return happened
