"""Where sets of pairs occur: for each size, every occurrence of a set that contains no smaller violating one.

Level by level, as Algorithm 5.1 of Chen's thesis, 2012, but with occurrences instead of candidates: what is counted occurs, and
nothing is joined or scanned. An occurrence at one level is one of the level before with a later row of the same record, and it
stands only if all of its smaller parts are occurrences of sets that do not violate. Equal sets are brought together by sorting
one number per occurrence. So any number of pairs, thresholds and lengths of records is exact; pairs of equal times are sets as
all others are (the published join never looks at those), and violating sets of *every* smaller size are looked for (the
published one checks the last size only, which lists sets that are not minimal from size four on).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places
from tacita.arrays.ragged import offsets_of
from tacita.errors import ParameterError
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.requirement import Requirement

__all__ = ["Level", "Rows", "in_threads", "levels", "threaded"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

CHUNK = 1 << 18  # occurrences that are looked at together while a level is found, so that they fit a processor's cache
SORTED_AT_ONCE = 1 << 20
WORTH_COMPILING = 1 << 21  # occurrences
MOST_OCCURRENCES = 400_000_000  # about ten gigabytes
AHEAD = 4  # results that wait in memory
THREADS = 2  # NumPy lets go of the interpreter while it sorts and gathers


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Which rows of the columns each occurrence consists of: its first one, and how far behind it the others are.

    All are rows of one record, so that the distances fit a byte each for records of up to 256 pairs.
    """

    first: Numbers = field(repr=False)
    steps: npt.NDArray[np.unsignedinteger] = field(repr=False)
    """One line per row but the first, one column per occurrence."""

    @property
    def size(self) -> int:
        """How many rows an occurrence has."""
        return int(self.steps.shape[0]) + 1

    def of(self, those: AnyIntegers | Booleans) -> Numbers:
        """The rows of some occurrences, one column each."""
        first = self.first[those]
        found = np.empty((self.size, first.size), dtype=np.int32)
        found[0] = first
        for place, step in enumerate(self.steps, start=1):
            np.add(first, step[those], out=found[place], casting="unsafe")
        return found

    def last(self, those: AnyIntegers) -> Numbers:
        """The last row of some occurrences."""
        found: Numbers = self.first[those]
        if self.size > 1:
            np.add(found, self.steps[-1][those], out=found, casting="unsafe")
        return found

    def part(self, those: AnyIntegers) -> Rows:
        """Some of the occurrences."""
        return Rows(first=self.first[those], steps=self.steps[:, those])


@dataclass(frozen=True, kw_only=True, eq=False)
class Level:
    """All occurrences of sets of one size.

    `rows` has the rows of the columns of each occurrence, in increasing order. `sets` numbers their sets; `sizes` says how many
    occurrences each set has, and `heads` which is the first. `persons` and `sensitive` count, `violating` says which sets break
    the requirement: all of them are minimal.
    """

    size: int
    rows: Rows
    sets: Numbers = field(repr=False)
    heads: Numbers = field(repr=False)
    sizes: Integers = field(repr=False)
    persons: Integers = field(repr=False)
    sensitive: Integers = field(repr=False)
    violating: Booleans = field(repr=False)

    def __len__(self) -> int:
        """The number of different sets."""
        return self.persons.size

    def pairs(self, columns: PairColumns, which: Places | None = None) -> Numbers:
        """The pairs of each set, or of some."""
        return columns.pairs[self.rows.of(self.heads if which is None else self.heads[which])].T


def levels(columns: PairColumns, requirement: Requirement) -> Iterator[Level]:
    """One level after another, up to the known pairs or until no larger set can occur."""
    most = int(np.diff(columns.offsets).max(initial=0))
    most = most if requirement.known_pairs is None else min(most, requirement.known_pairs)
    if most == 0:
        return
    records = columns.records
    far = int(np.diff(columns.offsets).max(initial=0))
    steps = np.zeros((0, columns.pairs.size), dtype=np.uint8 if far <= 1 << 8 else np.uint16 if far <= 1 << 16 else np.uint32)
    rows = Rows(first=np.arange(columns.pairs.size, dtype=np.int32), steps=steps)
    level = _level(columns, requirement, records, rows, _together(columns.pairs.copy(), None, distinct=1))
    yield level
    known = _Known(records)
    for size in range(2, most + 1):
        known.add(level)
        del level
        rows, prefixes = known.longer(last=size == most)
        if not rows.first.size:
            return
        if size == most:
            del known  # its memory is needed now
        together = _together(prefixes, (columns.pairs, rows), distinct=columns.codes.size)
        level = _level(columns, requirement, records, rows, together)
        del rows, prefixes, together
        yield level


class _Known:
    """Occurrences of sets that do not violate, by size, so that larger ones can be made of them and looked up in them.

    Each is known by its *beginning* (all rows but the last), as a place among the occurrences of one size less. Those of one
    beginning stand together, so two of them make a larger occurrence of which two parts need not be looked up.
    """

    def __init__(self, records: Numbers) -> None:
        self._beginnings = records
        self._rows = Rows(first=np.zeros(0, dtype=np.int32), steps=np.zeros((0, 0), dtype=np.uint8))
        self._sets: Numbers = np.zeros(0, dtype=np.int32)
        self._single: Numbers = np.zeros(0, dtype=np.int32)  # the place of each row of the columns among single ones
        # where the pairs that begin with a single one are listed
        self._pair_starts: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self._pair: Numbers = np.zeros(0, dtype=np.int32)  # the place of each listed pair, -1 if it violates
        self._keys: list[Integers] = []  # for sizes above 2: (beginning, place of the last row) as one increasing number

    def add(self, level: Level) -> None:
        """Note the occurrences that do not violate."""
        fine = np.flatnonzero(~level.violating[level.sets])
        places = np.full(level.sets.size, -1, dtype=np.int32)
        places[fine] = np.arange(fine.size, dtype=np.int32)
        self._rows, self._sets, self._beginnings = level.rows.part(fine), level.sets[fine], self._beginnings[fine]
        if level.size == 1:
            self._single = places
            self._pair_starts = offsets_of(self._siblings().astype(np.int64)).astype(np.uint32)
        elif level.size == 2:
            self._pair = places
        else:
            self._keys.append(self._key(self._beginnings, self._last(slice(None))))

    def _last(self, those: Numbers | slice) -> Numbers:
        """The last row of some occurrences."""
        first = self._rows.first[those]
        return first if self._rows.size == 1 else first + self._rows.steps[-1][those].astype(np.int32)

    def _siblings(self) -> Numbers:
        """How many occurrences with the same beginning come after each."""
        ends = np.append(np.flatnonzero(np.diff(self._beginnings)) + 1, self._beginnings.size).astype(np.int32)
        sizes = np.diff(ends, prepend=np.int32(0))
        return np.subtract(np.repeat(ends, sizes), np.arange(1, self._beginnings.size + 1, dtype=np.int32), dtype=np.int32)

    def _key(self, beginnings: Numbers, last: Numbers) -> Integers:
        return np.asarray(beginnings.astype(np.int64) * self._single.size + last, dtype=np.int64)

    def longer(self, *, last: bool) -> tuple[Rows, Numbers]:
        """Occurrences of one size more whose parts are all here, and the set of all rows but the last; `last` if none follows."""
        sizes = self._siblings()
        self._beginnings = sizes[:0]  # its memory is needed now
        most = int(sizes.sum(dtype=np.int64))
        if most > MOST_OCCURRENCES:
            message = (
                f"more than {MOST_OCCURRENCES:,} sets of {self._rows.size + 1} pairs occur in the records, more than "
                "can be counted; lower known_pairs, or cut records to fewer pairs"
            )
            raise ParameterError(message)
        bounds = _bounds(sizes)
        # room for all that could be found: what is not written to takes no memory
        first, prefixes = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        steps = np.empty((self._rows.size, most), dtype=self._rows.steps.dtype)
        beginnings = np.empty(0 if last else most, dtype=np.int32)
        end = 0
        for one, end_row in threaded(lambda bound: self._together_with_siblings(*bound, sizes), list(pairwise(bounds))):
            mine = slice(end, end + one.size)
            first[mine] = self._rows.first[one]
            for place, step in enumerate(self._rows.steps):
                steps[place, mine] = step[one]
            steps[-1, mine] = end_row - first[mine]
            prefixes[mine] = self._sets[one]
            if not last:
                beginnings[mine] = one
            end += one.size
        self._beginnings = beginnings[:end]
        return Rows(first=first[:end], steps=steps[:, :end]), prefixes[:end]

    def _together_with_siblings(self, start: int, stop: int, sizes: Numbers) -> tuple[Numbers, Numbers]:
        """Some occurrences, each with the last rows of its later siblings, where all parts of both together are here."""
        mine = sizes[start:stop].astype(np.int64)
        one = np.repeat(np.arange(start, stop, dtype=np.int32), mine)
        begins = offsets_of(mine)[:-1]
        other = np.repeat((np.arange(start + 1, stop + 1) - begins).astype(np.int32), mine)
        other += np.arange(other.size, dtype=np.int32)
        last = self._last(other)
        for left_out in range(self._rows.size - 1):
            stands = self._stands(one, last, left_out)
            one, last = one[stands], last[stands]
        return one, last

    def _stands(self, one: Numbers, last: Numbers, left_out: int) -> Booleans:
        """Whether the occurrence that leaves out one row of `one` and has the row `last` is here."""
        parts = [row for place, row in enumerate(self._rows.of(one)) if place != left_out] + [last]
        first, second = self._single[parts[0]], self._single[parts[1]]
        place = self._pair[self._pair_starts[first] + (second - first - 1)]
        stands = np.asarray(place >= 0)
        for keys, part in zip(self._keys, parts[2:], strict=False):
            if not keys.size:
                return np.zeros_like(stands)
            key = self._key(place, part)
            place = np.minimum(np.searchsorted(keys, key), keys.size - 1).astype(np.int32)
            stands &= keys[place] == key
        return stands


def _bounds(sizes: Numbers) -> list[int]:
    """Where to cut a list so that about a chunk of what it makes is looked at together."""
    step = 1 << 10
    made = np.cumsum(np.add.reduceat(sizes, np.arange(0, sizes.size, step), dtype=np.int64)) if sizes.size else sizes
    cuts = np.flatnonzero(np.diff(made // CHUNK)) + 1
    return [0, *(cuts * step).tolist(), int(sizes.size)]


def in_threads(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """The results of some work for each item, in their order."""
    return list(threaded(work, items))


def threaded(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Iterator[_Result]:
    """The same one after another, a few ahead of the one that is asked for, so that each can be let go of."""
    if len(items) < 2:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(max_workers=THREADS) as pool:
        ahead = deque(pool.submit(work, item) for item in items[:AHEAD])
        for item in (*items[AHEAD:], *[None] * len(ahead)):
            found = ahead.popleft().result()
            if item is not None:
                ahead.append(pool.submit(work, item))
            yield found


def _level(
    columns: PairColumns, requirement: Requirement, records: Numbers, rows: Rows, together: tuple[Numbers, Numbers, Integers]
) -> Level:
    """Count the persons of every set; `together` is the set of each occurrence, and of each set the first one and how many."""
    sets, heads, sizes = together
    number = sizes.size
    if columns.persons is None:
        persons = sizes
        sensitive = [_flagged(flags, sets, records, rows.first, number) for flags in columns.sensitive.T]
    else:
        crowd = columns.sensitive.shape[0]
        once = np.unique(sets.astype(np.int64) * crowd + columns.person_of(records[rows.first]))
        one_set, person = once // crowd, once % crowd
        persons = np.bincount(one_set, minlength=number)
        sensitive = [np.bincount(one_set[flags[person]], minlength=number) for flags in columns.sensitive.T]
    counted = np.stack(sensitive, axis=1) if sensitive else np.zeros((number, 0), dtype=np.int64)
    return Level(
        size=rows.size,
        rows=rows,
        sets=sets,
        heads=heads,
        sizes=sizes,
        persons=persons,
        sensitive=counted,
        violating=requirement.broken(persons, counted),
    )


def _flagged(flags: Booleans, sets: Numbers, records: Numbers, first: Numbers, number: int) -> Integers:
    """How many occurrences of each set are in a record that is flagged; some at a time, so that little is copied."""
    counts = np.zeros(number, dtype=np.int64)
    for start in range(0, sets.size, SORTED_AT_ONCE):
        part = slice(start, start + SORTED_AT_ONCE)
        counts += np.bincount(sets[part][flags[records[first[part]]]], minlength=number)
    return counts


def _together(prefixes: Numbers, last: tuple[Numbers, Rows] | None, *, distinct: int) -> tuple[Numbers, Numbers, Integers]:
    """Number the different sets, with the first place of each and how many there are.

    A set is known by its prefix and, if there is one, its last pair.

    Keys and places are sorted as one number, the keys of some prefixes at a time, so that no list of all keys is needed. The
    numbers are written over the prefixes, as negative ones until all are done, so that nobody takes them for prefixes. Where
    there are many and the extra `fast` is installed, `compiled_packing` finds the same.
    """
    highest = int(prefixes.max(initial=0))
    if last is not None and prefixes.size >= WORTH_COMPILING and find_spec("numba") is not None:
        return _together_compiled(prefixes, *last, number=highest + 1, distinct=distinct)

    def in_order(bounds: tuple[int, int]) -> tuple[Numbers, Booleans]:
        """The places of the keys in a range, by key, and which of them are the first of their key."""
        low, high = bounds
        places = np.flatnonzero((prefixes >= low) & (prefixes < high))
        keys = prefixes[places].astype(np.int64)
        keys -= low
        if last is not None:
            keys *= distinct
            pairs, rows = last
            keys += pairs[rows.last(places)]
        bits = max(places.size - 1, 1).bit_length()
        if int(keys.max(initial=0)).bit_length() + bits > 63:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        keys <<= bits
        keys |= np.arange(places.size)
        keys.sort()
        mine = places[keys & ((1 << bits) - 1)].astype(np.int32)
        keys >>= bits
        new = np.ones(mine.size, dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        return mine, new

    heads, starts, done, numbered = [], [], 0, 0
    for mine, new in threaded(in_order, list(_ranges(prefixes, highest))):
        heads.append(mine[new])
        starts.append(np.flatnonzero(new) + done)
        prefixes[mine] = -np.cumsum(new, dtype=np.int32) - np.int32(numbered)
        done, numbered = done + mine.size, numbered + starts[-1].size
    np.invert(prefixes, out=prefixes)  # -1 - n becomes n
    return prefixes, np.concatenate(heads), np.diff(np.concatenate([*starts, np.array([prefixes.size])]))


def _together_compiled(
    prefixes: Numbers, pairs: Numbers, rows: Rows, *, number: int, distinct: int
) -> tuple[Numbers, Numbers, Integers]:
    """The same by compiled code."""
    from tacita.trajectories.compiled_packing import (  # noqa: PLC0415 - an extra, slow to import
        by_last_pair,
        by_prefix,
        numbered,
    )

    order, begins = by_prefix(prefixes, number)
    new = np.empty(prefixes.size, dtype=np.bool_)
    cuts = np.searchsorted(begins, np.arange(0, prefixes.size, SORTED_AT_ONCE), side="right") - 1
    bounds = list(pairwise([*np.unique(cuts).tolist(), number]))
    last = (pairs, rows.first, rows.steps[-1])
    found = in_threads(lambda bound: by_last_pair(bound, order, begins, last, new, distinct), bounds)
    before = offsets_of(found).tolist()
    starts = np.empty(before[-1] + 1, dtype=np.int64)
    starts[-1] = prefixes.size
    parts = [(int(begins[low]), int(begins[high]), first) for (low, high), first in zip(bounds, before, strict=False)]
    in_threads(lambda part: numbered(order, new, part, prefixes, starts), parts)
    return prefixes, order[starts[:-1]], np.diff(starts)


def _ranges(prefixes: Numbers, highest: int) -> Iterator[tuple[int, int]]:
    """Ranges that cover all prefixes, with about as many occurrences in each as are sorted at once."""
    parts = prefixes.size // SORTED_AT_ONCE
    if parts < 2:
        yield 0, highest + 1
        return
    sample = np.sort(prefixes[:: max(1, prefixes.size // (64 * parts))])
    cuts = [cut for cut in np.unique(sample[np.arange(1, parts) * sample.size // parts]).tolist() if cut > 0]
    yield from zip([0, *cuts], [*cuts, highest + 1], strict=True)
