"""The plainest CSV files, read quickly: no more columns than needed, ids and times that are whole numbers, nothing quoted.

Numbers read as numbers save their texts, but 007 and 7 would be one person then. So the bytes are counted: a whole number has one
shortest text, its usual one, and every other text of it is longer. If the file has as many bytes as its numbers and labels need
in their shortest form, every number is written so, and no two texts became one number. If it has more, it is read as text.
"""

from __future__ import annotations

from typing import cast

import polars as pl

from tacita.io.options import LongColumns
from tacita.io.sources import PlainFile

__all__ = ["plain_frame"]


def plain_frame(file: PlainFile, header: list[str], *, columns: LongColumns, separator: str) -> pl.DataFrame | None:
    """The columns with ids and times as numbers; None where the file is not as plain as that."""
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
    needed = frame.select(pl.sum_horizontal(labels, *(_shortest_texts(frame[name]) for name in numbers))).item()
    first = file.content.find(b"\n") + 1
    return frame if first + needed + len(header) * len(frame) == len(file.content) else None


def _shortest_texts(numbers: pl.Series) -> pl.Expr:
    """How many characters all numbers need together: a digit each, one more for each power of ten, and the signs."""
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
