"""The pinned floor for files: plain Polars, nothing of ours. Do not change it: ratios are only worth something against the same floor.

It reads the columns, casts the labels to a fixed enumeration, splits the rows into one list a person, and writes the rows back.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

__all__ = ["long_rows_floor"]


def long_rows_floor(source: Path, target: Path, labels: list[str]) -> None:
    """Read, cast, split and write long rows of (id, label, time), in the format that the ending tells."""
    is_parquet = source.suffix == ".parquet"
    frame = pl.read_parquet(source) if is_parquet else pl.read_csv(source, schema_overrides={"label": pl.String})
    frame = frame.with_columns(pl.col("label").cast(pl.Enum(labels)))
    split = frame.group_by("id", maintain_order=True).agg("label")
    rows = split.explode("label").with_columns(pl.col("label").cast(pl.String))
    if is_parquet:
        rows.write_parquet(target)
    else:
        rows.write_csv(target)
