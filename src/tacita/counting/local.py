"""Counting on one machine, on NumPy columns.

Which way a count is taken (by a table or by sorting) depends on sizes and changes speed and memory only, never the result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.core.ragged import Ragged

__all__ = ["PrefixCounter"]

Integers = npt.NDArray[np.int64]

_TABLE_CELLS_PER_KEY = 16


class PrefixCounter:
    """Counts how many sequences continue a kept prefix by each symbol, one length after the other.

    The cell of (prefix, symbol) has the number `prefix * symbols + symbol`, where prefixes are numbered by their place among the
    kept cells of the level before. At the start there is one prefix, the empty one.
    """

    def __init__(self, sequences: Ragged, *, symbols: int) -> None:
        """Start with every sequence that has a first symbol."""
        self._codes = sequences.codes
        self._symbols = symbols
        begins, ends = sequences.offsets[:-1], sequences.offsets[1:]
        alive = begins < ends
        self._position = begins[alive]
        self._end = ends[alive]
        self._prefix = np.zeros(self._position.size, dtype=np.int64)
        self._prefixes = 1

    @property
    def domain(self) -> int:
        """How many cells there are: every kept prefix by every symbol."""
        return self._prefixes * self._symbols

    def counts(self) -> tuple[Integers, Integers]:
        """The non-empty cells in increasing order, and how many sequences are in each."""
        cells = self._cells()
        if self._fits_table(cells.size):
            table = np.bincount(cells, minlength=self.domain)
            keys = np.flatnonzero(table)
            return keys, table[keys].astype(np.int64, copy=False)
        keys, counts = np.unique(cells, return_counts=True)
        return keys, counts.astype(np.int64, copy=False)

    def keep(self, kept: Integers) -> None:
        """Go one symbol further, with the sequences whose cell was kept; `kept` increases."""
        cells = self._cells()
        if self._fits_table(cells.size):
            place_of = np.full(self.domain, -1, dtype=np.int32)
            place_of[kept] = np.arange(kept.size, dtype=np.int32)
            places = place_of[cells]
        else:
            guess = np.minimum(np.searchsorted(kept, cells), max(kept.size - 1, 0))
            places = np.where(kept[guess] == cells, guess, -1) if kept.size else np.full(cells.size, -1)
        further = (places >= 0) & (self._position + 1 < self._end)
        self._position = self._position[further] + 1
        self._end = self._end[further]
        self._prefix = places[further].astype(np.int64)
        self._prefixes = int(kept.size)

    def _cells(self) -> Integers:
        return self._prefix * self._symbols + self._codes[self._position]

    def _fits_table(self, keys: int) -> bool:
        return self.domain <= _TABLE_CELLS_PER_KEY * keys + 2**16
