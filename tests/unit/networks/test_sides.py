"""Networks of two public sides: what is read, what is released, and what is wired where nobody declared them."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.graphs import Graph
from tacita.auditing.cases.networks import Degrees, Shapes
from tacita.auditing.exact_replay import audit_replay
from tacita.errors import ParameterError
from tacita.networks import DegreeNetwork, DenseRegions, NetworkRecords, ShapeNetwork, VertexBlocks
from tacita.networks.records import network_inputs
from tacita.networks.synthesis.classes import Chance
from tacita.networks.synthesis.sides import made_bigraphic, whole_table, without_triangles
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.testing import seeded_ledger

USERS, FILMS, SIZE = 60, 140, 200
SIDES = VertexBlocks((np.arange(SIZE) >= USERS).astype(np.int64))


@pytest.fixture(scope="module")
def records():
    """Users who see popular films more often, and two edges that do not lead across."""
    generator = np.random.default_rng(1)
    users = np.floor(USERS * generator.random(1500) ** 2).astype(np.int64)
    films = USERS + np.floor(FILMS * generator.random(1500) ** 2).astype(np.int64)
    universe = Universe([f"v{place}" for place in range(SIZE)])
    return NetworkRecords.from_codes(np.append(users, [0, 150]), np.append(films, [1, 151]), universe=universe)


@pytest.mark.parametrize("method", [ShapeNetwork(), DegreeNetwork(), DenseRegions()], ids=lambda method: method.name)
@pytest.mark.parametrize("epsilon", [1, 30])
def test_all_released_edges_lead_across_and_none_closes_a_triangle(records, method, epsilon):
    two_sided = records.across(SIDES)
    assert two_sided.dropped_inside == 2
    made = method.publish(two_sided, budget=PureDP(epsilon), ledger=seeded_ledger(epsilon)).data.graph
    assert len(made) > 0
    assert np.all(SIDES.of[made.sources] != SIDES.of[made.targets])
    assert made.triangles() == 0


def test_degrees_and_edges_on_two_sides_are_those_of_the_network_if_epsilon_is_large(records):
    two_sided = records.across(SIDES)
    release = ShapeNetwork().publish(two_sided, budget=PureDP(400), ledger=seeded_ledger(3))
    assert len(release.data) == pytest.approx(len(two_sided.graph), rel=0.02)
    assert np.abs(release.data.graph.degrees - two_sided.graph.degrees).mean() < 0.5
    assert release.manifest["public_inputs"]["sides"]["number"] == 2
    assert release.data.degree_errors is None
    with pytest.raises(ParameterError, match="degrees answer no cut of a network with two sides"):
        release.data.cut(np.array([0]), np.array([1]))


def test_sides_are_two_and_stand_for_themselves(records):
    with pytest.raises(ParameterError, match="two sides, each with a vertex"):
        records.across(VertexBlocks(np.arange(SIZE) % 3))
    with pytest.raises(ParameterError, match="blocks or two sides"):
        replace(records, blocks=SIDES).across(SIDES)
    with pytest.raises(ParameterError, match="must lead from one to the other"):
        replace(records, sides=SIDES)


def test_sides_come_from_a_file_or_from_a_column_of_the_universe(tmp_path):
    for name, header in (("vertices.csv", "vertex,country,kind"), ("sides.csv", "vertex,kind")):
        rows = [
            f"v{place},x,{SIDES.of[place]}" if "country" in header else f"v{place},{SIDES.of[place]}" for place in range(SIZE)
        ]
        (tmp_path / name).write_text("\n".join([header, *rows]), encoding="utf-8")
    for sides in ("kind", str(tmp_path / "sides.csv")):
        found = network_inputs({"universe": str(tmp_path / "vertices.csv"), "sides": sides})
        assert found.others["sides"].of.tolist() == SIDES.of.tolist()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_degrees_on_two_sides_are_lowered_until_a_graph_across_has_them(first, second):
    one, two = made_bigraphic(np.array(first), np.array(second))
    assert one.sum() == two.sum()
    assert np.all(one <= first)
    assert np.all(two <= second)
    left = two.copy()
    for degree in np.sort(one)[::-1].tolist():  # Gale and Ryser: to the largest that are left, and all fit
        partners = np.argsort(-left, kind="stable")[:degree]
        assert partners.size == degree
        assert np.all(left[partners] > 0)
        left[partners] -= 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_a_rounded_table_has_exactly_the_sums_of_its_rows_and_columns(rows, weights):
    columns = np.floor(sum(rows) * np.array(weights) / sum(weights)).astype(np.int64)
    columns[0] += sum(rows) - columns.sum()
    expected = np.outer(np.arange(len(rows)), np.arange(len(weights)))[::-1].astype(np.float64)
    whole = whole_table(expected, np.array(rows), columns, most=np.full(expected.shape, 1e9), chance=Chance(np.array(rows)))
    assert whole.min() >= 0
    assert whole.sum(axis=1).tolist() == rows
    assert whole.sum(axis=0).tolist() == columns.tolist()


def test_where_noise_says_that_there_are_no_triangles_none_is_made(records):
    """Nobody declared the sides; by chance there would be thousands of triangles."""
    assert Graph(SIZE, records.across(SIDES).graph.keys).triangles() == 0
    made = (
        ShapeNetwork()
        .publish(replace(records, graph=records.across(SIDES).graph), budget=PureDP(40), ledger=seeded_ledger(5))
        .data.graph
    )
    assert made.triangles() == 0
    assert len(made) == pytest.approx(1000, rel=0.25)


def test_a_graph_without_triangles_keeps_degrees_and_numbers_between_classes():
    degrees = np.array([6, 6, 4, 4, *[2] * 30])
    of = (degrees < 4).astype(np.int64)
    stubs = np.array([[4, 16], [16, 44]])
    made = without_triangles(degrees, of, stubs, Chance(degrees))
    assert made.triangles() == 0
    assert np.abs(made.degrees - degrees).sum() <= 2
    assert all(made.degrees[list(pair)].sum() > 0 for pair in combinations(range(4), 2))


@pytest.mark.slow
@pytest.mark.parametrize("subject", [Shapes(), Degrees()], ids=lambda subject: type(subject).__name__)
def test_a_replay_on_all_neighbours_of_two_sided_records_loses_no_more_than_the_budget(subject):
    (variant,) = [variant for variant in subject.variants if variant.sides]
    check = audit_replay(subject.replay_case(variant, PureDP(8)), data_sets=6)
    assert check.passed, check.summary
