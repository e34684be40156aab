"""The largest number of corners of triangles with an opposite edge each: its size, and how far one edge changes it."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.corners import matched_corners
from tacita.arrays.graphs import Graph

PAIRS = list(combinations(range(5), 2))


def graph_of(size, edges):
    return Graph(size, np.array(sorted(first * size + second for first, second in edges), dtype=np.int64))


def by_networkx(size, edges):
    """The same by another algorithm and library."""
    joined = set(edges)
    between = nx.Graph()
    corners = set()
    for a, b, c in combinations(range(size), 3):
        if {(a, b), (a, c), (b, c)} <= joined:
            between.add_edges_from([(a, (b, c)), (b, (a, c)), (c, (a, b))])
            corners |= {a, b, c}
    return len(nx.bipartite.hopcroft_karp_matching(between, corners)) // 2 if corners else 0


def test_one_edge_changes_the_number_by_three_at_the_most_in_all_graphs_of_five_vertices():
    found = [
        matched_corners(graph_of(5, [pair for place, pair in enumerate(PAIRS) if number >> place & 1])) for number in range(1024)
    ]
    changes = {
        found[number | 1 << place] - found[number] for number in range(1024) for place in range(10) if not number >> place & 1
    }
    assert changes == {0, 1, 2, 3}


@settings(max_examples=60)
@given(st.integers(4, 14), st.floats(0.1, 0.9), st.integers(0, 10_000))
def test_it_is_as_large_as_another_library_finds_it(size, share, seed):
    chosen = np.random.default_rng(seed).random(size * (size - 1) // 2) < share
    edges = [pair for pair, is_in in zip(combinations(range(size), 2), chosen.tolist(), strict=True) if is_in]
    assert matched_corners(graph_of(size, edges)) == by_networkx(size, edges)


@pytest.mark.parametrize("pages", [1, 2, 5, 40])
def test_many_triangles_over_one_edge_are_as_few_corners_as_one(pages):
    """Without that edge there are none."""
    spine, leaves = [(0, 1)], [(end, page) for page in range(2, pages + 2) for end in (0, 1)]
    assert matched_corners(graph_of(pages + 2, spine + leaves)) == 3
    assert matched_corners(graph_of(pages + 2, leaves)) == 0


def test_two_books_that_share_their_pages_are_matched_along_alternating_paths():
    edges = [(0, 1), (2, 3), *((end, page) for page in range(4, 9) for end in range(4))]
    assert matched_corners(graph_of(9, edges)) == by_networkx(9, edges)
