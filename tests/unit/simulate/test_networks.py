from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.simulate import NetworkWorld

NETWORK = NetworkWorld(vertices=20_000, mean_degree=6, communities=100)


@st.composite
def networks(draw):
    vertices = draw(st.integers(1, 50))
    return NetworkWorld(
        vertices=vertices,
        mean_degree=draw(st.floats(0, (vertices - 1) / 4)),
        communities=draw(st.integers(1, vertices)),
        exponent=draw(st.floats(2.01, 5)),
        mixing=draw(st.floats(0, 1)),
        seed=draw(st.integers(0, 99)),
    )


@given(networks())
def test_every_edge_joins_two_vertices_and_comes_once(world):
    edges = world.edges()
    assert len(edges) == round(world.vertices * world.mean_degree / 2)
    assert (edges[:, 0] < edges[:, 1]).all()
    assert len({tuple(edge) for edge in edges.tolist()}) == len(edges)
    assert ((edges >= 0) & (edges < world.vertices)).all()
    assert set(world.community.tolist()) == set(range(world.communities))


@given(networks())
def test_the_same_fields_give_the_same_world(world):
    assert world.edges().tobytes() == replace(world).edges().tobytes()


def test_another_seed_gives_another_world():
    assert NETWORK.edges().tobytes() != replace(NETWORK, seed=1).edges().tobytes()


@pytest.mark.parametrize("exponent", [2.3, 2.5, 3.0])
def test_degrees_fall_by_the_power_law_that_was_asked_for(exponent):
    degrees = replace(NETWORK, vertices=100_000, exponent=exponent, mixing=1.0).degrees()
    tail = degrees[degrees >= 30]
    hill = 1 + 1 / np.log(tail / 29.5).mean()  # Hill's estimate of the exponent
    assert hill == pytest.approx(exponent, abs=0.25)


@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_edges_stay_within_communities_but_for_the_mixing(mixing):
    share = replace(NETWORK, mixing=mixing).statistics()["share of edges within a community"]
    assert share == pytest.approx(1 - mixing, abs=0.05)


def test_the_collaboration_network_has_the_published_size_and_density():
    statistics = NetworkWorld.collaboration().statistics()
    assert statistics["records"] == 5242
    assert statistics["edges"] == pytest.approx(14_496, rel=0.01)
    assert statistics["edge density"] == pytest.approx(0.00106, rel=0.01)


def test_a_tiny_collaboration_network_can_be_had():
    assert len(NetworkWorld.collaboration(vertices=1).edges()) == 0
    assert len(NetworkWorld.collaboration(vertices=5).edges()) == round(5 * 1 / 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"communities": 0}, "at least one community"),
        ({"mean_degree": 6000}, "a quarter of the other vertices"),
        ({"mean_degree": -1}, "a quarter of the other vertices"),
        ({"exponent": 2}, "must be above 2"),
        ({"seed": -1}, "a seed must not be negative"),
        ({"mixing": 1.1}, "mixing must be between 0 and 1"),
    ],
)
def test_a_network_that_cannot_be_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(NETWORK, **fields)
