"""Counting sequences on one machine, on NumPy columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Places
from tacita.arrays.ragged import Ragged
from tacita.counting.local.tally import fits_table, tally
from tacita.public.ladder import CellLayout

__all__ = ["PrefixCounter", "length_counts"]


@dataclass(frozen=True, eq=False)
class _Walkers:
    """Sequences that are being followed: the position and the end of each, and the group or prefix it is in."""

    position: Integers
    end: Integers
    group: Integers

    def only(self, which: Booleans | Places, group: Integers) -> _Walkers:
        return _Walkers(self.position[which], self.end[which], group)


class PrefixCounter:
    """Counts how many sequences continue a kept prefix in each way, rung by rung, one length after another.

    At the start there is one group, the empty prefix. `counts` answers for one rung, in the cells of its layout. `keep` says
    which of its cells were kept: their groups are the subject of the next depth, and their symbols wait for `advance`, which
    moves on to the next symbol of every sequence.
    """

    def __init__(self, sequences: Ragged, *, end: int | None = None) -> None:
        """Start with every non-empty sequence; if the `end` is a symbol, it follows the last symbol of each."""
        self._codes = sequences.codes
        self._end_symbol = end
        begins, ends = sequences.offsets[:-1], sequences.offsets[1:]
        alive = begins < ends
        self._here = _Walkers(begins[alive], ends[alive], np.zeros(int(alive.sum()), dtype=np.int64))
        self._below: list[_Walkers] = []
        self._arrived: list[_Walkers] = []
        self._asked: tuple[CellLayout, _Walkers, Integers] | None = None

    def counts(self, layout: CellLayout) -> tuple[Integers, Integers]:
        """The non-empty cells in increasing order, and how many sequences are in each."""
        _, _, cells = self._cells(layout)
        return tally(cells, layout.domain)

    def keep(self, layout: CellLayout, kept: Integers) -> None:
        """Follow the sequences whose cell was kept; `kept` increases, and a cell's index in it is the number of its group."""
        _, walkers, cells = self._cells(layout)
        self._asked = None
        if fits_table(layout.domain, cells.size):
            place_of = np.full(layout.domain, -1, dtype=np.int32)
            place_of[kept] = np.arange(kept.size, dtype=np.int32)
            places = place_of[cells]
        else:
            guess = np.minimum(np.searchsorted(kept, cells), max(kept.size - 1, 0))
            places = np.where(kept[guess] == cells, guess, -1) if kept.size else np.full(cells.size, -1)
        inside = places >= 0
        followed = walkers.only(inside, places[inside].astype(np.int64))
        (self._arrived if layout.rung.is_final else self._below).append(followed)

    def descend(self) -> None:
        """Go one depth down, into the groups that were kept."""
        nothing = np.zeros(0, dtype=np.int64)
        self._asked = None
        self._here = self._below.pop() if self._below else _Walkers(nothing, nothing, nothing)

    def advance(self, prefix_of: list[Integers]) -> None:
        """Go one symbol further; `prefix_of` gives, for each final rung in order, the prefixes of its kept cells."""
        parts = [
            walkers.only(further, renumbered[walkers.group[further]])
            for walkers, renumbered in zip(self._arrived, prefix_of, strict=True)
            for further in [np.flatnonzero(walkers.position + (1 if self._end_symbol is None else 0) < walkers.end)]
        ]
        self._here = _Walkers(
            np.concatenate([part.position for part in parts]) + 1,
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.group for part in parts]),
        )
        self._arrived = []
        self._asked = None

    def _symbols(self) -> AnyIntegers:
        position = self._here.position
        if self._end_symbol is None:
            return self._codes[position]
        inside = position < self._here.end
        return np.where(inside, self._codes[np.where(inside, position, 0)], self._end_symbol) if position.size else position

    def _cells(self, layout: CellLayout) -> tuple[CellLayout, _Walkers, Integers]:
        """The walkers that the rung is about, and the cell of each; cached between `counts` and `keep`."""
        if self._asked is None or not _is_same(self._asked[0], layout):
            ranks = layout.rung.rank[self._symbols()]
            walkers = self._here
            if not layout.rung.covers_all:
                meant = np.flatnonzero(ranks >= 0)
                ranks, walkers = ranks[meant], walkers.only(meant, walkers.group[meant])
            self._asked = layout, walkers, layout.base[walkers.group] + ranks
        return self._asked


def _is_same(one: CellLayout, other: CellLayout) -> bool:
    """Whether two layouts give the same cells; one that was sent twice is two objects."""
    return one is other or (
        one.domain == other.domain and np.array_equal(one.base, other.base) and np.array_equal(one.rung.rank, other.rung.rank)
    )


def length_counts(sequences: Ragged, *, longest: int) -> list[int]:
    """How many sequences have 1, 2, ... symbols; those longer than `longest` count as if cut there."""
    lengths = sequences.lengths
    table = np.bincount(np.minimum(lengths[lengths > 0], longest), minlength=longest + 1)
    return [int(count) for count in table[1:]]
