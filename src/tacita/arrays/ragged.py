"""Lists of different lengths as two arrays, all codes one after the other and where each list ends; and such lists as sets.

Sequences and baskets of a million people are two NumPy arrays here, never a million Python objects. The class knows nothing of
privacy: records hold their private contents in one, synthesis puts its public output in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.arrays import AnyIntegers, Integers, Places
from tacita.errors import ParameterError

__all__ = [
    "Ragged",
    "all_different",
    "are_sets",
    "chosen",
    "distinct",
    "every_nth",
    "lexicographic_order",
    "numbered",
    "offsets_of",
    "ranges",
    "repeated",
    "sets_of_masks",
    "without_stays",
]


@dataclass(frozen=True, eq=False)
class Ragged:
    """`codes[offsets[i]:offsets[i + 1]]` is list i."""

    codes: AnyIntegers
    offsets: Integers

    def __post_init__(self) -> None:
        """Check the shape; the arrays are frozen, because nobody may change private input."""
        if self.offsets.ndim != 1 or self.offsets.size == 0 or self.offsets[0] != 0 or self.offsets[-1] != self.codes.size:
            message = "offsets must begin with 0 and end with the number of codes"
            raise ParameterError(message)
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            message = "offsets must not decrease"
            raise ParameterError(message)
        self.codes.setflags(write=False)
        self.offsets.setflags(write=False)

    @classmethod
    def from_lists(cls, lists: Iterable[Sequence[int]]) -> Ragged:
        """Pack Python lists; for tests and small data."""
        rows = [np.asarray(row, dtype=np.int32) for row in lists]
        codes = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32)
        return cls(codes, offsets_of([row.size for row in rows]))

    def __len__(self) -> int:
        """The number of lists."""
        return int(self.offsets.size - 1)

    @property
    def lengths(self) -> Integers:
        """The length of each list."""
        return np.diff(self.offsets)

    def to_lists(self) -> list[list[int]]:
        """Unpack into Python lists; for tests and small data."""
        return [part.tolist() for part in np.split(self.codes, self.offsets[1:-1])] if len(self) else []


def offsets_of(lengths: Sequence[int] | Integers) -> Integers:
    """Offsets of lists with these lengths."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(np.asarray(lengths, dtype=np.int64), out=offsets[1:])
    return offsets


def ranges(starts: Integers, sizes: Integers) -> Integers:
    """For each start, `size` consecutive numbers beginning there; all concatenated.

    >>> ranges(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    offsets = offsets_of(sizes)
    return np.asarray(np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1]), dtype=np.int64)


def repeated(lists: Ragged, times: Integers) -> Ragged:
    """Each list repeated `times` times.

    >>> repeated(Ragged.from_lists([[1, 2], [3]]), np.array([2, 1])).to_lists()
    [[1, 2], [1, 2], [3]]
    """
    return chosen(lists, np.repeat(np.arange(len(lists)), times))


def lexicographic_order(lists: Ragged) -> Places:
    """The order that sorts the lists by their codes; a list comes before those that extend it.

    >>> lexicographic_order(Ragged.from_lists([[2], [0, 1], [0]])).tolist()
    [2, 1, 0]
    """
    lengths = lists.lengths
    by_length = np.argsort(lengths, kind="stable")
    begins = np.searchsorted(lengths[by_length], np.arange(int(lengths.max(initial=0)) + 2))
    codes = lists.codes.astype(np.min_scalar_type(int(lists.codes.max(initial=0))), copy=False)  # narrow integers sort fastest
    order = by_length[:0]
    for place in range(begins.size - 3, -1, -1):  # lists that end here go before longer ones, which are sorted from here on
        order = np.concatenate([by_length[begins[place + 1] : begins[place + 2]], order])
        order = order[np.argsort(codes[lists.offsets[order] + place], kind="stable")]
    return np.concatenate([by_length[: begins[1]], order])


def numbered(lists: Ragged) -> tuple[Places, Integers]:
    """One index of each different list, in the order of their codes, and for each list the number of the one that it equals.

    >>> [part.tolist() for part in numbered(Ragged.from_lists([[2], [0, 1], [2]]))]
    [[1, 0], [1, 0, 1]]
    """
    order = lexicographic_order(lists)
    lengths = lists.lengths[order]
    alike = np.flatnonzero(lengths[1:] == lengths[:-1])  # once sorted, equal lists are neighbours
    ones, others = chosen(lists, order[alike]), chosen(lists, order[alike + 1])
    differences = offsets_of((ones.codes != others.codes).astype(np.int64))
    is_new = np.ones(order.size, dtype=np.bool_)
    is_new[alike + 1] = differences[ones.offsets[1:]] > differences[ones.offsets[:-1]]
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    return order[is_new], number


def all_different(lists: Ragged) -> bool:
    """Whether no list occurs twice.

    >>> all_different(Ragged.from_lists([[2], [0, 1], [0]])), all_different(Ragged.from_lists([[2], [0], [2]]))
    (True, False)
    """
    return numbered(lists)[0].size == len(lists)


def chosen(lists: Ragged, which: Places) -> Ragged:
    """The lists at these indices."""
    lengths = lists.lengths[which]
    return Ragged(lists.codes[ranges(lists.offsets[which], lengths)], offsets_of(lengths))


def every_nth(lists: Ragged, most: int) -> Ragged:
    """At most that many of the lists, evenly spaced; all of them if there are no more.

    >>> every_nth(Ragged.from_lists([[0], [1], [2], [3]]), 2).to_lists()
    [[0], [2]]
    """
    return lists if len(lists) <= most else chosen(lists, np.arange(most) * len(lists) // most)


def by_length(lists: Ragged, *, symbols: int) -> Ragged:
    """The same lists, short ones first, and by their codes within one length; codes are below `symbols`.

    >>> by_length(Ragged.from_lists([[1, 0], [2], [0, 1]]), symbols=3).to_lists()
    [[2], [0, 1], [1, 0]]
    """
    lengths = lists.lengths
    parts: list[AnyIntegers] = [np.zeros(0, dtype=lists.codes.dtype)]
    numbers = np.bincount(lengths)
    for length in np.flatnonzero(numbers).tolist():
        begins = lists.offsets[:-1][lengths == length]
        rows = lists.codes[begins[:, None] + np.arange(length)]
        narrow = rows.astype(np.uint16) if symbols <= 2**16 else rows  # 16 bits sort by radix
        parts.append((rows[np.lexsort(narrow.T[::-1])] if length else rows).ravel())
    return Ragged(np.concatenate(parts), offsets_of(np.repeat(np.arange(numbers.size), numbers)))


def in_order(lists: Ragged) -> Ragged:
    """The same lists sorted by their codes, so that their order shows nothing about where they came from."""
    return chosen(lists, lexicographic_order(lists))


# Lists as sets: each list in increasing order, without duplicates, and no empty ones.
#
# Baskets that are in order already, as in most files, are returned as they are. Over a small universe each list becomes a bit
# mask, so nothing is sorted; over a large one, a single sort of (list, code) pairs handles all lists.

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


def without_stays(lists: Ragged) -> Ragged:
    """The same lists with one code where equal codes follow each other.

    >>> without_stays(Ragged.from_lists([[1, 1, 2], [2, 2], [3, 2, 3]])).to_lists()
    [[1, 2], [2], [3, 2, 3]]
    """
    moves = np.ones(lists.codes.size, dtype=np.bool_)
    moves[1:] = lists.codes[1:] != lists.codes[:-1]
    moves[lists.offsets[:-1][lists.lengths > 0]] = True
    return Ragged(lists.codes[moves], offsets_of(moves.astype(np.int64))[lists.offsets])


def sets_of_masks(masks: Integers, *, symbols: int) -> Ragged:
    """The sets that bit masks represent: bit i is code i.

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
