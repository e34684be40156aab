from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.public.time_grid import TimeGrid


def test_a_time_is_in_the_interval_that_holds_it_and_nowhere_outside_the_grid():
    grid = TimeGrid(start=100, interval=10, intervals=3)
    assert grid.places(np.array([99, 100, 109, 110, 129, 130])).tolist() == [-1, 0, 0, 1, 2, -1]


def test_dates_are_microseconds_in_utc_whatever_zone_the_start_is_given_in():
    summer = timezone(timedelta(hours=2))
    grid = TimeGrid(start=datetime(2026, 7, 1, 2, tzinfo=summer), interval=timedelta(hours=1), intervals=24)
    moment = int(datetime(2026, 7, 1, 5, 30, tzinfo=UTC).timestamp() * 1_000_000)
    assert grid.places(np.array([moment])).tolist() == [5]
    assert grid == TimeGrid(start=datetime(2026, 7, 1), interval=timedelta(hours=1), intervals=24)  # noqa: DTZ001 - without a zone
    assert grid.as_json()["sha256"] != TimeGrid(start=0, interval=1, intervals=24).as_json()["sha256"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"start": 0, "interval": timedelta(hours=1), "intervals": 2}, "a date as start and a duration as interval"),
        ({"start": True, "interval": 1, "intervals": 2}, "two whole numbers"),
        ({"start": 0, "interval": 0, "intervals": 2}, "positive length"),
        ({"start": 0, "interval": 1, "intervals": 0}, "got 0 of 1"),
        ({"start": 0, "interval": 1, "intervals": 10**7}, "1 to 1,000,000 of them"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(parts, message):
    with pytest.raises(ParameterError, match=message):
        TimeGrid(**parts)


def test_a_zone_with_summer_time_gives_beginnings_in_utc():
    grid = TimeGrid(start=datetime(2024, 3, 31, tzinfo=ZoneInfo("Europe/London")), interval=timedelta(hours=1), intervals=4)
    moment = int(datetime(2024, 3, 31, 2, 30, tzinfo=UTC).timestamp() * 1_000_000)
    assert grid.beginnings[int(grid.places(np.array([moment]))[0])] == datetime(2024, 3, 31, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "parts",
    [
        {"start": datetime(9999, 12, 30, tzinfo=UTC), "interval": timedelta(days=1), "intervals": 10},
        {"start": 2**70, "interval": 1, "intervals": 2},
        {"start": 10, "interval": 2**62, "intervals": 2},
    ],
)
def test_a_grid_that_no_file_can_hold_is_refused_when_it_is_made(parts):
    with pytest.raises(ParameterError, match="years 1 to 9999"):
        TimeGrid(**parts)


def test_times_at_the_ends_of_64_bits_are_outside():
    grid = TimeGrid(start=10, interval=2**50, intervals=3)
    assert grid.places(np.array([-(2**63), 2**63 - 1, 10])).tolist() == [-1, -1, 0]
