"""Typed columns: numbers with decimals, dates, times and truth values, read exactly and written as they were declared."""

import csv
import json
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita import PureDP
from tacita.counting.engines import Engine
from tacita.errors import ParameterError
from tacita.io import TextDialect
from tacita.tables import (
    Categorical,
    Independent,
    Moment,
    Mondrian,
    Numeric,
    Otherwise,
    TableRecords,
    TopDown,
    declared,
    open_table,
    read_published_table,
    read_table,
)
from tacita.tables.declarations import schema_as_json
from tacita.tables.published import exact_table
from tacita.tables.records import TableReading
from tacita.tables.values import units_of

COLUMNS = {
    "dose (mg)": {"type": "number", "low": -1, "high": Decimal("2.50"), "step": Decimal("0.25"), "missing": True},
    "née": {"type": "date", "first": date(1920, 1, 1), "last": "2024-12-31", "format": "%d.%m.%Y", "missing": True},
    "seen at": {"type": "time", "first": "2024-01-01T00:00:00", "last": "2024-12-31T23:59:59", "step": "15min"},
    "alive": {"type": "yes/no"},
    "smokes": {"type": "yes/no", "values": ["nein", "ja"], "missing": True},
    "ward": {"type": "category", "values": [3, 1, 2], "missing": True, "otherwise": "missing"},
    "town": {"type": "category", "values": ["Åbo", 'a "b"', "c,d"]},
}
SCHEMA = declared(COLUMNS)
TYPES = [pl.Float64, pl.Date, pl.Datetime("us"), pl.Boolean, pl.String, pl.Int64, pl.String]
ROWS = pl.DataFrame(
    {
        "dose (mg)": [0.25, None, 2.5],
        "née": [date(1950, 2, 3), None, date(2024, 12, 31)],
        "seen at": [datetime.fromisoformat(text) for text in ("2024-05-01T07:45", "2024-01-01T00:00", "2024-12-31T23:45")],
        "alive": [True, False, True],
        "smokes": ["ja", None, "nein"],
        "ward": [1, None, 3],
        "town": ["Åbo", 'a "b"', "c,d"],
    }
)


@given(number=st.decimals(min_value=-100, max_value=100, places=6), scale=st.integers(0, 5))
def test_a_number_is_read_in_whole_units_rounded_down_however_it_is_written(number, scale):
    wanted = int((number * 10**scale).to_integral_value(rounding="ROUND_FLOOR"))
    texts = [f"{number:f}", f"{number:e}", f" {number} ", f"{number:f}000"]
    assert units_of(pl.Series(texts), scale=scale).to_list() == [wanted] * 4
    assert units_of(pl.Series([f"{number:f}".replace(".", ",")]), scale=scale, decimal=",").to_list() == [wanted]
    assert units_of(pl.Series([float(f"{number:f}")]), scale=scale).to_list() == [wanted]


def test_tenths_are_counted_exactly_where_binary_fractions_are_not():
    column = Numeric(name="x", low=0, high=1, step="0.1")
    assert int(0.3 / 0.1) == 2, "what binary fractions would make of it"
    assert column.encoded(pl.Series([0.3, 0.7, 0.9])).tolist() == [3, 7, 9]
    assert column.texts(np.arange(11)).to_list() == [f"{step / 10:.1f}" for step in range(11)]
    assert column.decoded(np.arange(11)).to_list() == [step / 10 for step in range(11)]


def test_what_is_no_number_has_no_units_and_far_numbers_stay_outside_of_all_bounds():
    found = units_of(pl.Series(["", "x", "-", ".", "1,5", "0x1", "1e999", "-1e999", "9" * 40, None, "nan", "inf"]), scale=2)
    assert found.to_list() == [None] * 6 + [10**18, -(10**18), 10**18, None, None, None]
    assert units_of(pl.Series([2**64 - 1], dtype=pl.UInt64), scale=0).to_list() == [10**18]
    assert units_of(pl.Series([2**62], dtype=pl.Int64), scale=3).to_list() == [10**18]


@pytest.mark.parametrize(
    ("otherwise", "places"),
    [(Otherwise.BOUND, [0, 9, -1, -1, 4]), (Otherwise.DROP, [-1, -1, -1, -1, 4]), (Otherwise.MISSING, [10, 10, 10, 10, 4])],
)
def test_values_that_do_not_fit_are_handled_by_the_declared_rule(otherwise, places):
    missing = otherwise is Otherwise.MISSING
    column = Numeric(name="n", low=1, high=10, missing=missing, otherwise=otherwise)
    assert column.encoded(pl.Series(["0", "11", "x", "", "5"])).tolist() == places
    days = Moment(name="d", first="2024-01-01", last="2024-01-10", missing=missing, otherwise=otherwise)
    assert days.encoded(pl.Series(["2023-12-31", "2024-01-11", "x", "", "2024-01-05"])).tolist() == places


def test_having_no_value_is_a_value_of_its_own_only_where_that_is_declared():
    kinds = [
        lambda missing: Numeric(name="n", low=1, high=10, missing=missing),
        lambda missing: Moment(name="d", first="2024-01-01", last="2024-01-10", missing=missing),
        lambda missing: declared({"c": {"type": "category", "values": ["x", "y"], "missing": missing}}).quasi[0],
    ]
    for made in kinds:
        for empty in ([None], [""], [" "]):
            assert made(missing=False).encoded(pl.Series(empty, dtype=pl.String)).tolist() == [-1]
            assert made(missing=True).encoded(pl.Series(empty, dtype=pl.String)).tolist() == [made(missing=True).count]
    assert kinds[0](missing=True).encoded(pl.Series([float("nan")])).tolist() == [10]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_types_and_forms_survive_the_way_from_file_to_file(tmp_path, ending):
    table = exact_table(SCHEMA, TableRecords.from_frame(ROWS, schema=SCHEMA).quasi, None)
    assert [table.frame()[name].dtype for name in COLUMNS] == TYPES
    assert table.frame().sort("seen at").equals(ROWS.sort("seen at").select(table.frame().columns))
    path = table.write(tmp_path, file_format=ending)
    assert path.name == f"rows.{ending}"
    again = read_table(path, schema=SCHEMA, strict=True)
    assert exact_table(SCHEMA, again.quasi, None).frame().equals(table.frame())
    if ending == "csv":
        text = path.read_text(encoding="utf-8")
        assert "0.25,03.02.1950,2024-05-01T07:45:00,true,ja,1,Åbo" in text
    if ending == "jsonl":
        (row,) = (row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()) if row["dose (mg)"] == 0.25)
        assert row["alive"] is True
        assert row["née"] == "03.02.1950"
    if ending == "parquet":
        assert list(pl.read_parquet_schema(path).values()) == TYPES


@pytest.mark.parametrize(
    ("separator", "engine", "ending"),
    [
        (";", "local", "csv"),
        (";", "blocks", "csv"),
        ("\t", "local", "csv.gz"),
        ("|", "local", "csv"),
        ("~", "local", "csv"),
        (",", "local", "csv"),
    ],
)
def test_a_release_has_the_separator_of_the_file_and_is_read_by_it(tmp_path, separator, engine, ending):
    odd = {**COLUMNS, f"a{separator}b, c;d": {"type": "number", "low": 0, "high": 9, "step": 0.5, "decimal": ","}}
    rows = ROWS.with_columns(pl.Series(f"a{separator}b, c;d", ["1,5", "2", "8,0"]))
    texts = rows.with_columns(pl.col("née").dt.to_string("%d.%m.%Y"), pl.col("seen at").dt.to_string("%Y-%m-%dT%H:%M"))
    texts.write_csv(tmp_path / "raw.csv", separator=separator)
    options = TableReading(dialect=TextDialect(separator=separator), engine=Engine(engine))
    records = open_table(tmp_path / "raw.csv", schema=declared(odd), options=options, strict=True)
    release = Independent().publish(records, budget=PureDP(1000))
    release.write(tmp_path / "release", file_format=ending)
    opened = read_published_table(tmp_path / "release")
    assert opened.frame().equals(release.data.frame())
    assert opened.separator == (None if separator == "," else separator)
    described = json.loads((tmp_path / "release" / "croissant.json").read_text(encoding="utf-8"))
    assert ("recordSet" in described) == (separator == "," and ending == "csv"), "Croissant cannot tell other separators"
    if ending == "csv":
        header, *lines = csv.reader(
            (tmp_path / "release" / "rows.csv").read_text(encoding="utf-8").splitlines(), delimiter=separator
        )
        assert header == list(odd)
        assert len(lines) == len(opened)


def test_a_release_in_another_format_than_its_file_has_no_separator_of_its_own(tmp_path):
    table = exact_table(SCHEMA, TableRecords.from_frame(ROWS, schema=SCHEMA).quasi, None, separator=";")
    assert table.write(tmp_path, file_format="jsonl").read_text(encoding="utf-8").startswith("{")
    assert list(pl.read_parquet_schema(table.write(tmp_path, file_format="parquet")).values()) == TYPES


def test_a_typed_frame_of_any_library_is_read_as_its_texts_are():
    texts = exact_table(SCHEMA, TableRecords.from_frame(ROWS, schema=SCHEMA).quasi, None).written(
        TableRecords.from_frame(ROWS, schema=SCHEMA).file_format
    )
    for frame in (texts, ROWS.to_pandas(), ROWS.to_arrow()):
        places = read_table(frame, schema=SCHEMA, strict=True, name="rows").quasi
        assert sorted(zip(*(column.tolist() for column in places), strict=True)) == sorted(
            zip(*(column.tolist() for column in TableRecords.from_frame(ROWS, schema=SCHEMA).quasi), strict=True)
        )


def test_a_declaration_of_types_is_written_and_read_back():
    again = declared(json.loads(json.dumps(schema_as_json(SCHEMA))))
    assert again.digest() == SCHEMA.digest()
    assert again == SCHEMA
    assert declared({**COLUMNS, "alive": {"type": "yes/no", "missing": True}}).digest() != SCHEMA.digest()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"type": "number", "low": 0, "high": 1, "step": "0.3"}, "a whole number of steps apart"),
        ({"type": "number", "low": 0, "high": 1, "step": 0}, "a whole number of steps apart"),
        ({"type": "number", "low": 0, "high": "many"}, "high of x must be a number"),
        ({"type": "number", "low": 0, "high": float("inf")}, "high of x must be a number"),
        ({"type": "number", "low": True, "high": 1}, "low of x must be a number"),
        ({"type": "number", "low": 0, "high": 1, "decimal": ";"}, "decimal sign"),
        ({"type": "number", "low": 0, "high": 1, "values": ["a"]}, "must not have values"),
        ({"type": "number", "low": 0, "high": 1, "missing": "yes"}, "missing = true or false"),
        ({"type": "number", "low": 0, "high": 1, "otherwise": "keep"}, "otherwise = one of drop, bound, missing"),
        ({"type": "number", "low": 0, "high": 1, "otherwise": "missing"}, "missing values must be allowed"),
        ({"type": "category", "values": ["a"], "otherwise": "bound"}, "has no bounds"),
        ({"type": "yes/no", "values": ["a"]}, "two 'values'"),
        ({"type": "date", "first": "2024-01-01"}, "'first' and 'last'"),
        ({"type": "date", "first": "2024-01-02", "last": "2024-01-01"}, "the earlier one first"),
        ({"type": "date", "first": "2024-01-01", "last": "2024-01-02", "step": "1h"}, "whole days"),
        ({"type": "date", "first": "2024-01-01T00:00:00", "last": "2024-01-02T00:00:00"}, "dates as bounds"),
        ({"type": "time", "first": "2024-01-01", "last": "2024-01-02T00:00:00"}, "two dates as bounds"),
        ({"type": "time", "first": "2024-01-01T00:00:00Z", "last": "2024-01-02T00:00:00Z"}, "without a zone"),
        ({"type": "date", "first": "soon", "last": "later"}, "must be a date such as"),
        ({"type": "date", "first": "2024-01-01", "last": "2024-01-02", "step": "soon"}, "such as 1d, 12h"),
        ({"type": "text"}, "one of the types number, category, yes/no, date, time"),
    ],
)
def test_a_declared_type_that_cannot_be_meant_is_refused(column, message):
    with pytest.raises(ParameterError, match=message):
        declared({"x": column})


def test_methods_that_generalize_show_ranges_of_decimals_and_dates_and_refuse_missing_values():
    columns = {
        "x": {"type": "number", "low": 0, "high": 2, "step": "0.5"},
        "d": {"type": "date", "first": "2024-01-01", "last": "2024-01-08", "format": "%d.%m.%Y"},
    }
    rows = pl.DataFrame({"x": [0.0, 0.5, 1.5, 2.0] * 3, "d": ["01.01.2024", "02.01.2024", "07.01.2024", "08.01.2024"] * 3})
    records = TableRecords.from_frame(rows, schema=declared(columns))
    published = Mondrian(models="k=6").publish(records).data
    assert set(published.frame()["x"]) == {"[0.0-1.0)", "[1.5-2.5)"}
    assert set(published.frame()["d"]) == {"[01.01.2024 to 03.01.2024)", "[07.01.2024 to 09.01.2024)"}
    with_gaps = TableRecords.from_frame(rows, schema=declared({**columns, "x": {**columns["x"], "missing": True}}))
    with pytest.raises(ParameterError, match="cannot generalize a missing value"):
        Mondrian(models="k=6").publish(with_gaps)
    from tacita import PureDP

    with pytest.raises(ParameterError, match="cannot generalize a missing value"):
        TopDown().publish(with_gaps, budget=PureDP(1))


def test_how_a_value_is_read_does_not_depend_on_its_neighbours():
    values = [
        "0.3",
        "7",
        "x",
        "",
        "1e1",
        "2024-05-01",
        "2024-05-01T10:00",
        "2024-05-01T10:00:00.5+02:00",
        "20",
        "9" * 30,
        None,
        "-0",
    ]
    columns = [
        Numeric(name="n", low=0, high=10, step="0.1", missing=True),
        Numeric(name="n", low=0, high=10, step="0.1", otherwise=Otherwise.DROP),
        Moment(name="d", first="2024-01-01", last="2024-12-31", missing=True),
        Moment(name="t", first="2024-01-01T00:00:00", last="2024-12-31T00:00:00", missing=True),
        declared({"c": {"type": "category", "values": ["x", "7"], "missing": True}}).quasi[0],
    ]
    for column in columns:
        alone = [int(column.encoded(pl.Series([value], dtype=pl.String))[0]) for value in values]
        assert column.encoded(pl.Series(values, dtype=pl.String)).tolist() == alone
    assert isinstance(columns[4], Categorical)


@pytest.mark.parametrize(
    ("said", "places", "last"),
    [
        ({"format": "%d.%m.%Y %H:%M"}, 2 * 24 * 60, "02.01.2024 23:59"),
        ({"format": "%d.%m.%Y %H"}, 2 * 24, "02.01.2024 23"),
        ({"step": "15min"}, 2 * 24 * 4, "2024-01-02T23:45:00"),
        ({}, 2 * 24 * 3600, "2024-01-02T23:59:59"),
    ],
)
def test_times_between_two_dates_fill_these_days_in_the_smallest_part_that_is_written(said, places, last):
    column = declared({"seen": {"type": "time", "first": "2024-01-01", "last": "2024-01-02", **said}}).quasi[0]
    assert column.size == places
    assert column.texts(np.array([places - 1])).to_list() == [last]
