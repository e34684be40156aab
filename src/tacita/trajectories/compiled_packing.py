"""The inner loops of `packing` and `occurrences`, compiled: the same results, several times as fast. Needs the extra `fast`.

First the choices and counts of `packing`. A record of m rows that are in some conflict has 2^m subsets, one bit each. Forbidden
sets are marked, each mark spreads to all subsets that contain it (one operation per row on the whole table), and of the
unmarked subsets the largest is taken; ties go to the highest index. The first row has the highest bit, so that among equally
large subsets the one that keeps the rarest pairs is taken, as `choices` does. Nothing is copied from record to record, so this
takes no memory.

Then the sets of `occurrences`: equal ones are brought together in linear time. The compiled code is kept on disk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from tacita.arrays import Booleans, Integers, Numbers, Words
from tacita.trajectories.choices import EXACT

__all__ = ["Counts", "People", "SetsOfSize", "by_last_pair", "by_prefix", "choose", "count", "numbered", "places_of", "set_out"]

_ALL = np.uint64(2**64 - 1)
_WITHOUT = np.array([sum(1 << i for i in range(64) if not i >> bit & 1) for bit in range(6)], dtype=np.uint64)
"""For each of six bits the numbers below 64 that do not have it."""
_OF_SIZE = np.array([sum(1 << i for i in range(64) if i.bit_count() == size) for size in range(7)], dtype=np.uint64)
_BITS = np.array([i.bit_count() for i in range(1 << max(EXACT - 6, 0))], dtype=np.int64)


class SetsOfSize(NamedTuple):
    """The occurrences of all sets of one size: their rows, their sets, which sets are allowed, and where records begin.

    `steps` says how far behind the first row the others are. Only the first `others` of these arrays are filled: all sizes are of
    one type, which is compiled once.
    """

    first: Numbers
    steps: tuple[npt.NDArray[np.unsignedinteger], ...]
    others: int
    sets: Numbers
    allowed: Booleans
    bounds: Integers


class _Desk(NamedTuple):
    """Room for one record: which rows may stay, which are in conflict and by which bit, and the forbidden occurrences."""

    fine: Booleans
    in_conflict: Booleans
    bits: Integers
    size: Integers
    place: Integers
    table: Words


def set_out(*, rows: int, occurrences: int) -> _Desk:
    """Room for records of up to this many rows and occurrences."""
    return _Desk(
        fine=np.zeros(rows, dtype=np.bool_),
        in_conflict=np.zeros(rows, dtype=np.bool_),
        bits=np.zeros(rows, dtype=np.int64),
        size=np.zeros(occurrences, dtype=np.int64),
        place=np.zeros(occurrences, dtype=np.int64),
        table=np.zeros(_BITS.size, dtype=np.uint64),
    )


@njit(cache=True, nogil=True)
def choose(records: Integers, offsets: Integers, sizes: tuple[SetsOfSize, ...], keep: Booleans, desk: _Desk) -> Booleans:
    """Write into `keep` what each record keeps; those with too many rows in conflict are left alone, and told."""
    left = np.zeros(records.size, dtype=np.bool_)
    for turn in range(records.size):
        record = records[turn]
        begin, length = offsets[record], offsets[record + 1] - offsets[record]
        number = _laid_out(record, begin, length, sizes, desk)
        rows = 0
        for row in range(length):
            rows += desk.in_conflict[row]
        if rows > EXACT:
            left[turn] = True
            continue
        bit = rows
        for row in range(length):
            keep[begin + row] = desk.fine[row]
            if desk.in_conflict[row]:
                bit -= 1
                desk.bits[row] = bit
        if not number:
            continue
        best = _best(begin, number, rows, sizes, desk)
        for row in range(length):
            if desk.in_conflict[row]:
                keep[begin + row] = bool(best >> desk.bits[row] & 1)
    return left


@njit(cache=True, nogil=True)
def _laid_out(record: int, begin: int, length: int, sizes: tuple[SetsOfSize, ...], desk: _Desk) -> int:
    """Look up which rows of a record may stay, and its forbidden occurrences of more rows; how many these are."""
    desk.fine[:length] = True
    desk.in_conflict[:length] = False
    single = sizes[0]
    for place in range(single.bounds[record], single.bounds[record + 1]):
        if not single.allowed[single.sets[place]]:
            desk.fine[single.first[place] - begin] = False
    number = 0
    for size in range(1, len(sizes)):
        those = sizes[size]
        for place in range(those.bounds[record], those.bounds[record + 1]):
            if those.allowed[those.sets[place]]:
                continue
            row = those.first[place] - begin
            whole = desk.fine[row]
            for step in range(those.others):
                whole &= desk.fine[row + those.steps[step][place]]
            if whole:
                desk.in_conflict[row] = True
                for step in range(those.others):
                    desk.in_conflict[row + those.steps[step][place]] = True
                desk.size[number], desk.place[number] = size, place
                number += 1
    return number


@njit(cache=True, nogil=True)
def _best(begin: int, number: int, rows: int, sizes: tuple[SetsOfSize, ...], desk: _Desk) -> int:
    """The best subset of the rows in conflict, as bits."""
    words = 1 if rows <= 6 else 1 << (rows - 6)
    desk.table[:words] = 0
    for one in range(number):
        those, place = sizes[desk.size[one]], desk.place[one]
        row = those.first[place] - begin
        marked = 1 << desk.bits[row]
        for step in range(those.others):
            marked |= 1 << desk.bits[row + those.steps[step][place]]
        desk.table[marked >> 6] |= np.uint64(1) << np.uint64(marked & 63)
    _spread(desk.table, rows, words)
    return _largest_free(desk.table, rows, words)


@njit(cache=True, nogil=True)
def _spread(table: Words, rows: int, words: int) -> None:
    """Mark all subsets that contain a marked one, and numbers that represent none."""
    for bit in range(min(rows, 6)):
        shift = np.uint64(1 << bit)
        for word in range(words):
            table[word] |= (table[word] & _WITHOUT[bit]) << shift
    for bit in range(6, rows):
        other = 1 << (bit - 6)
        for word in range(words):
            if word & other:
                table[word] |= table[word - other]
    if rows < 6:
        table[0] |= _ALL << np.uint64(1 << rows)


@njit(cache=True, nogil=True)
def _largest_free(table: Words, rows: int, words: int) -> int:
    """The largest subset that is not marked, and of equally large ones that with the highest number."""
    for size in range(rows, 0, -1):
        for word in range(words - 1, -1, -1):
            low = size - _BITS[word]
            free = ~table[word] & _OF_SIZE[low] if 0 <= low <= 6 else np.uint64(0)
            if free:
                highest = 63
                while not free >> np.uint64(highest) & np.uint64(1):
                    highest -= 1
                return word * 64 + highest
    return 0


class Counts(NamedTuple):
    """Which occurrences are kept, which sets changed, the persons of each set, and how many of them are in each group."""

    held: Booleans
    changed: Booleans
    persons: Integers
    sensitive: Integers


class People(NamedTuple):
    """Who is in which sensitive group, and, where a person may have several records, whose each record is.

    `shares` numbers the (set, person) of each occurrence, `copies` counts how often each is kept; all three are empty where
    records are persons.
    """

    flags: Booleans
    person_of: Numbers
    shares: Numbers
    copies: Numbers


@njit(cache=True, nogil=True)
def count(records: Integers, those: SetsOfSize, keep: Booleans, counts: Counts, people: People) -> None:
    """Note which occurrences in these records are kept now, and count persons, and those in each sensitive group."""
    for turn in range(records.size):
        record = records[turn]
        person = people.person_of[record] if people.person_of.size else record
        for place in range(those.bounds[record], those.bounds[record + 1]):
            row = those.first[place]
            now = keep[row]
            for step in range(those.others):
                now &= keep[row + those.steps[step][place]]
            if now == counts.held[place]:
                continue
            counts.held[place] = now
            sign = 1 if now else -1
            if people.shares.size:
                share = people.shares[place]
                people.copies[share] += sign
                if people.copies[share] != (1 if now else 0):
                    continue
            one = those.sets[place]
            counts.changed[one] = True
            counts.persons[one] += sign
            for group in range(counts.sensitive.shape[1]):
                if people.flags[person, group]:
                    counts.sensitive[one, group] += sign


# Equal sets brought together: what `occurrences` finds by sorting, in linear time. Occurrences are dealt to their prefixes one
# after another, and within a prefix by their last pairs, so that nothing is sorted as a whole and no list of keys is needed.

_FEW = 24


@njit(cache=True, nogil=True)
def by_prefix(prefixes: Numbers, number: int) -> tuple[Numbers, Integers]:
    """The places of each prefix below `number`, prefix by prefix, and where each begins."""
    starts = np.zeros(number + 1, dtype=np.int64)
    for place in range(prefixes.size):
        starts[prefixes[place] + 1] += 1
    for prefix in range(number):
        starts[prefix + 1] += starts[prefix]
    free = starts[:-1].copy()
    order = np.empty(prefixes.size, dtype=np.int32)
    for place in range(prefixes.size):
        prefix = prefixes[place]
        order[free[prefix]] = place
        free[prefix] += 1
    return order, starts


@njit(cache=True, nogil=True)
def by_last_pair(
    bounds: tuple[int, int],
    order: Numbers,
    starts: Integers,
    last: tuple[Numbers, Numbers, npt.NDArray[np.unsignedinteger]],
    new: Booleans,
    distinct: int,
) -> int:
    """Put the places of some prefixes into the order of their last pairs, and mark the first of each set; how many there are.

    `last` are the pairs of all rows, and of each occurrence the first row and how far behind it the last one is.
    """
    pairs, first, steps = last
    most = 0
    for prefix in range(bounds[0], bounds[1]):
        most = max(most, starts[prefix + 1] - starts[prefix])
    keys, places = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    free = np.zeros(distinct + 1, dtype=np.int32)
    found = 0
    for prefix in range(bounds[0], bounds[1]):
        begin, size = starts[prefix], starts[prefix + 1] - starts[prefix]
        for at in range(size):
            place = order[begin + at]
            places[at] = place
            keys[at] = pairs[first[place] + steps[place]]
        if size <= _FEW:
            _by_insertion(keys, places, size)
            for at in range(size):
                order[begin + at] = places[at]
                new[begin + at] = at == 0 or keys[at] != keys[at - 1]
                found += new[begin + at]
        elif size * 4 >= distinct:
            found += _by_counting(keys[:size], places, order[begin : begin + size], new[begin : begin + size], free)
        else:
            ranked = np.argsort(keys[:size], kind="mergesort")
            for at in range(size):
                order[begin + at] = places[ranked[at]]
                new[begin + at] = at == 0 or keys[ranked[at]] != keys[ranked[at - 1]]
                found += new[begin + at]
    return found


@njit(cache=True, nogil=True)
def _by_insertion(keys: Numbers, places: Numbers, size: int) -> None:
    for at in range(1, size):
        key, place, to = keys[at], places[at], at
        while to > 0 and keys[to - 1] > key:
            keys[to], places[to] = keys[to - 1], places[to - 1]
            to -= 1
        keys[to], places[to] = key, place


@njit(cache=True, nogil=True)
def _by_counting(keys: Numbers, places: Numbers, order: Numbers, new: Booleans, free: Numbers) -> int:
    free[:] = 0
    for key in keys:
        free[key + 1] += 1
    new[:] = False
    found = 0
    for key in range(free.size - 1):
        if free[key + 1]:
            new[free[key]] = True
            found += 1
        free[key + 1] += free[key]
    for at in range(keys.size):
        order[free[keys[at]]] = places[at]
        free[keys[at]] += 1
    return found


@njit(cache=True, nogil=True)
def numbered(order: Numbers, new: Booleans, bounds: tuple[int, int, int], sets: Numbers, starts: Integers) -> None:
    """Number the sets of some places, and note where each set begins; `bounds` are the places, and the number to begin with."""
    number = bounds[2] - 1
    for at in range(bounds[0], bounds[1]):
        if new[at]:
            number += 1
            starts[number] = at
        sets[order[at]] = number


@njit(cache=True, nogil=True)
def places_of(sets: Numbers, allowed: Booleans, starts: Integers) -> Numbers:
    """The places of allowed sets, set by set, from the start of each on."""
    free = starts[:-1].copy()
    found = np.empty(starts[-1], dtype=np.int32)
    for place in range(sets.size):
        one = sets[place]
        if allowed[one]:
            found[free[one]] = place
            free[one] += 1
    return found
