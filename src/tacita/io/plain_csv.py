"""A fast path for the plainest CSV files: only the needed columns, ids and times that are whole numbers, nothing quoted.

Parsing ids as integers avoids their strings, but 007 and 7 would become one person. So the bytes are counted: the usual form of a
whole number is its shortest one. If the file has exactly as many bytes as its numbers and labels need in their shortest form,
every number is written that way, and no two strings became one number. If it has more, it is read as text.
"""

from __future__ import annotations

from typing import cast

import polars as pl

from tacita.io.options import LongColumns
from tacita.io.sources import PlainFile

__all__ = ["plain_frame"]


def plain_frame(file: PlainFile, header: list[str], *, columns: LongColumns, separator: str) -> pl.DataFrame | None:
    """The columns with ids and times as integers; None if the file is not that plain."""
    if sorted(header) != sorted(columns.names) or columns.record is not None:
        return None
    numbers = [columns.id] if columns.time is None else [columns.id, columns.time]
    try:
        frame = pl.read_csv(
            file.path,
            glob=False,
            separator=separator,
            quote_char=None,
            infer_schema=False,
            schema_overrides=dict.fromkeys(numbers, pl.Int64),
        ).select(columns.names)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return None
    if any(series.null_count() for series in frame):
        return None
    labels = pl.col(columns.label).str.len_bytes().cast(pl.Int64).sum()
    needed = frame.select(pl.sum_horizontal(labels, *(_shortest_forms(frame[name]) for name in numbers))).item()
    first = file.content.find(b"\n") + 1
    return frame if first + needed + len(header) * len(frame) == len(file.content) else None


def _shortest_forms(numbers: pl.Series) -> pl.Expr:
    """The characters that all numbers need in total: a digit each, one more for each power of ten, and the minus signs."""
    column = pl.col(numbers.name)
    least, most = (int(cast("int", bound)) for bound in (numbers.min() or 0, numbers.max() or 0))
    characters = pl.lit(len(numbers), dtype=pl.Int64)
    if least < 0:
        characters += (column < 0).sum().cast(pl.Int64)
    for power in range(1, 19):
        if most >= 10**power:
            characters += (column >= 10**power).sum().cast(pl.Int64)
        if least <= -(10**power):
            characters += (column <= -(10**power)).sum().cast(pl.Int64)
    return characters
