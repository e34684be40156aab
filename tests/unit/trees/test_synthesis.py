from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import TooManyNodesError
from tacita.trees import NoisyTree, TreeLevel, sequences_from_tree, terminations


def level(*nodes):
    parents, symbols, counts = np.array(nodes, dtype=np.int64).reshape(-1, 3).T
    return TreeLevel(parents, symbols, counts)


def test_each_prefix_is_written_as_often_as_sequences_end_there():
    tree = NoisyTree((level((0, 0, 5), (0, 2, 3)), level((0, 1, 4), (1, 0, 1))))
    assert [ends.tolist() for ends in terminations(tree)] == [[1, 2], [4, 1]]
    assert sequences_from_tree(tree).to_lists() == [[0], [2], [2], [0, 1], [0, 1], [0, 1], [0, 1], [2, 0]]


def test_children_that_outnumber_their_parent_leave_nothing_to_end_there():
    tree = NoisyTree((level((0, 0, 2)), level((0, 0, 3), (0, 1, 1))))
    assert [ends.tolist() for ends in terminations(tree)] == [[0], [3, 1]]


def test_an_empty_tree_gives_no_sequences():
    assert sequences_from_tree(NoisyTree(())).to_lists() == []
    assert sequences_from_tree(NoisyTree((level(), level()))).to_lists() == []


def test_more_symbols_than_memory_holds_are_refused():
    with pytest.raises(TooManyNodesError, match="raise epsilon"):
        sequences_from_tree(NoisyTree((level((0, 0, 2**62), (0, 1, 2**62)),)))


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), max_size=20))
def test_a_tree_of_true_counts_gives_the_sequences_back(rows):
    levels, above = [], [()]
    for length in range(1, 5):
        counts = Counter(tuple(row[:length]) for row in rows if len(row) >= length)
        nodes = sorted(counts)
        levels.append(level(*((above.index(node[:-1]), node[-1], counts[node]) for node in nodes)))
        above = nodes
    released = sequences_from_tree(NoisyTree(tuple(levels))).to_lists()
    assert sorted(released) == sorted(rows)
