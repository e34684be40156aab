"""Counting grams on NumPy columns: which symbol comes after every kept gram, one length after the other.

A walker begins wherever a gram may start. It reads one symbol more at each level and is followed as long as the gram
that it has read is kept, so work and memory go with the records, never with the number of possible grams.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Numbers, Places
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.local.tally import fits_table, tally

__all__ = ["GramCounter"]


LARGEST_32 = 2**31 - 1


class GramCounter:
    """Counts how kept grams go on. At first there is one group, the empty gram, and each walker is in it.

    Sequences are cut after `max_length` symbols. After the last one there is a symbol for the end (the number `symbols`) or, if
    something was cut off and `cut` is given, the symbol `cut` in its place. A walker stands at every symbol or, for
    `beginnings`, at the first symbol of each sequence; the symbols after the last one are read, and nothing starts there.
    """

    def __init__(
        self, sequences: Ragged, *, symbols: int, max_length: int, cut: int | None = None, weights: Integers | None = None
    ) -> None:
        """Lay the cut sequences in a row, each with its end; with `weights`, walkers count as much as that of their sequence."""
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
        self._is_filled = kept > 0
        self._weights: Integers | None = None
        self._stand_at(np.flatnonzero(is_symbol))
        if weights is not None:
            self._weights = self._of_walkers(weights)

    def _stand_at(self, places: AnyIntegers) -> None:
        self._places: AnyIntegers = places.astype(np.int32 if self._row.size < LARGEST_32 else np.int64)
        self._groups = np.zeros(self._places.size, dtype=np.int32)
        self._weights = None
        self._number = 1
        self._read: Integers | None = None

    def _of_walkers(self, weights: Integers) -> Integers:
        """The weight of each walker, if one stands at every symbol: that of its sequence."""
        return np.repeat(weights[self._is_filled], np.diff(self._offsets) - 1)

    def beginnings(self) -> GramCounter:
        """A counter of the same sequences with walkers at their first symbols alone, each of which counts once."""
        other = copy(self)
        other._stand_at(self._offsets[:-1])  # noqa: SLF001 - of its own class
        return other

    def weighing(self, weights: Integers) -> GramCounter:
        """A counter of the same sequences, not followed yet, whose walkers count as much as that of their sequence."""
        other = copy(self)
        other._weights = self._of_walkers(weights)  # noqa: SLF001 - of its own class
        return other

    def counts(self) -> tuple[Integers, Integers, Integers]:
        """For each group and symbol that occurs after it, in order: how many walkers read it."""
        keys, counts = tally(self._cells(), self._number * self._bins, weights=self._weights)
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
        weights = None if self._weights is None else self._weights[there]
        return tally(self._groups[there].astype(np.int64), self._number, weights=weights)

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
        self._weights = None if self._weights is None else self._weights[found]
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
