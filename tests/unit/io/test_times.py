import datetime as dt
from datetime import UTC, datetime, timedelta, timezone

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.io import AutoTime, EpochTime, EpochUnit, IsoTime, PatternTime, parse_time_format
from tacita.io.frames import any_frame
from tacita.io.times import as_triples, comparable_times

SECRET = "zzsecretzz"


def order(values, time_format):
    times = comparable_times(pl.Series("time", values), time_format)
    return (times.rank("dense") if isinstance(times.dtype, pl.Struct) else times).arg_sort().to_list()


def fits(values, time_format):
    """Which values fit the format."""
    return comparable_times(pl.Series("time", values), time_format).is_not_null().to_list()


@pytest.mark.parametrize(
    "values",
    [
        ["2024-01-02", "2024-01-01", "2023-12-31"],
        ["2024-01-02T10:00", "2024-01-02T09:59", "2024-01-01T23:00"],
        ["2024-01-02 10:00:00", "2024-01-02 09:59:59", "2024-01-02 09:00:00"],
        ["2024-01-02T10:00:00.2", "2024-01-02 10:00:00.15", "2024-01-02"],
        ["2024-01-02T10:00:00Z", "2024-01-02T11:59:59+02:00", "2024-01-02T05:00:00-0400"],
        ["2024-01-02T10:00+00", "2024-01-02T10:00:00,5+01", "2024-01-02T14:30+05:30"],
        ["0001-01-03", "0001-01-02T00:00:00", "0001-01-01T23:59:59.999999"],
    ],
)
def test_iso_texts_of_many_forms_are_ordered_as_time(values):
    assert order(values, IsoTime()) == order(values, AutoTime()) == [2, 1, 0]


@given(st.lists(st.tuples(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.integers(-1439, 1439)), min_size=1))  # noqa: DTZ001 - clocks get their zones below
def test_instants_are_those_of_the_standard_library(moments):
    instants = [moment.replace(tzinfo=timezone(timedelta(minutes=minutes))) for moment, minutes in moments]
    times = comparable_times(pl.Series("time", [instant.isoformat() for instant in instants]), IsoTime())
    assert times.cast(pl.Int64).to_list() == [
        (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) for instant in instants
    ]


@given(st.lists(st.datetimes(), min_size=1))
def test_clock_times_without_a_zone_are_compared_as_written(moments):
    times = comparable_times(pl.Series("time", [moment.isoformat(" ") for moment in moments]), AutoTime())
    assert times.to_list() == moments


def test_a_zone_makes_instants_of_clock_times():
    summer, winter = "2024-07-01T12:00:00", "2024-01-01T12:00:00"
    times = comparable_times(pl.Series([summer, winter]), IsoTime(zone="Europe/London"))
    assert [time.hour for time in times.to_list()] == [11, 12]
    mixed = pl.Series(["2024-07-01T12:00:00", "2024-07-01T11:30:00Z", "2024-07-01T13:30:00.5+02:00"])
    assert order(mixed, IsoTime(zone="Europe/London")) == [0, 1, 2]


def test_an_hour_that_comes_twice_is_the_first_and_one_that_never_comes_does_not_fit():
    twice = comparable_times(pl.Series(["2024-10-27T02:30:00"]), AutoTime(zone="Europe/Berlin"))
    assert twice[0] == datetime(2024, 10, 27, 0, 30)  # noqa: DTZ001 - moments are in UTC
    assert fits(["2024-03-31T01:30:00", "2024-03-31T02:30:00"], AutoTime(zone="Europe/Berlin")) == [True, False]


def test_dates_and_moments_of_parquet_follow_the_zone_too():
    assert order([datetime(2024, 1, 2), datetime(2024, 1, 1)], AutoTime(zone="Asia/Tokyo")) == [1, 0]  # noqa: DTZ001 - a clock
    assert order(pl.Series([3, 1], dtype=pl.Date), AutoTime(zone="Asia/Tokyo")) == [1, 0]
    assert order([timedelta(2), timedelta(1)], AutoTime()) == [1, 0]


@pytest.mark.parametrize("values", [[3, 1, 2], [0.5, -2.0, 0.25], ["3", "1", "2"], ["1e3", "-7.5", "2"]])
def test_numbers_are_times_in_their_order(values):
    assert order(values, AutoTime()) == [1, 2, 0]


@pytest.mark.parametrize(("unit", "scale"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_epochs_must_lie_in_the_calendar(unit, scale):
    chosen = EpochTime(EpochUnit(unit))
    assert order([1_700_000_000 * scale, -5 * scale, str(4)][:2], chosen) == [1, 0]
    assert order([str(1_700_000_000 * scale), str(-5 * scale)], chosen) == [1, 0]
    assert fits(["1", str(253_402_300_800 * scale), "x", "5"], chosen) == [True, False, False, True]
    assert fits([float("nan"), 1.0, 1.5], chosen) == [False, True, True]
    assert fits(pl.Series([1], dtype=pl.Date), chosen) == [False]


@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        ("%d/%m/%Y %H:%M", ["02/01/2024 10:00", "31/12/2023 09:00"]),
        ("%H:%M", ["10:00", "09:30"]),
        ("%Y%m%d", [20240102, 20231231]),
        ("%d.%m.%Y %H:%M %z", ["02.01.2024 10:00 +0100", "02.01.2024 10:30 +0200"]),
    ],
)
def test_times_may_follow_any_pattern(pattern, values):
    assert order(values, PatternTime(pattern=pattern)) == [1, 0]


@pytest.mark.parametrize(
    ("values", "time_format"),
    [
        (["2024-01-01", "5", SECRET], AutoTime()),
        (["2024-01-01", "2024-01-01T10:00Z", "2024-02-30"], IsoTime()),
        (["2024-01-01", "2024-01-01T10:00", "2024-01-01T25:00"], IsoTime()),
        (["2024-01-01", "2024-01-01T10:00", "2024-01-01T10:00+25:00"], IsoTime()),
        (["1", "2", "01/02/2024"], AutoTime()),
        (["1", "2.5", "2024-01-01x10:00"], AutoTime()),
        (["1", "2.5", "2024-01-01%10:00"], AutoTime()),
        (["1", "2.5", "2024-01-01T10:00+\u0660\u0661:00"], AutoTime()),
        (["1", "2.5", "\u0662024-01-01"], AutoTime()),
        (["2024-01-01", "2024-01-02", "5"], AutoTime(zone="UTC")),
        ([1.0, 2.5, float("inf")], AutoTime()),
        ([1.0, 2.5, 2.0**53], AutoTime()),
        (["1", "9007199254740993", "9007199254740993.5"], AutoTime()),
        (["1", "2.5", "1e999"], AutoTime()),
        (["02/01/2024", "03/01/2024", SECRET], PatternTime(pattern="%d/%m/%Y")),
        ([2024.0, 2025.0, 1.5], PatternTime(pattern="%Y")),
    ],
)
def test_only_the_row_that_is_no_time_does_not_fit(values, time_format):
    if not isinstance(time_format, PatternTime) or time_format.pattern != "%Y":
        assert fits(values, time_format) == [True, True, False]
    assert fits(values[2:], time_format) == [False]


@pytest.mark.parametrize(
    ("values", "time_format"), [([5], IsoTime()), ([True], AutoTime()), (["02/01/2024"], PatternTime(pattern="%Q"))]
)
def test_values_of_other_types_are_no_times(values, time_format):
    assert fits(values, time_format) == [False]


def test_whole_numbers_stay_exact_beside_fractions_and_moments():
    values = ["9007199254740993", "9007199254740992", "0.5", "2024-01-01"]
    assert order(values, AutoTime()) == [2, 1, 0, 3]
    assert order([*values, "-1"], AutoTime()) == [4, 2, 1, 0, 3]


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("auto", None, AutoTime()),
        ("iso", "Europe/Paris", IsoTime(zone="Europe/Paris")),
        ("epoch-ms", None, EpochTime(EpochUnit.MILLISECONDS)),
        ("%d/%m", "UTC", PatternTime(pattern="%d/%m", zone="UTC")),
    ],
)
def test_formats_of_times_have_names(text, zone, expected):
    assert parse_time_format(text, zone=zone) == expected


@pytest.mark.parametrize(
    ("text", "zone", "message"),
    [
        ("epoch", None, "must be auto, iso, epoch-s"),
        ("epoch-ms", "UTC", "take no zone"),
        ("iso", "Europe/Nowhere", "time zone database"),
        ("auto", "", "time zone database"),
        ("%H", "Mars", "time zone database"),
    ],
)
def test_other_formats_and_zones_are_refused(text, zone, message):
    with pytest.raises(ParameterError, match=message):
        parse_time_format(text, zone=zone)
    with pytest.raises(ParameterError, match="must contain a directive"):
        PatternTime(pattern="noon")


ZONED = [AutoTime(), AutoTime(zone="America/New_York"), IsoTime(zone="Europe/Paris"), PatternTime(pattern="%Y-%m-%dT%H:%M:%S%.f")]


@pytest.mark.parametrize("is_aware", [False, True], ids=["clock times", "moments"])
@pytest.mark.parametrize("time_format", ZONED, ids=str)
@pytest.mark.parametrize(
    "odd", ["soon", 5, 1.5, dt.date(2026, 1, 1), None, pd.Timestamp("2026-11-03", tz="Asia/Tokyo")], ids=repr
)
def test_times_of_pandas_are_read_alike_whatever_else_a_column_holds(odd, time_format, is_aware):
    moments = [pd.Timestamp(f"2026-11-03 0{hour}:15", tz="UTC" if is_aware else None) for hour in (8, 9)]
    alone, among = (any_frame(pd.DataFrame({"t": times}))["t"] for times in (moments, [*moments, odd]))
    read, also = (as_triples(comparable_times(times, time_format)).to_list()[:2] for times in (alone, among))
    assert read == also


def test_moments_keep_their_zone_whatever_zone_is_declared():
    aware = any_frame(pd.DataFrame({"t": [pd.Timestamp("2026-11-03 08:15", tz="UTC")]}))["t"]
    assert comparable_times(aware, IsoTime(zone="America/New_York")).to_list() == [dt.datetime(2026, 11, 3, 8, 15)]  # noqa: DTZ001
