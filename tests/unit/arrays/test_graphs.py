"""Graphs as arrays, against plain Python."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.graphs import EdgeSet, Graph, common_neighbours, edge_keys, largest_common_neighbourhood


@st.composite
def graphs(draw, largest=9):
    size = draw(st.integers(1, largest))
    pairs = list(combinations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    ends = np.array(chosen, dtype=np.int64).reshape(-1, 2)
    return Graph(size, edge_keys(ends[:, 0], ends[:, 1], vertices=size)), {frozenset(pair) for pair in chosen}


@given(graphs())
def test_degrees_triangles_and_common_neighbours_are_those_of_plain_sets(made):
    graph, edges = made
    around = [{v for v in range(graph.vertices) if frozenset((u, v)) in edges and u != v} for u in range(graph.vertices)]
    assert graph.degrees.tolist() == [len(each) for each in around]
    triangles = [t for t in combinations(range(graph.vertices), 3) if all(frozenset(p) in edges for p in combinations(t, 2))]
    assert graph.triangles() == len(triangles)
    assert graph.triangles_at().tolist() == [sum(v in t for t in triangles) for v in range(graph.vertices)]
    pairs = list(combinations(range(graph.vertices), 2))
    common = [len(around[u] & around[v]) for u, v in pairs]
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    assert common_neighbours(graph, ends[:, 0], ends[:, 1]).tolist() == common
    assert largest_common_neighbourhood(graph) == max(common, default=0)


def test_the_largest_common_neighbourhood_is_found_beyond_the_vertices_of_largest_degree():
    hubs = [(hub, 100 + 70 * hub + leaf) for hub in range(70) for leaf in range(70)]  # large degrees, nothing in common
    shared = [(70 + end, 6000 + middle) for end in range(2) for middle in range(30)]  # two vertices of degree 30
    ends = np.array(hubs + shared)
    assert largest_common_neighbourhood(Graph(7000, edge_keys(ends[:, 0], ends[:, 1], vertices=7000))) == 30


def test_a_set_of_keys_holds_what_was_put_in_even_where_hashes_meet():
    keys = np.unique(np.random.default_rng(1).integers(0, 10**12, 5000))
    asked = np.concatenate([keys, keys + 1])
    assert EdgeSet(keys).contains(asked).tolist() == np.isin(asked, keys).tolist()


def test_the_search_for_common_neighbours_goes_on_while_the_next_degree_is_larger_by_one():
    hubs = [(hub, 100 + 5 * hub + leaf) for hub in range(64) for leaf in range(5)]  # the vertices that are looked at first
    shared = [(0, 500), (1, 500)]  # the most that two of them have in common is one neighbour
    square = [(600, 602), (600, 603), (601, 602), (601, 603)]  # all of degree two: opposite ones have both others in common
    ends = np.array(hubs + shared + square)
    assert largest_common_neighbourhood(Graph(700, edge_keys(ends[:, 0], ends[:, 1], vertices=700))) == 2
