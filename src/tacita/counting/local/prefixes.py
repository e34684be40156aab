"""Counting sequences on one machine, on NumPy columns: how kept prefixes continue, how kept grams continue, and lengths."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.scatter import fits_table, tally
from tacita.public.ladder import CellLayout

__all__ = ["GramCounter", "PrefixCounter", "length_counts"]


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


# Grams: which symbol comes after every kept gram, one length after the other.
#
# A walker begins wherever a gram may start. It reads one symbol more at each level and is followed as long as the gram that it
# has read is kept, so work and memory grow with the records, never with the number of possible grams.

LARGEST_32 = 2**31 - 1


class GramCounter:
    """Counts how kept grams go on. At first there is one group, the empty gram, and each walker is in it.

    Sequences are cut after `max_length` symbols. After the last one there is a symbol for the end (the number `symbols`) or, if
    something was cut off and `cut` is given, the symbol `cut` in its place. A walker stands at every symbol or, for
    `beginnings`, at the first symbol of each sequence; the symbols after the last one are read, and nothing starts there.
    """

    def __init__(self, sequences: Ragged, *, symbols: int, max_length: int, cut: int | None = None) -> None:
        """Lay the cut sequences in a row, each with its end."""
        lengths = sequences.lengths
        kept = np.minimum(lengths, max_length)
        inside = None
        if int(lengths.max(initial=0)) > max_length:
            inside = np.arange(sequences.codes.size) - np.repeat(sequences.offsets[:-1], lengths) < max_length
        self._bins = symbols + (1 if cut is None else 2)
        self._offsets = offsets_of(kept[kept > 0] + 1)
        self._row: AnyIntegers = np.full(int(self._offsets[-1]), symbols, dtype=np.uint16 if self._bins <= 2**16 else np.int32)
        if cut is not None:
            self._row[self._offsets[1:][lengths[kept > 0] > max_length] - 1] = cut
        is_symbol = np.ones(self._row.size, dtype=np.bool_)
        is_symbol[self._offsets[1:] - 1] = False
        self._row[is_symbol] = sequences.codes if inside is None else sequences.codes[inside]
        self._repeats: Numbers | None = None
        self._stand_at(np.flatnonzero(is_symbol))

    def _stand_at(self, places: AnyIntegers) -> None:
        self._places: AnyIntegers = places.astype(np.int32 if self._row.size < LARGEST_32 else np.int64)
        self._groups = np.zeros(self._places.size, dtype=np.int32)
        self._number = 1
        self._read: Integers | None = None

    def beginnings(self) -> GramCounter:
        """A counter of the same sequences with walkers at their first symbols alone, each of which counts once."""
        other = copy(self)
        other._stand_at(self._offsets[:-1])  # noqa: SLF001 - of its own class
        return other

    def counts(self) -> tuple[Integers, Integers, Integers]:
        """For each group and symbol that occurs after it, in order: how many walkers read it."""
        keys, counts = tally(self._cells(), self._number * self._bins)
        return keys // self._bins, keys % self._bins, counts

    def follow(self, groups: Integers, cells: Integers) -> None:
        """Go on with those walkers who read one of these symbols in one of these groups, which become the groups 0, 1, ..."""
        kept = groups * self._bins + cells
        keys = self._cells()
        if fits_table(self._number * self._bins, keys.size):
            table = np.full(self._number * self._bins, -1, dtype=np.int32)
            table[kept] = np.arange(kept.size, dtype=np.int32)
            become = table[keys]
        else:
            guess = np.minimum(np.searchsorted(kept, keys), max(kept.size - 1, 0))
            become = np.where(kept[guess] == keys, guess, -1) if kept.size else np.full(keys.size, -1)
        self._go_on(become, 1, kept.size)

    def repeated(self, last: Integers, times: int) -> tuple[Integers, Integers]:
        """The groups, in order, in which walkers read the group's symbol `last` that many more times, and how many walkers do."""
        there = self._repeats_on(last, times)
        return tally(self._groups[there].astype(np.int64), self._number)

    def follow_repeated(self, last: Integers, times: int, groups: Integers) -> None:
        """Continue with the walkers of these groups that read the group's symbol that many more times."""
        table = np.full(self._number, -1, dtype=np.int32)
        table[groups] = np.arange(groups.size, dtype=np.int32)
        become = np.full(self._places.size, -1, dtype=np.int32)
        there = self._repeats_on(last, times)
        become[there] = table[self._groups[there]]
        self._go_on(become, times, groups.size)

    def _cells(self) -> Integers:
        """The cell of each walker; kept from `counts` to `follow`."""
        if self._read is None:
            self._read = self._groups.astype(np.int64)
            self._read *= self._bins
            self._read += self._row[self._places]
        return self._read

    def _go_on(self, become: AnyIntegers, steps: int, number: int) -> None:
        found = np.flatnonzero(become >= 0)
        self._places = self._places[found] + steps
        self._groups = become[found].astype(np.int32)
        self._number = number
        self._read = None

    def _repeats_on(self, last: Integers, times: int) -> Places:
        """The walkers that have the last symbol of their group ahead of them at least that many times in a row."""
        if self._repeats is None:
            self._repeats = _repeats(self._row, self._offsets)
        wanted = last[self._groups] == self._row[self._places]
        return np.flatnonzero(wanted & (self._repeats[self._places] >= times))


def _repeats(row: AnyIntegers, offsets: Integers) -> Numbers:
    """The length of the run of equal symbols that starts at each position, within its sequence."""
    changes = np.ones(row.size, dtype=np.bool_)
    changes[1:] = row[1:] != row[:-1]
    changes[offsets[:-1]] = True
    begins = np.flatnonzero(changes)
    ends = np.append(begins, row.size)[1:]
    return np.asarray(np.repeat(ends, ends - begins) - np.arange(row.size), dtype=np.int32)
