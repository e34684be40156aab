"""Multidimensional partitioning: rows are cut in two again and again, as long as both halves satisfy the model.

This is Mondrian (LeFevre, DeWitt and Ramakrishnan, ICDE 2006), strict: rows with equal values stay together. A numeric column is
cut at the median, a categorical one where the smallest node of its taxonomy that holds the group parts its children (groups of
consecutive children where there are more than two), so every range that is published has a public name. All groups of a round
are cut at once, on columns that stay sorted by group.

A group is cut at the column in which its rows are spread widest, relative to the column's public size. If a half would violate
the model, it is cut at the column whose cut leaves the least information loss, of those that the model allows.

What we depart from: the paper tries the next widest column then, which loses more. A published interval is the range of the
values in its group, as in the paper, but never narrower than that, and a categorical one is the taxonomy's node, not a set of
values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.privacy.publishing import Progress
from tacita.tables.columns import Categorical, Column
from tacita.tables.histograms import histograms
from tacita.tables.models import Model, violating
from tacita.tables.schema import Schema

__all__ = ["Partition", "partition_rows"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Partition:
    """The group of each row, and the ranges that each group spans."""

    group_of: Integers
    lows: Integers
    highs: Integers


@dataclass
class _Rows:
    """The rows of all groups that may still be cut, sorted by group."""

    columns: list[Numbers]
    sensitive: Integers | None
    rows: Numbers
    starts: Integers
    """Where each group begins and, last, the number of rows."""

    @property
    def groups(self) -> int:
        return int(self.starts.size - 1)

    @property
    def sizes(self) -> Integers:
        return np.diff(self.starts)


@dataclass
class _Done:
    """Groups that are cut no more: the original rows of each, and its ranges."""

    group_of: Integers
    firsts: list[Integers] = field(default_factory=list)
    lasts: list[Integers] = field(default_factory=list)
    count: int = 0

    def add(self, rows: Numbers, sizes: Integers, firsts: Integers, lasts: Integers) -> None:
        self.group_of[rows] = np.repeat(np.arange(self.count, self.count + sizes.size), sizes)
        self.count += int(sizes.size)
        self.firsts.append(firsts)
        self.lasts.append(lasts)


def partition_rows(
    schema: Schema,
    quasi: tuple[Integers, ...],
    sensitive: Integers | None,
    models: tuple[Model, ...],
    *,
    progress: Progress | None = None,
) -> Partition:
    """Cut until no cut is allowed; the whole table must satisfy the models, which the caller checks."""
    total = int(quasi[0].size)
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    overall = np.zeros(1, dtype=np.int64) if sensitive is None else np.bincount(sensitive, minlength=symbols).astype(np.int64)
    live = _Rows(
        columns=[codes.astype(np.int32) for codes in quasi],
        sensitive=sensitive if any(model.needs_sensitive for model in models) else None,
        rows=np.arange(total, dtype=np.int32),
        starts=np.array([0, total], dtype=np.int64),
    )
    done = _Done(group_of=np.zeros(total, dtype=np.int64))
    while live.groups and total:
        firsts, lasts = _spans(live)
        upper, is_cut = _best_cuts(schema, live, models, overall, firsts, lasts)
        upper = upper[np.repeat(is_cut, live.sizes)]
        _retire(live, done, ~is_cut, firsts, lasts)
        if progress is not None:
            progress(total - int(live.rows.size), total)
        _cut(live, upper)
    return _named(schema, done)


def _spans(live: _Rows) -> tuple[Integers, Integers]:
    """For each group and column, the first and the last place that occurs."""
    starts = live.starts[:-1]
    firsts = np.stack([np.minimum.reduceat(codes, starts) for codes in live.columns], axis=1).astype(np.int64)
    lasts = np.stack([np.maximum.reduceat(codes, starts) for codes in live.columns], axis=1).astype(np.int64)
    return firsts, lasts


def _best_cuts(
    schema: Schema, live: _Rows, models: tuple[Model, ...], overall: Integers, firsts: Integers, lasts: Integers
) -> tuple[Booleans, Booleans]:
    """For each row, whether it is above the best cut of its group; and for each group, whether there is a cut.

    Best is the cut of the widest column or, where a half would violate the models, that with the least loss; ties go to the
    first column.
    """
    upper = np.zeros(live.rows.size, dtype=np.bool_)
    least = np.full(live.groups, np.inf)
    is_open = lasts > firsts
    widest = np.argmax((lasts - firsts) / np.maximum(1, np.array(schema.sizes) - 1), axis=1)
    first = is_open & (widest[:, None] == np.arange(len(schema.quasi)))
    for place in range(len(schema.quasi)):
        _try_cuts(schema, live, (place, first[:, place], firsts, lasts), (models, overall), (least, upper))
    others = is_open & np.isinf(least)[:, None] & ~first
    for place in range(len(schema.quasi)):
        _try_cuts(schema, live, (place, others[:, place], firsts, lasts), (models, overall), (least, upper))
    return upper, np.isfinite(least)


def _try_cuts(
    schema: Schema,
    live: _Rows,
    where: tuple[int, Booleans, Integers, Integers],
    asked: tuple[tuple[Model, ...], Integers],
    best: tuple[Reals, Booleans],
) -> None:
    """Cut some groups at one column, and keep the cuts that the models allow and that lose less than the best so far."""
    (place, some, firsts, lasts), (least, upper) = where, best
    here, column = np.flatnonzero(some), schema.quasi[place]
    if not here.size:
        return
    lengths = live.sizes[here]
    rows = _rows_of(live.starts, live.sizes, here, everything=here.size == live.groups)
    codes = live.columns[place][rows]
    if isinstance(column, Categorical):
        cuts = column.tree.cuts(firsts[here, place], lasts[here, place])
    else:
        cuts = _medians(column, codes, lengths)
    above = codes >= np.repeat(cuts, lengths)
    found = _losses(schema, [each[rows] for each in live.columns], lengths, above)
    values = None if live.sensitive is None else live.sensitive[rows]
    found[~_allowed(values, lengths, above, asked, schema)] = np.inf
    better = found < least[here]
    least[here[better]] = found[better]
    chosen = np.zeros(live.groups, dtype=np.bool_)
    chosen[here[better]] = True
    upper[np.repeat(chosen, live.sizes)] = above[np.repeat(better, lengths)]


def _losses(schema: Schema, columns: list[Numbers], lengths: Integers, above: Booleans) -> Reals:
    """The information loss of each group once it is cut: of each row, how much of every column its range covers."""
    starts = np.append(0, np.cumsum(lengths)[:-1])
    uppers = np.add.reduceat(above, starts, dtype=np.int64)
    lost = np.zeros(lengths.size)
    for column, codes in zip(schema.quasi, columns, strict=True):
        for side, rows in ((above, uppers), (~above, lengths - uppers)):
            firsts = np.minimum.reduceat(np.where(side, codes, column.size), starts).astype(np.int64)
            lasts = np.maximum.reduceat(np.where(side, codes, -1), starts).astype(np.int64)
            low, high = column.spanned(firsts, lasts)
            lost += rows * ((high - low - 1) / max(1, column.size - 1))
    return lost


def _retire(live: _Rows, done: _Done, closed: Booleans, firsts: Integers, lasts: Integers) -> None:
    """Take closed groups out of the rows that are looked at."""
    if not closed.any():
        return
    sizes = live.sizes
    leaving = np.repeat(closed, sizes)
    done.add(live.rows[leaving], sizes[closed], firsts[closed], lasts[closed])
    staying = ~leaving
    live.columns = [codes[staying] for codes in live.columns]
    live.sensitive = None if live.sensitive is None else live.sensitive[staying]
    live.rows = live.rows[staying]
    live.starts = np.append(0, np.cumsum(sizes[~closed])).astype(np.int64)


def _rows_of(starts: Integers, sizes: Integers, groups: Integers, *, everything: bool) -> slice | Integers:
    """The places of all rows of some groups."""
    if everything:
        return slice(None)
    lengths = sizes[groups]
    ends = np.cumsum(lengths)
    return np.repeat(starts[groups] - (ends - lengths), lengths) + np.arange(int(ends[-1]))


def _medians(column: Column, codes: Numbers, lengths: Integers) -> Integers:
    """Where to cut each run of rows so that the halves are as equal as whole values allow; no half is empty."""
    ends = np.cumsum(lengths)
    begins = ends - lengths
    owner = np.repeat(np.arange(lengths.size, dtype=np.int64), lengths)
    ordered = np.sort(owner * column.size + codes)
    middle = ordered[begins + lengths // 2]
    below = np.searchsorted(ordered, middle) - begins
    up_to = np.searchsorted(ordered, middle, side="right") - begins
    lower_cut = (np.abs(2 * below - lengths) <= np.abs(2 * up_to - lengths)) & (below > 0) | (up_to == lengths)
    return np.asarray(middle % column.size + ~lower_cut, dtype=np.int64)


def _allowed(
    sensitive: Integers | None, lengths: Integers, above: Booleans, asked: tuple[tuple[Model, ...], Integers], schema: Schema
) -> Booleans:
    """For each group, whether both of its halves satisfy the models."""
    models, overall = asked
    halves = 2 * np.repeat(np.arange(lengths.size, dtype=np.int64), lengths) + above
    found = histograms(halves, sensitive, groups=2 * lengths.size, symbols=overall.size)
    violated = violating(models, found, overall, schema)
    return ~(violated[0::2] | violated[1::2])


def _cut(live: _Rows, upper: Booleans) -> None:
    """Part the rows of each group: those below the cut first, each half in its old order."""
    if not live.groups:
        return
    sizes, begins = live.sizes, live.starts[:-1]
    uppers = np.add.reduceat(upper, begins, dtype=np.int64)
    before: Integers = np.cumsum(upper, dtype=np.int64) - upper
    before -= np.repeat(before[begins], sizes)  # how many upper rows of the group come before each row
    inside = np.arange(upper.size) - np.repeat(begins, sizes)
    target = np.repeat(begins, sizes) + np.where(upper, np.repeat(sizes - uppers, sizes) + before, inside - before)
    order = np.empty(upper.size, dtype=np.int64)
    order[target] = np.arange(upper.size)
    live.columns = [codes[order] for codes in live.columns]
    live.sensitive = None if live.sensitive is None else live.sensitive[order]
    live.rows = live.rows[order]
    lengths = np.stack([sizes - uppers, uppers], axis=1).ravel()
    live.starts = np.append(0, np.cumsum(lengths)).astype(np.int64)


def _named(schema: Schema, done: _Done) -> Partition:
    """The ranges of all groups, widened to ranges that have names."""
    width = len(schema.quasi)
    firsts = np.concatenate(done.firsts) if done.firsts else np.zeros((0, width), dtype=np.int64)
    lasts = np.concatenate(done.lasts) if done.lasts else np.zeros((0, width), dtype=np.int64)
    ranges = [column.spanned(firsts[:, place], lasts[:, place]) for place, column in enumerate(schema.quasi)]
    lows, highs = (np.stack([each[side] for each in ranges], axis=1) for side in (0, 1))
    return Partition(group_of=done.group_of, lows=lows, highs=highs)
