from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from tacita.core.errors import ParameterError
from tacita.core.time_grid import TimeGrid


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
