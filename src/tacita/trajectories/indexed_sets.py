"""Sets of pairs, of any sizes, with an index of where they occur: by set and by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import offsets_of, ranges
from tacita.trajectories.pair_columns import PairColumns

__all__ = ["IndexedSets", "widened"]

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


class IndexedSets:
    """Sets and their occurrences.

    `members` has the pairs of each set, `rows` those rows of the columns that make an occurrence, both filled up with -1, and
    `sets` says of which set an occurrence is.
    """

    def __init__(self, columns: PairColumns, *, rows: Integers, sets: Integers, members: Integers) -> None:
        """Sort occurrences by set and by row."""
        self._columns, self._records = columns, columns.records
        self.rows, self.sets, self.members = rows, sets, members
        self.by_set = np.argsort(sets, kind="stable")
        self.starts = offsets_of(np.bincount(sets, minlength=members.shape[0]))
        there = np.nonzero(rows >= 0)
        order = np.argsort(rows[there], kind="stable")
        self._by_row = there[0][order]
        self._row_starts = offsets_of(np.bincount(rows[there], minlength=columns.pairs.size))

    def __len__(self) -> int:
        """The number of sets."""
        return self.starts.size - 1

    def with_rows(self, rows: Integers) -> Integers:
        """The occurrences that have one of these rows, which belong to different records."""
        begins = self._row_starts[rows]
        return self._by_row[ranges(begins, self._row_starts[rows + 1] - begins)]

    def stands(self, those: Integers, keep: Booleans) -> Booleans:
        """Whether all rows of each of these occurrences are still there."""
        rows = self.rows[those]
        found = keep[rows[:, 0]]
        for place in range(1, rows.shape[1]):
            found &= keep[rows[:, place]] | (rows[:, place] < 0)
        return found

    def losses(self, those: Integers, sets: Integers, keep: Booleans) -> tuple[Integers, Integers]:
        """How many persons no longer have each of the sets once these occurrences are gone, and how many of each group."""
        people = self._columns.person_of(self._records[self.rows[those, 0]])
        place = np.searchsorted(sets, self.sets[those])
        if self._columns.persons is not None:
            place, people = self._last_copies(sets, place, people, keep)
        lost = np.bincount(place, minlength=sets.size)
        groups = [np.bincount(place[flags[people]], minlength=sets.size) for flags in self._columns.sensitive.T]
        return lost, np.stack(groups, axis=1) if groups else np.zeros((sets.size, 0), dtype=np.int64)

    def _last_copies(
        self, sets: Integers, place: Integers, people: npt.NDArray[np.int32], keep: Booleans
    ) -> tuple[Integers, npt.NDArray[np.int32]]:
        """(set, person) for the persons who have the set in no other record."""
        crowd = self._columns.sensitive.shape[0]
        gone, copies = np.unique(place * crowd + people, return_counts=True)
        sizes = self.starts[sets + 1] - self.starts[sets]
        all_those = self.by_set[ranges(self.starts[sets], sizes)]
        owner = np.repeat(np.arange(sets.size), sizes)
        stand = self.stands(all_those, keep)
        everyone = self._columns.person_of(self._records[self.rows[all_those[stand], 0]])
        there, all_copies = np.unique(owner[stand] * crowd + everyone, return_counts=True)
        last = gone[copies == all_copies[np.searchsorted(there, gone)]]
        return last // crowd, (last % crowd).astype(np.int32)

    def highest_gains(self) -> Integers:
        """For each violating set and each of its pairs, a bound on the gain: how many have that pair in its records."""
        per_row = np.diff(self._row_starts)
        bound = np.where(self.rows >= 0, per_row[self.rows], 0)
        highest = [np.bincount(self.sets, weights=column, minlength=len(self)) for column in bound.T]
        return np.stack(highest, axis=1).astype(np.int64)


def widened(rows: npt.NDArray[np.integer], width: int) -> Integers:
    """Lines of one width, filled up with -1."""
    wide = np.full((rows.shape[0], width), -1, dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide
