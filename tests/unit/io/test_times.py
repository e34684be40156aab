from datetime import UTC, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, ParameterError
from tacita.io import AutoTime, EpochTime, EpochUnit, IsoTime, PatternTime, parse_time_format
from tacita.io.times import comparable_times

SECRET = "zzsecretzz"


def order(values, time_format):
    times = comparable_times(pl.Series("time", values), time_format, source="the input")
    return times.arg_sort().to_list()


def refused(values, time_format):
    with pytest.raises(InputError) as caught:
        comparable_times(pl.Series("time", values), time_format, source="the input")
    assert SECRET not in str(caught.value)
    return str(caught.value)


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
    times = comparable_times(pl.Series("time", [instant.isoformat() for instant in instants]), IsoTime(), source="x")
    assert times.cast(pl.Int64).to_list() == [
        (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) for instant in instants
    ]


@given(st.lists(st.datetimes(), min_size=1))
def test_clock_times_without_a_zone_are_compared_as_written(moments):
    times = comparable_times(pl.Series("time", [moment.isoformat(" ") for moment in moments]), AutoTime(), source="x")
    assert times.to_list() == moments


def test_a_zone_makes_instants_of_clock_times():
    summer, winter = "2024-07-01T12:00:00", "2024-01-01T12:00:00"
    times = comparable_times(pl.Series([summer, winter]), IsoTime(zone="Europe/London"), source="x")
    assert [time.hour for time in times.to_list()] == [11, 12]
    mixed = pl.Series(["2024-07-01T12:00:00", "2024-07-01T11:30:00Z", "2024-07-01T13:30:00.5+02:00"])
    assert order(mixed, IsoTime(zone="Europe/London")) == [0, 1, 2]


def test_an_hour_that_comes_twice_is_the_first_and_one_that_never_comes_is_refused():
    twice = comparable_times(pl.Series(["2024-10-27T02:30:00"]), AutoTime(zone="Europe/Berlin"), source="x")
    assert twice[0] == datetime(2024, 10, 27, 0, 30, tzinfo=UTC)
    message = refused(["2024-03-31T01:30:00", "2024-03-31T02:30:00"], AutoTime(zone="Europe/Berlin"))
    assert "the clocks of Europe/Berlin showed, row 2 does not" in message


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
    too_late = refused(["1", str(253_402_300_800 * scale)], chosen)
    rule = "64-bit whole numbers, they must be below 2**53" if unit == "ns" else f"since 1970 in {unit}, within the years 1 to"
    assert rule in too_late
    assert "row 2 " in too_late
    assert "row 1 does not" in refused([float("nan"), 1.0], chosen)
    assert "row 2 does not" in refused(["5", SECRET], chosen)
    assert "got Date" in refused(pl.Series([1], dtype=pl.Date), chosen)


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
    ("values", "time_format", "message"),
    [
        (["2024-01-01", SECRET], AutoTime(), "numbers or ISO dates, row 2 does not"),
        (["5", "6", SECRET], AutoTime(), "numbers or ISO dates, row 3 does not"),
        (["2024-01-01", "2024-01-01", "5"], AutoTime(), "numbers or ISO dates, row 3 does not"),
        (["2024-01-01", "2024-02-30"], IsoTime(), "ISO dates, row 2 does not"),
        (["2024-01-01T25:00"], IsoTime(), "row 1 does not"),
        (["2024-01-01T10:00+25:00"], IsoTime(), "row 1 does not"),
        (["01/02/2024"], AutoTime(), "row 1 does not"),
        (["2024-01-01x10:00"], AutoTime(), "row 1 does not"),
        (["2024-01-01%10:00"], AutoTime(), "row 1 does not"),
        (["2024-01-01T10:00+\u0660\u0661:00"], AutoTime(), "row 1 does not"),
        (["\u0662024-01-01", "2024-01-01"], AutoTime(), "row 1 does not"),
        ([5], IsoTime(), "ISO dates, got Int64"),
        ([True], AutoTime(), "got Boolean"),
        ([5, 6], AutoTime(zone="UTC"), "are numbers, which have no zone"),
        ([float("inf"), 1.0], AutoTime(), "must be finite, row 1 is not"),
        (["1", "1e999"], AutoTime(), "must be finite, row 2 is not"),
        (["2024-01-01T10:00Z", "2024-01-01T10:00"], AutoTime(), "row 2 has none; give the zone"),
        (["02/01/2024", SECRET], PatternTime(pattern="%d/%m/%Y"), "times as %d/%m/%Y, row 2 does not"),
        (["02/01/2024"], PatternTime(pattern="%Q"), "row 1 does not"),
        ([1.5], PatternTime(pattern="%Y"), "got Float64"),
    ],
)
def test_what_is_no_time_is_told_by_its_row(values, time_format, message):
    assert message in refused(values, time_format)


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
