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

from tacita.arrays import AnyIntegers, Booleans, Reals, Words
from tacita.arrays.ragged import offsets_of

__all__ = ["EXACT", "Conflicts", "best_subsets"]


EXACT = 12
WORDS_AT_ONCE = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class Conflicts:
    """Sets of rows that no record may keep as a whole; all rows are places in one list, record after record.

    `offsets` says where each record's rows are. `forbidden` has one array per size, of one column per forbidden set, whose rows
    belong to one record and increase; columns are in the order of records.
    """

    offsets: AnyIntegers = field(repr=False)
    forbidden: tuple[AnyIntegers, ...] = field(repr=False)
    weights: Reals | None = field(default=None, repr=False)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.offsets[-1])


def best_subsets(conflicts: Conflicts) -> tuple[Booleans, Booleans]:
    """Which rows are kept, and for which records no better choice exists."""
    keep = np.ones(conflicts.rows, dtype=np.bool_)
    for lines in conflicts.forbidden:
        if lines.shape[0] == 1:
            keep[lines[0]] = False
    open_sets = [part[:, _all_of(keep, part)] for part in conflicts.forbidden if part.shape[0] > 1]
    records = np.repeat(np.arange(conflicts.offsets.size - 1), np.diff(conflicts.offsets))
    sizes, open_rows = _open(conflicts, open_sets)
    exact = sizes <= EXACT
    if not exact.all():
        possible = keep.copy()
        of_long = [~exact[records[part[0]]] for part in open_sets]
        long = [part[:, mine] for part, mine in zip(open_sets, of_long, strict=True)]
        open_sets = [part[:, ~mine] for part, mine in zip(open_sets, of_long, strict=True)]
        thinned = [part[:, np.argsort(part[0])] for part in _thin(conflicts, long, records, keep)]
        _decide(conflicts, thinned, *_open(conflicts, thinned), keep)
        sizes, open_rows = _open(conflicts, open_sets)
    _decide(conflicts, open_sets, sizes, open_rows, keep)
    if not exact.all():
        _give_back(np.flatnonzero(possible & ~keep & ~exact[records]), long, records, keep)
    return keep, exact


def _all_of(flags: Booleans, lines: AnyIntegers) -> Booleans:
    """Whether all rows of each set are flagged."""
    found = flags[lines[0]]
    for row in lines[1:]:
        found &= flags[row]
    return np.asarray(found, dtype=np.bool_)


def _open(conflicts: Conflicts, lines: list[AnyIntegers]) -> tuple[AnyIntegers, Booleans]:
    """How many rows of each record are in a conflict, and which."""
    open_rows = np.zeros(conflicts.rows, dtype=np.bool_)
    for part in lines:
        open_rows[part] = True
    return np.diff(offsets_of(open_rows.astype(np.int64))[conflicts.offsets]), open_rows


def _decide(conflicts: Conflicts, lines: list[AnyIntegers], sizes: AnyIntegers, open_rows: Booleans, keep: Booleans) -> None:
    """Write the choices of all records into `keep`; their open rows are few enough."""
    where = np.flatnonzero(open_rows)
    begins = np.cumsum(sizes) - sizes
    record_of = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    local = np.zeros(conflicts.rows, dtype=np.uint16)
    local[where] = np.arange(where.size) - np.repeat(begins, sizes)
    record = np.zeros(conflicts.rows, dtype=np.int32)
    record[where] = record_of
    bits = np.uint16(1) << local
    masks, owners = [], []
    for part in lines:
        masks.append(np.bitwise_or.reduce(bits[part], axis=0))
        owners.append(record[part[0]])
    of_size = [sizes[owner] for owner in owners]
    number = np.zeros(sizes.size, dtype=np.int64)
    for size in np.unique(sizes[sizes > 0]).tolist():
        mine = np.flatnonzero(sizes == size)
        number[mine] = np.arange(mine.size)
        picked = [np.flatnonzero(length == size) for length in of_size]
        bad = [(number[owner[pick]], mask[pick]) for owner, mask, pick in zip(owners, masks, picked, strict=True)]
        rows = where[begins[mine][:, np.newaxis] + np.arange(size)]
        weights = None if conflicts.weights is None else conflicts.weights[rows]
        best = _best_masks(size, mine.size, bad, weights)
        keep[rows] = (best[:, np.newaxis] >> np.arange(size) & 1).astype(np.bool_)


def _best_masks(
    size: int, problems: int, bad: list[tuple[AnyIntegers, npt.NDArray[np.uint16]]], weights: Reals | None
) -> AnyIntegers:
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


def _unite(united: Words, place: AnyIntegers, tables: Words, masks: npt.NDArray[np.uint16]) -> None:
    """Unite into the table of each place those of its masks."""
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    most = max(1, WORDS_AT_ONCE // tables.shape[1])
    for start in range(0, begins.size, most):
        heads = begins[start : start + most]
        stop = begins[start + most] if start + most < begins.size else place.size
        part = np.bitwise_or.reduceat(tables[masks[heads[0] : stop]], heads - heads[0], axis=0)
        united[place[heads]] |= part


@lru_cache(maxsize=32)
def _tables(size: int) -> tuple[AnyIntegers, Words]:
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


def _first_free(united: Words) -> AnyIntegers:
    """The place of the first bit that is not set in each line; the empty subset's never is."""
    word = np.argmax(united != np.uint64(2**64 - 1), axis=1)
    found = united[np.arange(united.shape[0]), word]
    lowest = ~found & (found + np.uint64(1))
    return np.asarray(word * 64 + np.bitwise_count(lowest - np.uint64(1)).astype(np.int64), dtype=np.int64)


def _heaviest_free(united: Words, order: AnyIntegers, weights: Reals) -> AnyIntegers:
    """The place of the heaviest subset whose bit is not set; the first of equally heavy ones."""
    members = (order[:, np.newaxis] >> np.arange(weights.shape[1]) & 1).astype(np.float64)
    bits = np.unpackbits(united.view(np.uint8), axis=1, bitorder="little")[:, : order.size]
    return np.asarray(np.argmax(np.where(bits, -1.0, weights @ members.T), axis=1), dtype=np.int64)


def _thin(conflicts: Conflicts, lines: list[AnyIntegers], records: AnyIntegers, keep: Booleans) -> list[AnyIntegers]:
    """Drop the row with most conflicts per weight from every record that has too many open rows, until none has."""
    weights = None if conflicts.weights is None else np.maximum(conflicts.weights, 1e-12)
    done = [part[:, :0] for part in lines]
    while any(part.size for part in lines):
        rows, degrees = _degrees(lines)
        owners = records[rows]
        heads = np.flatnonzero(np.diff(owners, prepend=-1))
        sizes = np.diff(np.append(heads, rows.size))
        long = np.zeros(int(owners[-1]) + 1, dtype=np.bool_)
        long[owners[heads]] = sizes > EXACT
        for place, part in enumerate(lines):
            done[place] = np.concatenate([done[place], part[:, ~long[records[part[0]]]]], axis=1)
        cost = degrees if weights is None else degrees / weights[rows]
        order = np.lexsort((cost, owners))
        worst = rows[order[np.append(heads[1:], rows.size) - 1]]
        keep[worst[long[records[worst]]]] = False
        lines = [part[:, long[records[part[0]]] & _all_of(keep, part)] for part in lines]
    return done


def _degrees(lines: list[AnyIntegers]) -> tuple[AnyIntegers, Reals]:
    """Rows that are in a conflict, and in how many; one of two rows counts as two of three, as these leave more choice."""
    rows = np.concatenate([part.ravel() for part in lines])
    weight = np.concatenate([np.full(part.size, 2.0 ** (2 - part.shape[0])) for part in lines])
    low = int(rows.min())
    degrees: Reals = np.bincount(rows - low, weights=weight).astype(np.float64)
    found = np.flatnonzero(degrees)
    return found + low, degrees[found]


def _give_back(tried: AnyIntegers, lines: list[AnyIntegers], records: AnyIntegers, keep: Booleans) -> None:
    """Take back rows that were dropped without need: one row of each record at a time, from the first on."""
    owners = records[tried]
    heads = np.flatnonzero(np.diff(owners, prepend=-1))
    sizes = np.diff(np.append(heads, tried.size))
    position = np.arange(tried.size) - np.repeat(heads, sizes)
    trying = np.zeros(keep.size, dtype=np.bool_)
    for turn in range(int(sizes.max(initial=0))):
        now = tried[position == turn]
        keep[now] = True
        trying[now] = True
        for part in lines:
            whole = part[:, _all_of(keep, part)]
            rows = whole[trying[whole]]
            keep[rows] = False
        trying[now] = False
