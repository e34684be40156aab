"""Methods for networks, from records to a release and back."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from tacita.arrays.graphs import Graph
from tacita.auditing.cases.networks import Degrees, Regions, Shapes
from tacita.auditing.controls import CONTROLS
from tacita.auditing.exact_replay import audit_real_replay, audit_replay
from tacita.errors import BudgetError, InputError, NeighboursError, ParameterError, TooManyNodesError
from tacita.formats import Holds, formats_of
from tacita.networks import (
    DegreeNetwork,
    DenseRegions,
    EdgeFile,
    NetworkRecords,
    ShapeNetwork,
    VertexBlocks,
    read_network,
    read_published_network,
)
from tacita.networks.dense_regions.exploration import Regions as Cells
from tacita.privacy.account import StandIn
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.guarantee import EdgeGroup, ReplaceRecord
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.simulate import NetworkWorld
from tacita.testing import seeded_ledger
from tacita.utility.networks import CutReading, CutWorkload, NetworkMeasures, answered_by_degrees, measure_cuts, report
from tacita_papers import DegreeGenerator, LaplaceNetwork, RandomNetwork, TopFilter

METHODS = [ShapeNetwork(), DegreeNetwork(), DenseRegions(), RandomNetwork(), LaplaceNetwork(), TopFilter(), DegreeGenerator()]
WORLD = NetworkWorld(vertices=300, mean_degree=6, communities=6, seed=3)


@pytest.fixture(scope="module")
def records():
    edges = WORLD.edges()
    return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=WORLD.universe, name="world")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_release_is_a_simple_graph_that_spent_the_budget_and_comes_back_from_its_folder(method, records, tmp_path):
    ledger = Ledger()
    release = method.publish(records, budget=PureDP(2), ledger=ledger)
    assert (
        ledger.balance("world", unit="edge").epsilon
        == 2
        == method.plan(PureDP(2), records.public).epsilon
        == method.plan(PureDP(2)).epsilon
    )
    graph = release.data.graph
    assert np.all(graph.sources < graph.targets)
    folder = release.write(tmp_path / "out")
    back = read_published_network(folder)
    assert back.graph.keys.tolist() == graph.keys.tolist()
    assert back.universe == records.universe
    assert release.guarantee.holds


def test_every_question_of_shape_is_asked_in_an_audited_variant():
    asked = set()
    for variant in Shapes().variants:
        case = Shapes().replay_case(variant, PureDP(1))
        asked |= {step.name for step in variant.mechanism.plan(case.budget, case.records(()).public).steps()}
    assert asked == {
        "number of edges",
        "vertices by least degree",
        "degrees",
        "edges between classes",
        "edges between blocks",
        "communities",
        "edges between communities",
        "corners of triangles",
        "triangles",
    }


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_same_noise_gives_the_same_release(method, records):
    first, second = (method.publish(records, budget=PureDP(1), ledger=seeded_ledger(7)).data.graph.keys for _ in range(2))
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_relations_and_budgets_that_are_not_proved_are_refused(method, records):
    with pytest.raises(NeighboursError, match="not for ReplaceRecord"):
        method.publish(records, budget=PureDP(1), neighbours=ReplaceRecord())
    with pytest.raises(NeighboursError, match="not of 2"):
        method.publish(records, budget=PureDP(1), neighbours=EdgeGroup(edges=2))
    with pytest.raises(BudgetError, match="must be PureDP"):
        method.publish(records, budget=ApproxDP(1, "1e-6"))
    with pytest.raises(ParameterError, match="correlated_edges"):
        replace(method, correlated_edges=0)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_tiny_networks_are_published_too(method, size):
    universe = Universe([str(number) for number in range(size)])
    for edges in ([], [(0, 1)] if size > 1 else []):
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
        made = NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=universe)
        assert method.publish(made, budget=PureDP(9)).data.graph.vertices == size


@pytest.mark.parametrize("method", [RandomNetwork(), TopFilter()])
def test_a_noisy_number_of_edges_past_any_memory_is_refused(method):
    vertices = 100_000
    empty = NetworkRecords(universe=Universe(map(str, range(vertices))), graph=Graph(vertices, np.zeros(0, dtype=np.int64)))
    answers = lambda question, truth: question.nothing() if question.step == "cells" else truth + 10**10  # noqa: E731 - one line
    enormous = StandIn(SimpleNamespace(answer=answers))
    with pytest.raises(TooManyNodesError, match="larger than any data"):
        method.publish(empty, budget=PureDP(1), ledger=enormous)


def test_shape_keeps_edges_degrees_and_triangles(records):
    release = ShapeNetwork().publish(records, budget=PureDP(4), ledger=seeded_ledger(1))
    raw, made = records.graph, release.data.graph
    assert abs(len(made) - len(raw)) < 0.03 * len(raw)
    assert np.corrcoef(raw.degrees, made.degrees)[0, 1] > 0.9
    without = ShapeNetwork(triangles=False).publish(records, budget=PureDP(4), ledger=seeded_ledger(1)).data.graph
    assert abs(made.triangles() - raw.triangles()) <= abs(without.triangles() - raw.triangles())


def test_public_blocks_that_say_something_are_kept(records):
    blocks = VertexBlocks(WORLD.community)
    release = ShapeNetwork().publish(replace(records, blocks=blocks), budget=PureDP(2), ledger=seeded_ledger(1))
    inside = [
        np.mean(WORLD.community[graph.sources] == WORLD.community[graph.targets]) for graph in (records.graph, release.data.graph)
    ]
    without = ShapeNetwork().publish(records, budget=PureDP(2), ledger=seeded_ledger(1)).data.graph
    assert inside[1] > np.mean(WORLD.community[without.sources] == WORLD.community[without.targets]) + 0.15
    assert abs(inside[0] - inside[1]) < 0.25
    assert release.manifest["public_inputs"]["blocks"]["number"] == blocks.number


def test_25_correlated_edges_keep_the_number_of_edges(records):
    made = ShapeNetwork(correlated_edges=25).publish(records, budget=PureDP(5), ledger=seeded_ledger(1)).data
    assert 0.5 < len(made) / len(records.graph) < 1.5


def test_explain_says_what_correlated_edges_and_a_free_lunch_mean():
    public = PublicInputs(universe=Universe("ABCD"))
    text = str(ShapeNetwork(correlated_edges=6).explain(PureDP(1), public))
    assert "a group of 6" in text
    assert "free-lunch" in text
    assert "one edge alone is protected at epsilon 1/6" in text
    assert "free-lunch" not in str(ShapeNetwork(correlated_edges=5).explain(PureDP(1), public))


@pytest.mark.slow
@pytest.mark.parametrize("subject", [Regions(), Degrees(), Shapes()], ids=lambda subject: type(subject).__name__)
def test_a_replay_on_all_neighbours_loses_no_more_than_the_budget(subject):
    check = audit_replay(subject.replay_case(subject.variants[0], PureDP(8)), data_sets=4)
    assert check.passed, check.summary


@pytest.mark.slow
def test_a_replay_of_a_run_on_a_larger_network_loses_no_more_than_the_budget(records):
    for method in (DenseRegions(), ShapeNetwork()):
        case = Shapes().replay_case(SimpleNamespace(name="larger", mechanism=method), PureDP(1))
        check = audit_real_replay(case, records, neighbours=20)
        assert check.passed, check.summary


def test_mirrored_regions_are_caught_and_their_mended_twin_passes():
    control = CONTROLS["an edge in a region and in its mirror image"]
    assert not control.run().passed
    assert control.mended().passed


def test_ranks_of_cells_are_those_of_a_list():
    generator = np.random.default_rng(1)
    for _ in range(200):
        a, c = generator.integers(0, 9, 2)
        b, d = a + generator.integers(0, 6), c + generator.integers(0, 6)
        cells = [(i, j) for i in range(a, b + 1) for j in range(c, d + 1) if i < j]
        region = Cells(*(np.array([end]) for end in (a, b, c, d)))
        assert int(region.cells[0]) == len(cells)
        if cells:
            same = np.zeros(len(cells), dtype=np.int64)
            rows, columns = region.unrank(same, np.arange(len(cells)))
            assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == cells
            assert region.rank(same, rows, columns).tolist() == list(range(len(cells)))


@pytest.mark.parametrize("file_format", formats_of(Holds.EDGES, Holds.PAIRS))
def test_every_format_of_edges_is_written_and_read(file_format, records, tmp_path):
    path = records.published(records.graph).write(tmp_path, file_format=str(file_format))
    back = read_network(path, universe=records.universe, file=EdgeFile(file_format=file_format))
    assert back.graph.keys.tolist() == records.graph.keys.tolist()


def test_loops_repetitions_and_strangers_are_dropped_by_a_declared_rule(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("from,to\na,b\nb,a\na,a\na,zebra\nc,b\n")
    universe = Universe("abc")
    made = read_network(path, universe=universe)
    assert made.graph.keys.tolist() == [1, 5]
    assert (made.dropped_outside, made.dropped_loops, made.dropped_repeats) == (1, 1, 1)
    with pytest.raises(InputError, match="row 4") as caught:
        read_network(path, universe=universe, strict=True)
    assert "zebra" not in str(caught.value)


class _Vertices:
    """The vertices of an igraph graph, as far as they are looked at."""

    def __init__(self, names):
        self.names = names

    def attributes(self):
        return ["name"]

    def __getitem__(self, attribute):
        return {"name": self.names}[attribute]


def test_networks_come_from_other_libraries_by_what_they_offer():
    graph = SimpleNamespace(nodes=["a", "b", "c"], edges=lambda: [("a", "b"), ("c", "b")])
    assert NetworkRecords.from_networkx(graph).graph.keys.tolist() == [1, 5]
    frame = pl.DataFrame({"one": ["a", "b"], "two": ["b", "c"]})
    assert NetworkRecords.from_frame(frame, universe=Universe("abc")).graph.keys.tolist() == [1, 5]
    named = SimpleNamespace(vs=_Vertices(["a", "b", "c"]), vcount=lambda: 3, get_edgelist=lambda: [(0, 1), (2, 1)])
    assert NetworkRecords.from_igraph(named, universe=Universe("abc")).graph.keys.tolist() == [1, 5]
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_array(([1, 1], ([0, 2], [1, 1])), shape=(3, 3))
    made = NetworkRecords.from_scipy(matrix)
    assert made.graph.keys.tolist() == [1, 5]
    assert made.published(made.graph).to_scipy().sum() == 4


@pytest.mark.parametrize("epsilon", ["1/2", "1", "8"])
def test_degrees_answer_cuts_within_their_error_bars(records, epsilon, tmp_path):
    """Two standard errors hold at least 90 % of cuts, and half of one does not; read back by the recipient."""
    release = ShapeNetwork(triangles=False).publish(records, budget=PureDP(epsilon), ledger=seeded_ledger(2))
    data = read_published_network(release.write(tmp_path / "out"))
    generator, within, graph = np.random.default_rng(4), [0, 0], records.graph
    for number in range(200):
        order = generator.permutation(300)
        first, second = order[:100], order[100 - 30 * (number % 2) : 220]
        sides = [np.isin(np.arange(300), side) for side in (first, second)]
        true = np.count_nonzero(
            (sides[0][graph.sources] & sides[1][graph.targets]) | (sides[1][graph.sources] & sides[0][graph.targets])
        )
        answer = data.cut(first, second)
        within[0] += abs(true - answer.edges) <= answer.error / 2
        within[1] += abs(true - answer.edges) <= 2 * answer.error
    assert within[0] < 180 <= within[1]


def test_errors_of_degrees_that_cancel_in_a_cut_do_not_widen_its_error_bar(records):
    """Between two halves of equal degrees only the number of edges counts, whatever the error of each degree is."""
    degrees, errors = np.full(300, 8.0), np.full(300, 3.0)
    halves = np.arange(150), np.arange(150, 300)
    sure, unsure = (records.published(records.graph, degrees=degrees, degree_errors=each) for each in (0 * errors, errors))
    assert unsure.cut(*halves).error == pytest.approx(sure.cut(*halves).error)
    assert unsure.cut(halves[0][:50], halves[1]).error > sure.cut(halves[0][:50], halves[1]).error
    plain, with_edges = unsure.cut(*halves), unsure.cut(*halves, edges_error=60.0)
    assert with_edges.error**2 == pytest.approx(plain.error**2 + (plain.edges * 60 / 1200) ** 2)


def test_cuts_are_counted_as_plain_sets_count_them(records):
    graph = records.graph
    for reading in CutReading:
        workload = CutWorkload(reading=reading, queries=64, largest=(0.5,))
        first, second = workload.sides(graph.vertices, 0.5, 0)
        bit = np.uint64(1 << 5)
        sides = [set(np.flatnonzero(words & bit).tolist()) for words in (first, second)]
        assert reading is CutReading.ANY or not sides[0] & sides[1]
        assert measure_cuts(graph, graph, workload)[0].average_relative_error == 0
        empty = Graph(graph.vertices, np.zeros(0, dtype=np.int64))
        assert measure_cuts(graph, empty, workload)[0].average_relative_error <= 1


def test_a_report_of_the_network_itself_finds_no_difference(records):
    measures = NetworkMeasures(cuts=(CutWorkload(queries=64, largest=(1.0,)),))
    found = report(records, records.graph, measures=measures)
    assert found.figures["edge overlap"] == 1
    assert found.figures["communities (NMI)"] == 1
    assert all(
        abs(found.figures[name]) < 1e-3 for name in ("triangles, relative", "degree divergence", "L1", "modularity, relative")
    )
    assert "for the owner's eyes only" in str(found)
    assert (
        answered_by_degrees(records.graph, records.graph.degrees.astype(float), measures.cuts[0])[0].average_relative_error < 0.3
    )


def test_density_is_a_share():
    with pytest.raises(ParameterError, match="density"):
        DenseRegions(density=Fraction(3, 2))


@pytest.mark.parametrize("mechanism", [ShapeNetwork(), DegreeNetwork()], ids=lambda method: method.name)
def test_a_network_is_published_however_large_epsilon_is(mechanism):
    """The variance of the noise is then less than a floating-point number can say, and answers are weighed by its inverse."""
    family = Universe("abcdefgh")
    records = NetworkRecords.from_labels([("a", "b"), ("b", "c"), ("a", "c"), ("d", "e")], universe=family)
    release = mechanism.publish(records, budget=PureDP(10_000), ledger=seeded_ledger(1))
    assert len(release.data.graph) == 4
