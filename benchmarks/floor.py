"""The pinned floor for files: plain Polars, nothing of ours.

It reads the columns, casts the labels to a fixed enumeration and back, and writes the rows: the least that anybody who reads and
writes such a file must do. Do not change it: ratios are only comparable against the same floor.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

__all__ = ["long_rows_floor"]


def long_rows_floor(source: Path, target: Path, labels: list[str]) -> None:
    """Read, cast and write long rows of (id, label, time), in the format given by the file's extension."""
    is_parquet = source.suffix == ".parquet"
    frame = pl.read_parquet(source) if is_parquet else pl.read_csv(source, schema_overrides={"label": pl.String})
    frame = frame.with_columns(pl.col("label").cast(pl.Enum(labels)).cast(pl.String))
    if is_parquet:
        frame.write_parquet(target)
    else:
        frame.write_csv(target)
