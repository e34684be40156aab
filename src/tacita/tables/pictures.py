"""Pictures of tables: how many rows look alike, and how widely each column is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacita.arrays import Integers
from tacita.pictures import Bars, Picture, bar_plot
from tacita.tables.columns import Categorical, Column
from tacita.tables.schema import Schema, Sensitive

__all__ = ["crowd_picture", "values_picture", "widths_picture"]


CROWDS = (1, 2, 5, 10, 50, 200)


def crowd_picture(sizes: Mapping[str, Integers]) -> Picture:
    """The share of rows by how many rows look the same in all quasi-identifiers; `sizes` are those of the groups."""
    names = [_between(low, high) for low, high in zip(CROWDS, (*CROWDS[1:], None), strict=True)]
    series = []
    for side, groups in sizes.items():
        classes = np.searchsorted(CROWDS, groups, side="right") - 1
        rows = np.bincount(classes[groups > 0], weights=groups[groups > 0], minlength=len(CROWDS))
        series.append(Bars(name=side, values=(rows / max(rows.sum(), 1)).tolist()))
    title = "How many rows look the same to somebody who knows all quasi-identifiers"
    return bar_plot(title, names, series, unit="share of rows", percent=True)


def widths_picture(schema: Schema, widths: Sequence[Integers], sizes: Integers) -> Picture:
    """How many values a row shows of each column, as a share of all of them, on average; `widths` are those of the groups."""
    rows = max(int(sizes.sum()), 1)
    shares = []
    for size, shown in zip(schema.sizes, widths, strict=True):
        wide = (shown - 1) / max(size - 1, 1)
        shares.append(float((wide * sizes).sum() / rows))
    names = [column.name for column in schema.quasi]
    title = "How widely each column is shown: 0 % is a single value, 100 % says nothing"
    return bar_plot(title, names, [Bars(name="released", values=shares)], unit="mean width of what a row shows", percent=True)


MOST_BARS = 12


def values_picture(column: Column | Sensitive, sides: Mapping[str, Integers]) -> Picture:
    """The most frequent values of a column by the first side, or equal parts of its range; `sides` are places of rows."""
    if isinstance(column, Categorical | Sensitive) or column.count <= MOST_BARS:
        first = next(iter(sides.values()))
        shown = np.sort(np.argsort(-np.bincount(first, minlength=column.size), kind="stable")[:MOST_BARS])
        names = ["missing" if text is None else str(text) for text in column.texts(shown).to_list()]
        found = {side: np.bincount(places, minlength=column.size)[shown] for side, places in sides.items()}
    else:
        begins = np.arange(MOST_BARS) * column.count // MOST_BARS
        names = [f"from {text}" for text in column.texts(begins).to_list()] + (["missing"] if column.missing else [])
        edges = np.append(begins, [column.count, column.count + 1] if column.missing else [column.count])
        found = {side: np.histogram(places, bins=edges)[0] for side, places in sides.items()}
    series = [Bars(name=side, values=(own / max(sides[side].size, 1)).tolist()) for side, own in found.items()]
    title = f"How often values of {column.name} occur"
    return bar_plot(title, names, series, unit="share of rows", percent=True)


def _between(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} rows or more"
    return f"{low} to {high - 1} rows" if high - 1 > low else ("only itself" if low == 1 else f"{low} rows")
