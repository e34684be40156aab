import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, ParameterError
from tacita.io import Compression, EdgeColumns, Misfits, observed_vertices, read_edges, write_edges
from tacita.public.universe import Universe

VERTICES = Universe(["30", "7", "100000007", "x"])
SECRET = "zzsecretzz"


def pairs(edges):
    return list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))


def write(folder, text, name="graph.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_comments_blanks_tabs_both_directions_loops_and_repeats(tmp_path):
    path = write(tmp_path, "# FromNodeId\tToNodeId\r\n30 7\r\n7\t30\n\n x   x\n100000007\tx\n30 7\n#7 x\nx y\n")
    edges = read_edges(path, vertices=VERTICES)
    assert pairs(edges) == [(0, 1), (2, 3)]
    assert (edges.dropped_outside, edges.dropped_loops, edges.dropped_repeats) == (1, 1, 2)
    assert "dropped" not in repr(edges)


def test_a_directed_edge_is_another_one_the_other_way_round(tmp_path):
    edges = read_edges(write(tmp_path, "7 30\n30 7\n7 30\n"), vertices=VERTICES, directed=True)
    assert pairs(edges) == [(0, 1), (1, 0)]
    assert edges.dropped_repeats == 1


@pytest.mark.parametrize("line", [f"30 7 {SECRET}", SECRET, f"30 {SECRET}\0"])
def test_a_line_that_is_no_edge_is_left_out_alone(tmp_path, line):
    misfits = Misfits()
    edges = read_edges(write(tmp_path, f"# x\n{line}\n\n30 7\n"), vertices=VERTICES, misfits=misfits)
    assert (len(edges), edges.dropped_outside, len(misfits)) == (1, 0, 1)
    assert SECRET not in misfits.note


def test_an_edge_list_without_edges_is_empty(tmp_path):
    with pytest.raises(InputError, match="is empty"):
        read_edges(write(tmp_path, ""), vertices=VERTICES)


def test_vertices_that_are_observed_are_all_of_them(tmp_path):
    assert sorted(observed_vertices(write(tmp_path, "% x\n1 2\n2 1\n3 3\n"), comment="%")) == ["1", "2", "3"]


def test_columns_must_be_two_of_one_length_over_the_vertices():
    with pytest.raises(ParameterError, match="two columns of the same length"):
        EdgeColumns(sources=np.zeros(2, np.int32), targets=np.zeros(1, np.int32), vertices=VERTICES)
    with pytest.raises(ParameterError, match="place of a vertex"):
        EdgeColumns(sources=np.zeros(1, np.int32), targets=np.full(1, 4, np.int32), vertices=VERTICES)


@pytest.mark.parametrize("labels", [["a b", "c"], ["#a", "c"]])
def test_vertices_that_an_edge_list_cannot_hold_are_refused(tmp_path, labels):
    edges = EdgeColumns(sources=np.zeros(1, np.int32), targets=np.ones(1, np.int32), vertices=Universe(labels))
    with pytest.raises(ParameterError, match=r"no label may contain one|no vertex may begin"):
        write_edges(tmp_path / "out.txt", edges)


@given(
    edges=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda edge: edge[0] != edge[1]), min_size=1),
    directed=st.booleans(),
    compression=st.sampled_from([None, *Compression]),
)
@settings(max_examples=40)
def test_what_is_written_reads_back(tmp_path_factory, edges, directed, compression):
    vertices = Universe(["1", "22", "\u00e9", "w", "v#", '"'])
    kept = sorted(edges if directed else {tuple(sorted(edge)) for edge in edges})
    columns = [np.array([edge[side] for edge in kept], dtype=np.int32) for side in (0, 1)]
    path = tmp_path_factory.mktemp("edges") / "graph"
    written = EdgeColumns(sources=columns[0], targets=columns[1], vertices=vertices, directed=directed)
    write_edges(path, written, compression=compression)
    again = read_edges(path, vertices=vertices, directed=directed)
    assert pairs(again) == kept
    assert (again.dropped_loops, again.dropped_repeats, again.dropped_outside) == (0, 0, 0)


@pytest.mark.parametrize(
    ("name", "vertices", "edges", "loops"),
    [("CA-GrQc", 5_242, 14_484, 12), ("CA-HepTh", 9_877, 25_973, 25), ("Wiki-Vote", 7_115, 100_762, 0)],
)
def test_real_networks_have_the_published_sizes(data_folder, name, vertices, edges, loops):
    path = data_folder / "snap_graphs" / f"{name}.txt.gz"
    universe = Universe.observed(observed_vertices(path))
    found = read_edges(path, vertices=universe)
    assert (len(universe), len(found), found.dropped_loops) == (vertices, edges, loops)


def test_a_packed_list_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "graph.txt.gz"
    path.write_bytes(gzip.compress(b"30 7\n")[:-4])
    with pytest.raises(InputError, match="not a complete gzip file"):
        read_edges(path, vertices=VERTICES)
