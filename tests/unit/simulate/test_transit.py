from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.simulate import TransitWorld

WORLD = TransitWorld(passengers=20_000, stations=101, lines=7, mean_length=5, max_length=30)
HOUR, DAY = 3600, 86_400

chances = st.floats(0, 1)


@st.composite
def worlds(draw):
    stations = draw(st.integers(1, 30))
    longest = draw(st.integers(1, 40))
    return TransitWorld(
        passengers=draw(st.integers(0, 40)),
        stations=stations,
        lines=draw(st.integers(1, stations)),
        mean_length=draw(st.floats(1, longest)),
        max_length=longest,
        days=draw(st.integers(1, 9)),
        spread=draw(st.floats(0.1, 3)),
        commuters=draw(chances),
        other_trips=draw(chances),
        variety=draw(chances),
        returns=draw(chances),
        transfers=draw(chances),
        nearby=draw(chances),
        seed=draw(st.integers(0, 99)),
    )


@given(worlds())
def test_any_world_keeps_to_its_stations_lengths_and_opening_hours_and_time_goes_forward(world):
    sequences, times = world.sequences(), world.times()
    assert len(sequences) == world.passengers
    assert times.size == sequences.codes.size
    if world.passengers:
        assert 1 <= sequences.lengths.min() <= sequences.lengths.max() <= world.max_length
        assert 0 <= sequences.codes.min() <= sequences.codes.max() < world.stations
        assert times.max() < world.days * DAY
        assert (times % DAY >= 5 * HOUR).all()
    first_of_a_person = np.isin(np.arange(times.size), sequences.offsets[:-1])
    assert (np.diff(times)[~first_of_a_person[1:]] > 0).all()


@given(worlds())
def test_the_same_fields_give_the_same_world(world):
    again = replace(world)
    assert world.sequences().codes.tobytes() == again.sequences().codes.tobytes()
    assert world.times().tobytes() == again.times().tobytes()


def test_another_seed_gives_another_world():
    assert WORLD.sequences().codes.tobytes() != replace(WORLD, seed=1).sequences().codes.tobytes()


@pytest.mark.parametrize(("mean", "longest"), [(1, 1), (1.5, 90), (5, 30), (6.7, 121), (12, 25)])
def test_lengths_are_as_asked_for(mean, longest):
    lengths = replace(WORLD, mean_length=mean, max_length=longest).sequences().lengths
    assert lengths.mean() == pytest.approx(mean, rel=0.05)


def test_every_station_is_on_one_line_and_lines_are_about_equally_long():
    assert len(WORLD.universe) == 101
    assert WORLD.taxonomy.universe == WORLD.universe
    lines = WORLD.taxonomy.children(WORLD.taxonomy.root)
    assert sorted(len(WORLD.taxonomy.children(line)) for line in lines) == [14, 14, 14, 14, 15, 15, 15]


def test_there_are_rush_hours():
    per_hour = np.bincount(WORLD.times() % DAY // HOUR, minlength=24)
    assert per_hour[:5].sum() == 0
    assert per_hour[[7, 8]].min() > 2 * per_hour[10]
    assert per_hour[17] > 2 * per_hour[21]


def test_commuters_take_days_off():
    world = replace(WORLD, commuters=0.9, mean_length=9, other_trips=0.0)
    per_day = np.bincount(world.times() // DAY, minlength=7)
    assert per_day[5:].max() < 0.8 * per_day[:5].min()


def test_commuters_go_to_and_fro_between_two_places():
    world = replace(WORLD, commuters=1.0, other_trips=0.0, variety=0.0, returns=1.0)
    assert world.statistics()["mean distinct labels"] < 2.5
    assert replace(world, variety=1.0, other_trips=1.0).statistics()["mean distinct labels"] > 2.5


def test_a_change_of_lines_is_a_tap_at_an_interchange():
    counts = np.bincount(WORLD.sequences().codes, minlength=101)
    with_changes = np.bincount(replace(WORLD, transfers=1.0).sequences().codes, minlength=101)
    interchange = 7  # the middle of the first line, where all other lines meet it
    assert WORLD.universe.labels[interchange] == "L01-08"
    assert with_changes[interchange] > 3 * counts[interchange]


def test_people_who_do_not_return_by_transit_always_start_from_home():
    world = replace(WORLD, returns=0.0)
    assert world.statistics()["max distinct labels"] == 1


def test_boarding_nearby_stays_on_the_line():
    world = replace(WORLD, returns=0.0, nearby=0.5)
    sequences = world.sequences()
    line = np.array(world.taxonomy.parents)[sequences.codes]
    assert (np.minimum.reduceat(line, sequences.offsets[:-1]) == np.maximum.reduceat(line, sequences.offsets[:-1])).all()
    assert world.statistics()["max distinct labels"] == 3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lines": 0}, "at least one line"),
        ({"lines": 102}, "at least one station per line"),
        ({"passengers": -1}, "must not have a negative number of passengers"),
        ({"mean_length": 0.5}, "1 <= mean <= max"),
        ({"max_length": 4}, "1 <= mean <= max"),
        ({"mean_length": float("nan")}, "1 <= mean <= max"),
        ({"days": 0}, "at least one day"),
        ({"returns": 1.5}, "between 0 and 1"),
        ({"spread": 0}, "a spread above 0"),
        ({"home_exponent": float("nan")}, "Zipf exponents must be between 0 and 10"),
        ({"seed": -1}, "a seed must not be negative, got passengers=20000, stations=101"),
    ],
)
def test_a_world_that_cannot_be_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(WORLD, **fields)
