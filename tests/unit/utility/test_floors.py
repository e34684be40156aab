"""Releases of sequences, networks, tables and streams beside the simplest ones."""

import numpy as np
import pytest

from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import Ragged
from tacita.io import FileFormat, LongColumns
from tacita.networks import NetworkRecords
from tacita.public.universe import Universe
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.simulate import CensusWorld, NetworkWorld
from tacita.tables import Mondrian, TableRecords, declared
from tacita.utility.networks.cuts import independent_edges
from tacita.utility.networks.cuts import standing as network_standing
from tacita.utility.sequences import independent_sequences
from tacita.utility.sequences import standing as sequence_standing
from tacita.utility.streams import errors_of, even_spread
from tacita.utility.tables import TableQueries, floors_of, report

LABELS = Universe("abcdef")
WALKS = Ragged.from_lists([[place % 6, (place + 1) % 6, (place + 2) % 6][: 1 + place % 3] for place in range(3000)])
MANIFEST = {"budget": {"plan": {"epsilon": "2"}}}


def published(sequences):
    return PublishedSequences(sequences=sequences, universe=LABELS, file_format=FileFormat.CSV, columns=LongColumns())


def test_independent_sequences_have_the_lengths_and_the_labels_but_not_the_order():
    found = independent_sequences(WALKS, labels=6, epsilon=20.0)
    assert len(found) == pytest.approx(len(WALKS), rel=0.02)
    assert found.lengths.mean() == pytest.approx(WALKS.lengths.mean(), rel=0.05)
    shares = [np.bincount(side.codes, minlength=6) / side.codes.size for side in (WALKS, found)]
    assert np.abs(shares[0] - shares[1]).max() < 0.03


def test_sequences_stand_beside_their_floors_and_an_empty_release_is_called_so():
    records = SequenceRecords(sequences=WALKS, universe=LABELS)
    found = sequence_standing(records, published(WALKS), MANIFEST)
    assert list(found.rows) == ["release", "independent", "nothing"]
    assert found.rows["release"]["error"] == 0.0 < found.rows["independent"]["error"]
    assert found.beaten_in == []
    assert "THIS RELEASE IS EMPTY" in str(sequence_standing(records, published(Ragged.from_lists([])), MANIFEST))
    assert sequence_standing(records, published(WALKS), {}) is None


def test_a_release_below_its_floor_says_in_what():
    records = SequenceRecords(sequences=WALKS, universe=LABELS)
    poor = sequence_standing(records, published(Ragged.from_lists([[5]])), MANIFEST)
    assert poor.beaten_in == ["top 100 found", "support lost"]
    assert "one of the simplest releases is better in: " in str(poor)
    assert poor.as_json()["rows"]["release"]["sequences"] == 1


def test_networks_stand_beside_random_edges():
    world = NetworkWorld(vertices=120, mean_degree=6, communities=4, seed=1)
    ends = world.edges()
    records = NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=world.universe)
    random = independent_edges(records.graph, epsilon=5.0)
    assert len(random) == pytest.approx(len(records.graph), abs=10)
    whole = network_standing(records, records.published(records.graph), MANIFEST)
    assert whole.rows["release"]["triangles"] == 0.0 < whole.rows["independent"]["triangles"]
    assert whole.rows["nothing"]["triangles"] == 1.0
    empty = records.published(Graph(120, np.zeros(0, dtype=np.int64)))
    assert "THIS RELEASE IS EMPTY" in str(network_standing(records, empty, MANIFEST))


def test_a_full_network_has_no_more_edges_than_pairs():
    pairs = np.triu_indices(5, 1)
    full = NetworkRecords.from_codes(*pairs, universe=Universe("abcde")).graph
    assert len(independent_edges(full, epsilon=0.1, seed=3)) <= 10


def test_tables_are_compared_with_single_columns_on_the_same_queries():
    world = CensusWorld.adult(people=400, seed=1)
    records = TableRecords.from_frame(world.frame, schema=declared(world.declaration()), name="census")
    queries = TableQueries(queries=40)
    floors = floors_of(records, queries=queries)
    found = report(records, Mondrian(models="k=200").publish(records).data, queries=queries)
    assert (found.relative_error_of_independent, found.absolute_error_of_independent) == floors["independent"]
    assert floors["nothing"][0] == pytest.approx(1.0)
    assert floors["nothing"][1] == pytest.approx(found.absolute_error_of_nothing)
    assert not found.is_better_than_independent
    assert "answer these queries better than this release" in str(found)


def test_an_even_spread_has_the_people_of_each_timestamp():
    truth = np.array([[4, 0], [2, 2]])
    assert even_spread(truth).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert errors_of(truth, even_spread(truth)) == (1.0, pytest.approx((2 / 4 + 2 / 1) / 4))
