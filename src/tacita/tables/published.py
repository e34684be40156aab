"""Published tables: rows of ranges, or two tables that are joined by a bucket, able to show and to write themselves.

A row shows, for each quasi-identifier, a range of its places, by the public name of that range, and one sensitive value. Rows are
ordered by what they show and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.formats import Holds, formats_of, named_formats
from tacita.io import FileFormat, Framed, StoredFormat
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.tables.columns import Column, Schema
from tacita.tables.declarations import schema_as_json
from tacita.tables.pictures import crowd_picture, widths_picture

__all__ = ["SCHEMA_INPUT", "PublishedBuckets", "PublishedTable", "named_ranges", "schema_of", "table_of_groups"]


BUCKET = "bucket"
SCHEMA_INPUT = "columns"
"""What the declared columns are called among the public inputs, and the file that holds them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedTable(Framed):
    """Groups of rows that look alike: `lows[g, j]` to `highs[g, j]` (not included) is what group g shows of column j.

    `groups[i]` is the group of row i and `sensitive[i]` its sensitive code.
    """

    schema: Schema
    lows: Integers = field(repr=False)
    highs: Integers = field(repr=False)
    groups: Integers = field(repr=False)
    sensitive: Integers | None = field(default=None, repr=False)
    file_format: FileFormat = FileFormat.CSV
    promised: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The models that the manifest of a release states, where it was read from one."""

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return PublicInputs(others={SCHEMA_INPUT: self.schema})

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "tables"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "a table"

    def __len__(self) -> int:
        """The number of rows."""
        return int(self.groups.size)

    @property
    def sizes(self) -> Integers:
        """How many rows each group has."""
        return np.bincount(self.groups, minlength=self.lows.shape[0]).astype(np.int64, copy=False)

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        return [crowd_picture({"released": self.sizes}), widths_picture(self.schema, self.lows, self.highs, self.sizes)]

    def frame(self) -> pl.DataFrame:
        """The rows as they are published, every value by its public name."""
        columns = {
            column.name: named_ranges(column, self.lows[:, place], self.highs[:, place]).gather(self.groups)
            for place, column in enumerate(self.schema.quasi)
        }
        if self.sensitive is not None:
            for part, codes in zip(self.schema.hidden, self.schema.hidden_codes(self.sensitive), strict=True):
                columns[part.name] = pl.Series(part.universe.labels).gather(codes)
        return pl.DataFrame(columns)

    def to_labels(self) -> list[list[str]]:
        """The rows as Python lists; for small releases."""
        return [list(row) for row in self.frame().iter_rows()]

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `table.*` as CSV, JSON lines or Parquet."""
        _write_columns(folder, self.schema)
        return _write_frame(folder, "table", self.frame(), file_format=file_format, usual=self.file_format)


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedBuckets(Framed):
    """Quasi-identifiers as they are, with a bucket each, and beside them the sensitive values of each bucket (Table 2.4)."""

    schema: Schema
    quasi: tuple[Integers, ...] = field(repr=False)
    buckets: Integers = field(repr=False)
    sensitive: Integers = field(repr=False)
    sensitive_buckets: Integers = field(repr=False)
    file_format: FileFormat = FileFormat.CSV

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return PublicInputs(others={SCHEMA_INPUT: self.schema})

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "tables"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "a table"

    def __len__(self) -> int:
        """The number of people."""
        return int(self.buckets.size)

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone: how many rows share a bucket."""
        return [crowd_picture({"released": np.bincount(self.buckets).astype(np.int64)})]

    def frame(self) -> pl.DataFrame:
        """The quasi-identifiers with their buckets."""
        columns = {
            column.name: pl.Series([column.range_name(place, place + 1) for place in different.tolist()]).gather(inverse)
            for column, codes in zip(self.schema.quasi, self.quasi, strict=True)
            for different, inverse in [np.unique(codes, return_inverse=True)]
        }
        return pl.DataFrame({**columns, BUCKET: self.buckets + 1})

    def sensitive_frame(self) -> pl.DataFrame:
        """The sensitive values of each bucket."""
        sensitive = self.schema.only_sensitive("bucketization")
        values = pl.Series(sensitive.universe.labels).gather(self.sensitive)
        return pl.DataFrame({BUCKET: self.sensitive_buckets + 1, sensitive.name: values})

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `people.*` and `sensitive.*`, to be joined by the bucket."""
        _write_columns(folder, self.schema)
        _write_frame(folder, "sensitive", self.sensitive_frame(), file_format=file_format, usual=self.file_format)
        return _write_frame(folder, "people", self.frame(), file_format=file_format, usual=self.file_format)


def table_of_groups(
    schema: Schema,
    lows: Integers,
    highs: Integers,
    group_of: Integers,
    sensitive: Integers | None,
    *,
    file_format: FileFormat = FileFormat.CSV,
) -> PublishedTable:
    """Rows with the ranges of their groups, groups and rows in the order of what they show; equal groups become one."""
    keys = np.concatenate([lows, highs], axis=1)
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    rows = rank[group_of]
    if sensitive is None:
        rows = np.sort(rows)
        values = None
    else:
        symbols = schema.required_sensitive("a table with sensitive values").size
        together = np.sort(rows * symbols + sensitive)
        rows, values = together // symbols, together % symbols
    firsts = order[new]
    return PublishedTable(
        schema=schema, lows=lows[firsts], highs=highs[firsts], groups=rows, sensitive=values, file_format=file_format
    )


def named_ranges(column: Column, lows: Integers, highs: Integers) -> pl.Series:
    """The public name of each range of places; each different range is named once."""
    wide = column.size + 1
    different, inverse = np.unique(lows * wide + highs, return_inverse=True)
    names = [column.range_name(key // wide, key % wide) for key in different.tolist()]
    return pl.Series(column.name, names, dtype=pl.String).gather(inverse.reshape(-1))


def schema_of(public: PublicInputs) -> Schema:
    """The declared columns, which must be known here."""
    schema = public.others.get(SCHEMA_INPUT)
    if not isinstance(schema, Schema):
        message = "the columns of a table must be declared: which are quasi-identifiers, and which are sensitive"
        raise ParameterError(message)
    return schema


def table_format(name: str) -> str:
    """The name of a format, such as `csv` or `csv.gz`, if it can hold a table."""
    stored = StoredFormat.parse(name)
    if Holds.TABLES not in stored.file_format.holds:
        message = f"a table is written as {named_formats(formats_of(Holds.TABLES))}, got {name!r}"
        raise ParameterError(message)
    return str(stored)


def _write_frame(folder: Path, name: str, frame: pl.DataFrame, *, file_format: str | None, usual: FileFormat) -> Path:
    stored = StoredFormat.parse(table_format(str(usual) if file_format is None else file_format))
    path = folder / f"{name}{stored.ending}"
    write_frame(path, frame, stored=stored)
    return path


def _write_columns(folder: Path, schema: Schema) -> None:
    """Put the declaration of the columns beside the data, so that whoever receives it knows what the ranges mean."""
    text = json.dumps(schema_as_json(schema), indent=1, ensure_ascii=False) + "\n"
    (folder / f"{SCHEMA_INPUT}.json").write_text(text, encoding="utf-8")
