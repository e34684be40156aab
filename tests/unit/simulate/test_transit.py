from dataclasses import replace

import numpy as np
import pytest

from tacita.core.errors import ParameterError
from tacita.simulate import TransitWorld

WORLD = TransitWorld(passengers=20_000, stations=101, lines=7, mean_length=5, max_length=30)


def test_the_same_fields_give_the_same_world():
    assert WORLD.sequences().codes.tobytes() == replace(WORLD).sequences().codes.tobytes()
    assert WORLD.sequences().codes.tobytes() != replace(WORLD, seed=1).sequences().codes.tobytes()


def test_lengths_are_as_asked_for():
    lengths = WORLD.sequences().lengths
    assert lengths.mean() == pytest.approx(5, rel=0.05)
    assert lengths.min() >= 1
    assert lengths.max() <= 30


def test_every_station_is_on_one_line():
    assert len(WORLD.universe) == 101
    assert WORLD.taxonomy.universe == WORLD.universe
    assert len(WORLD.taxonomy.children(WORLD.taxonomy.root)) == 7


def test_times_increase_within_a_passenger():
    sequences = WORLD.sequences()
    times = WORLD.times(sequences)
    steps = np.diff(times)
    first_of_next = sequences.offsets[1:-1] - 1
    steps[first_of_next[first_of_next >= 0]] = 1
    assert times.min() > 0
    assert (steps > 0).all()


def test_a_world_without_lines_is_refused():
    with pytest.raises(ParameterError, match="a line at least"):
        TransitWorld(passengers=1, stations=1, lines=0)
