"""The most frequent sequential patterns: symbols in this order, with or without others between them, and contiguous n-grams.

With gaps, the support of a pattern is the number of records that contain it as a subsequence. PrefixSpan (Pei et al., ICDE
2001) finds the same patterns if each element is one symbol. This search is also by projection, but best first, so that only the
requested patterns are extended, and on columns:

- Equal sequences become one with a weight.
- A projection is where each sequence that has the pattern continues after its first match. A symbol extends the pattern in a
  sequence if and only if its last occurrence comes later, so the symbols that do are a slice of the list of last occurrences.
- The first occurrence after a position is looked up in a table per symbol, or by bisection if the table would be too large.

Without gaps, the support is the number of occurrences; a record may have several, and they may overlap. This is the support
used in section 6.4 of the thesis (footnote 14), which mines the data that its n-gram trees are made for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Words
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError
from tacita.mining.search import MAX_PATTERNS, Patterns, Search

__all__ = ["Weighted", "collapse", "require_codes", "top_contiguous_patterns", "top_gapped_patterns"]


# Equal sequences merged into one with a weight: a million visits to a site may be a hundred thousand distinct ones.

LARGEST_SIZE = 2**31 - 1
_KEY_BITS = 64


@dataclass(frozen=True, eq=False)
class Weighted:
    """Non-empty sequences, and how many records each of them represents."""

    sequences: Ragged
    weights: Integers


def collapse(sequences: Ragged, *, symbols: int) -> Weighted:
    """Merge equal sequences if they are short enough to be packed into one integer; longer ones stay as they are.

    The result represents the same records, except for empty ones, whatever was merged.
    """
    require_codes(sequences, symbols=symbols)
    width = int(symbols).bit_length()  # a packed symbol is its code plus 1, so that 0 is left for "ended"
    lengths = sequences.lengths
    short = (lengths > 0) & (lengths <= _KEY_BITS // width)
    begins, short_lengths = sequences.offsets[:-1][short], lengths[short]
    keys = np.zeros(begins.size, dtype=np.uint64)
    for place in range(int(short_lengths.max(initial=0))):
        there = np.flatnonzero(short_lengths > place)
        symbol = sequences.codes[begins[there] + place].astype(np.uint64) + np.uint64(1)
        keys[there] |= symbol << np.uint64(width * place)
    distinct, weights = np.unique(keys, return_counts=True)
    return _join(_unpack(distinct, width), weights, _longer(sequences, lengths > _KEY_BITS // width))


def require_codes(sequences: Ragged, *, symbols: int) -> None:
    """Refuse codes outside the universe, and more codes than 32-bit positions can address."""
    codes = sequences.codes
    if codes.size >= LARGEST_SIZE:
        message = (
            f"at most {LARGEST_SIZE - 1:,} symbols can be searched at once, got {codes.size:,}; search a sample of the records"
        )
        raise ParameterError(message)
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < symbols:
        message = f"every code must be at least 0 and below the number of symbols, {symbols}; some are not"
        raise ParameterError(message)


def _unpack(keys: Words, width: int) -> Ragged:
    """The sequences that the keys represent, in the same order."""
    places = _KEY_BITS // width
    table = np.empty((keys.size, places), dtype=np.int32)
    for place in range(places):
        table[:, place] = (keys >> np.uint64(width * place)) & np.uint64((1 << width) - 1)
    there = table > 0
    return Ragged(table[there] - np.int32(1), offsets_of(there.sum(axis=1)))


def _longer(sequences: Ragged, chosen: Booleans) -> Ragged:
    """The chosen sequences."""
    codes = sequences.codes[np.repeat(chosen, sequences.lengths)].astype(np.int32)
    return Ragged(codes, offsets_of(sequences.lengths[chosen]))


def _join(joined: Ragged, weights: Integers, single: Ragged) -> Weighted:
    codes = np.concatenate([joined.codes, single.codes])
    offsets = np.concatenate([joined.offsets, single.offsets[1:] + joined.offsets[-1]])
    return Weighted(Ragged(codes, offsets), np.concatenate([weights, np.ones(len(single), dtype=np.int64)]))


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


# Contiguous patterns: n-grams of every length.


def top_contiguous_patterns(
    sequences: Ragged,
    *,
    count: int,
    symbols: int,
    min_length: int = 1,
    max_length: int | None = None,
    max_patterns: int = MAX_PATTERNS,
) -> Patterns:
    """Every pattern that occurs at least as often as the `count`-th; more than `count` if there are ties.

    >>> found = top_contiguous_patterns(Ragged.from_lists([[0, 0, 0], [0, 1]]), count=2, symbols=2)
    >>> found.as_dict()
    {(0,): 4, (0, 0): 2}
    """
    search = Search(count=count, symbols=symbols, min_length=min_length, max_length=max_length, max_patterns=max_patterns)
    return search.best_first(_Grams(sequences, symbols=symbols))


class _Run:
    """Where the occurrences of a pattern continue; sorted by the next symbol once an extension was requested."""

    def __init__(self, places: Numbers) -> None:
        self.places = places
        self.groups: Integers | None = None


class _Grams:
    """Answers how occurrences continue."""

    def __init__(self, sequences: Ragged, *, symbols: int) -> None:
        """Mark where a sequence begins, because no occurrence continues there."""
        require_codes(sequences, symbols=symbols)
        self._symbols = symbols
        self._codes = sequences.codes.astype(np.uint16 if symbols <= 2**16 else np.int64)  # NumPy sorts 16-bit numbers by radix
        self._begins = np.zeros(sequences.codes.size + 1, dtype=np.bool_)
        self._begins[sequences.offsets] = True

    def start(self) -> _Run:
        """The empty pattern continues everywhere."""
        return _Run(np.arange(self._codes.size, dtype=np.int32))

    def supports(self, projection: _Run) -> Integers:
        """The number of occurrences of the pattern extended by each symbol."""
        return np.bincount(self._codes[projection.places], minlength=self._symbols).astype(np.int64, copy=False)

    def extend(self, projection: _Run, symbol: int) -> _Run:
        """The projection of the pattern extended by a symbol."""
        if projection.groups is None:
            following = self._codes[projection.places]
            projection.groups = offsets_of(np.bincount(following, minlength=self._symbols))
            projection.places = projection.places[np.argsort(following, kind="stable")]
        group = projection.places[projection.groups[symbol] : projection.groups[symbol + 1]] + np.int32(1)
        return _Run(group[~self._begins[group]])
