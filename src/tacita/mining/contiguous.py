"""The most frequent contiguous patterns: n-grams of every length.

The support of a pattern is the number of its occurrences; a record may have several, and they may overlap. This is the support
used in section 6.4 of the thesis (footnote 14), which mines the data that its n-gram trees are made for.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS, Search
from tacita.mining.weighted import require_codes

__all__ = ["top_contiguous_patterns"]


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


class _Projection:
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

    def start(self) -> _Projection:
        """The empty pattern continues everywhere."""
        return _Projection(np.arange(self._codes.size, dtype=np.int32))

    def supports(self, projection: _Projection) -> Integers:
        """The number of occurrences of the pattern extended by each symbol."""
        return np.bincount(self._codes[projection.places], minlength=self._symbols).astype(np.int64, copy=False)

    def extend(self, projection: _Projection, symbol: int) -> _Projection:
        """The projection of the pattern extended by a symbol."""
        if projection.groups is None:
            following = self._codes[projection.places]
            projection.groups = offsets_of(np.bincount(following, minlength=self._symbols))
            projection.places = projection.places[np.argsort(following, kind="stable")]
        group = projection.places[projection.groups[symbol] : projection.groups[symbol + 1]] + np.int32(1)
        return _Projection(group[~self._begins[group]])
