"""The world of phones has the published sizes."""

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.simulate import PhoneWorld, make_world


def test_the_preset_has_the_sizes_of_the_paper():
    world = PhoneWorld.reality()
    found = world.statistics()
    assert (found["records"], found["labels"]) == (32, 69)
    assert 10_000 < found["max length"] <= 20_000
    assert len(world.taxonomy.children(world.taxonomy.root)) == 7


def test_the_same_seed_gives_the_same_people_and_another_one_others():
    one, same, other = (PhoneWorld(people=5, mean_length=100, max_length=500, seed=seed).sequences() for seed in (1, 1, 2))
    assert one.to_lists() == same.to_lists() != other.to_lists()


def test_rows_are_in_order_of_time_within_each_person():
    rows = make_world("phones", records=3).tables()["personal"]
    for person in rows.partition_by("id"):
        assert np.all(np.diff(person["time"].to_numpy()) > 0)


def test_a_world_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="at least two places"):
        PhoneWorld(own_places=1)
