from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.simulate import StreamWorld

CITY = StreamWorld(users=1000, steps=7 * 96)


@st.composite
def streams(draw):
    return StreamWorld(
        users=draw(st.integers(0, 30)),
        cells=draw(st.integers(1, 30)),
        steps=draw(st.integers(1, 50)),
        steps_per_day=draw(st.integers(1, 24)),
        activity=draw(st.floats(0, 1)),
        rhythm=draw(st.floats(0, 1)),
        seed=draw(st.integers(0, 99)),
    )


@given(streams())
def test_a_user_reports_one_cell_at_most_at_a_time_and_rows_are_in_order(world):
    columns = world.columns()
    order = columns.time.astype(np.int64) * max(world.users, 1) + columns.user
    assert (np.diff(order) > 0).all()
    assert ((columns.time >= 0) & (columns.time < world.steps)).all()
    assert ((columns.user >= 0) & (columns.user < max(world.users, 1))).all()
    assert ((columns.cell >= 0) & (columns.cell < world.cells)).all()


@given(streams())
def test_the_same_fields_give_the_same_world(world):
    one, other = world.columns(), replace(world).columns()
    for field in ("time", "user", "cell"):
        assert getattr(one, field).tobytes() == getattr(other, field).tobytes()


def test_another_seed_gives_another_world():
    assert CITY.columns().cell.tobytes() != replace(CITY, seed=1).columns().cell.tobytes()


def test_reports_have_the_rhythm_of_a_day():
    per_hour = np.bincount(CITY.columns().time % 96 // 4, minlength=24)
    assert per_hour[15] > 2 * per_hour[3]
    assert CITY.columns().time.size == pytest.approx(0.6 * 1000 * 672, rel=0.02)
    even = np.bincount(replace(CITY, rhythm=0.0).columns().time % 96 // 4, minlength=24)
    assert even.max() < 1.05 * even.min()


def test_people_are_elsewhere_by_day_than_by_night_on_working_days():
    columns = replace(CITY, activity=1.0).columns()
    cells = columns.cell.reshape(672, 1000)
    monday_night, monday_noon, tuesday_night, sunday_noon = (cells[step] for step in (2 * 4, 12 * 4, 26 * 4, (6 * 24 + 12) * 4))
    assert (monday_night == tuesday_night).mean() > 0.95
    assert (monday_night == monday_noon).mean() < 0.2
    assert (monday_night == sunday_noon).mean() > 2 * (monday_night == monday_noon).mean()


@pytest.mark.parametrize(
    ("world", "users", "steps", "points"),
    [(StreamWorld.geolife(), 170, 1440, 240_990), (StreamWorld.taxis(), 2698, 886, 37_225)],
    ids=["geolife", "taxis"],
)
def test_the_presets_have_the_published_figures(world, users, steps, points):
    statistics = world.statistics()
    assert (statistics["records"], statistics["time steps"]) == (users, steps)
    assert statistics["points"] == pytest.approx(points, rel=0.05)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exponent": -1}, "Zipf exponents must be between 0 and 10"),
        ({"seed": -1}, "a seed must not be negative"),
        ({"users": -1}, "must not have a negative number of users"),
        ({"cells": 0}, "at least one cell"),
        ({"steps": 0}, "at least one time step"),
        ({"activity": 1.2}, "between 0 and 1"),
    ],
)
def test_a_stream_that_cannot_be_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(CITY, **fields)
