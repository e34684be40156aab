"""Published tables: rows of ranges, or two tables joined by a bucket; how they are written, read back and asked for counts.

A row shows, for each quasi-identifier, a range of its places, by the public name of that range, and one sensitive value. Rows are
ordered by what they show and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import InputError, ParameterError
from tacita.formats import Holds, formats_of, named_formats
from tacita.gate import read_json
from tacita.io import FileFormat, Framed, StoredFormat, format_of, intact_file, read_manifest, require_kind
from tacita.io.formats import rows_of
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.taxonomy import ROOT
from tacita.tables.columns import Categorical, Column, Moment, Numeric, Otherwise
from tacita.tables.declarations import declared, schema_as_json
from tacita.tables.schema import Schema, Sensitive

__all__ = [
    "SCHEMA_INPUT",
    "PublishedBuckets",
    "PublishedTable",
    "exact_order",
    "exact_rows",
    "exact_table",
    "named_ranges",
    "opened_table",
    "read_published_table",
    "released_schema",
    "schema_of",
    "table_of_groups",
    "write_columns",
]

BUCKET = "bucket"
MOST_PICTURES = 6
"""How many columns are drawn."""

EXACT = "rows"
"""What the file of a table is called whose rows show values, not ranges."""
SCHEMA_INPUT = "columns"
"""What the declared columns are called among the public inputs, and the file that holds them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedTable(Framed):
    """Groups of rows that look alike: `lows[g, j]` to `highs[g, j]` (not included) is what group g shows of column j.

    `groups[i]` is the group of row i and `sensitive[i]` its sensitive code. If rows are `exact`, each shows one value of every
    column, in the type and the form in which the column is declared; otherwise ranges, by their public names.
    """

    schema: Schema
    lows: Integers = field(repr=False)
    highs: Integers = field(repr=False)
    groups: Integers = field(repr=False)
    sensitive: Integers | None = field(default=None, repr=False)
    file_format: FileFormat = FileFormat.CSV
    exact: bool = False
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
        from tacita.tables.pictures import crowd_picture, values_picture, widths_picture  # noqa: PLC0415 - a publication draws nothing

        if self.exact:
            return [values_picture(column, {"released": places}) for column, places in islice(self._columns(), MOST_PICTURES)]
        return [crowd_picture({"released": self.sizes}), widths_picture(self.schema, self.lows, self.highs, self.sizes)]

    def frame(self) -> pl.DataFrame:
        """The rows as they are published: values in their declared types, or every range by its public name."""
        if self.exact:
            return pl.DataFrame([column.decoded(places).alias(column.name) for column, places in self._columns()])
        columns = {
            column.name: named_ranges(column, self.lows[:, place], self.highs[:, place]).gather(self.groups)
            for place, column in enumerate(self.schema.quasi)
        }
        if self.sensitive is not None:
            for part, codes in zip(self.schema.hidden, self.schema.hidden_codes(self.sensitive), strict=True):
                columns[part.name] = pl.Series(part.universe.labels).gather(codes)
        return pl.DataFrame(columns)

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
        frame = self.written(stored.file_format)
        return _write_frame(folder, EXACT if self.exact else "table", frame, file_format=file_format, usual=self.file_format)


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


def write_columns(folder: Path, schema: Schema) -> None:
    """Put the declaration of the columns beside the data, so that whoever receives it knows what the ranges mean."""
    text = json.dumps(schema_as_json(schema), indent=1, ensure_ascii=False) + "\n"
    (folder / f"{SCHEMA_INPUT}.json").write_text(text, encoding="utf-8")


# Reading a release back from its folder, as whoever receives it, or judges it, does.


INTERVALS = {Numeric: re.compile(r"\[(-?[\d.]+)-(-?[\d.]+)\)"), Moment: re.compile(r"\[(.+) to (.+)\)")}


def read_published_table(folder: str | Path) -> PublishedTable | PublishedBuckets:
    """Read the table of a release folder; it must be whole."""
    manifest = read_manifest(folder)
    return opened_table(Path(folder), manifest)


def opened_table(
    folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN
) -> PublishedTable | PublishedBuckets:
    """The table of a release whose manifest was read; columns that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="tables")
    schema = released_schema(folder, manifest, public)
    files = {str(file["role"]).partition(".")[0]: file for file in manifest["files"]}
    rows, file_format = _frame(folder, files["data"])
    try:
        if "sensitive" in files:
            return _buckets(schema, rows, _frame(folder, files["sensitive"])[0], file_format)
        if str(files["data"]["name"]).startswith(f"{EXACT}."):
            return exact_rows(schema, rows, file_format)
        return replace(_table(schema, rows, file_format), promised=tuple(manifest["guarantee"].get("models", ())))
    except (KeyError, ValueError, ArithmeticError, pl.exceptions.PolarsError):
        message = f"the release {str(folder)!r} must show ranges of the declared columns only; it does not"
        raise InputError(message) from None


def released_schema(folder: Path, manifest: Mapping[str, Any], public: PublicInputs) -> Schema:
    """The columns that a release was made with: the given ones, after a check, or those in the folder."""
    given = public.others.get(SCHEMA_INPUT)
    schema = given if isinstance(given, Schema) else declared(read_json(folder / f"{SCHEMA_INPUT}.json", what="the file"))
    if manifest["public_inputs"].get(SCHEMA_INPUT, {}).get("sha256") != schema.digest():
        message = f"the release {str(folder)!r} was made with other columns than those given; both must be declared alike"
        raise ParameterError(message)
    return schema


def exact_rows(schema: Schema, rows: pl.DataFrame, file_format: FileFormat) -> PublishedTable:
    """Rows of values, each of which must be one that its column can have."""
    quasi = [_exact_places(column, rows[column.name]) for column in schema.quasi]
    hidden = None if schema.sensitive is None else schema.encoded_sensitive(rows)
    if hidden is not None and hidden.size and int(hidden.min()) < 0:
        raise KeyError
    return exact_table(schema, quasi, hidden, file_format=file_format)


def _exact_places(column: Column, values: pl.Series) -> Integers:
    places = replace(column, otherwise=Otherwise.DROP).encoded(values)
    if places.size and int(places.min()) < 0:
        raise KeyError
    return places


def exact_table(
    schema: Schema, quasi: Sequence[Integers], sensitive: Integers | None, *, file_format: FileFormat = FileFormat.CSV
) -> PublishedTable:
    """Rows that show the value at a place of each column, in the order of their places."""
    order = exact_order(schema, quasi, sensitive)
    lows = np.stack([places[order] for places in quasi], axis=1)
    return PublishedTable(
        schema=schema,
        lows=lows,
        highs=lows + 1,
        groups=np.arange(order.size),
        sensitive=None if sensitive is None else sensitive[order],
        file_format=file_format,
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


def _table(schema: Schema, rows: pl.DataFrame, file_format: FileFormat) -> PublishedTable:
    ranges = [_ranges(column, rows[column.name]) for column in schema.quasi]
    lows, highs = (np.stack([each[side] for each in ranges], axis=1) for side in (0, 1))
    hidden = None if schema.sensitive is None else schema.encoded_sensitive(rows)
    if hidden is not None and hidden.size and int(hidden.min()) < 0:
        raise KeyError
    return table_of_groups(schema, lows, highs, np.arange(rows.height), hidden, file_format=file_format)


def _buckets(schema: Schema, people: pl.DataFrame, values: pl.DataFrame, file_format: FileFormat) -> PublishedBuckets:
    sensitive = schema.only_sensitive("bucketization")
    return PublishedBuckets(
        schema=schema,
        quasi=tuple(_ranges(column, people[column.name])[0] for column in schema.quasi),
        buckets=_numbers(people[BUCKET]) - 1,
        sensitive=sensitive.encoded(values[sensitive.name]),
        sensitive_buckets=_numbers(values[BUCKET]) - 1,
        file_format=file_format,
    )


def _numbers(values: pl.Series) -> Integers:
    return np.asarray(values.cast(pl.Int64).to_numpy(), dtype=np.int64)


def _ranges(column: Column, names: pl.Series) -> tuple[Integers, Integers]:
    """The range of places that each name stands for; each different name is looked up once."""
    text = names.cast(pl.String)
    different = text.unique().to_list()
    known = _named(column) if isinstance(column, Categorical) else {}
    pairs = [known[name] if isinstance(column, Categorical) else _interval(column, name) for name in different]
    lows, highs = (
        text.replace_strict(different, [pair[side] for pair in pairs], return_dtype=pl.Int64).to_numpy() for side in (0, 1)
    )
    return np.asarray(lows, dtype=np.int64), np.asarray(highs, dtype=np.int64)


def _named(column: Categorical) -> dict[str, tuple[int, int]]:
    """Every range that has a name: labels, nodes of the taxonomy, and groups of their children."""
    places = np.arange(column.size)
    found = {column.range_name(place, place + 1): (place, place + 1) for place in places.tolist()}
    waiting = [(0, column.size)]
    while waiting:
        low, high = waiting.pop()
        if high - low < 2:
            continue
        found[column.range_name(low, high)] = (low, high)
        cut = int(column.tree.cuts(np.array([low]), np.array([high - 1]))[0])
        waiting += [(low, cut), (cut, high)]
    return found


def _interval(column: Numeric | Moment, name: str) -> tuple[int, int]:
    if name == ROOT:
        return 0, column.count
    found = INTERVALS[type(column)].fullmatch(name)
    low = column.place_named(found[1] if found else name)
    high = column.place_named(found[2]) if found else low + 1
    if not low < high <= column.count:
        raise KeyError
    return low, high


def _frame(folder: Path, described: Mapping[str, Any]) -> tuple[pl.DataFrame, FileFormat]:
    """The rows of a file that is there and as its manifest describes it."""
    path = intact_file(folder, {"files": [described]}, described["name"])
    file_format = format_of(path)
    return rows_of(file_format).released(path), file_format
