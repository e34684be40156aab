"""Equal sequences merged into one with a weight: a million visits to a site may be a hundred thousand distinct ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Words
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError

__all__ = ["Weighted", "collapse", "require_codes"]

LARGEST_SIZE = 2**31 - 1
_KEY_BITS = 64


@dataclass(frozen=True, eq=False)
class Weighted:
    """Non-empty sequences, and how many records each of them stands for."""

    sequences: Ragged
    weights: Integers


def collapse(sequences: Ragged, *, symbols: int) -> Weighted:
    """Merge equal sequences if they are short enough to be packed into one integer; longer ones stay as they are.

    The result stands for the same records, except for empty ones, whatever was merged.
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
    """The sequences that the keys stand for, in the same order."""
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
