"""Published tables: rows of ranges, or two tables joined by a bucket; how they are written and asked for counts.

A row shows, for each quasi-identifier, a range of its places or a list of them, by the public name of that, and one sensitive
value. Rows are ordered by what they show and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.formats import Holds, formats_of, named_formats
from tacita.io import FileFormat, Framed, StoredFormat
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.tables.columns import Categorical, Column, Moment
from tacita.tables.declarations import schema_as_json
from tacita.tables.listed import Listed
from tacita.tables.schema import Schema, Sensitive

__all__ = [
    "SCHEMA_INPUT",
    "PublishedBuckets",
    "PublishedTable",
    "exact_order",
    "exact_table",
    "named_ranges",
    "schema_of",
    "table_of_groups",
    "write_columns",
]

BUCKET = "bucket"
EXACT = "rows"
"""What the file of a table is called whose rows show values, not ranges."""
SCHEMA_INPUT = "columns"
"""What the declared columns are called among the public inputs, and the file that holds them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedTable(Framed):
    """Groups of rows that look alike: `lows[g, j]` to `highs[g, j]` (not included) is what group g shows of column j.

    Of a column that is `listed`, a group shows some of the values in that range.
    `groups[i]` is the group of row i and `sensitive[i]` its sensitive code. If rows are `exact`, each shows one value of every
    column, in the type and the form in which the column is declared; otherwise ranges, by their public names.
    """

    schema: Schema
    lows: Integers = field(repr=False)
    highs: Integers = field(repr=False)
    groups: Integers = field(repr=False)
    sensitive: Integers | None = field(default=None, repr=False)
    file_format: FileFormat = FileFormat.CSV
    separator: str | None = None
    """What divides columns in text, if it is not a comma."""
    exact: bool = False
    listed: Mapping[int, Listed] = field(default_factory=dict, repr=False)
    """What groups show of the columns of which they show lists, by the column's place."""
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
        from tacita.tables.pictures import columns_picture, crowd_picture, parts_of, widths_picture  # noqa: PLC0415 - a publication draws nothing

        if self.exact:
            columns = list(self._columns())
            parts = [parts_of(column) for column, _ in columns]
            shares = [part.shares(places) for part, (_, places) in zip(parts, columns, strict=True)]
            return [columns_picture(parts, {"released": shares})]
        widths = [self.widths(place) for place in range(len(self.schema.quasi))]
        return [crowd_picture({"released": self.sizes}), widths_picture(self.schema, widths, self.sizes)]

    def widths(self, place: int) -> Integers:
        """How many values of a column each group shows."""
        return self.listed[place].sizes if place in self.listed else self.highs[:, place] - self.lows[:, place]

    def within(self, place: int, low: int, high: int) -> Integers:
        """How many of them are from `low` up to `high`, which is not included."""
        if place in self.listed:
            return self.listed[place].within(low, high)
        found = np.minimum(self.highs[:, place], high) - np.maximum(self.lows[:, place], low)
        return np.asarray(np.maximum(0, found), dtype=np.int64)

    def holds(self, place: int, values: Integers) -> Booleans:
        """For each of some increasing places of a column and each group, whether the group shows it."""
        if place in self.listed:
            return self.listed[place].holds(values)
        each = values[:, np.newaxis]
        return (self.lows[:, place] <= each) & (each < self.highs[:, place])

    def frame(self) -> pl.DataFrame:
        """The rows as they are published: values in their declared types, or every range by its public name."""
        if self.exact:
            return pl.DataFrame([column.decoded(places).alias(column.name) for column, places in self._columns()])
        columns = {column.name: self._names(place).gather(self.groups) for place, column in enumerate(self.schema.quasi)}
        if self.sensitive is not None:
            for part, codes in zip(self.schema.hidden, self.schema.hidden_codes(self.sensitive), strict=True):
                columns[part.name] = pl.Series(part.universe.labels).gather(codes)
        return pl.DataFrame(columns)

    def _names(self, place: int) -> pl.Series:
        """What each group shows of a column, by name."""
        column, listed = self.schema.quasi[place], self.listed.get(place)
        if listed is None or not isinstance(column, Categorical):
            return named_ranges(column, self.lows[:, place], self.highs[:, place])
        names = [column.tree.name(places) for places in listed.lists.to_lists()]
        return pl.Series(column.name, names, dtype=pl.String).gather(listed.of)

    def _columns(self) -> Iterator[tuple[Column | Sensitive, Integers]]:
        """Every column of exact rows, with the place of each row."""
        for place, column in enumerate(self.schema.quasi):
            yield column, self.lows[self.groups, place]
        if self.sensitive is not None:
            yield from zip(self.schema.hidden, self.schema.hidden_codes(self.sensitive), strict=True)

    def written(self, file_format: FileFormat) -> pl.DataFrame:
        """The rows as a format holds them: in a format without types, numbers and dates are written as they were declared."""
        if not self.exact or not file_format.is_text:
            return self.frame()
        is_text = "separator" in file_format.dialect  # JSON has numbers and truth values
        columns = [
            (column.texts(places) if is_text or isinstance(column, Moment) else column.decoded(places)).alias(column.name)
            for column, places in self._columns()
        ]
        return pl.DataFrame(columns)

    def to_labels(self) -> list[list[str]]:
        """The rows as Python lists; for small releases."""
        return [list(row) for row in self.frame().iter_rows()]

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `rows.*`, or `table.*` if rows show ranges, as CSV, JSON lines or Parquet."""
        write_columns(folder, self.schema)
        stored = StoredFormat.parse(table_format(str(self.file_format) if file_format is None else file_format))
        path = folder / f"{EXACT if self.exact else 'table'}{stored.ending}"
        write_frame(path, self.written(stored.file_format), stored=stored, separator=self.separator)
        return path

    def fields(self, path: Path) -> dict[str, str]:
        """The columns of the data file; none if they are divided by what Croissant cannot tell."""
        return super().fields(path) if self.separator is None else {}


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedBuckets(Framed):
    """Quasi-identifiers as they are, with a bucket each, and beside them the sensitive values of each bucket (Table 2.4)."""

    schema: Schema
    quasi: tuple[Integers, ...] = field(repr=False)
    buckets: Integers = field(repr=False)
    sensitive: Integers = field(repr=False)
    sensitive_buckets: Integers = field(repr=False)
    file_format: FileFormat = FileFormat.CSV
    separator: str | None = None
    """What divides columns in text, if it is not a comma."""

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
        from tacita.tables.pictures import crowd_picture  # noqa: PLC0415 - a publication draws nothing

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
        write_columns(folder, self.schema)
        stored = StoredFormat.parse(table_format(str(self.file_format) if file_format is None else file_format))
        path = folder / f"people{stored.ending}"
        write_frame(folder / f"sensitive{stored.ending}", self.sensitive_frame(), stored=stored, separator=self.separator)
        write_frame(path, self.frame(), stored=stored, separator=self.separator)
        return path

    def fields(self, path: Path) -> dict[str, str]:
        """The columns of the data file; none if they are divided by what Croissant cannot tell."""
        return super().fields(path) if self.separator is None else {}


def table_of_groups(  # noqa: PLR0913 - what groups show, and what their rows have
    schema: Schema,
    lows: Integers,
    highs: Integers,
    group_of: Integers,
    sensitive: Integers | None,
    *,
    file_format: FileFormat = FileFormat.CSV,
    separator: str | None = None,
    listed: Mapping[int, Listed] | None = None,
) -> PublishedTable:
    """Rows with the ranges of their groups, groups and rows in the order of what they show; equal groups become one."""
    lists = {} if listed is None else listed
    keys = np.concatenate([lows, highs, *(each.of[:, np.newaxis] for each in lists.values())], axis=1)
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
        schema=schema,
        lows=lows[firsts],
        highs=highs[firsts],
        groups=rows,
        sensitive=values,
        file_format=file_format,
        separator=separator,
        listed={place: each.at(firsts) for place, each in lists.items()},
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


def write_columns(folder: Path, schema: Schema) -> None:
    """Put the declaration of the columns beside the data, so that whoever receives it knows what the ranges mean."""
    text = json.dumps(schema_as_json(schema), indent=1, ensure_ascii=False) + "\n"
    (folder / f"{SCHEMA_INPUT}.json").write_text(text, encoding="utf-8")


def exact_table(
    schema: Schema,
    quasi: Sequence[Integers],
    sensitive: Integers | None,
    *,
    file_format: FileFormat = FileFormat.CSV,
    separator: str | None = None,
) -> PublishedTable:
    """Rows that show the value at a place of each column, in the order of their places."""
    order = exact_order(schema, quasi, sensitive)
    lows = np.empty((order.size, len(quasi)), dtype=np.int64)
    for column, places in enumerate(quasi):  # one by one: with many rows, a second copy is half of the memory
        lows[:, column] = places[order]
    return PublishedTable(
        schema=schema,
        lows=lows,
        highs=lows + 1,
        groups=np.arange(order.size),
        sensitive=None if sensitive is None else sensitive[order],
        file_format=file_format,
        separator=separator,
        exact=True,
    )


def exact_order(schema: Schema, quasi: Sequence[Integers], sensitive: Integers | None) -> Integers:
    """The order that sorts rows by what they show; equal rows stay in theirs."""
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    keys = [*quasi, *([] if sensitive is None else [sensitive])]
    sizes = [*schema.sizes, *([] if sensitive is None else [symbols])]
    return np.asarray(np.lexsort(_packed(keys, sizes)[::-1]), dtype=np.int64)


def _packed(columns: Sequence[Integers], sizes: Sequence[int]) -> list[Integers]:
    """The same order in fewer columns: neighbours whose numbers fit 62 bits together become one."""
    packed: list[Integers] = []
    room = 0
    for codes, size in zip(columns, sizes, strict=True):
        if packed and room * size < 2**62:
            packed[-1], room = packed[-1] * size + codes, room * size
        else:
            packed.append(codes)
            room = size
    return packed
