"""The best subset of each record that contains no forbidden set: many small exact problems at once, by truth tables.

A record of m rows that are in some conflict has 2^m subsets. For every forbidden set there is a table of 2^m bits that marks the
subsets that contain it, the best subsets first; the tables of all forbidden sets of a record are united by one operation for
many records, and the first bit that is not set is the answer: the most rows, and among equally many the rarest pairs. Rows in no
conflict are kept without a question. With weights the heaviest subset is taken instead.

Tables of more than `EXACT` rows would be too large. Of longer problems the row with most conflicts is decided both ways, which
makes two shorter ones, as long as there are few; what is left then loses that row (and may get it back in the end).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import offsets_of

__all__ = ["EXACT", "Conflicts", "best_subsets"]

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Weights = npt.NDArray[np.float64]

EXACT = 12
WORDS_AT_ONCE = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class Conflicts:
    """Sets of rows that no record may keep as a whole; all rows are places in one list, record after record.

    `offsets` says where each record's rows are. `forbidden` has one array per size, of one line per forbidden set, whose rows
    belong to one record and increase; lines are in the order of records.
    """

    offsets: Integers = field(repr=False)
    forbidden: tuple[Integers, ...] = field(repr=False)
    weights: Weights | None = field(default=None, repr=False)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.offsets[-1])


def best_subsets(conflicts: Conflicts) -> tuple[Booleans, Booleans]:
    """Which rows are kept, and for which records no better choice exists."""
    keep = np.ones(conflicts.rows, dtype=np.bool_)
    alone = [lines[:, 0] for lines in conflicts.forbidden if lines.shape[1] == 1]
    for rows in alone:
        keep[rows] = False
    lines = tuple(part[keep[part].all(axis=1)] for part in conflicts.forbidden if part.shape[1] > 1)
    open_rows = np.zeros(conflicts.rows, dtype=np.bool_)
    for part in lines:
        open_rows[part.ravel()] = True
    sizes = np.diff(offsets_of(open_rows.astype(np.int64))[conflicts.offsets])
    exact = sizes <= EXACT
    if not exact.all():
        keep, lines, open_rows = _thinned(conflicts, keep, lines)
        sizes = np.diff(offsets_of(open_rows.astype(np.int64))[conflicts.offsets])
    lasting = keep.copy()
    _decide(conflicts, lines, open_rows, sizes, lasting)
    if not exact.all():
        _give_back(conflicts, ~exact, lasting)
    return lasting, exact


def _decide(conflicts: Conflicts, lines: tuple[Integers, ...], open_rows: Booleans, sizes: Integers, keep: Booleans) -> None:
    """Write the choices of all records whose open rows are few enough into `keep`."""
    where = np.flatnonzero(open_rows)
    record_of = np.repeat(np.arange(sizes.size), sizes)
    local = np.zeros(conflicts.rows, dtype=np.uint8)
    local[where] = np.arange(where.size) - np.repeat(offsets_of(sizes)[:-1], sizes)
    record = np.zeros(conflicts.rows, dtype=np.int64)
    record[where] = record_of
    masks = [np.bitwise_or.reduce(np.uint16(1) << local[part].astype(np.uint16), axis=1) for part in lines]
    owners = [record[part[:, 0]] for part in lines]
    begins = offsets_of(sizes)[:-1]
    for size in np.unique(sizes[sizes > 0]).tolist():
        mine = np.flatnonzero(sizes == size)
        number = np.full(sizes.size, -1, dtype=np.int64)
        number[mine] = np.arange(mine.size)
        of_size = [number[owner] for owner in owners]
        picked = [np.flatnonzero(place >= 0) for place in of_size]
        bad = [(place[pick], mask[pick]) for place, mask, pick in zip(of_size, masks, picked, strict=True)]
        rows = where[begins[mine][:, np.newaxis] + np.arange(size)]
        weights = None if conflicts.weights is None else conflicts.weights[rows]
        best = _best_masks(size, mine.size, bad, weights)
        keep[rows] = (best[:, np.newaxis] >> np.arange(size) & 1).astype(np.bool_)


def _best_masks(size: int, problems: int, bad: list[tuple[Integers, npt.NDArray[np.uint16]]], weights: Weights | None) -> Integers:
    """The best subset of each problem, as a mask; some problems at a time."""
    order, tables = _tables(size)
    step = max(1, WORDS_AT_ONCE // (64 * tables.shape[1]))
    best = np.empty(problems, dtype=np.int64)
    for start in range(0, problems, step):
        stop = min(start + step, problems)
        united = np.zeros((stop - start, tables.shape[1]), dtype=np.uint64)
        for place, mask in bad:
            low, high = np.searchsorted(place, [start, stop])
            if low < high:
                _unite(united, place[low:high] - start, tables, mask[low:high])
        if weights is None:
            best[start:stop] = order[_first_free(united)]
        else:
            best[start:stop] = order[_heaviest_free(united, order, weights[start:stop])]
    return best


def _unite(united: Words, place: Integers, tables: Words, masks: npt.NDArray[np.uint16]) -> None:
    """Unite into the table of each place those of its masks."""
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    most = max(1, WORDS_AT_ONCE // tables.shape[1])
    for start in range(0, begins.size, most):
        heads = begins[start : start + most]
        stop = begins[start + most] if start + most < begins.size else place.size
        part = np.bitwise_or.reduceat(tables[masks[heads[0] : stop]], heads - heads[0], axis=0)
        united[place[heads]] |= part


@lru_cache(maxsize=32)
def _tables(size: int) -> tuple[Integers, Words]:
    """All subsets from the best on, and for each subset a table of the subsets that contain it, in that order.

    >>> _tables(2)[0].tolist()  # both, the first row alone, the second alone, none
    [3, 1, 2, 0]
    """
    masks = np.arange(1 << size)
    reversed_bits = sum((masks >> place & 1) << (size - 1 - place) for place in range(size))
    order = np.lexsort((-np.asarray(reversed_bits), -np.bitwise_count(masks).astype(np.int64)))
    words = max(1, (1 << size) // 64)
    tables = np.zeros((1 << size, words), dtype=np.uint64)
    for mask in masks.tolist():
        bits = (order & mask) == mask
        padded = np.ones(words * 64, dtype=np.bool_)
        padded[: order.size] = bits
        tables[mask] = np.packbits(padded, bitorder="little").view(np.uint64)
    return order, tables


def _first_free(united: Words) -> Integers:
    """The place of the first bit that is not set in each line; the empty subset's never is."""
    word = np.argmax(united != np.uint64(2**64 - 1), axis=1)
    found = united[np.arange(united.shape[0]), word]
    lowest = ~found & (found + np.uint64(1))
    return word * 64 + np.bitwise_count(lowest - np.uint64(1)).astype(np.int64)


def _heaviest_free(united: Words, order: Integers, weights: Weights) -> Integers:
    """The place of the heaviest subset whose bit is not set; the first of equally heavy ones."""
    members = (order[:, np.newaxis] >> np.arange(weights.shape[1]) & 1).astype(np.float64)
    bits = np.unpackbits(united.view(np.uint8), axis=1, bitorder="little")[:, : order.size]
    return np.argmax(np.where(bits, -1.0, weights @ members.T), axis=1)


def _thinned(
    conflicts: Conflicts, keep: Booleans, lines: tuple[Integers, ...]
) -> tuple[Booleans, tuple[Integers, ...], Booleans]:
    """Drop the row with most conflicts per weight from every record that has too many open rows, until none has."""
    keep = keep.copy()
    records = np.repeat(np.arange(conflicts.offsets.size - 1), np.diff(conflicts.offsets))
    while True:
        degrees = np.zeros(conflicts.rows)
        for part in lines:
            degrees += np.bincount(part.ravel(), minlength=conflicts.rows) * 2.0 ** (2 - part.shape[1])
        open_rows = degrees > 0
        sizes = np.bincount(records[open_rows], minlength=conflicts.offsets.size - 1)
        long = sizes > EXACT
        if not long.any():
            return keep, lines, open_rows
        cost = degrees if conflicts.weights is None else degrees / np.maximum(conflicts.weights, 1e-12)
        candidates = np.flatnonzero(open_rows & long[records])
        worst = candidates[np.lexsort((cost[candidates], records[candidates]))]
        last = np.append(records[worst][1:] != records[worst][:-1], True)
        keep[worst[last]] = False
        lines = tuple(part[keep[part].all(axis=1)] for part in lines)


def _give_back(conflicts: Conflicts, which: Booleans, keep: Booleans) -> None:
    """Take back rows of some records that were dropped without need: one row of each record at a time, from the first on."""
    records = np.repeat(np.arange(conflicts.offsets.size - 1), np.diff(conflicts.offsets))
    alone = np.zeros(conflicts.rows, dtype=np.bool_)
    for part in conflicts.forbidden:
        if part.shape[1] == 1:
            alone[part[:, 0]] = True
    lines = [part[which[records[part[:, 0]]]] for part in conflicts.forbidden if part.shape[1] > 1]
    tried = np.flatnonzero(~keep & ~alone & which[records])
    for turn in range(int(np.bincount(records[tried]).max(initial=0))):
        first = offsets_of(np.bincount(records[tried], minlength=which.size))[:-1]
        position = np.arange(tried.size) - first[records[tried]]
        now = tried[position == turn]
        keep[now] = True
        for part in lines:
            whole = part[keep[part].all(axis=1)]
            wrong = np.zeros(conflicts.rows, dtype=np.bool_)
            wrong[whole.ravel()] = True
            keep[now[wrong[now]]] = False
