"""Lists as sets: each list in increasing order, without duplicates, and no empty ones.

Baskets that are in order already, as in most files, are returned as they are. Over a small universe each list becomes a bit mask,
so nothing is sorted; over a large one, a single sort of (list, code) pairs handles all lists.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.ragged import Ragged, offsets_of

__all__ = ["are_sets", "distinct", "sets_of_masks"]

MOST_BITS = 64


def are_sets(lists: Ragged) -> bool:
    """Whether the codes of each list strictly increase and no list is empty."""
    return bool(np.all(lists.offsets[1:] > lists.offsets[:-1])) and _increase(lists.codes, lists.offsets)


def distinct(lists: Ragged, *, symbols: int) -> Ragged:
    """Each list as a set of codes below `symbols`, in increasing order; empty lists are left out.

    >>> distinct(Ragged.from_lists([[2, 0, 2], [], [1]]), symbols=3).to_lists()
    [[0, 2], [1]]
    """
    offsets = lists.offsets[np.append(True, lists.offsets[1:] > lists.offsets[:-1])]
    if _increase(lists.codes, offsets):
        return Ragged(lists.codes, offsets)
    return _by_bits(lists.codes, offsets, symbols) if symbols <= MOST_BITS else _by_pairs(lists.codes, offsets, symbols)


def sets_of_masks(masks: Integers, *, symbols: int) -> Ragged:
    """The sets that bit masks stand for: bit i is code i.

    >>> sets_of_masks(np.array([1, 6]), symbols=3).to_lists()
    [[0], [1, 2]]
    """
    bits = (masks[:, np.newaxis] >> np.arange(symbols) & 1).astype(np.bool_)
    return Ragged(np.nonzero(bits)[1].astype(np.int32), offsets_of(bits.sum(axis=1)))


def _increase(codes: AnyIntegers, offsets: Integers) -> bool:
    """Whether every code is above the one before it in its list; no list is empty."""
    above = codes[1:] > codes[:-1]
    above[offsets[1:-1] - 1] = True
    return bool(above.all())


def _by_bits(codes: AnyIntegers, offsets: Integers, symbols: int) -> Ragged:
    """One bit per code: combine the bits of each list with OR, then read them off from the lowest bit up."""
    kind = np.uint32 if symbols <= 32 else np.uint64
    one = kind(1)
    left: npt.NDArray[np.unsignedinteger] = np.bitwise_or.reduceat(np.left_shift(one, codes.astype(kind)), offsets[:-1])
    united = offsets_of(np.bitwise_count(left).astype(np.int64))
    found, places = np.empty(united[-1], dtype=codes.dtype), united[:-1]
    while left.size:
        rest = left & (left - one)  # without the lowest bit
        found[places] = np.bitwise_count((left ^ rest) - one)
        more = np.flatnonzero(rest)
        left, places = rest[more], places[more] + 1
    return Ragged(found, united)


def _by_pairs(codes: AnyIntegers, offsets: Integers, symbols: int) -> Ragged:
    """One number per (list, code), sorted by a method that is fast on nearly sorted input; equal numbers are duplicates."""
    bits = (symbols - 1).bit_length()
    pairs = np.repeat(np.arange(offsets.size - 1, dtype=np.int64) << bits, np.diff(offsets)) | codes
    pairs.sort(kind="stable")
    pairs = pairs[np.append(True, pairs[1:] > pairs[:-1])]
    lengths = np.bincount(pairs >> bits, minlength=offsets.size - 1)
    return Ragged((pairs & ((1 << bits) - 1)).astype(codes.dtype), offsets_of(lengths))
