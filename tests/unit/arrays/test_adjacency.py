"""Rows of bits and walks find the neighbours that plain sets hold, before and after edges change."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.graphs import BitRows, Graph, Walks, edge_keys

SIZE = 70
"""More than the bits of one word."""


@st.composite
def changes(draw):
    """The edges of a graph, and which of them go and come."""
    pairs = st.sampled_from([pair for pair in combinations(range(SIZE), 2) if sum(pair) % 7 < 2])
    before = draw(st.sets(pairs, min_size=1, max_size=60))
    return before, draw(st.sets(st.sampled_from(sorted(before)))), draw(st.sets(pairs)) - before


def graph_of(edges):
    ends = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return Graph(SIZE, edge_keys(ends[:, 0], ends[:, 1], vertices=SIZE))


@pytest.mark.parametrize("of", [BitRows.of, Walks])
@given(changes())
def test_neighbours_are_those_of_plain_sets_before_and_after_edges_change(of, changed):
    before, gone, come = changed
    after = (before - gone) | come
    near = of(graph_of(before)).after(graph_of(after), graph_of(gone).keys, graph_of(come).keys)
    around = [{v for v in range(SIZE) if (min(u, v), max(u, v)) in after} for u in range(SIZE)]
    pairs = np.array(list(combinations(range(SIZE), 2)))
    first, second = pairs[:, 0], pairs[:, 1]
    chosen = np.arange(SIZE) % 3 == 0
    assert near.contains(second, first).tolist() == [(u, v) in after for u, v in pairs.tolist()]
    assert near.common(first, second).tolist() == [len(around[u] & around[v]) for u, v in pairs.tolist()]
    few = [sum(w % 3 == 0 for w in around[u] & around[v]) for u, v in pairs.tolist()]
    assert near.common_among(first, second, chosen).tolist() == few
