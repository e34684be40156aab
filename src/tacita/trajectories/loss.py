"""What suppression costs, and what it must cost at least.

Losses by instances, by maximal frequent sequences and by weights are those of Chen's thesis, 2012, section 5.4. The lower bound
is proved: a set that fewer than K persons share before suppression is shared by no more after it, so no record can keep it;
what a record keeps is thus at most a largest subset of its pairs without such a set. Confidences bound nothing here, because
suppression elsewhere may bring one down.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.ragged import offsets_of, ranges
from tacita.trajectories.choices import EXACT, Conflicts, best_subsets
from tacita.trajectories.occurrences import levels
from tacita.trajectories.pair_columns import PairColumns
from tacita.trajectories.requirement import Requirement

__all__ = ["instance_loss", "least_loss", "weighted_loss"]


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
