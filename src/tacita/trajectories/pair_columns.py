"""Records as columns of pairs, numbered from the rarest pair on, for everything that counts sets of pairs.

A record is a set, so any order of its pairs serves. From the rarest on, sets that few share come first, and where a record may
keep either of two pairs the rarer one is the one with the lower number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of

__all__ = ["PairColumns"]


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
