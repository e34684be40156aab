"""Records as columns of pairs, and sets of pairs, of any sizes, with an index of where they occur: by set and by row.

Pairs are numbered from the rarest on. A record is a set, so any order of its pairs serves. With this one, sets that few share
come first, and where a record may keep either of two pairs the rarer one has the lower number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of, ranges

__all__ = ["IndexedSets", "PairColumns", "widened"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairColumns:
    """One row per pair of a record: `pairs` are numbers below `len(codes)`, which strictly increase within a record.

    `codes` gives the code of each number. `persons` is the person of each record, or None where every record is a person of its
    own; `sensitive` has one row per person and one column per sensitive group.
    """

    pairs: Numbers = field(repr=False)
    offsets: Integers = field(repr=False)
    codes: Integers = field(repr=False)
    persons: Numbers | None = field(repr=False)
    sensitive: Booleans = field(repr=False)

    @classmethod
    def of(cls, lists: Ragged, *, persons: Numbers | None = None, sensitive: Booleans | None = None) -> PairColumns:
        """Number the pairs of records, each a set of codes.

        >>> PairColumns.of(Ragged.from_lists([[0, 7], [7], [7, 9], [9]])).pairs.tolist()
        [0, 2, 2, 1, 2, 1]
        """
        if persons is not None and (persons.size < 2 or np.unique(persons).size == persons.size):
            sensitive = None if sensitive is None else sensitive[persons]
            persons = None
        supports = np.bincount(lists.codes)
        codes = np.flatnonzero(supports)
        codes = codes[np.argsort(supports[codes], kind="stable")]
        number = np.zeros(supports.size, dtype=np.int32)
        number[codes] = np.arange(codes.size, dtype=np.int32)
        pairs = _sorted_within(number[lists.codes], lists.offsets, symbols=codes.size)
        people = len(lists) if persons is None else int(persons.max()) + 1
        flags = np.zeros((people, 0), dtype=np.bool_) if sensitive is None else sensitive
        return cls(pairs=pairs, offsets=lists.offsets, codes=codes, persons=persons, sensitive=flags)

    def __len__(self) -> int:
        """The number of records."""
        return self.offsets.size - 1

    @cached_property
    def records(self) -> Numbers:
        """The record of each row."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def person_of(self, records: Numbers) -> Numbers:
        """The person of each of these records."""
        return records if self.persons is None else self.persons[records]

    def where(self, keep: Booleans) -> PairColumns:
        """The same with only some of the rows; numbers stay as they are, and a record may be left empty."""
        before = offsets_of(keep.astype(np.int64))
        return PairColumns(
            pairs=self.pairs[keep],
            offsets=before[self.offsets],
            codes=self.codes,
            persons=self.persons,
            sensitive=self.sensitive,
        )

    def lists(self) -> Ragged:
        """The records as sets of codes, in the order of codes."""
        codes = self.codes[self.pairs]
        return Ragged(_sorted_within(codes, self.offsets, symbols=int(self.codes.max(initial=0)) + 1), self.offsets)


def _sorted_within(values: AnyIntegers, offsets: Integers, *, symbols: int) -> Numbers:
    """The values of each record in increasing order."""
    keys = np.repeat(np.arange(offsets.size - 1, dtype=np.int64) * max(symbols, 1), np.diff(offsets))
    begins = keys.copy()
    keys += values
    keys.sort()
    keys -= begins
    return keys.astype(np.int32)


class IndexedSets:
    """Sets and their occurrences.

    `members` has the pairs of each set, `rows` those rows of the columns that make an occurrence, both filled up with -1, and
    `sets` says of which set an occurrence is.
    """

    def __init__(self, columns: PairColumns, *, rows: Numbers, sets: Numbers, members: Numbers) -> None:
        """Sort occurrences by set and by row."""
        self._columns, self.records = columns, columns.records
        self.rows, self.sets, self.members = rows, sets, members
        self.by_set: Numbers = np.argsort(sets, kind="stable").astype(np.int32)
        self.starts = offsets_of(np.bincount(sets, minlength=members.shape[0]))
        there = rows.ravel()
        order = np.argsort(there, kind="stable")[np.count_nonzero(there < 0) :]
        self.by_row: Numbers = (order // rows.shape[1]).astype(np.int32)
        self.row_starts = offsets_of(np.bincount(there[there >= 0], minlength=columns.pairs.size))

    def __len__(self) -> int:
        """The number of sets."""
        return self.starts.size - 1

    def with_rows(self, rows: AnyIntegers) -> Numbers:
        """The occurrences that have one of these rows, which belong to different records."""
        begins = self.row_starts[rows]
        return self.by_row[ranges(begins, self.row_starts[rows + 1] - begins)]

    def stands(self, those: AnyIntegers, keep: Booleans) -> Booleans:
        """Whether all rows of each of these occurrences are still there."""
        rows = self.rows[those]
        found: Booleans = keep[rows[:, 0]]
        for place in range(1, rows.shape[1]):
            found &= keep[rows[:, place]] | (rows[:, place] < 0)
        return found

    def losses(self, those: AnyIntegers, sets: AnyIntegers, keep: Booleans) -> tuple[Integers, Integers]:
        """How many persons no longer have each of the sets once these occurrences are gone, and how many of each group."""
        people = self._columns.person_of(self.records[self.rows[those, 0]])
        place = np.searchsorted(sets, self.sets[those])
        if self._columns.persons is not None:
            place, people = self._last_copies(sets, place, people, keep)
        lost = np.bincount(place, minlength=sets.size)
        groups = [np.bincount(place[flags[people]], minlength=sets.size) for flags in self._columns.sensitive.T]
        return lost, np.stack(groups, axis=1) if groups else np.zeros((sets.size, 0), dtype=np.int64)

    def _last_copies(self, sets: AnyIntegers, place: Integers, people: Numbers, keep: Booleans) -> tuple[Integers, Numbers]:
        """(set, person) for the persons who have the set in no other record."""
        crowd = self._columns.sensitive.shape[0]
        gone, copies = np.unique(place * crowd + people, return_counts=True)
        sizes = self.starts[sets + 1] - self.starts[sets]
        all_those = self.by_set[ranges(self.starts[sets], sizes)]
        owner = np.repeat(np.arange(sets.size), sizes)
        stand = self.stands(all_those, keep)
        everyone = self._columns.person_of(self.records[self.rows[all_those[stand], 0]])
        there, all_copies = np.unique(owner[stand] * crowd + everyone, return_counts=True)
        last = gone[copies == all_copies[np.searchsorted(there, gone)]]
        return last // crowd, (last % crowd).astype(np.int32)

    def highest_gains(self) -> Integers:
        """For each violating set and each of its pairs, a bound on the gain: how many have that pair in its records."""
        per_row = np.diff(self.row_starts)
        bound = np.where(self.rows >= 0, per_row[self.rows], 0)
        highest = [np.bincount(self.sets, weights=column, minlength=len(self)) for column in bound.T]
        return np.stack(highest, axis=1).astype(np.int64)

    def shares(self) -> tuple[Numbers, Numbers]:
        """A number for the (set, person) of each occurrence, and how often each occurs; nothing where records are persons."""
        if self._columns.persons is None:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        keys = self.sets.astype(np.int64) * self._columns.sensitive.shape[0] + self._columns.person_of(
            self.records[self.rows[:, 0]]
        )
        _, share, copies = np.unique(keys, return_inverse=True, return_counts=True)
        return share.astype(np.int32), copies.astype(np.int32)


def widened(rows: AnyIntegers, width: int) -> Numbers:
    """Lines of one width, filled up with -1."""
    wide = np.full((rows.shape[0], width), -1, dtype=np.int32)
    wide[:, : rows.shape[1]] = rows
    return wide
