"""The local engine: the protocols of counting on columns in memory, for sequences, baskets, tables and networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.corners import matched_corners
from tacita.arrays.graphs import Graph, largest_common_neighbourhood
from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import Coding, tally
from tacita.counting.local.prefixes import GramCounter, PrefixCounter, length_counts
from tacita.counting.local.sets import BasketCounter, PartitionCounter, different_lists, mask_counts
from tacita.counting.local.steps import StepCounter, TimeCounter
from tacita.counting.protocols import (
    GramCounts,
    ItemCounts,
    PartitionCounts,
    PrefixCounts,
    StepCounts,
    Tally,
    TimeCounts,
)

__all__ = ["LocalBasketCounts", "LocalNetworkCounts", "LocalSequenceCounts", "MarginalCounter", "TableCounter"]


@dataclass(frozen=True)
class LocalSequenceCounts:
    """Counts of sequences in memory."""

    sequences: Ragged = field(repr=False)

    def lengths(self, *, longest: int) -> list[int]:
        """How many sequences have 1, 2, ... symbols."""
        return length_counts(self.sequences, longest=longest)

    def prefixes(self, *, end: int | None = None) -> PrefixCounts:
        """A counter of how prefixes continue."""
        return PrefixCounter(self.sequences, end=end)

    def grams(self, *, symbols: int, max_length: int, cut: int | None = None) -> GramCounts:
        """A counter of how grams continue."""
        return GramCounter(self.sequences, symbols=symbols, max_length=max_length, cut=cut)

    def steps(self, *, max_length: int) -> StepCounts:
        """A counter of symbols, steps, ends and shapes."""
        return StepCounter(self.sequences, max_length=max_length)

    def untimed(self, *, labels: int) -> LocalSequenceCounts:
        """The same sequences without their times."""
        return LocalSequenceCounts(Ragged(self.sequences.codes % labels, self.sequences.offsets))

    def times(self, *, labels: int, max_length: int) -> TimeCounts:
        """A counter of times."""
        return TimeCounter(self.sequences, labels=labels, max_length=max_length)


@dataclass(frozen=True)
class LocalBasketCounts:
    """Counts of baskets in memory."""

    baskets: Ragged = field(repr=False)

    def partitions(self, *, place_of: Integers) -> PartitionCounts:
        """A counter of how partitions split."""
        return PartitionCounter(self.baskets, place_of=place_of)

    def itemsets(self, *, items: int) -> ItemCounts:
        """A counter of items and itemsets."""
        return BasketCounter(self.baskets, items=items)

    def masks(self, *, items: int) -> Tally:
        """How many baskets equal each set."""
        return mask_counts(self.baskets, items=items)

    def different(self, *, symbols: int) -> tuple[Ragged, Integers]:
        """The different baskets and how many people have each."""
        return different_lists(self.baskets, symbols=symbols)


# Tables: rows counted by one column and class, or by ranges of all columns at once.


class TableCounter:
    """Knows the value of every row in every column, as a position, and its class (the sensitive value), and counts."""

    def __init__(
        self,
        columns: Sequence[AnyIntegers],
        classes: AnyIntegers | None,
        *,
        sizes: Sequence[int],
        symbols: int,
        hidden: Sequence[AnyIntegers] = (),
    ) -> None:
        """`sizes` are the numbers of values per column, `symbols` the number of classes; without classes there is one.

        `hidden` are the sensitive columns one by one.
        """
        self._columns = tuple(columns)
        self._classes = np.zeros(self._columns[0].size, dtype=np.int64) if classes is None else classes
        self._sizes, self._symbols, self._hidden = tuple(sizes), symbols, tuple(hidden)
        self._sums: dict[int, Integers] = {}

    def _running(self, column: int) -> Integers:
        """How many rows of each class have a value below each, counted when it is first asked for."""
        if column not in self._sums:
            size, symbols = self._sizes[column], self._symbols
            counts = np.bincount(self._columns[column].astype(np.int64) * symbols + self._classes, minlength=size * symbols)
            self._sums[column] = np.concatenate(
                [np.zeros((1, symbols), dtype=np.int64), np.cumsum(counts.reshape(size, symbols), axis=0)]
            )
        return self._sums[column]

    def class_counts(self, column: int, low: int, high: int) -> Integers:
        """How many rows of each class have a value from `low` up to, but not including, `high` in a column."""
        running = self._running(column)
        return np.asarray(running[high] - running[low], dtype=np.int64)

    def coded(self, codings: Sequence[Coding]) -> MarginalCounter:
        """A counter of some columns by their codes."""
        columns = (*self._columns, *self._hidden)
        return MarginalCounter([columns[each.column] for each in codings], codings)

    def cell_counts(self, cuts: Sequence[Integers]) -> tuple[Integers, Integers]:
        """How many rows are in each cell; `cuts[j]` holds where the ranges of column j begin, the first at 0.

        A cell is a range of each column and a class; cells are numbered by columns from first to last, then by class. Only
        non-empty cells are listed.
        """
        keys = np.zeros(self._classes.size, dtype=np.int64)
        domain = 1
        for codes, starts in zip(self._columns, cuts, strict=True):
            keys = keys * starts.size + np.searchsorted(starts, codes, side="right") - 1
            domain *= int(starts.size)
        return tally(keys * self._symbols + self._classes, domain * self._symbols)


class MarginalCounter:
    """Knows the code of every row in some columns, and counts combinations.

    A column is coded when it is first asked for together with others, and kept in the smallest integers: most questions are about
    pairs, and a counter that only said something about single columns needs no memory.
    """

    def __init__(self, columns: Sequence[AnyIntegers], codings: Sequence[Coding]) -> None:
        """`columns` are the places of all rows, and `codings` say which code each has."""
        self._columns, self._codings = tuple(columns), tuple(codings)
        self._kept: dict[int, AnyIntegers] = {}

    def _coded(self, column: int, *, keep: bool) -> Integers:
        if column in self._kept:
            return self._kept[column].astype(np.int64)
        coding = self._codings[column]
        codes = coding.of(self._columns[column])
        if keep:
            self._kept[column] = codes.astype(np.min_scalar_type(coding.size))
        return codes

    def marginals(self, sets: Sequence[tuple[int, ...]]) -> Integers:
        """How many rows have each combination of codes, for one set of columns after the other."""
        found = [np.zeros(0, dtype=np.int64)]
        for columns in sets:
            keys, cells = self._coded(columns[0], keep=len(columns) > 1), self._codings[columns[0]].size
            for column in columns[1:]:
                size = self._codings[column].size
                keys, cells = keys * size + self._coded(column, keep=True), cells * size
            found.append(np.bincount(keys, minlength=cells).astype(np.int64, copy=False))
        return np.concatenate(found)


@dataclass(frozen=True)
class LocalNetworkCounts:
    """Counts of an undirected simple graph."""

    graph: Graph = field(repr=False)

    def edges(self) -> int:
        """How many edges there are."""
        return len(self.graph)

    def degrees(self) -> Integers:
        """How many neighbours each vertex has."""
        return self.graph.degrees

    def between(self, of: Integers, *, classes: int) -> Integers:
        """How many edges lead from class r to class s >= r; each pair is the number r * classes + s."""
        first, second = of[self.graph.sources], of[self.graph.targets]
        codes = np.minimum(first, second) * classes + np.maximum(first, second)
        return np.bincount(codes, minlength=classes * classes).astype(np.int64)

    def triangles(self) -> tuple[int, int]:
        """The number of triangles, and the most neighbours that any two vertices have in common."""
        graph = self.graph.bare()
        return graph.triangles(), largest_common_neighbourhood(graph)

    def corners(self) -> int:
        """The largest number of corners of triangles that can each have an opposite edge of their own."""
        return matched_corners(self.graph.bare())

    def cells(self) -> Integers:
        """The edges as numbers i * n + j with i < j, in order."""
        return self.graph.keys
