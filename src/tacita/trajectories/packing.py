"""Packing: every record keeps as much as it can of what enough others keep too.

F is the collection of all sets of up to L pairs that violate nothing and contain no minimal violating set. Every record keeps a
largest subset of its own pairs all of whose small parts are in F. Persons are counted again; what now violates leaves F, the
weakest first, and the records that kept it choose again, *from their original pairs*. F only shrinks, so this ends, and it ends
when nothing that is kept violates: it is sound by construction, and checked all the same before anything is published.

Published suppression (Chen's thesis, 2012, Algorithm 5.3) removes violating sequences one by one, each removal judged alone.
Packing asks what can stay instead, which loses much less.

Where there is much to choose and the extra `fast` is installed, `compiled_packing` makes the same choices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from tacita.arrays import Booleans, Integers, Numbers, Places, Reals
from tacita.arrays.ragged import offsets_of, ranges
from tacita.trajectories.choices import Conflicts, best_subsets
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.occurrences import THREADS, Level, Rows, in_threads, levels, threaded
from tacita.trajectories.requirement import Requirement

if TYPE_CHECKING:
    from tacita.trajectories.compiled_packing import SetsOfSize

__all__ = ["Packing", "pack"]

_Scalar = TypeVar("_Scalar", bound=np.generic)

RECORDS_AT_ONCE, FEWEST_AT_ONCE = 1 << 13, 1 << 10
SETS_AT_ONCE = 1 << 20
STAGES = tuple(stage / 10 for stage in range(1, 11))
"""Sets leave F from the weakest on: those of fewer than this share of the crowd first."""
MOST_COMPILED = 4
WORTH_COMPILING = 4_000_000
"""With at least this many occurrences of sets, compiled choices are quicker, loading included."""


def pack(
    columns: PairColumns,
    requirement: Requirement,
    *,
    weights: Reals | None = None,
    progress: Callable[[int], None] | None = None,
) -> Booleans:
    """Which rows are kept; `weights` has one number per pair where not all are worth the same."""
    packing = Packing(columns, requirement, weights=weights)
    packing.settle(np.arange(len(columns)), progress=progress)
    return packing.keep


class Packing:
    """What every record keeps, and how many persons keep every set."""

    def __init__(self, columns: PairColumns, requirement: Requirement, *, weights: Reals | None) -> None:
        """Find all sets; nothing is kept yet."""
        self._columns, self._requirement, self._weights = columns, requirement, weights
        self._records = columns.records
        self._tallies = [_Tally.of(level, columns, self._records) for level in levels(columns, requirement)]
        self.keep = np.zeros(columns.pairs.size, dtype=np.bool_)
        occurrences = sum(tally.sets.size for tally in self._tallies)
        few = 0 < len(self._tallies) <= MOST_COMPILED and weights is None
        self._compiled = few and occurrences >= WORTH_COMPILING and find_spec("numba") is not None

    def settle(self, records: Integers, *, progress: Callable[[int], None] | None = None) -> None:
        """Let records choose, and all that this concerns, until nothing that is kept violates."""
        stage = 0
        while True:
            self._choose(records)
            wrong = [tally.broken(self._requirement) for tally in self._tallies]
            while True:
                least = STAGES[stage] * self._requirement.crowd
                now = [
                    sets[(tally.persons[sets] < least) | (tally.persons[sets] >= self._requirement.crowd)]
                    for sets, tally in zip(wrong, self._tallies, strict=True)
                ]
                if stage == len(STAGES) - 1 or any(sets.size for sets in now):
                    break
                stage += 1
            if not any(sets.size for sets in now):
                return
            records = np.unique(np.concatenate([tally.leave(sets) for tally, sets in zip(self._tallies, now, strict=True)]))
            if progress is not None:
                progress(records.size)

    def _choose(self, records: Integers) -> None:
        """Let records choose among their original rows by what is in F, and count what they keep."""
        records = records.astype(np.int64)
        left = self._choose_compiled(records) if self._compiled else records
        for part, kept in zip(parts := _parts(left), threaded(self._choice, parts), strict=True):
            begins = self._columns.offsets[part]
            self.keep[ranges(begins, self._columns.offsets[part + 1] - begins)] = kept
            if not self._compiled:
                for tally in self._tallies:
                    tally.move(tally.of_records(part)[0], self.keep)
        if self._compiled:
            in_threads(lambda tally: tally.move_compiled(records, self.keep), self._tallies[::-1])

    def _choose_compiled(self, records: Integers) -> Integers:
        """The same by compiled code, except for records with too many rows in conflict, which are given back."""
        from tacita.trajectories.compiled_packing import choose, set_out  # noqa: PLC0415 - an extra, slow to import

        sizes = [tally.numbers for tally in self._tallies]
        rows, occurrences = (
            int(np.max(each, initial=0)) for each in (np.diff(self._columns.offsets), sum(np.diff(size.bounds) for size in sizes))
        )
        none = sizes[0]._replace(bounds=np.zeros_like(sizes[0].bounds))
        all_sizes = (*sizes, *[none] * (MOST_COMPILED - len(sizes)))
        offsets = _frozen(self._columns.offsets)
        parts = _parts(records)
        left = threaded(
            lambda part: choose(part, offsets, all_sizes, self.keep, set_out(rows=rows, occurrences=occurrences)), parts
        )
        return np.concatenate([records[:0], *(part[too_long] for part, too_long in zip(parts, left, strict=True))])

    def _choice(self, records: Integers) -> Booleans:
        """Which of their rows these records keep, record after record."""
        begins = self._columns.offsets[records]
        sizes = self._columns.offsets[records + 1] - begins
        starts = offsets_of(sizes)
        shifts = (starts[:-1] - begins).astype(np.int32)
        forbidden = []
        for tally in self._tallies:
            those, owner = tally.of_records(records)
            out = np.flatnonzero(~tally.allowed[tally.sets[those]])
            forbidden.append(tally.rows.of(those[out]) + shifts[owner[out]])
        weights = None if self._weights is None else self._weights[self._columns.pairs[ranges(begins, sizes)]]
        kept, _ = best_subsets(Conflicts(offsets=starts, forbidden=tuple(forbidden), weights=weights))
        return kept


@dataclass(eq=False, kw_only=True)
class _Tally:
    """The sets of one size: which are in F, which occurrences are kept, and how many persons keep each set.

    `by_set` lists occurrences set by set, of those sets that were in F at first; no others are ever kept.
    """

    rows: Rows
    sets: Numbers
    by_set: Numbers
    starts: Integers
    allowed: Booleans
    persons: Integers
    sensitive: Integers
    held: Booleans
    changed: Booleans
    bounds: Integers = field(repr=False)
    records: Numbers = field(repr=False)
    columns: PairColumns = field(repr=False)
    shares: Numbers | None = None
    copies: Numbers | None = None

    @classmethod
    def of(cls, level: Level, columns: PairColumns, records: Numbers) -> _Tally:
        """Nothing is kept; F is all that does not violate."""
        shares = copies = None
        if columns.persons is not None:
            people = columns.person_of(records[level.rows.first])
            keys = level.sets.astype(np.int64) * columns.sensitive.shape[0] + people
            shares = np.unique(keys, return_inverse=True)[1].astype(np.int32)
            copies = np.zeros(int(shares.max(initial=-1)) + 1, dtype=np.int32)
        allowed = ~level.violating
        starts = offsets_of(level.sizes * allowed)
        return cls(
            rows=level.rows,
            sets=level.sets,
            by_set=_by_set(level.sets, allowed, starts),
            starts=starts,
            allowed=allowed,
            persons=np.zeros(len(level), dtype=np.int64),
            sensitive=np.zeros((len(level), columns.sensitive.shape[1]), dtype=np.int64),
            held=np.zeros(level.sets.size, dtype=np.bool_),
            changed=np.zeros(len(level), dtype=np.bool_),
            bounds=np.searchsorted(level.rows.first, columns.offsets),
            records=records,
            columns=columns,
            shares=shares,
            copies=copies,
        )

    def of_records(self, records: Integers) -> tuple[Integers, Integers]:
        """The occurrences in these records, and the place of each one's record among them."""
        sizes = self.bounds[records + 1] - self.bounds[records]
        return ranges(self.bounds[records], sizes), np.repeat(np.arange(records.size), sizes)

    def move(self, occurrences: Integers, keep: Booleans) -> None:
        """Note which of these occurrences are kept now, and count."""
        rows = self.rows.of(occurrences)
        now = keep[rows[0]]
        for row in rows[1:]:
            now &= keep[row]
        changed = now != self.held[occurrences]
        moved, sign = occurrences[changed], np.where(now[changed], 1, -1)
        self.held[moved] = now[changed]
        if self.shares is not None and self.copies is not None:
            share, first = np.unique(self.shares[moved], return_index=True)
            before = self.copies[share] > 0
            np.add.at(self.copies, self.shares[moved], sign)
            sign = (self.copies[share] > 0).astype(np.int64) - before
            moved = moved[first]
        self._count(moved, sign)

    @property
    def numbers(self) -> SetsOfSize:
        """The occurrences as compiled code knows them."""
        from tacita.trajectories.compiled_packing import SetsOfSize  # noqa: PLC0415 - an extra, slow to import

        steps = tuple(self.rows.steps)
        padded = (*steps, *[np.zeros(0, dtype=self.rows.steps.dtype)] * (MOST_COMPILED - 1 - len(steps)))
        return SetsOfSize(self.rows.first, padded, len(steps), self.sets, self.allowed, self.bounds)

    def move_compiled(self, records: Integers, keep: Booleans) -> None:
        """Note what is kept now of the occurrences in these records, and count."""
        from tacita.trajectories.compiled_packing import Counts, People, count  # noqa: PLC0415 - an extra, slow to import

        nobody = np.zeros(0, dtype=np.int32)
        persons, shares, copies = (nobody if each is None else each for each in (self.columns.persons, self.shares, self.copies))
        people = People(_frozen(self.columns.sensitive), _frozen(persons), shares, copies)
        count(records, self.numbers, keep, Counts(self.held, self.changed, self.persons, self.sensitive), people)

    def _count(self, moved: Integers, sign: Integers) -> None:
        sets, people = self.sets[moved], self.columns.person_of(self.records[self.rows.first[moved]])
        self.changed[sets] = True
        _add(self.persons, sets, sign)
        for group, flags in enumerate(self.columns.sensitive.T):
            mine = flags[people]
            _add(self.sensitive[:, group], sets[mine], sign[mine])

    def broken(self, requirement: Requirement) -> Places:
        """The sets that somebody keeps and that violate; only those are looked at that changed, or violated before."""
        found = [np.zeros(0, dtype=np.intp)]
        for start in range(0, self.changed.size, SETS_AT_ONCE):
            sets = np.flatnonzero(self.changed[start : start + SETS_AT_ONCE]) + start
            wrong = requirement.broken(self.persons[sets], self.sensitive[sets]) & (self.persons[sets] > 0)
            self.changed[sets[~wrong]] = False
            found.append(sets[wrong])
        return np.concatenate(found)

    def leave(self, sets: Places) -> Numbers:
        """Take sets out of F, and name the records that keep one of them."""
        self.allowed[sets] = False
        sizes = self.starts[sets + 1] - self.starts[sets]
        those = self.by_set[ranges(self.starts[sets], sizes)]
        return np.asarray(self.records[self.rows.first[those[self.held[those]]]], dtype=np.int32)


def _by_set(sets: Numbers, allowed: Booleans, starts: Integers) -> Numbers:
    """The occurrences of allowed sets, set by set; those of a set begin at its start."""
    if sets.size >= WORTH_COMPILING and find_spec("numba") is not None:
        from tacita.trajectories.compiled_packing import places_of  # noqa: PLC0415 - an extra, slow to import

        return np.asarray(places_of(sets, allowed, starts), dtype=np.int32)
    those = np.flatnonzero(allowed[sets]).astype(np.int32)
    return those[np.argsort(sets[those], kind="stable")]


def _parts(records: Integers) -> list[Integers]:
    """Some records at a time, for all threads."""
    at_once = min(RECORDS_AT_ONCE, max(FEWEST_AT_ONCE, -(-records.size // THREADS)))
    return [records[start : start + at_once] for start in range(0, records.size, at_once)]


def _frozen(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """A view that nobody writes to: compiled code takes it for another type, so that all are of one."""
    view = array.view()
    view.setflags(write=False)
    return view


def _add(counts: Integers, sets: Numbers, sign: Integers) -> None:
    """Add to the counts of some sets; many at once by one pass over all."""
    if sets.size > counts.size // 8:
        counts += np.bincount(sets, weights=sign, minlength=counts.size).astype(np.int64)
    else:
        np.add.at(counts, sets, sign)
