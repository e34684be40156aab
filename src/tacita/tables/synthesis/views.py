"""Views of columns: codes in ever larger groups, so that pairs of long columns can be asked for in few cells.

A marginal of two long columns has so many cells that its noise hides how they hang together, which fewer cells may show. What
groups there are is decided by noisy and public numbers: neighbouring codes of numbers and dates until they hold so many rows, and
the nodes of a taxonomy, depth by depth. Other columns are looked at as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.tables.synthesis.columns import BINS, Codes

__all__ = ["Columns", "Marginal", "Node", "Nodes", "Views", "grouped", "views_of_nodes", "views_of_order"]

Columns = tuple[int, ...]
"""Columns by number, in increasing order."""


FEWEST = 4
"""Codes in order are not joined further when each group holds so large a part of the rows: less says little of a column."""


@dataclass(frozen=True)
class Marginal:
    """A set of columns, and how coarsely it is looked at: 0 is by all codes."""

    columns: Columns
    level: int = 0


class Views:
    """The views of each column, from all codes on to the fewest groups; each is the group of each code."""

    def __init__(self, views: Sequence[Sequence[Integers]]) -> None:
        """`views` are those of each column, the finest first."""
        self._views = views
        self._sizes = [[int(view.max()) + 1 for view in own] for own in views]

    def of(self, marginal: Marginal) -> tuple[Integers, ...]:
        """The view of each of its columns."""
        own = [self._views[column] for column in marginal.columns]
        return tuple(views[min(marginal.level, len(views) - 1)] for views in own)

    def shape(self, marginal: Marginal) -> list[int]:
        """How many groups each of its columns has."""
        own = [self._sizes[column] for column in marginal.columns]
        return [sizes[min(marginal.level, len(sizes) - 1)] for sizes in own]

    def cells(self, marginal: Marginal) -> int:
        """How many combinations of groups there are."""
        return prod(self.shape(marginal))

    @staticmethod
    def finer(marginal: Marginal) -> list[Marginal]:
        """The same columns in finer views, the nearest first."""
        return [Marginal(marginal.columns, level) for level in range(marginal.level - 1, -1, -1)]

    def regrouped(self, counts: Integers, finer: Marginal, coarser: Marginal) -> Integers:
        """Counts by one view as counts by a coarser one."""
        pairs = zip(self.of(finer), self.of(coarser), strict=True)
        groups = [_within(fine, coarse) for fine, coarse in pairs]
        return np.rint(grouped(counts.reshape(self.shape(finer)).astype(np.float64), groups)).astype(np.int64).ravel()

    def nodes(self, marginals: Iterable[Marginal]) -> Nodes:
        """What a model of these marginals is about: the codes of each column, and the groups of the views that are in use."""
        used = [{0} for _ in self._views]
        for marginal in marginals:
            for column in marginal.columns:
                used[column].add(min(marginal.level, len(self._views[column]) - 1))
        return Nodes(
            tuple(
                Node(column=column, level=level, group=self._views[column][level])
                for column, levels in enumerate(used)
                for level in sorted(levels)
            )
        )

    def of_columns(self, columns: Columns) -> list[Marginal]:
        """The marginal in all views that differ."""
        most = max(len(self._views[column]) for column in columns)
        return [Marginal(columns, level) for level in range(most)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A column by one of its views."""

    column: int
    level: int
    group: Integers

    @property
    def size(self) -> int:
        """How many groups there are."""
        return int(self.group.max()) + 1

    def grouped(self, coarser: Integers) -> Integers:
        """The group of each of its groups in a coarser view, given that of each code."""
        return _within(self.group, coarser)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The columns by the views that are in use; of one column, finer views come first."""

    every: tuple[Node, ...]

    @property
    def sizes(self) -> list[int]:
        """The size of each."""
        return [node.size for node in self.every]

    @property
    def chains(self) -> list[Columns]:
        """Neighbouring views of one column."""
        return [(number, number + 1) for number, (one, other) in enumerate(pairwise(self.every)) if one.column == other.column]

    def of(self, marginal: Marginal) -> Columns:
        """For each column, the number of the coarsest node that tells its groups apart."""
        return tuple(
            max(number for number in self._of_column[column] if self.every[number].level <= marginal.level)
            for column in marginal.columns
        )

    @cached_property
    def _of_column(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, node in enumerate(self.every):
            found.setdefault(node.column, []).append(number)
        return found

    @property
    def whole(self) -> list[int]:
        """The numbers of those by all codes, one for each column."""
        return [number for number, node in enumerate(self.every) if not node.level]


def _within(finer: Integers, coarser: Integers) -> Integers:
    """For each group of a finer view, the group that it is in, given the groups of each code."""
    found = np.zeros(int(finer.max()) + 1, dtype=np.int64)
    found[finer] = coarser
    return found


def grouped(table: Reals, groups: Sequence[Integers]) -> Reals:
    """A table by codes as one by groups."""
    for axis, group in enumerate(groups):
        size = int(group.max()) + 1
        if size < group.size:
            belongs = (np.arange(size)[:, np.newaxis] == group).astype(np.float64)
            table = np.moveaxis(np.tensordot(belongs, table, axes=(1, axis)), 0, axis)
    return table


def views_of_order(codes: Codes, *, missing: bool) -> list[Integers]:
    """Views of a column whose places are in order: neighbours share a group until it holds a part of the rows.

    That part doubles from view to view. The codes of bins that do not stand out, and that of missing values, stay alone.
    """
    numbers = np.bincount(codes.of_bin, minlength=codes.size)
    bins = codes.of_bin[:-1] if missing else codes.of_bin
    ordered = [int(code) for code in bins if numbers[code] == 1]
    counts = codes.noisy
    group = np.full(codes.size, -1, dtype=np.int64)
    group[ordered] = np.arange(len(ordered))
    alone = np.flatnonzero(group < 0)
    runs, found, part = list(range(len(ordered))), [np.arange(codes.size)], 2 / BINS
    while part <= 1 / FEWEST:
        sums = np.bincount(runs, weights=counts[ordered]) if ordered else np.zeros(0)
        joined = _runs(sums.tolist(), part * max(float(counts.sum()), 1.0))
        runs = [joined[run] for run in runs]
        group[ordered] = runs
        group[alone] = max(runs, default=-1) + 1 + np.arange(alone.size)
        if group.max() < found[-1].max():
            found.append(group.copy())
        part *= 2
    return found


def _runs(counts: Sequence[float], enough: float) -> list[int]:
    """The number of the run of each count; a run that has enough ends, and a last one that has not joins the one before."""
    found, run, have = [], 0, 0.0
    for count in counts:
        found.append(run)
        have += count
        if have >= enough:
            run, have = run + 1, 0.0
    if have and run:
        found = [min(number, run - 1) for number in found]
    return found


def views_of_nodes(codes: Codes, nodes: Sequence[Sequence[Sequence[int]]]) -> list[Integers]:
    """Views of a column with a taxonomy, depth by depth, low nodes first: codes share a group if all their bins are below one.

    `nodes` are the bins below each node of a depth.
    """
    found = [np.arange(codes.size)]
    for level in nodes:
        node_of = np.full(codes.of_bin.size, -1, dtype=np.int64)
        for number, own in enumerate(level):
            node_of[list(own)] = number
        keys = []
        for code in range(codes.size):
            above = np.unique(node_of[codes.of_bin == code])
            keys.append(int(above[0]) if above.size == 1 and above[0] >= 0 else len(level) + code)
        group = np.unique(np.array(keys), return_inverse=True)[1].reshape(-1).astype(np.int64)
        if group.max() < found[-1].max():
            found.append(group)
    return found
