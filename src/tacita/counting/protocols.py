"""The protocols of counting, for sequences, baskets, tables and networks; see the package's introduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import Coding
from tacita.public.ladder import CellLayout
from tacita.public.steps import StepCodes
from tacita.public.time_grid import GapCells, VisitCells

__all__ = [
    "BasketCounts",
    "GramCounts",
    "ItemCounts",
    "MarginalCounts",
    "PartitionCounts",
    "PrefixCounts",
    "SequenceCounts",
    "StepCounts",
    "TableCounts",
    "Tally",
    "TimeCounts",
]


Tally = tuple[Integers, Integers]
"""The numbers of the non-empty cells, in increasing order, and the count of each."""

Ranges = Sequence[tuple[int, int]]


class SequenceCounts(Protocol):
    """Exact counts of sequences."""

    def lengths(self, *, longest: int) -> list[int]:
        """How many sequences have 1, 2, ... symbols; those longer than `longest` count as if cut there."""
        ...

    def prefixes(self, *, end: int | None = None) -> PrefixCounts:
        """A counter of how prefixes continue; if the `end` is a symbol, it follows the last symbol of each sequence."""
        ...

    def grams(self, *, symbols: int, max_length: int, cut: int | None = None) -> GramCounts:
        """A counter of how grams continue, in sequences that are cut after `max_length` symbols."""
        ...

    def steps(self, *, max_length: int) -> StepCounts:
        """A counter of symbols, steps, ends and shapes, in sequences that are cut after `max_length` symbols."""
        ...

    def untimed(self, *, labels: int) -> SequenceCounts:
        """The same sequences without their times; a symbol with a time is its interval times `labels`, plus its label."""
        ...

    def times(self, *, labels: int, max_length: int) -> TimeCounts:
        """A counter of the times of sequences that are cut after `max_length` symbols."""
        ...


class TimeCounts(Protocol):
    """When sequences begin, when places are visited, and how long it is from visit to visit.

    A sequence of l visits weighs min(1, `most` / l) in counts of visits and min(1, `most` / (l - 1)) in counts of gaps, both
    rounded down to a multiple of 1 / `tacita.public.steps.UNIT`; so all of its visits, or gaps, together weigh at most `most`.
    If `squared`, it weighs the root of min(1, `most` / s), rounded down to a multiple of 1 / `tacita.public.steps.ROOT_UNIT`;
    s is the sum over all cells of the squares of how many of its visits, or gaps, are there.
    """

    def beginnings(self, class_of: Integers, *, intervals: int) -> Tally:
        """How many sequences of each class of lengths begin in each interval: class times `intervals`, plus interval."""
        ...

    def repeats(self) -> Tally:
        """For each record, which share of pairs of its visits are in the same interval, as `StepCounts.repeats` counts it."""
        ...

    def visits(self, cells: VisitCells, *, most: int, squared: bool = False) -> Tally:
        """The weight of all visits in each cell."""
        ...

    def gaps(self, cells: GapCells, *, most: int, squared: bool = False) -> Tally:
        """The weight of all gaps in each cell."""
        ...


class StepCounts(Protocol):
    """Sequences by their symbols, by their steps from symbol to symbol, by how they begin and end, and by their shape.

    A sequence of l symbols weighs min(1, `most` / l) in counts of symbols and min(1, `most` / (l + 1)) in counts of steps, both
    rounded down to a multiple of 1 / `tacita.public.steps.UNIT`; so all of its symbols, or steps, together weigh at most `most`.
    If `squared`, it weighs the root of min(1, `most` / s), rounded down to a multiple of 1 / `tacita.public.steps.ROOT_UNIT`;
    s is the sum over all cells of the squares of how many of its symbols, or steps, are there.
    """

    def symbols(self, *, labels: int, most: int, squared: bool = False) -> Tally:
        """The weight of each symbol."""
        ...

    def steps(self, codes: StepCodes, *, most: int, squared: bool = False) -> Tally:
        """The weight of each step: the code that it leaves, or the start, times (codes + 1), plus its next code, or the end."""
        ...

    def repeats(self, *, labels: int) -> Tally:
        """For each record, which share of pairs of its symbols are equal (0), and of pairs of its steps (1).

        Each share is rounded down to a multiple of 1 / `tacita.public.steps.ROOT_UNIT`, and 0 if there are no pairs.
        """
        ...

    def ends(self, codes: StepCodes, *, together: bool) -> Tally:
        """How many begin with one code and end with another, as one number; or begin with each, then end with each."""
        ...

    def shapes(self, edges: Integers, *, labels: int) -> Tally:
        """How many have each shape (`public.steps.shape_cell`), numbers of different symbols in cells that end at `edges`."""
        ...

    def company(self, members: Integers) -> Tally:
        """How many have exactly which of these symbols: the sum of 2 ** i over all i such that they have `members[i]`."""
        ...


class PrefixCounts(Protocol):
    """How many sequences continue a kept prefix in each way, rung by rung, one length after another."""

    def counts(self, layout: CellLayout) -> Tally:
        """How many sequences are in each cell of a rung."""
        ...

    def keep(self, layout: CellLayout, kept: Integers) -> None:
        """Follow the sequences whose cell was kept; `kept` increases, and a cell's index in it is the number of its group."""
        ...

    def descend(self) -> None:
        """Go one depth down, into the groups that were kept."""
        ...

    def advance(self, prefix_of: list[Integers]) -> None:
        """Go one symbol further; `prefix_of` gives, for each final rung in order, the prefixes of its kept cells."""
        ...


class GramCounts(Protocol):
    """How often kept grams continue in each way, one length after another."""

    def beginnings(self) -> GramCounts:
        """A counter of the same sequences, but only of grams at their beginning."""
        ...

    def counts(self) -> tuple[Integers, Integers, Integers]:
        """Groups, the symbols that occur after them, and how often; in order."""
        ...

    def follow(self, groups: Integers, cells: Integers) -> None:
        """Continue with these symbols in these groups, which become the groups 0, 1, ..."""
        ...

    def repeated(self, last: Integers, times: int) -> Tally:
        """The groups whose symbol `last` is repeated that many more times, and how often."""
        ...

    def follow_repeated(self, last: Integers, times: int, groups: Integers) -> None:
        """Continue with those of these groups whose symbol is repeated that many more times."""
        ...


class BasketCounts(Protocol):
    """Exact counts of baskets."""

    def partitions(self, *, place_of: Integers) -> PartitionCounts:
        """A counter of how partitions split along a taxonomy; `place_of` gives the position of each code in its order."""
        ...

    def itemsets(self, *, items: int) -> ItemCounts:
        """A counter of items and itemsets by the size of the basket."""
        ...

    def masks(self, *, items: int) -> Tally:
        """How many baskets equal each set; sets are masks of `items` bits."""
        ...

    def different(self, *, symbols: int) -> tuple[Ragged, Integers]:
        """The different baskets, short ones first, and by their codes within one size; and how many people have each."""
        ...


class PartitionCounts(Protocol):
    """How the baskets of partitions split at a node of a taxonomy."""

    def counts(self, children: Ranges, partitions: Integers) -> tuple[Integers, Integers, Integers]:
        """How many baskets of each partition (by its index in the increasing `partitions`) have each mask of children."""
        ...

    def keep(self, children: Ranges, partitions: Integers, *, kept: Integers, become: Integers) -> None:
        """Move baskets on: `kept` holds index and mask as one number (index times number of masks, plus mask), increasing."""
        ...


class ItemCounts(Protocol):
    """Items and itemsets of baskets, by the size of the basket."""

    def sizes(self, least: Integers) -> Tally:
        """How many baskets are in each group of sizes; group g holds the sizes from least[g] up to least[g + 1] - 1."""
        ...

    def shares(self, *, least: int, most: int | None, shared_from: int, whole: int, squared: bool = False) -> Tally:
        """The weight of each item in baskets of these sizes; with s items, each weighs `whole` // m, m = max(s, `shared_from`).

        If `squared`, it weighs the root of `whole` ** 2 // m, rounded down, so that the squares add up to at most `whole` ** 2.
        """
        ...

    def onto(self, core: Integers) -> tuple[ItemCounts, ItemCounts]:
        """The same baskets with only the items of the core, by their index in it, and with only the other items."""
        ...

    def core_sizes(self, core: Integers, *, most: int, least: Integers) -> Tally:
        """How many baskets have each number of core items (at most `most`) and group of sizes, as one number."""
        ...

    def cut(self, *, most: int) -> ItemCounts:
        """The same baskets, with those of more than `most` items cut."""
        ...

    def itemsets(self, *, size: int, order: int, cells: int) -> Tally:
        """How many baskets of exactly this size have each itemset of one order, by its number below `cells`."""
        ...


class TableCounts(Protocol):
    """Exact counts of the rows of a table; the class of a row is its sensitive value."""

    def class_counts(self, column: int, low: int, high: int) -> Integers:
        """How many rows of each class have a value from `low` up to, but not including, `high` in a column."""
        ...

    def cell_counts(self, cuts: Sequence[Integers]) -> Tally:
        """How many rows are in each cell (a range of each column and a class); the ranges of column j begin at `cuts[j]`."""
        ...

    def coded(self, codings: Sequence[Coding]) -> MarginalCounts:
        """A counter of some columns, sensitive ones last and one by one, by their codes."""
        ...


class MarginalCounts(Protocol):
    """Rows of a table by the codes of some columns."""

    def marginals(self, sets: Sequence[tuple[int, ...]]) -> Integers:
        """How many rows have each combination of codes, for one set of columns after the other, the last column fastest."""
        ...


class NetworkCounts(Protocol):
    """Exact counts of an undirected simple graph."""

    def edges(self) -> int:
        """How many edges there are."""
        ...

    def degrees(self) -> Integers:
        """How many neighbours each vertex has."""
        ...

    def between(self, of: Integers, *, classes: int) -> Integers:
        """How many edges lead from class r to class s >= r; each pair is the number r * classes + s."""
        ...

    def triangles(self) -> tuple[int, int]:
        """The number of triangles, and the most neighbours that any two vertices have in common."""
        ...

    def corners(self) -> int:
        """The largest number of corners of triangles that can each have an opposite edge of their own."""
        ...

    def cells(self) -> Integers:
        """The edges as numbers i * n + j with i < j, in order; they go into questions as their truth and nowhere else."""
        ...
