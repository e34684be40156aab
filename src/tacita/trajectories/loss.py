"""What suppression costs, in instances, weights and maximal frequent sequences, and what it must cost at least.

The losses are those of Chen's thesis, 2012, section 5.4. The lower bound (`least_loss`) is proved: a set that fewer than K
persons share before suppression is shared by no more after it, so no record can keep it; what a record keeps is thus at most a
largest subset of its pairs without such a set. Confidences bound nothing here, because suppression elsewhere may bring one
down.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, offsets_of, ranges
from tacita.mining import MAX_PATTERNS, maximal_itemsets
from tacita.trajectories.choices import EXACT, Conflicts, best_subsets
from tacita.trajectories.indexed_sets import IndexedSets, PairColumns, widened
from tacita.trajectories.occurrences import levels
from tacita.trajectories.requirement import Requirement

__all__ = ["FrequentSets", "frequent_loss", "instance_loss", "least_loss", "maximal_frequent", "weighted_loss"]

RECORDS_AT_ONCE = 1 << 15


def instance_loss(keep: Booleans) -> float:
    """The share of all rows that are suppressed."""
    return float(1 - keep.mean()) if keep.size else 0.0


def weighted_loss(columns: PairColumns, keep: Booleans, weights: Reals) -> float:
    """The same where a pair is worth its weight; `weights` has one number per pair of the columns."""
    worth = weights[columns.pairs]
    total = float(worth.sum())
    return 1 - float(worth[keep].sum()) / total if total else 0.0


def least_loss(columns: PairColumns, requirement: Requirement) -> float:
    """A lower bound on the loss by instances of any suppression that satisfies the requirement."""
    if requirement.crowd == 1 or not columns.pairs.size:
        return 0.0
    by_crowd = Requirement(crowd=requirement.crowd, known_pairs=requirement.known_pairs)
    lines, bounds = [], []
    records = columns.records
    for level in levels(columns, by_crowd):
        rows = level.rows.of(level.violating[level.sets])
        lines.append(rows)
        bounds.append(np.searchsorted(records[rows[0]], np.arange(len(columns) + 1)))
    kept = 0
    for start in range(0, len(columns), RECORDS_AT_ONCE):
        stop = min(start + RECORDS_AT_ONCE, len(columns))
        low = int(columns.offsets[start])
        mine = [rows[:, bound[start] : bound[stop]].astype(np.int64) - low for rows, bound in zip(lines, bounds, strict=True)]
        kept += _most_kept(columns.offsets[start : stop + 1] - low, mine)
    return 1 - kept / columns.pairs.size


def _most_kept(offsets: Integers, lines: list[Integers]) -> int:
    """How many rows some records can keep at most: exactly, or where a record is too long by the sum over parts of it."""
    keep, exact = best_subsets(Conflicts(offsets=offsets, forbidden=tuple(lines)))
    per_record = np.diff(offsets_of(keep.astype(np.int64))[offsets])
    kept = int(per_record[exact].sum())
    if exact.all():
        return kept
    long = np.flatnonzero(~exact)
    records = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    place = np.full(int(offsets[-1]), -1, dtype=np.int64)
    sizes = np.diff(offsets)[long]
    rows = ranges(offsets[long], sizes)
    place[rows] = np.arange(rows.size)
    starts = offsets_of(sizes)[:-1]
    within = np.arange(rows.size) - np.repeat(starts, sizes)
    part = records[rows] * (int(sizes.max()) + 1) + within // EXACT
    heads = np.append(np.flatnonzero(np.diff(part, prepend=-1)), rows.size)
    number = np.repeat(np.arange(heads.size - 1), np.diff(heads))
    inside = []
    for line in lines:
        moved = place[line[:, ~exact[records[line[0]]]]]
        inside.append(moved[:, (number[moved] == number[moved[:1]]).all(axis=0)])
    again, _ = best_subsets(Conflicts(offsets=heads, forbidden=tuple(inside)))
    return kept + int(again.sum())


# Maximal frequent sequences, and how many of them are lost when rows are suppressed (Chen's thesis, 2012, Definitions 5.2 and
# 5.7). The published MFS-tree with its links shows which of them contain a pair; an index of their occurrences by row does the
# same, and also shows whose support falls when some records lose the pair.


def maximal_frequent(columns: PairColumns, *, support: int, max_patterns: int = MAX_PATTERNS) -> dict[tuple[int, ...], int]:
    """Every set of pairs, by their codes, that at least `support` records have, and no larger one with it; with its support."""
    lists = columns.lists()
    symbols = int(columns.codes.max(initial=0)) + 1
    return maximal_itemsets(lists, min_support=support, symbols=symbols, max_patterns=max_patterns).as_dict()


def frequent_loss(columns: PairColumns, keep: Booleans, *, support: int) -> float:
    """The share of maximal frequent sequences that are no longer frequent in what is kept; 0 if there are none.

    Sets that have *become* maximal do not make up for it.
    """
    frequent = FrequentSets(columns, support=support)
    if not len(frequent):
        return 0.0
    return 1 - frequent.surviving(keep) / len(frequent)


class FrequentSets:
    """The maximal frequent sequences of some columns, and which are still frequent."""

    def __init__(self, columns: PairColumns, *, support: int) -> None:
        """Find them and all of their occurrences."""
        self._support = support
        number = np.zeros(int(columns.codes.max(initial=0)) + 1, dtype=np.int64)
        number[columns.codes] = np.arange(columns.codes.size)
        found = sorted(maximal_frequent(columns, support=support))
        members = [np.sort(number[list(codes)]) for codes in found]
        width = max(map(len, members), default=1)
        rows = [np.zeros((0, width), dtype=np.int32)]
        sets = [np.zeros(0, dtype=np.int32)]
        postings = _postings(columns)
        records = columns.records
        for place, pairs in enumerate(members):
            mine = _occurrences(pairs, postings, records)
            rows.append(widened(mine, width))
            sets.append(np.full(mine.shape[0], place, dtype=np.int32))
        padded = [widened(pairs[np.newaxis], width) for pairs in members]
        self._sets = IndexedSets(
            columns,
            rows=np.concatenate(rows),
            sets=np.concatenate(sets),
            members=np.concatenate([rows[0], *padded]),
        )
        self._current = np.diff(self._sets.starts)
        self._alive = np.ones(len(members), dtype=np.bool_)
        self._per_pair = np.bincount(self._sets.members[self._sets.members >= 0], minlength=columns.codes.size)

    def __len__(self) -> int:
        """How many there were."""
        return len(self._sets)

    @property
    def has_pairs(self) -> Booleans:
        """Which pairs are in one that is still frequent."""
        return self._per_pair > 0

    def with_pair(self, pair: int) -> int:
        """How many that are still frequent have the pair."""
        return int(self._per_pair[pair])

    def surviving(self, keep: Booleans) -> int:
        """How many are frequent in what is kept."""
        stands = self._sets.stands(np.arange(self._sets.sets.size), keep)
        return int(np.count_nonzero(np.bincount(self._sets.sets[stands], minlength=len(self)) >= self._support))

    def lost(self, rows: Integers, keep: Booleans) -> int:
        """How many stop to be frequent if these rows are suppressed too."""
        sets, numbers = self._falling(rows, keep)
        return int(np.count_nonzero(self._current[sets] - numbers < self._support))

    def take(self, rows: Integers, keep: Booleans) -> None:
        """Suppress rows, which are still in `keep`."""
        sets, numbers = self._falling(rows, keep)
        self._current[sets] -= numbers
        gone = sets[self._current[sets] < self._support]
        self._alive[gone] = False
        members = self._sets.members[gone]
        np.subtract.at(self._per_pair, members[members >= 0], 1)

    def _falling(self, rows: Integers, keep: Booleans) -> tuple[Integers, Integers]:
        those = self._sets.with_rows(rows)
        those = those[self._alive[self._sets.sets[those]] & self._sets.stands(those, keep)]
        sets, numbers = np.unique(self._sets.sets[those], return_counts=True)
        return sets.astype(np.int64), numbers.astype(np.int64)


def _postings(columns: PairColumns) -> Ragged:
    """The rows of each pair."""
    order = np.argsort(columns.pairs, kind="stable").astype(np.int32)
    sizes = np.bincount(columns.pairs, minlength=columns.codes.size)
    return Ragged(order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _occurrences(pairs: Integers, postings: Ragged, records: Numbers) -> Integers:
    """The rows of every record that has all of the pairs."""
    rows = [postings.codes[postings.offsets[pair] : postings.offsets[pair + 1]] for pair in pairs.tolist()]
    owners = [records[mine] for mine in rows]
    common = owners[0]
    for owner in owners[1:]:
        common = common[np.isin(common, owner, assume_unique=True)]
    return np.stack([mine[np.searchsorted(owner, common)] for mine, owner in zip(rows, owners, strict=True)], axis=1).astype(
        np.int64
    )
