"""The steps of `greedy`, compiled: the same choices from the same queue, some fifty times as fast. Needs the extra `fast`.

Each step depends on the one before, which columns cannot say, so loops are compiled by Numba. What the
arrays mean is explained in `greedy` and `indexed_sets`; this module knows numbers only. The compiled code is kept on disk;
compiling it for the first time takes about half a minute of one core.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.arrays import Booleans, Integers, Numbers, Reals

__all__ = ["Good", "Violating", "taken_steps"]


class Violating(NamedTuple):
    """Minimal violating sets: the rows of each occurrence, occurrences by set and by row, and in how many records each is."""

    rows: Numbers
    sets: Numbers
    members: Numbers
    by_set: Numbers
    starts: Integers
    by_row: Numbers
    row_starts: Integers
    current: Integers
    alive: Booleans


class Good(NamedTuple):
    """Sets that do not violate, with the persons of each and how many of them are in each sensitive group.

    `shares` numbers the (set, person) of each occurrence and `copies` counts them; both are empty where every record is another
    person's. `flags` has one row per record.
    """

    rows: Numbers
    sets: Numbers
    by_row: Numbers
    row_starts: Integers
    persons: Integers
    sensitive: Integers
    shares: Numbers
    copies: Numbers
    record_of: Numbers
    flags: Booleans


_Rules = tuple[int, Integers, Integers, int, bool]


class _Queue(NamedTuple):
    """A heap: the highest score first, then local steps, then the lowest numbers."""

    scores: Reals
    violations: Numbers
    pairs: Numbers
    size: Integers


class _Pairs(NamedTuple):
    """The rows of each pair, how many are left, in how many violating sets it is, and what a row is worth."""

    by_pair: Integers
    starts: Integers
    supports: Integers
    violating: Integers
    weights: Reals


class _Room(NamedTuple):
    """What a step loses, set by set; all zero between steps."""

    persons: Integers
    sensitive: Integers
    copies: Numbers
    touched: Numbers
    vanishing: Integers
    seen: Numbers


def taken_steps(
    violating: Violating,
    good: Good,
    keep: Booleans,
    pairs: tuple[Integers, Integers, Integers, Integers, Reals],
    first: tuple[Reals, Integers, Integers],
    rules: _Rules,
) -> None:
    """Take one step after another until no violating set is left; `keep` says in the end which rows are.

    `pairs` are the rows by pair, where those of each begin, supports, numbers of violating sets, weights. `first` are the steps
    to begin with: bounds on their scores, violating sets (-1 for everywhere), pairs. `rules` are the crowd, numerators and
    denominators of the confidences, which score is asked for (0 ratio, 1 gain, 2 loss), and whether steps may be local.
    """
    scores, violations, those = first
    queue = _Queue(
        scores=scores.astype(np.float64),
        violations=violations.astype(np.int32),
        pairs=those.astype(np.int32),
        size=np.zeros(1, dtype=np.int64),
    )
    room = _Room(
        persons=np.zeros(good.persons.size, dtype=np.int64),
        sensitive=np.zeros(good.sensitive.shape, dtype=np.int64),
        copies=np.zeros(good.copies.size, dtype=np.int32),
        touched=np.zeros(good.persons.size, dtype=np.int32),
        vanishing=np.zeros(violating.alive.size, dtype=np.int64),
        seen=np.zeros(violating.alive.size, dtype=np.int32),
    )
    _run(violating, good, keep, _Pairs(*pairs), queue, room, rules)


@njit(cache=True)
def _score(gain: int, loss: float, which: int) -> float:
    if which == 0:
        return gain / (loss + 1)
    return gain * 1.0 if which == 1 else 1 / (loss + 1)


@njit(cache=True)
def _before(queue: _Queue, one: int, other: int) -> bool:
    if queue.scores[one] != queue.scores[other]:
        return bool(queue.scores[one] > queue.scores[other])
    if (queue.violations[one] < 0) != (queue.violations[other] < 0):
        return bool(queue.violations[one] >= 0)
    if queue.violations[one] != queue.violations[other]:
        return bool(queue.violations[one] < queue.violations[other])
    return bool(queue.pairs[one] < queue.pairs[other])


@njit(cache=True)
def _swap(queue: _Queue, one: int, other: int) -> None:
    queue.scores[one], queue.scores[other] = queue.scores[other], queue.scores[one]
    queue.violations[one], queue.violations[other] = queue.violations[other], queue.violations[one]
    queue.pairs[one], queue.pairs[other] = queue.pairs[other], queue.pairs[one]


@njit(cache=True)
def _sink(queue: _Queue, place: int) -> None:
    while True:
        child = 2 * place + 1
        if child >= queue.size[0]:
            return
        if child + 1 < queue.size[0] and _before(queue, child + 1, child):
            child += 1
        if not _before(queue, child, place):
            return
        _swap(queue, child, place)
        place = child


@njit(cache=True)
def _pushed(queue: _Queue, score: float, violation: int, pair: int) -> _Queue:
    """The queue with one step more; it is copied to a larger one where it is full."""
    place = queue.size[0]
    if place == queue.scores.size:
        more = max(1024, place)
        queue = _Queue(
            np.concatenate((queue.scores, np.empty(more, dtype=np.float64))),
            np.concatenate((queue.violations, np.empty(more, dtype=np.int32))),
            np.concatenate((queue.pairs, np.empty(more, dtype=np.int32))),
            queue.size,
        )
    queue.scores[place], queue.violations[place], queue.pairs[place] = score, violation, pair
    queue.size[0] = place + 1
    while place > 0 and _before(queue, place, (place - 1) // 2):
        _swap(queue, place, (place - 1) // 2)
        place = (place - 1) // 2
    return queue


@njit(cache=True)
def _stands(rows: Numbers, occurrence: int, keep: Booleans) -> bool:
    for place in range(rows.shape[1]):
        row = rows[occurrence, place]
        if row >= 0 and not keep[row]:
            return False
    return True


@njit(cache=True)
def _rows_of(violating: Violating, violation: int, pair: int, keep: Booleans, found: Integers) -> int:
    """Write the rows with the pair in the records that still have the violating set; give back how many there are."""
    place = 0
    while violating.members[violation, place] != pair:
        place += 1
    number = 0
    for at in range(violating.starts[violation], violating.starts[violation + 1]):
        occurrence = violating.by_set[at]
        if _stands(violating.rows, occurrence, keep):
            found[number] = violating.rows[occurrence, place]
            number += 1
    return number


@njit(cache=True)
def _vanish(violating: Violating, rows: Integers, number: int, keep: Booleans, room: _Room) -> int:
    """Count from how many records each violating set vanishes with these rows; give back how many sets that concerns."""
    seen = 0
    for place in range(number):
        row = rows[place]
        for at in range(violating.row_starts[row], violating.row_starts[row + 1]):
            occurrence = violating.by_row[at]
            one = violating.sets[occurrence]
            if violating.alive[one] and _stands(violating.rows, occurrence, keep):
                if room.vanishing[one] == 0:
                    room.seen[seen] = one
                    seen += 1
                room.vanishing[one] += 1
    return seen


@njit(cache=True)
def _gain(violating: Violating, rows: Integers, number: int, keep: Booleans, room: _Room) -> int:
    gain = 0
    for place in range(_vanish(violating, rows, number, keep, room)):
        one = room.seen[place]
        gain += room.vanishing[one] == violating.current[one]
        room.vanishing[one] = 0
    return gain


@njit(cache=True)
def _lose(good: Good, rows: Integers, number: int, keep: Booleans, room: _Room) -> int:
    """Count whom each set that does not violate loses with these rows; give back how many sets that concerns."""
    touched = 0
    shared = good.shares.size > 0
    for place in range(number):
        row = rows[place]
        for at in range(good.row_starts[row], good.row_starts[row + 1]):
            occurrence = good.by_row[at]
            if not _stands(good.rows, occurrence, keep):
                continue
            one = good.sets[occurrence]
            if room.persons[one] == 0:
                room.touched[touched] = one
                touched += 1
                room.persons[one] = 1  # one too many, so that it is listed once
            if shared:
                share = good.shares[occurrence]
                room.copies[share] += 1
                if room.copies[share] < good.copies[share]:
                    continue
            room.persons[one] += 1
            record = good.record_of[good.rows[occurrence, 0]]
            for group in range(good.flags.shape[1]):
                room.sensitive[one, group] += good.flags[record, group]
    return touched


@njit(cache=True)
def _forget(good: Good, rows: Integers, number: int, keep: Booleans, room: _Room, touched: int, taking: bool) -> None:
    """Set everything back to zero; where the rows are taken, note what was lost."""
    for place in range(touched):
        one = room.touched[place]
        if taking:
            good.persons[one] -= room.persons[one] - 1
        room.persons[one] = 0
        for group in range(good.flags.shape[1]):
            if taking:
                good.sensitive[one, group] -= room.sensitive[one, group]
            room.sensitive[one, group] = 0
    if good.shares.size == 0:
        return
    for place in range(number):
        row = rows[place]
        for at in range(good.row_starts[row], good.row_starts[row + 1]):
            occurrence = good.by_row[at]
            share = good.shares[occurrence]
            if room.copies[share] > 0 and _stands(good.rows, occurrence, keep):
                if taking:
                    good.copies[share] -= room.copies[share]
                room.copies[share] = 0


@njit(cache=True)
def _is_valid(
    good: Good, rows: Integers, number: int, keep: Booleans, room: _Room, crowd: int, above: Integers, below: Integers
) -> bool:
    touched = _lose(good, rows, number, keep, room)
    valid = True
    for place in range(touched):
        one = room.touched[place]
        persons = good.persons[one] - (room.persons[one] - 1)
        if 0 < persons < crowd:
            valid = False
        for group in range(good.flags.shape[1]):
            if (good.sensitive[one, group] - room.sensitive[one, group]) * below[group] > persons * above[group]:
                valid = False
    _forget(good, rows, number, keep, room, touched, taking=False)
    return valid


@njit(cache=True)
def _take(
    violating: Violating, good: Good, rows: Integers, number: int, keep: Booleans, pairs: _Pairs, pair: int, room: _Room
) -> tuple[int, int]:
    """Suppress the rows; give back how many violating sets were touched (in `room.seen`) and how many are gone."""
    seen = _vanish(violating, rows, number, keep, room)
    touched = _lose(good, rows, number, keep, room)
    _forget(good, rows, number, keep, room, touched, taking=True)
    gone = 0
    for place in range(seen):
        one = room.seen[place]
        violating.current[one] -= room.vanishing[one]
        room.vanishing[one] = 0
        if violating.current[one] == 0:
            gone += 1
            violating.alive[one] = False
            for member in violating.members[one]:
                if member >= 0:
                    pairs.violating[member] -= 1
    for place in range(number):
        keep[rows[place]] = False
    pairs.supports[pair] -= number
    return seen, gone


@njit(cache=True)
def _run(violating: Violating, good: Good, keep: Booleans, pairs: _Pairs, queue: _Queue, room: _Room, rules: _Rules) -> None:
    crowd, above, below, which, local = rules
    queue.size[0] = queue.scores.size
    for place in range(queue.size[0] // 2 - 1, -1, -1):
        _sink(queue, place)
    left, rows = violating.alive.size, np.empty(keep.size, dtype=np.int64)
    while left > 0 and queue.size[0] > 0:
        promised, violation, pair = queue.scores[0], queue.violations[0], queue.pairs[0]
        queue.size[0] -= 1
        _swap(queue, 0, queue.size[0])
        _sink(queue, 0)
        if violation < 0:
            if pairs.violating[pair] == 0:
                continue
            score = _score(pairs.violating[pair], pairs.weights[pair] * pairs.supports[pair], which)
            if score < promised:
                queue = _pushed(queue, score, violation, pair)
                continue
            number = 0
            for at in range(pairs.starts[pair], pairs.starts[pair + 1]):
                if keep[pairs.by_pair[at]]:
                    rows[number] = pairs.by_pair[at]
                    number += 1
        else:
            if not violating.alive[violation]:
                continue
            number = _rows_of(violating, violation, pair, keep, rows)
            score = _score(_gain(violating, rows, number, keep, room), pairs.weights[pair] * number, which)
            if score < promised:
                queue = _pushed(queue, score, violation, pair)
                continue
            if not _is_valid(good, rows, number, keep, room, crowd, above, below):
                continue
        seen, gone = _take(violating, good, rows, number, keep, pairs, pair, room)
        left -= gone
        if pairs.violating[pair] > 0:
            queue = _pushed(queue, _score(pairs.violating[pair], pairs.weights[pair] * pairs.supports[pair], which), -1, pair)
        if not local or violation < 0:
            continue
        for place in range(seen):
            one = room.seen[place]
            if not violating.alive[one]:
                continue
            gain = 0
            for member in violating.members[one]:
                if member >= 0:
                    gain = max(gain, pairs.violating[member])
            for member in violating.members[one]:
                if member >= 0:
                    queue = _pushed(queue, _score(gain, pairs.weights[member] * violating.current[one], which), one, member)
