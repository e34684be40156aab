"""Guessing one edge of a network from a release and all others."""

import numpy as np
import pytest

from tacita.attacks import EdgeGuess, Membership
from tacita.attacks.membership import on_networks
from tacita.errors import ParameterError
from tacita.networks import NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.simulate import NetworkWorld
from tacita.testing import seeded_ledger
from tacita_papers import RandomNetwork

WORLD = NetworkWorld(vertices=300, mean_degree=6, communities=6, seed=3)


@pytest.fixture(scope="module")
def records():
    edges = WORLD.edges()
    return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=WORLD.universe)


def test_the_network_itself_gives_every_edge_away_and_a_random_one_gives_none(records):
    (raw,) = on_networks(records, [records.published(records.graph)], known=None)
    assert raw["advantage"] == 1
    made = RandomNetwork().publish(records, budget=PureDP(1), ledger=seeded_ledger(3)).data
    (random,) = on_networks(records, [made], known=None)
    assert abs(random["advantage"]) < 0.2
    assert "for the owner's eyes only" in str(random)


def test_large_budgets_give_edges_away_by_their_degrees_and_small_ones_do_not(records):
    found = [
        EdgeGuess(edges=900).assess(
            records, ShapeNetwork(triangles=False).publish(records, budget=PureDP(epsilon), ledger=seeded_ledger(1)).data
        )["advantage"]
        for epsilon in (1, 40)
    ]
    assert found[0] < 0.4
    assert found[1] > 0.8


def test_the_game_about_one_edge_stays_within_the_bound():
    """Fails by chance less than once in ten thousand runs: the bound would have to lie below a 99.9 % interval."""
    vertices = 12
    ends = np.array([(first, second) for first in range(vertices) for second in range(first + 1, vertices, 3)])
    small = NetworkRecords.from_codes(
        ends[:, 0], ends[:, 1], universe=WORLD.universe.__class__([str(n) for n in range(vertices)])
    )
    game = EdgeGuess.game(small, (0, 1), RandomNetwork(), budget=PureDP(1))
    assert len(game.within.graph) == len(game.without.graph) + 1
    found = Membership(runs=200, confidence=0.999).assess(game, budget=PureDP(1))
    figure = next(each for each in found.figures if each.name == "advantage")
    assert figure.low <= figure.bound


def test_what_has_no_meaning_is_refused(records):
    with pytest.raises(ParameterError, match="leave out --known"):
        list(on_networks(records, [records.published(records.graph)], known=2))
    with pytest.raises(ParameterError, match="name one"):
        list(on_networks(records, [], known=None))
    with pytest.raises(ParameterError, match="edges"):
        EdgeGuess(edges=1)
