"""Equal sets brought together, compiled: what `occurrences` finds by sorting, in linear time. Needs the extra `fast`.

Occurrences are dealt to their prefixes one after another, and within a prefix by their last pairs, so that nothing is sorted as
a whole and no list of keys is needed. The compiled code is kept on disk.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from tacita.arrays import Booleans, Integers, Numbers

__all__ = ["by_last_pair", "by_prefix", "numbered", "places_of"]


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
