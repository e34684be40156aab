"""Minimal violating sets of up to three pairs, first pair by first pair: what `levels` finds, in little memory.

All occurrences of a set begin with the same pair, the rarest. So the sets that begin with some pairs are counted without all
others, and a few hundred thousand occurrences at a time fit a processor's cache. All that is remembered is one bit for every two
rows of a record: whether their pairs together violate. Three rows need three of these bits.

Larger sets would need the occurrences of all smaller ones, which `levels` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import offsets_of, ranges
from tacita.trajectories.occurrences import in_threads
from tacita.trajectories.pair_columns import PairColumns
from tacita.trajectories.requirement import Requirement

__all__ = ["MOST", "small_violations"]

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]
Found = tuple[Integers, Integers]
_BlockWork = Callable[[tuple[int, int]], Found]

MOST = 3
CHUNK = 1 << 18


def small_violations(columns: PairColumns, requirement: Requirement, *, most: int) -> Iterator[Found]:
    """For each size up to `most`, at most 3: the pairs of each minimal violating set, one row per set, and its persons."""
    number = columns.codes.size
    people = columns.person_of(columns.records)
    singles, persons, violating, _ = _counted(columns, requirement, columns.pairs.astype(np.int64), people)
    yield singles[violating][:, np.newaxis], persons[violating]
    fine = np.ones(number, dtype=np.bool_)
    fine[singles[violating]] = False
    search = _Search.of(columns.where(fine[columns.pairs]), requirement)
    if most >= 2:
        yield search.all_blocks(search.pairs_of_block, size=2)
    if most >= 3:
        yield search.all_blocks(search.triples_of_block, size=3)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Search:
    """Rows by their pair; `listed` says where the later rows of each row are listed, `together` whether both may stay."""

    columns: PairColumns
    requirement: Requirement
    people: Numbers = field(repr=False)
    by_pair: Integers = field(repr=False)
    later: Integers = field(repr=False)
    listed: Integers = field(repr=False)
    together: Booleans = field(repr=False)
    blocks: tuple[tuple[int, int], ...] = field(repr=False)

    @classmethod
    def of(cls, columns: PairColumns, requirement: Requirement) -> _Search:
        """Put rows into the order of their pairs, and pairs into blocks."""
        records = columns.records
        later = columns.offsets[1:][records] - np.arange(columns.pairs.size) - 1
        listed = offsets_of(later)
        bits = max(columns.pairs.size, 1).bit_length()
        order = (columns.pairs.astype(np.int64) << bits) | np.arange(columns.pairs.size)
        order.sort()
        order &= (1 << bits) - 1
        weight = offsets_of(later[order])
        ends = np.flatnonzero(np.append(np.diff(columns.pairs[order]) != 0, True)[: order.size]) + 1
        cuts = np.unique(ends[np.searchsorted(weight[ends], np.arange(CHUNK, int(weight[-1]), CHUNK))]) if order.size else ends
        bounds = sorted({0, *cuts.tolist(), order.size})
        return cls(
            columns=columns,
            requirement=requirement,
            people=columns.person_of(records),
            by_pair=order,
            later=later,
            listed=listed,
            together=np.zeros(int(listed[-1]), dtype=np.bool_),
            blocks=tuple(pairwise(bounds)),
        )

    def all_blocks(self, work: _BlockWork, *, size: int) -> Found:
        """What some work finds in all blocks."""
        found = in_threads(work, self.blocks)
        pairs = [np.zeros((0, size), dtype=np.int64), *(part for part, _ in found)]
        persons = [np.zeros(0, dtype=np.int64), *(part for _, part in found)]
        return np.concatenate(pairs), np.concatenate(persons)

    def _listed(self, block: tuple[int, int]) -> tuple[Integers, Integers, Integers]:
        """Every two rows of a record the first of which is in the block, and where they are listed."""
        rows = self.by_pair[block[0] : block[1]]
        sizes = self.later[rows]
        first = np.repeat(rows, sizes)
        place = ranges(self.listed[rows], sizes)
        second = place + np.repeat(rows + 1 - self.listed[rows], sizes)
        return first, second, place

    def pairs_of_block(self, block: tuple[int, int]) -> Found:
        """Violating sets of two pairs; notes which two rows may stay together."""
        first, second, place = self._listed(block)
        pairs, number = self.columns.pairs, self.columns.codes.size
        keys = pairs[first].astype(np.int64) * number + pairs[second]
        sets, persons, violating, of_set = _counted(self.columns, self.requirement, keys, self.people[first])
        self.together[place] = ~violating[of_set]
        bad = sets[violating]
        return np.stack([bad // number, bad % number], axis=1), persons[violating]

    def triples_of_block(self, block: tuple[int, int]) -> Found:
        """Violating sets of three pairs, all two of which may stay together."""
        first, second, place = self._listed(block)
        fine = np.flatnonzero(self.together[place])
        first, second = first[fine], second[fine]
        ends = np.append(np.flatnonzero(np.diff(first)) + 1, first.size)
        sizes = np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(1, first.size + 1) if first.size else ends[:0]
        one = np.repeat(np.arange(first.size), sizes)
        middle, third = second[one], second[ranges(np.arange(1, first.size + 1), sizes)]
        stands = np.flatnonzero(self.together[self.listed[middle] + (third - middle - 1)])
        first, middle, third = first[one[stands]], middle[stands], third[stands]
        pairs, number = self.columns.pairs, self.columns.codes.size
        keys = (pairs[first].astype(np.int64) * number + pairs[middle]) * number + pairs[third]
        sets, persons, violating, _ = _counted(self.columns, self.requirement, keys, self.people[first], numbers=False)
        bad = sets[violating]
        return np.stack([bad // number // number, bad // number % number, bad % number], axis=1), persons[violating]


def _counted(
    columns: PairColumns, requirement: Requirement, keys: Integers, people: Numbers, *, numbers: bool = True
) -> tuple[Integers, Integers, Booleans, Integers]:
    """The different keys, how many persons have each, whether that violates, and the number of each key's set if wanted."""
    least, bits = int(keys.min(initial=0)), max(keys.size, 1).bit_length()
    groups = columns.sensitive.shape[1]
    if columns.persons is None and not numbers and groups <= 1 and (int(keys.max(initial=0)) - least).bit_length() <= 61:
        return _counted_by_class(columns, requirement, keys, people)
    if (int(keys.max(initial=0)) - least).bit_length() + bits <= 63:
        both = ((keys - least) << bits) | np.arange(keys.size)
        both.sort()
        order = both & ((1 << bits) - 1)
        both >>= bits
        both += least
    else:
        order = np.argsort(keys, kind="stable")
        both = keys[order]
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    of_sorted = np.cumsum(new) - 1
    who = people[order]
    if columns.persons is not None:
        crowd = columns.sensitive.shape[0]
        once = np.unique(of_sorted * crowd + who)
        counted_set, who = once // crowd, once % crowd
    else:
        counted_set = of_sorted
    persons = np.bincount(counted_set, minlength=starts.size)
    counts = [np.bincount(counted_set[flags[who]], minlength=starts.size) for flags in columns.sensitive.T]
    sensitive = np.stack(counts, axis=1) if counts else np.zeros((starts.size, 0), dtype=np.int64)
    of_set = np.empty(keys.size if numbers else 0, dtype=np.int64)
    if numbers:
        of_set[order] = of_sorted
    return both[starts], persons, requirement.broken(persons, sensitive), of_set


def _counted_by_class(
    columns: PairColumns, requirement: Requirement, keys: Integers, people: Numbers
) -> tuple[Integers, Integers, Booleans, Integers]:
    """The same where at most one group is sensitive: whether somebody is in it is the last bit of what is sorted."""
    groups = columns.sensitive.shape[1]
    keys = keys << 1
    if groups:
        keys |= columns.sensitive[people, 0]
    keys.sort()
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:] >> 1, keys[:-1] >> 1, out=new[1:])
    starts = np.flatnonzero(new)
    persons = np.diff(np.append(starts, keys.size))
    ill = np.add.reduceat(keys & 1, starts) if starts.size else starts
    sensitive = ill[:, np.newaxis] if groups else np.zeros((starts.size, 0), dtype=np.int64)
    return keys[starts] >> 1, persons, requirement.broken(persons, sensitive), starts[:0]
