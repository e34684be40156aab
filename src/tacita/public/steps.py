"""Sequences as steps: the codes of symbols, the cells of lengths and shapes, and what one record may weigh.

A *step* leads from the start of a sequence, or from one of its symbols, to the next symbol or to the end. A sequence of l symbols
has l + 1 steps. Everything here is a map of one record, given public or noisy numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged

__all__ = [
    "ROOT_UNIT",
    "SHAPES",
    "UNIT",
    "StepCodes",
    "company_cell",
    "length_edges",
    "record_weights",
    "repeat_shares",
    "root_weights",
    "shape_cell",
    "squares_of",
]


UNIT = 2**20
"""Weights of records are whole numbers of 1 / UNIT: noise is added to integers alone."""

ROOT_UNIT = 2**10
"""Weights that are bounded in the sense of squares are whole numbers of 1 / ROOT_UNIT; noise has its square as a factor."""

EXACT, GROWTH = 20, 1.2
"""Lengths up to `EXACT` have cells of their own; later cells grow by this factor, because noise is the same in each of them."""


TURN = 2
"""A sequence of two equal symbols stays where it is; a round trip has more symbols."""


def length_edges(longest: int) -> Integers:
    """The last length of each cell of lengths; cell i holds the lengths from edges[i - 1] + 1 up to edges[i].

    >>> length_edges(30).tolist()[-4:]
    [20, 24, 28, 30]
    """
    edges = list(range(1, min(EXACT, longest) + 1))
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, int(edges[-1] * GROWTH)))
    edges[-1] = longest
    return np.array(edges, dtype=np.int64)


SHAPES = 4
"""How many cells there are for each number of different symbols."""


def shape_cell(different: Integers, lists: Ragged, returns: Booleans, edges: Integers) -> Integers:
    """The one cell of each list, none of which is empty.

    It tells the number of different symbols, whether the list is a round trip of three symbols or more (`returns`), and whether a
    symbol follows itself.
    """
    is_round = (lists.lengths > TURN) & returns
    same = np.concatenate([lists.codes[1:] == lists.codes[:-1], [False]]) if lists.codes.size else np.zeros(0, dtype=np.bool_)
    same[lists.offsets[1:] - 1] = False  # what comes after the last symbol is another list
    stays = np.logical_or.reduceat(same, lists.offsets[:-1]) if len(lists) else same
    return np.asarray((2 * stays + is_round) * edges.size + np.searchsorted(edges, different), dtype=np.int64)


def company_cell(lists: Ragged, members: Integers) -> Integers:
    """The one cell of each list, none of which is empty: which of these symbols it has, as bits of a number.

    >>> company_cell(Ragged.from_lists([[4, 7, 4], [7], [5]]), np.array([4, 5])).tolist()
    [1, 0, 2]
    """
    bit_of = np.zeros(max(int(lists.codes.max(initial=0)), int(members.max(initial=0))) + 1, dtype=np.int64)
    bit_of[members] = 2 ** np.arange(members.size)
    return (
        np.asarray(np.bitwise_or.reduceat(bit_of[lists.codes], lists.offsets[:-1]), dtype=np.int64) if len(lists) else members[:0]
    )


def record_weights(numbers: Integers, most: int) -> Integers:
    """What each part of a record with this many parts weighs in units, so that all of them together weigh at most `most` * UNIT.

    >>> record_weights(np.array([3, 4, 5]), 4).tolist() == [UNIT, UNIT, UNIT * 4 // 5]
    True
    """
    return np.asarray(np.minimum(UNIT, UNIT * most // np.maximum(numbers, 1)), dtype=np.int64)


def root_weights(squares: Integers, most: int) -> Integers:
    """What each part of a record weighs in units of 1 / ROOT_UNIT, given the sum of squares of how often it has each cell.

    The squares of what the record adds to all cells then add up to at most `most` * ROOT_UNIT^2: a root that is rounded down
    twice. Roots of numbers below 2^52 are exact so, because a correctly rounded one cannot reach the next whole number.

    >>> root_weights(np.array([3, 4, 16]), 4).tolist() == [ROOT_UNIT, ROOT_UNIT, ROOT_UNIT // 2]
    True
    """
    found = np.minimum(ROOT_UNIT**2, ROOT_UNIT**2 * most // np.maximum(squares, 1))
    return np.asarray(np.sqrt(found), dtype=np.int64)


def squares_of(cells: Integers, parts: Integers) -> Integers:
    """For each record, the sum of squares of how often it has each cell; `cells` are those of all records in a row.

    >>> squares_of(np.array([7, 5, 7, 2]), np.array([3, 0, 1])).tolist()
    [5, 0, 1]
    """
    if not cells.size:
        return np.zeros(parts.size, dtype=np.int64)
    width = int(cells.max()) + 1
    if width * parts.size >= 2**62:
        _, cells = np.unique(cells, return_inverse=True)
        width = int(cells.max()) + 1
    keys = np.sort(np.repeat(np.arange(parts.size, dtype=np.int64), parts) * width + cells)
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    times = np.diff(np.append(begins, keys.size))
    return np.bincount(keys[begins] // width, weights=times**2, minlength=parts.size).astype(np.int64)


def repeat_shares(squares: Integers, parts: Integers) -> Integers:
    """How many of the pairs of parts of each record are in the same cell, in units of 1 / ROOT_UNIT, rounded down.

    >>> (repeat_shares(np.array([4, 5, 3, 1]), np.array([2, 3, 3, 1])) / ROOT_UNIT).round(2).tolist()
    [1.0, 0.33, 0.0, 0.0]
    """
    return np.asarray(ROOT_UNIT * (squares - parts) // np.maximum(parts * (parts - 1), 1), dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class StepCodes:
    """Symbols that have a code of their own, in increasing order; others are *rare*, or *back* if this record had them before.

    >>> codes = StepCodes(symbols=9, kept=np.array([2, 4]))
    >>> codes.coded(Ragged.from_lists([[4, 7, 2, 7, 8], [7]])).tolist()
    [1, 2, 0, 3, 2, 2]
    """

    symbols: int
    kept: Integers

    @property
    def rare(self) -> int:
        """The code of a symbol without a code of its own that is new in its sequence."""
        return int(self.kept.size)

    @property
    def back(self) -> int:
        """The code of one that is not."""
        return self.rare + 1

    @property
    def has_rare(self) -> bool:
        """Whether there are such symbols."""
        return self.rare < self.symbols

    @cached_property
    def size(self) -> int:
        """The number of codes."""
        return self.rare + (2 if self.has_rare else 0)

    def coded(self, lists: Ragged) -> Integers:
        """The codes of all lists in a row."""
        if not self.has_rare:
            return np.asarray(lists.codes, dtype=np.int64)
        code_of = np.full(self.symbols, self.rare, dtype=np.int64)
        code_of[self.kept] = np.arange(self.rare)
        codes = code_of[lists.codes]
        rare = np.flatnonzero(codes == self.rare)
        owners = np.repeat(np.arange(len(lists), dtype=np.int64), lists.lengths)[rare]
        _, first = np.unique(owners * self.symbols + lists.codes[rare], return_index=True)
        again = np.ones(rare.size, dtype=np.bool_)
        again[first] = False
        codes[rare[again]] = self.back
        return codes
