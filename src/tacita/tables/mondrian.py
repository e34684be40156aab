"""Multidimensional partitioning: rows are cut in two again and again, as long as both halves satisfy the model.

This is Mondrian (LeFevre, DeWitt and Ramakrishnan, ICDE 2006), strict: rows with equal values stay together. A group is cut at
the column in which its rows are spread widest (relative to the column's public size); if a half would violate the model, the next
column is tried, until none is left. A numeric column is cut at the median, a categorical one where the smallest node of its
taxonomy that holds the group parts its children (groups of consecutive children where there are more than two), so every range
that is published has a public name. All groups of a round are cut at once, on columns that stay sorted by group.

What we depart from: a published interval is the range of the values in its group, as in the paper, but never narrower than that,
and a categorical one is the taxonomy's node, not a set of values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers
from tacita.privacy.publishing import Progress
from tacita.tables.columns import Categorical, Column, Schema
from tacita.tables.histograms import histograms
from tacita.tables.models import Model, violating

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
    tried: Booleans
    """For each group and column, whether a cut there was refused."""

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
        tried=np.zeros((1, len(quasi)), dtype=np.bool_),
    )
    done = _Done(group_of=np.zeros(total, dtype=np.int64))
    while live.groups and total:
        firsts, lasts = _spans(live)
        chosen, is_open = _widest(schema, firsts, lasts, live.tried)
        _retire(live, done, ~is_open, firsts, lasts)
        if progress is not None:
            progress(total - int(live.rows.size), total)
        if not live.groups:
            break
        firsts, lasts, chosen = firsts[is_open], lasts[is_open], chosen[is_open]
        right = _right_halves(schema, live, chosen, firsts, lasts)
        allowed = _allowed(live, right, models, overall, schema)
        live.tried[np.flatnonzero(~allowed), chosen[~allowed]] = True
        _cut(live, right, allowed)
    return _named(schema, done)


def _spans(live: _Rows) -> tuple[Integers, Integers]:
    """For each group and column, the first and the last place that occurs."""
    starts = live.starts[:-1]
    firsts = np.stack([np.minimum.reduceat(codes, starts) for codes in live.columns], axis=1).astype(np.int64)
    lasts = np.stack([np.maximum.reduceat(codes, starts) for codes in live.columns], axis=1).astype(np.int64)
    return firsts, lasts


def _widest(schema: Schema, firsts: Integers, lasts: Integers, tried: Booleans) -> tuple[Integers, Booleans]:
    """The column in which each group is spread widest, of those not tried; and whether there is one."""
    spread = (lasts - firsts) / np.maximum(1, np.array(schema.sizes) - 1)
    spread[tried] = 0
    chosen = np.argmax(spread, axis=1).astype(np.int64)
    return chosen, spread[np.arange(chosen.size), chosen] > 0


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
    live.tried = live.tried[~closed]


def _right_halves(schema: Schema, live: _Rows, chosen: Integers, firsts: Integers, lasts: Integers) -> Booleans:
    """For each row, whether it is on the upper side of its group's cut."""
    right = np.zeros(live.rows.size, dtype=np.bool_)
    sizes = live.sizes
    for place, column in enumerate(schema.quasi):
        here = np.flatnonzero(chosen == place)
        if not here.size:
            continue
        rows = _rows_of(live.starts, sizes, here, everything=here.size == live.groups)
        codes, lengths = live.columns[place][rows], sizes[here]
        if isinstance(column, Categorical):
            cuts = column.tree.cuts(firsts[here, place], lasts[here, place])
        else:
            cuts = _medians(column, codes, lengths)
        right[rows] = codes >= np.repeat(cuts, lengths)
    return right


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


def _allowed(live: _Rows, right: Booleans, models: tuple[Model, ...], overall: Integers, schema: Schema) -> Booleans:
    """For each group, whether both of its halves satisfy the models."""
    halves = 2 * np.repeat(np.arange(live.groups, dtype=np.int64), live.sizes) + right
    found = histograms(halves, live.sensitive, groups=2 * live.groups, symbols=overall.size)
    violated = violating(models, found, overall, schema)
    return ~(violated[0::2] | violated[1::2])


def _cut(live: _Rows, right: Booleans, allowed: Booleans) -> None:
    """Part the rows of each allowed group: those below the cut first, each half in its old order."""
    if not allowed.any():
        return
    sizes = live.sizes
    moved = np.repeat(allowed, sizes)
    upper = right & moved
    uppers = np.add.reduceat(upper, live.starts[:-1], dtype=np.int64)
    before: Integers = np.cumsum(upper, dtype=np.int64) - upper
    before -= np.repeat(before[live.starts[:-1]], sizes)  # how many upper rows of the group come before each row
    inside = np.arange(upper.size) - np.repeat(live.starts[:-1], sizes)
    target = np.repeat(live.starts[:-1], sizes) + np.where(upper, np.repeat(sizes - uppers, sizes) + before, inside - before)
    order = np.empty(upper.size, dtype=np.int64)
    order[target] = np.arange(upper.size)
    live.columns = [codes[order] for codes in live.columns]
    live.sensitive = None if live.sensitive is None else live.sensitive[order]
    live.rows = live.rows[order]
    parts = np.repeat(np.arange(live.groups), np.where(allowed, 2, 1))
    is_second = np.append(False, parts[1:] == parts[:-1])
    lengths = np.where(is_second, uppers[parts], sizes[parts] - np.where(allowed, uppers, 0)[parts])
    live.tried = live.tried[parts]
    live.tried[allowed[parts]] = False
    live.starts = np.append(0, np.cumsum(lengths)).astype(np.int64)


def _named(schema: Schema, done: _Done) -> Partition:
    """The ranges of all groups, widened to ranges that have names."""
    width = len(schema.quasi)
    firsts = np.concatenate(done.firsts) if done.firsts else np.zeros((0, width), dtype=np.int64)
    lasts = np.concatenate(done.lasts) if done.lasts else np.zeros((0, width), dtype=np.int64)
    ranges = [column.spanned(firsts[:, place], lasts[:, place]) for place, column in enumerate(schema.quasi)]
    lows, highs = (np.stack([each[side] for each in ranges], axis=1) for side in (0, 1))
    return Partition(group_of=done.group_of, lows=lows, highs=highs)
