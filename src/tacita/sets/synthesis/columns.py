"""Rows of a table that came as baskets: each has one item of every column, and a column is a run of the universe.

Nobody has to say so. If nearly all baskets have the same number of items, d, the universe is cut into d runs such that the noisy
numbers of each run add up to the number of baskets as nearly as their noise allows:

    cost of a run of k items = (their sum - baskets) ** 2 / (2 * k * deviation ** 2) + log(k) / 2

and the cheapest cut is found by dynamic programming. In a table, the columns make a cheaper cut than any that is found after the
items are mixed; if the order of the universe says nothing, it is one order among many. So the cut is taken for columns only if
at most `CHEAPER` of `ORDERS` mixed universes have one as cheap, which happens to one in twenty of other baskets of a fixed size.

All of this is computed from noisy numbers that were asked for anyway. Items of a column exclude each other in what is built, and
their numbers add up to the number of rows, which takes away a part of their noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, in_order, offsets_of
from tacita.arrays.scatter import Stream, evenly_rounded, on_simplex, scattered
from tacita.sets.synthesis.baskets import CountedRows, made_in_parts
from tacita.sets.synthesis.item_law import NoisyWeights

__all__ = ["Columns", "columns_of", "dealt"]


FIXED = 0.8
"""Baskets have a fixed size if at least this share of them has it, by noisy numbers."""

ORDERS, CHEAPER = 99, 4
"""Fewer that may be as cheap would take a table for none more often where noise is large."""

MOST_STEPS = 2**22
"""Of the dynamic program for one order; a bound on time."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The first item of each column, and how many rows have each item."""

    begins: Integers
    numbers: Reals

    @property
    def rows(self) -> float:
        """How many rows there are."""
        return float(self.numbers.sum()) / self.begins.size

    @property
    def widths(self) -> Integers:
        """How many items each column has."""
        return np.diff(np.append(self.begins, self.numbers.size))

    @property
    def parts(self) -> list[slice]:
        """The items of each column."""
        ends = [*self.begins[1:].tolist(), self.numbers.size]
        return [slice(begin, end) for begin, end in zip(self.begins.tolist(), ends, strict=True)]

    def expected(self, first: int, second: int) -> Reals:
        """How many rows have each value of two columns, if these are independent."""
        parts = self.parts
        product = np.outer(self.numbers[parts[first]], self.numbers[parts[second]])
        return np.asarray(product / max(self.rows, 1.0), dtype=np.float64)

    def by_size(self, largest: int) -> Reals:
        """How many baskets have each size up to a largest one: all have as many items as there are columns."""
        numbers = np.zeros(largest + 1)
        numbers[self.begins.size] = self.rows
        return numbers

    def allowed(self, baskets: CountedRows) -> CountedRows:
        """The rows without two items of one column, which stand for the others as well."""
        column = self._column_of(baskets.rows)
        kept = (column[:, 1:] > column[:, :-1]).all(axis=1)
        copies, total = baskets.copies[kept], int(baskets.copies.sum())
        if kept.all() or not copies.sum():
            return CountedRows(baskets.rows[kept], copies)
        return CountedRows(baskets.rows[kept], evenly_rounded(copies * (total / copies.sum())))

    def completed(self, baskets: list[CountedRows], rest: Integers, *, symbols: float) -> Ragged:
        """Whole rows of these baskets: where a column has no item yet, one of the `rest`, by their numbers."""
        return made_in_parts(baskets, partial(self._completed_part, rest), symbols=symbols)

    def _completed_part(self, rest: Integers, baskets: list[Integers], stream: Stream, _: int) -> Ragged:
        width = self.begins.size
        table = np.full((sum(part.shape[0] for part in baskets), width), -1, dtype=np.int32)
        first = 0
        for part in baskets:
            places = np.arange(first, first + part.shape[0])[:, np.newaxis]
            table[places, self._column_of(part)] = part
            first += part.shape[0]
        for column, part_of_items in enumerate(self.parts):
            free = np.flatnonzero(table[:, column] < 0)
            mixed = free[np.argsort(scattered(free, salt=stream.salt + column), kind="stable")]
            table[mixed, column] = self._items(part_of_items, rest, number=free.size, start=stream.start)
        return in_order(Ragged(table.ravel(), offsets_of(np.full(table.shape[0], width, dtype=np.int64))))

    def _items(self, column: slice, rest: Integers, *, number: int, start: float) -> Integers:
        """That many items of a column; if none of them is left, of those that were counted together."""
        left = rest[(rest >= column.start) & (rest < column.stop)]
        items = left if left.size else np.arange(column.start, column.stop)
        return items[dealt(self.numbers[items], number, start=start)]

    def _column_of(self, items: Integers) -> Integers:
        return np.asarray(np.searchsorted(self.begins, items, side="right") - 1, dtype=np.int64)


def dealt(shares: Reals, number: int, *, start: float) -> Integers:
    """That many places, each as often as its share says; if there are no shares, evenly."""
    total = float(shares.sum())
    shares = shares / total if total > 0 else np.full(shares.size, 1 / shares.size)
    copies = evenly_rounded(shares * number, start=start)
    copies[np.argmax(shares)] += number - copies.sum()  # what computing with fractions may have lost
    return np.repeat(np.arange(shares.size), copies)


def columns_of(noisy: NoisyWeights, by_size: Reals) -> Columns | None:
    """The columns of a table, if the noisy numbers of items show that the baskets are its rows."""
    total, width, items = float(by_size.sum()), int(np.argmax(by_size)), noisy.values.shape[1]
    if not 2 <= width < items or by_size[width] < FIXED * total or (items + 1) ** 2 * width > MOST_STEPS:
        return None
    place = int(np.searchsorted(noisy.classes.least, width, side="right")) - 1
    known = noisy.sizes[place]
    per_item = 1 / float(known.weights[np.searchsorted(known.sizes, width)])
    numbers, deviation = noisy.values[place] * per_item, noisy.deviation * per_item
    rows = float(numbers.sum()) / width
    if rows <= 0:
        return None
    cost, begins = _cheapest_cut(numbers, rows, width=width, deviation=deviation)
    places, cheaper = np.arange(items), 0
    for order in range(ORDERS):
        mixed = numbers[np.argsort(scattered(places, salt=order), kind="stable")]
        cheaper += _cheapest_cut(mixed, rows, width=width, deviation=deviation)[0] <= cost
        if cheaper > CHEAPER:
            return None
    return Columns(begins, np.concatenate([on_simplex(part, rows) for part in np.split(numbers, begins[1:])]))


def _cheapest_cut(numbers: Reals, rows: float, *, width: int, deviation: float) -> tuple[float, Integers]:
    """What it costs to cut the numbers into so many runs that each add up to `rows`, and where these begin."""
    sums, places = np.concatenate([[0.0], np.cumsum(numbers)]), np.arange(numbers.size + 1)
    lengths = places - places[:, np.newaxis]
    long = np.maximum(lengths, 1)
    costs = (sums - sums[:, np.newaxis] - rows) ** 2 / (2 * long * deviation**2) + np.log(long) / 2
    costs[lengths < 1] = np.inf
    best, before = np.where(places == 0, 0.0, np.inf), []
    for _ in range(width):
        through = best[:, np.newaxis] + costs
        before.append(np.argmin(through, axis=0))
        best = through[before[-1], places]
    begins = [numbers.size]
    for choices in reversed(before):
        begins.append(int(choices[begins[-1]]))
    return float(best[-1]), np.array(begins[:0:-1], dtype=np.int64)
