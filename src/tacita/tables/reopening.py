"""Reading a published table back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.gate import read_json
from tacita.io import FileFormat, format_of, intact_file, read_manifest, require_kind
from tacita.io.release_files import released_rows
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.taxonomy import ROOT
from tacita.tables.columns import Categorical, Column, Moment, Numeric, Otherwise
from tacita.tables.declarations import declared
from tacita.tables.listed import Listed
from tacita.tables.published import (
    BUCKET,
    EXACT,
    SCHEMA_INPUT,
    PublishedBuckets,
    PublishedTable,
    exact_table,
    table_of_groups,
)
from tacita.tables.schema import Schema

__all__ = ["exact_rows", "opened_table", "read_published_table", "released_schema"]

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
    is_exact = str(files["data"]["name"]).startswith(f"{EXACT}.")
    shown = [column.name for column in schema.quasi] if "sensitive" in files else schema.names
    rows, file_format, separator = _frame(folder, files["data"], shown)
    try:
        if "sensitive" in files:
            values, _, _ = _frame(folder, files["sensitive"], [part.name for part in schema.hidden])
            return _buckets(schema, rows, values, file_format, separator)
        if is_exact:
            return exact_rows(schema, rows, file_format, separator=separator)
        return replace(_table(schema, rows, file_format, separator), promised=tuple(manifest["guarantee"].get("models", ())))
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


def exact_rows(schema: Schema, rows: pl.DataFrame, file_format: FileFormat, *, separator: str | None = None) -> PublishedTable:
    """Rows of values, each of which must be one that its column can have."""
    quasi = [_exact_places(column, rows[column.name]) for column in schema.quasi]
    hidden = None if schema.sensitive is None else schema.encoded_sensitive(rows)
    if hidden is not None and hidden.size and int(hidden.min()) < 0:
        raise KeyError
    return exact_table(schema, quasi, hidden, file_format=file_format, separator=separator)


def _exact_places(column: Column, values: pl.Series) -> Integers:
    places = replace(column, otherwise=Otherwise.DROP).encoded(values)
    if places.size and int(places.min()) < 0:
        raise KeyError
    return places


def _table(schema: Schema, rows: pl.DataFrame, file_format: FileFormat, separator: str | None = None) -> PublishedTable:
    ranges, listed = [], {}
    for place, column in enumerate(schema.quasi):
        lists = _lists(column, rows[column.name]) if isinstance(column, Categorical) else None
        if lists is None:
            ranges.append(_ranges(column, rows[column.name]))
        else:
            listed[place] = lists
            ranges.append(lists.ends)
    lows, highs = (np.stack([each[side] for each in ranges], axis=1) for side in (0, 1))
    hidden = None if schema.sensitive is None else schema.encoded_sensitive(rows)
    if hidden is not None and hidden.size and int(hidden.min()) < 0:
        raise KeyError
    groups = np.arange(rows.height)
    return table_of_groups(schema, lows, highs, groups, hidden, file_format=file_format, separator=separator, listed=listed)


def _buckets(
    schema: Schema, people: pl.DataFrame, values: pl.DataFrame, file_format: FileFormat, separator: str | None
) -> PublishedBuckets:
    sensitive = schema.only_sensitive("bucketization")
    return PublishedBuckets(
        schema=schema,
        quasi=tuple(_ranges(column, people[column.name])[0] for column in schema.quasi),
        buckets=_numbers(people[BUCKET]) - 1,
        sensitive=sensitive.encoded(values[sensitive.name]),
        sensitive_buckets=_numbers(values[BUCKET]) - 1,
        file_format=file_format,
        separator=separator,
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


def _lists(column: Categorical, names: pl.Series) -> Listed | None:
    """What each row shows of a column in which some row shows a list that is no range; each different name is read once."""
    text = names.cast(pl.String)
    different, ranges = text.unique().to_list(), _named(column)
    if all(name in ranges for name in different):
        return None
    places = [list(range(*ranges[name])) if name in ranges else column.tree.named(name) for name in different]
    numbers = text.replace_strict(different, range(len(different)), return_dtype=pl.Int64).to_numpy()
    found = Listed.of_groups(Ragged.from_lists(places))
    return found.at(np.asarray(numbers, dtype=np.int64))


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


def _frame(folder: Path, described: Mapping[str, Any], names: Sequence[str]) -> tuple[pl.DataFrame, FileFormat, str | None]:
    """The rows of a file that is there and as its manifest describes it, its format, and what divides its columns."""
    path = intact_file(folder, {"files": [described]}, described["name"])
    rows, separator = released_rows(path, names)
    return rows, format_of(path), separator
