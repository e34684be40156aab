"""Public inputs that are left out: whoever leaves one out is refused, or the release says that it is not private."""

import networkx as nx
import numpy as np
import polars as pl
import pytest
import scipy.sparse

from tacita.errors import ParameterError
from tacita.io import ReadOptions
from tacita.networks import NetworkRecords, ShapeNetwork, read_network
from tacita.networks.reading import EdgeFile
from tacita.networks.records import read_for_kind as read_networks
from tacita.personal.records import PersonalReading, PersonalRecords
from tacita.personal.records import read_for_kind as read_personal
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.records import SequenceRecords
from tacita.sequences.records import read_for_kind as read_sequences
from tacita.sets.records import BasketRecords
from tacita.sets.records import read_for_kind as read_sets
from tacita.streams.published import StreamReading
from tacita.streams.records import StreamRecords
from tacita.streams.records import read_for_kind as read_streams
from tacita.tables.blocks import read_for_kind as read_tables
from tacita.tables.records import TableReading, TableRecords
from tacita.trajectories.reading import read_for_kind as read_trajectories
from tacita.trajectories.records import TrajectoryReading, TrajectoryRecords

EDGES = [(0, 1), (1, 2), (4, 5)]
ROWS, COLUMNS = np.array(EDGES).T
LABELS, CLOCK = Universe("ab"), TimeGrid(start=0, interval=1, intervals=3)


class LikeIgraph:
    """As much of a graph of igraph as is read."""

    vs = type("Vertices", (), {"attributes": lambda _: []})()

    def vcount(self):
        return 6

    def get_edgelist(self):
        return EDGES


@pytest.mark.parametrize(
    ("build", "graph"),
    [
        (NetworkRecords.from_networkx, nx.Graph(EDGES)),
        (NetworkRecords.from_igraph, LikeIgraph()),
        (NetworkRecords.from_scipy, scipy.sparse.coo_matrix((np.ones(3), (ROWS, COLUMNS)), shape=(6, 6))),
        (NetworkRecords.from_scipy, scipy.sparse.csr_array((np.ones(3), (ROWS, COLUMNS)), shape=(6, 6))),
    ],
    ids=["networkx", "igraph", "scipy", "scipy array"],
)
def test_vertices_taken_from_a_graph_void_the_guarantee(tmp_path, build, graph):
    records = build(graph)
    assert records.public.voids
    release = ShapeNetwork().publish(records, budget=PureDP(1), ledger=Ledger())
    release.write(tmp_path / "release")
    assert "NOT PRIVATE" in (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    declared = build(graph, universe=Universe([str(number) for number in range(6)]))
    assert not declared.public.voids
    assert len(declared.graph) == len(records.graph)


FRAME = pl.DataFrame({"id": [1], "label": ["a"], "time": [1], "source": ["a"], "target": ["b"]})
KINDS = {
    "sequences": (read_sequences, ReadOptions(), [PublicInputs()]),
    "sets": (read_sets, ReadOptions(), [PublicInputs()]),
    "networks": (read_networks, EdgeFile(), [PublicInputs()]),
    "tables": (read_tables, TableReading(), [PublicInputs(), PublicInputs(universe=LABELS)]),
    "personal": (read_personal, PersonalReading(), [PublicInputs()]),
    "streams": (read_streams, StreamReading(), [PublicInputs(grid=CLOCK), PublicInputs(universe=LABELS)]),
    "trajectories": (read_trajectories, TrajectoryReading(), [PublicInputs(grid=CLOCK), PublicInputs(universe=LABELS)]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_without_one_of_its_public_inputs_refuses(kind):
    read, options, left_out = KINDS[kind]
    for public in left_out:
        with pytest.raises(ParameterError):
            read(FRAME, public=public, options=options, name="x")


@pytest.mark.parametrize(
    ("build", "given"),
    [
        (SequenceRecords.from_labels, {}),
        (BasketRecords.from_labels, {}),
        (PersonalRecords.from_labels, {}),
        (NetworkRecords.from_labels, {}),
        (NetworkRecords.from_frame, {}),
        (read_network, {}),
        (StreamRecords.from_events, {"grid": CLOCK}),
        (StreamRecords.from_events, {"cells": LABELS}),
        (TrajectoryRecords.from_pairs, {"grid": CLOCK}),
        (TrajectoryRecords.from_pairs, {"universe": LABELS}),
        (TableRecords.from_frame, {}),
    ],
)
def test_a_constructor_has_no_default_for_what_must_be_public(build, given):
    with pytest.raises(TypeError, match="required keyword-only argument"):
        build([], **given)
