from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.simulate import CityWorld, FareWorld, TransitWorld
from tacita.simulate.streams import neighbours

CITY = CityWorld.city80k(people=20_000)
FARES = FareWorld.stm460k(passengers=20_000)


@st.composite
def cities(draw):
    hours = draw(st.integers(1, 30))
    values = draw(st.integers(2, 6))
    return CityWorld(
        people=draw(st.integers(0, 40)),
        blocks=draw(st.integers(1, 40)),
        hours=hours,
        mean_length=draw(st.floats(1, hours)),
        stay=draw(st.floats(0, 1)),
        attribute_values=values,
        sensitive_values=draw(st.integers(1, values - 1)),
        seed=draw(st.integers(0, 99)),
    )


@st.composite
def fares(draw):
    transit = TransitWorld(
        passengers=draw(st.integers(0, 40)), stations=9, lines=2, mean_length=4, max_length=30, days=draw(st.integers(1, 3))
    )
    return FareWorld(transit=transit, fare_types=4, sensitive_fare_types=draw(st.integers(1, 3)))


@given(st.one_of(cities(), fares()))
def test_hours_increase_strictly_and_everything_is_inside_its_universe(world):
    data = world.trajectories()
    hours = world.hours if isinstance(world, CityWorld) else 24 * world.transit.days
    first_of_a_person = np.isin(np.arange(data.hours.size), data.places.offsets[:-1])
    assert (np.diff(data.hours)[~first_of_a_person[1:]] > 0).all()
    assert data.hours.size == data.places.codes.size
    assert data.attributes.size == len(data.places)
    if len(data.places):
        assert data.places.lengths.min() >= 1
        assert 0 <= data.hours.min() <= data.hours.max() < hours
        assert 0 <= data.places.codes.min() <= data.places.codes.max() < len(world.universe)
        assert 0 <= data.attributes.min() <= data.attributes.max() < len(data.attribute_values)


@pytest.mark.parametrize("world", [CITY, FARES], ids=["city", "fares"])
def test_the_same_fields_give_the_same_world(world):
    one, other = world.trajectories(), replace(world).trajectories()
    for field in ("hours", "attributes"):
        assert getattr(one, field).tobytes() == getattr(other, field).tobytes()
    assert one.places.codes.tobytes() == other.places.codes.tobytes()


def test_another_seed_gives_another_world():
    assert CITY.trajectories().hours.tobytes() != replace(CITY, seed=1).trajectories().hours.tobytes()
    other = FareWorld.stm460k(passengers=20_000, seed=1)
    assert FARES.trajectories().attributes.tobytes() != other.trajectories().attributes.tobytes()


def test_pedestrians_stay_or_go_to_the_block_beside():
    places = CITY.trajectories().places
    inner = ~np.isin(np.arange(places.codes.size), places.offsets[:-1])[1:]
    before, after = places.codes[:-1][inner], places.codes[1:][inner]
    assert (before == after).mean() == pytest.approx(0.5, abs=0.01)
    around, ways = neighbours(26)
    beside = {(cell, cell) for cell in range(26)} | {
        (cell, int(other)) for cell in range(26) for other in around[cell, : ways[cell]]
    }
    assert set(zip(before.tolist(), after.tolist(), strict=True)) <= beside


def test_home_blocks_follow_a_zipf_law():
    places = CITY.trajectories().places
    homes = np.sort(np.bincount(places.codes[places.offsets[:-1]], minlength=26))[::-1]
    assert homes[0] / homes[1] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(("world", "share"), [(CITY, 1 / 5), (FARES, 6 / 24)], ids=["city", "fares"])
def test_sensitive_values_are_as_frequent_as_their_number_and_differ_by_place(world, share):
    data = world.trajectories()
    is_sensitive = data.attributes < data.sensitive_values
    assert is_sensitive.mean() == pytest.approx(share, rel=0.05)
    starts = data.places.codes[data.places.offsets[:-1]]
    frequent = np.flatnonzero(np.bincount(starts) > 200)
    shares = [is_sensitive[starts == place].mean() for place in frequent]
    assert max(shares) > 1.5 * share > share / 1.5 > min(shares)
    assert set(data.sensitive) == set(data.attribute_values[: data.sensitive_values])


def test_small_worlds_have_the_published_figures_too():
    city, fares = CITY.statistics(), FARES.statistics()
    assert city["dimensions"] == 624
    assert city["bytes per record"] == pytest.approx(28.7, rel=0.05)
    assert city["mean length"] == pytest.approx(8, rel=0.06)
    assert fares["dimensions"] == 3264
    assert fares["mean length"] == pytest.approx(4.5, rel=0.05)
    assert fares["bytes per record"] == pytest.approx(21.2, rel=0.05)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"people": -1}, "must not have a negative number of people"),
        ({"blocks": 0}, "at least one block"),
        ({"mean_length": 25}, "between 1 and the number of hours"),
        ({"home_exponent": 11}, "Zipf exponents must be between 0 and 10"),
        ({"stay": 2}, "probability of staying"),
        ({"sensitive_values": 5}, "some but not all attribute values"),
    ],
)
def test_a_city_that_cannot_be_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(CITY, **fields)


def test_fare_types_that_are_all_sensitive_are_refused():
    with pytest.raises(ParameterError, match="some but not all fare types"):
        replace(FARES, sensitive_fare_types=24)
