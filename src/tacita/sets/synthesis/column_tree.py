"""Rows of a table from the noisy numbers of its columns and of some pairs of them, which make no circle.

A noisy cell of a pair departs from the number m that independent columns would have as far as its noise allows, if true cells
depart from it with a variance in proportion to m, which is as large as all cells of the pair together say:

    cell = m + s m / (s m + deviation ** 2) * (noisy - m),    s = max(mean of (noisy - m) ** 2 - deviation ** 2, 0) / mean of m

Then rows and columns of each pair are scaled until they add up to the numbers of the columns. Rows are dealt along the tree: the
first column by its numbers, every other one given its neighbour that was dealt before. All of this sees noisy numbers only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, in_order, offsets_of
from tacita.arrays.scatter import Stream, scattered
from tacita.sets.synthesis.baskets import CountedRows, made_in_parts
from tacita.sets.synthesis.columns import Columns, dealt

__all__ = ["ColumnPair", "dealt_rows"]


_LEAST = 1e-3  # of what independent columns would have: no cell is empty before the scaling
_ROUNDS = 50
_GOLDEN = 0.6180339887  # rounding starts elsewhere for every value, so that rare ones are not lost in all of them


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnPair:
    """Noisy numbers of rows with each value of one column (down) and another (across)."""

    first: int
    second: int
    values: Reals
    deviation: float

    def fitted(self, columns: Columns) -> Reals:
        """Likely numbers that agree with those of both columns."""
        alone = columns.expected(self.first, self.second)
        away, noise = self.values - alone, self.deviation**2
        spread = max(float((away**2).mean()) - noise, 0.0) * alone / max(float(alone.mean()), _LEAST)
        cells = np.maximum(alone + spread / (spread + noise) * away, _LEAST * alone + _LEAST**2)
        down, across = (np.maximum(columns.numbers[columns.parts[column]], _LEAST**2) for column in (self.first, self.second))
        for _ in range(_ROUNDS):
            cells = cells * (down / cells.sum(axis=1))[:, np.newaxis]
            cells = cells * (across / cells.sum(axis=0))
        return np.asarray(cells, dtype=np.float64)


def dealt_rows(columns: Columns, pairs: list[ColumnPair], *, symbols: float) -> Ragged:
    """As many rows as there are, with one item of each column."""
    number = CountedRows(np.zeros((1, 0), dtype=np.int64), np.array([max(round(columns.rows), 0)]))
    return made_in_parts([number], partial(_dealt_part, columns, _in_order(columns, pairs)), symbols=symbols)


def _in_order(columns: Columns, pairs: list[ColumnPair]) -> list[tuple[int, int, Reals]]:
    """Each column with one that is dealt before it (or itself), and how many rows have their values together."""
    fitted = [(pair.first, pair.second, pair.fitted(columns)) for pair in pairs]
    both = fitted + [(second, first, cells.T) for first, second, cells in fitted]
    steps, reached = [], np.zeros(columns.begins.size, dtype=np.bool_)
    for root in range(columns.begins.size):
        if reached[root]:
            continue
        waiting = [(root, root, columns.numbers[columns.parts[root]][np.newaxis])]
        while waiting:
            before, column, cells = waiting.pop()
            reached[column] = True
            steps.append((before, column, cells))
            waiting += [(column, other, more) for own, other, more in both if own == column and not reached[other]]
    return steps


def _dealt_part(
    columns: Columns, steps: list[tuple[int, int, Reals]], parts_of_rows: list[Integers], stream: Stream, _: int
) -> Ragged:
    number, width = sum(part.shape[0] for part in parts_of_rows), columns.begins.size
    table = np.zeros((number, width), dtype=np.int64)
    for before, column, cells in steps:
        for value, shares in enumerate(cells):
            rows = np.arange(number) if before == column else np.flatnonzero(table[:, before] == value)
            mixed = rows[np.argsort(scattered(rows, salt=stream.salt + column), kind="stable")]
            table[mixed, column] = dealt(shares, rows.size, start=(stream.start + value * _GOLDEN) % 1)
    codes = (table + columns.begins).astype(np.int32)
    return in_order(Ragged(codes.ravel(), offsets_of(np.full(number, width, dtype=np.int64))))
