"""Counting the rows of a table: by one column and class, or by ranges of all columns at once, on NumPy columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import Integers
from tacita.counting.local.tally import tally

__all__ = ["TableCounter"]


class TableCounter:
    """Knows the value of every row in every column, as a position, and its class (the sensitive value), and counts."""

    def __init__(self, columns: Sequence[Integers], classes: Integers | None, *, sizes: Sequence[int], symbols: int) -> None:
        """`sizes` are the numbers of values per column, `symbols` the number of classes; without classes there is one."""
        self._columns = tuple(columns)
        self._classes = np.zeros(self._columns[0].size, dtype=np.int64) if classes is None else classes
        self._symbols = symbols
        self._running = [
            np.concatenate(
                [
                    np.zeros((1, symbols), dtype=np.int64),
                    np.cumsum(
                        np.bincount(codes * symbols + self._classes, minlength=size * symbols).reshape(size, symbols), axis=0
                    ),
                ]
            )
            for codes, size in zip(self._columns, sizes, strict=True)
        ]

    def class_counts(self, column: int, low: int, high: int) -> Integers:
        """How many rows of each class have a value from `low` up to, but not including, `high` in a column."""
        return np.asarray(self._running[column][high] - self._running[column][low], dtype=np.int64)

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
