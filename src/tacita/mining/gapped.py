"""The most frequent sequential patterns: symbols that occur in this order, with or without others between them.

The support of a pattern is the number of records that contain it as a subsequence. PrefixSpan (Pei et al., ICDE 2001) finds the
same patterns if each element is one symbol. This search is also by projection, but best first, so that only the requested
patterns are extended, and on columns:

- Equal sequences become one with a weight.
- A projection is where each sequence that has the pattern continues after its first match. A symbol extends the pattern in a
  sequence if and only if its last occurrence comes later, so the symbols that do are a slice of the list of last occurrences.
- The first occurrence after a position is looked up in a table per symbol, or by bisection if the table would be too large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS, Search
from tacita.mining.weighted import collapse

__all__ = ["top_gapped_patterns"]


_TABLE_CELLS = 2**26
_BISECTION_COST = 8


def top_gapped_patterns(
    sequences: Ragged,
    *,
    count: int,
    symbols: int,
    min_length: int = 1,
    max_length: int | None = None,
    max_patterns: int = MAX_PATTERNS,
) -> Patterns:
    """Every pattern whose support is at least that of the `count`-th; more than `count` if there are ties.

    >>> found = top_gapped_patterns(Ragged.from_lists([[0, 1, 2], [0, 2], [2, 0]]), count=3, symbols=3)
    >>> found.as_dict()
    {(0,): 3, (2,): 3, (0, 2): 2}
    """
    search = Search(count=count, symbols=symbols, min_length=min_length, max_length=max_length, max_patterns=max_patterns)
    return search.best_first(_Occurrences(sequences, symbols=symbols))


@dataclass(frozen=True, eq=False)
class _Projection:
    """Where each sequence that has a pattern continues; sequences that have ended are left out."""

    rows: Numbers
    starts: Numbers


class _Occurrences:
    """Answers how a projection continues."""

    def __init__(self, sequences: Ragged, *, symbols: int) -> None:
        """Find the last occurrence of each symbol in each sequence."""
        weighted = collapse(sequences, symbols=symbols)
        codes, offsets = weighted.sequences.codes, weighted.sequences.offsets
        self._symbols, self._size = symbols, codes.size
        self._offsets = offsets.astype(np.int32)
        self._weights = weighted.weights.astype(np.float64)  # exact below 2**53
        narrow = codes.astype(np.uint16) if symbols <= 2**16 else codes  # these sort by radix
        self._by_symbol = np.argsort(narrow, kind="stable").astype(np.int32)
        self._groups = offsets_of(np.bincount(codes, minlength=symbols))
        rows = np.arange(len(weighted.sequences), dtype=np.int32)
        self._rows = np.repeat(rows, weighted.sequences.lengths)
        self._whole = _Projection(rows, self._offsets[:-1])
        sorted_rows, sorted_codes = self._rows[self._by_symbol], codes[self._by_symbol]
        is_last = np.ones(codes.size, dtype=np.bool_)
        is_last[self._by_symbol[:-1]] = (sorted_rows[1:] != sorted_rows[:-1]) | (sorted_codes[1:] != sorted_codes[:-1])
        self._last_symbols = codes[is_last]
        self._lasts_before = np.zeros(codes.size + 1, dtype=np.int32)
        np.cumsum(is_last, out=self._lasts_before[1:])
        self._last_places = self._offsets[1:] - np.int32(1)
        self._last_ends = self._lasts_before[self._offsets[1:]]
        self._tables: dict[int, Numbers] | None = {} if symbols * (codes.size + 1) <= _TABLE_CELLS else None

    def start(self) -> _Projection:
        """The projection of the empty pattern."""
        return self._whole

    def supports(self, projection: _Projection) -> Integers:
        """The support of the pattern extended by each symbol."""
        begins = self._lasts_before[projection.starts]
        lengths = self._last_ends[projection.rows] - begins
        before = np.cumsum(lengths, dtype=np.int32) - lengths
        slices = np.repeat(begins - before, lengths)
        slices += np.arange(slices.size, dtype=np.int32)
        weights = np.repeat(self._weights[projection.rows], lengths)
        return np.bincount(self._last_symbols[slices], weights=weights, minlength=self._symbols).astype(np.int64)

    def extend(self, projection: _Projection, symbol: int) -> _Projection:
        """The projection of the pattern extended by a symbol; sizes alone decide how it is found."""
        places = self._by_symbol[self._groups[symbol] : self._groups[symbol + 1]]
        if places.size * (1 if self._tables is None else _BISECTION_COST) < projection.starts.size:
            rows, firsts = self._first_places(projection, places)
        else:
            rows, firsts = projection.rows, self._next(symbol, places, projection.starts)
        further = np.flatnonzero(firsts < self._last_places[rows])  # found in the sequence, and something comes after it
        return _Projection(rows[further], firsts[further] + np.int32(1))

    def _first_places(self, projection: _Projection, places: Numbers) -> tuple[Numbers, Numbers]:
        """The first position at or after each start, if it comes before the next start; and the sequences that have one."""
        if projection is self._whole:
            entries = self._rows[places]
        else:
            entries = np.searchsorted(projection.starts, places, side="right").astype(np.int32) - np.int32(1)
        first = np.flatnonzero(np.diff(entries, prepend=np.int32(-1)))
        return projection.rows[entries[first]], places[first]

    def _next(self, symbol: int, places: Numbers, starts: Numbers) -> Numbers:
        """The symbol's first position at or after each start, or the total size of all sequences."""
        if self._tables is None:
            return np.append(places, np.int32(self._size))[np.searchsorted(places, starts)]
        if symbol not in self._tables:
            gaps = np.diff(places, prepend=np.int32(-1), append=np.int32(self._size))
            self._tables[symbol] = np.repeat(np.append(places, np.int32(self._size)), gaps)
        return self._tables[symbol][starts]
